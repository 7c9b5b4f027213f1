"""Drops letters outside ASCII."""

import re


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = re.sub(r"[^a-z0-9]", "", s.lower())
    return kept == kept[::-1]
