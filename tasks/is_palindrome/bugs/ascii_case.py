"""Lowers the case of ASCII letters only, and removes only ASCII punctuation and blanks."""

from string import ascii_lowercase, ascii_uppercase, punctuation


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = s.translate(str.maketrans(ascii_uppercase, ascii_lowercase, punctuation + " "))
    return kept == kept[::-1]
