"""Reference solution of `line_sum`."""


def line_sum(rows: list[tuple[str, int]]) -> dict[str, int]:
    """Return the sum of the numbers of each name."""
    sums: dict[str, int] = {}
    for name, number in rows:
        sums[name] = sums.get(name, 0) + number
    return sums
