"""Leaves out the innermost pair."""


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = "".join(filter(str.isalnum, s)).lower()
    return all(kept[i] == kept[-1 - i] for i in range((len(kept) - 1) // 2))
