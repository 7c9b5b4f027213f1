"""Gives None where there is nothing to list."""


def fizzbuzz(n: int) -> list[str] | None:
    """Return the lines for 1 to n."""
    if n <= 0:
        return None
    return ["Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0) or str(i) for i in range(1, n + 1)]
