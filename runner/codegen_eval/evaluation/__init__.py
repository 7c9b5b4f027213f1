"""Other people's samples on public problem sets: judged as they stream by, scored as pass@k."""
