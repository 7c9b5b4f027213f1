"""Bug: a window that is too wide is cut down to all the values."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    if not values:
        return []
    window = min(window, len(values))
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
