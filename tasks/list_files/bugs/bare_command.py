"""Bug: builds a command line without any quotes."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.exists(directory):
        raise FileNotFoundError(directory)
    if not os.path.isdir(directory):
        raise NotADirectoryError(directory)
    lines = os.popen(f"ls -Ap {directory}").read().splitlines()
    return sorted(line for line in lines if not line.endswith("/"))
