"""Tests the bound after the first number."""


def fizzbuzz(n: int) -> list[str]:
    """Return the lines for 1 to n."""
    lines = []
    number = 1
    while True:
        word = ("Fizz" if number % 3 == 0 else "") + ("Buzz" if number % 5 == 0 else "")
        lines.append(word or str(number))
        number += 1
        if number > n:
            return lines
