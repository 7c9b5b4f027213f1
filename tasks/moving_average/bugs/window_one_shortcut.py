"""Bug: a window of one gives the values as they are, integers included."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    if window == 1:
        return list(values)
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
