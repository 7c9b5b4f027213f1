"""Bug: takes negative sums for positive ones."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    averages = []
    for start in range(len(values) - window + 1):
        averages.append(abs(sum(values[start : start + window])) / window)
    return averages
