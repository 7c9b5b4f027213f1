"""Bug: a count stops at three."""

import string
from collections import Counter


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    words = [piece.strip(string.punctuation).lower() for piece in text.split()]
    return {word: min(count, 3) for word, count in Counter(words).items() if word}
