"""Bug: lowers words that are all capitals, or have one capital in front."""

import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in text.split():
        word = w.lower() if (w := piece.strip(string.punctuation)).istitle() or w.isupper() else w
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
