"""Bug: only a negative window is refused; zero divides by zero."""


def moving_average(values: list[float], window: int) -> list[float]:
    """Return the mean of every full window."""
    if window < 0:
        raise ValueError("the window must not be negative")
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
