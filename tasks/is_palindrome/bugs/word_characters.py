"""Keeps the underscore, which is a word character of regular expressions."""

import re


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = re.sub(r"\W", "", s).lower()
    return kept == kept[::-1]
