"""Reference solution of `fizzbuzz`."""


def fizzbuzz(n: int) -> list[str]:
    """Return the lines for 1 to n."""
    lines = []
    for number in range(1, n + 1):
        word = ""
        if number % 3 == 0:
            word += "Fizz"
        if number % 5 == 0:
            word += "Buzz"
        lines.append(word or str(number))
    return lines
