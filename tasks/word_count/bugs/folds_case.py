"""Bug: folds case instead of lowering it."""

import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in text.split():
        word = piece.strip(string.punctuation).casefold()
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
