"""Bug: takes the values out of the caller's list."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    averages = []
    while len(values) >= window:
        averages.append(sum(values[:window]) / window)
        values.pop(0)
    return averages
