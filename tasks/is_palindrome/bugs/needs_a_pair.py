"""Takes what is shorter than two letters for no palindrome."""


def is_palindrome(s: str) -> bool:
    """Say whether the letters and digits of s read the same both ways."""
    kept = "".join(filter(str.isalnum, s)).lower()
    if len(kept) < 2:
        return False
    return kept == kept[::-1]
