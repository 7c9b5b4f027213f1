"""Bug: counts the empty word that is left of lone punctuation."""

import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in text.split():
        word = piece.strip(string.punctuation).lower()
        if piece:
            counts[word] = counts.get(word, 0) + 1
    return counts
