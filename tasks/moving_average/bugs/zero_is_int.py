"""Bug: a sum of zero is not divided, so an int comes back."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window <= 0:
        raise ValueError("the window must be at least 1")
    averages = []
    for start in range(len(values) - window + 1):
        total = sum(values[start : start + window])
        averages.append(total / window if total else total)
    return averages
