"""Counts up to the absolute value."""


def fizzbuzz(n: int) -> list[str]:
    """Return the lines for 1 to n."""
    return ["Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0) or str(i) for i in range(1, abs(n) + 1)]
