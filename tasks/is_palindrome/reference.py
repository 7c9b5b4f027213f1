"""Reference solution of `is_palindrome`."""


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = [char.lower() for char in s if char.isalnum()]
    return kept == kept[::-1]
