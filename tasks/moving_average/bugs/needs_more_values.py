"""Bug: a window of exactly all the values gives nothing."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    if window >= len(values):
        return []
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
