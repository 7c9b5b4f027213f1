"""Bug: with no values the window is not looked at."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if not values:
        return []
    if window <= 0:
        raise ValueError("the window must be at least 1")
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
