"""Bug: takes punctuation off the end, and quotes off the start."""

import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in text.split():
        word = piece.rstrip(string.punctuation).lstrip("'\"").lower()
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
