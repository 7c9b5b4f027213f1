"""Bug: gives None where there is no full window."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    if len(values) < window:
        return None
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
