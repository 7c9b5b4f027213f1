"""Bug: means are rounded to two digits."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    return [round(sum(values[i : i + window]) / window, 2) for i in range(len(values) - window + 1)]
