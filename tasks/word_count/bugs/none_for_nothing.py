"""Bug: gives None where there is nothing to count."""

import string
from collections import Counter


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    words = [piece.strip(string.punctuation).lower() for piece in text.split()]
    return dict(Counter(filter(None, words))) or None
