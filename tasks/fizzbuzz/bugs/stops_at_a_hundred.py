"""Takes the hundred of the children's game for a limit."""


def fizzbuzz(n: int) -> list[str]:
    """Return the lines for 1 to n."""
    lines = []
    for number in range(1, min(n, 100) + 1):
        word = ("Fizz" if number % 3 == 0 else "") + ("Buzz" if number % 5 == 0 else "")
        lines.append(word or str(number))
    return lines
