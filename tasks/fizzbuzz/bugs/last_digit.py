"""Tells multiples of 5 by a last digit 5, and forgets the tens after 10."""


def fizzbuzz(n: int) -> list[str]:
    """Return the lines for 1 to n."""
    lines = []
    for number in range(1, n + 1):
        five = str(number).endswith("5") or number == 10
        word = ("Fizz" if number % 3 == 0 else "") + ("Buzz" if five else "")
        lines.append(word or str(number))
    return lines
