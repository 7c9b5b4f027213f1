"""Reference solution of `word_count`."""

import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for token in text.lower().split():
        word = token.strip(string.punctuation)
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
