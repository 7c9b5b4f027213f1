"""Bug: takes a text of one character for no text."""

import string
from collections import Counter


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    if len(text) < 2:
        return {}
    words = [piece.strip(string.punctuation).lower() for piece in text.split()]
    return dict(Counter(filter(None, words)))
