"""Recurses once for each pair, too deep for a long text."""


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = "".join(filter(str.isalnum, s)).lower()
    if len(kept) < 2:
        return True
    return kept[0] == kept[-1] and is_palindrome(kept[1:-1])
