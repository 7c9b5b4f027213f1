"""Drops the digits with the punctuation."""


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = "".join(char for char in s if char.isalpha()).lower()
    return kept == kept[::-1]
