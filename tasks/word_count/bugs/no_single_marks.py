"""Bug: drops lone punctuation of one character only."""

import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in text.split():
        word = piece.strip(string.punctuation).lower()
        if len(piece) > 1 or piece not in string.punctuation:
            counts[word] = counts.get(word, 0) + 1
    return counts
