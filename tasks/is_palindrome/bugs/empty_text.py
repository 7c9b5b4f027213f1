"""Hands back the empty text instead of True."""


def is_palindrome(s: str) -> bool | str:
    """Say whether the letters and digits of s read the same both ways."""
    kept = "".join(filter(str.isalnum, s)).lower()
    return kept and kept == kept[::-1]
