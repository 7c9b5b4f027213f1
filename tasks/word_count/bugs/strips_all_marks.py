"""Bug: takes off everything that is no letter or digit, typographic quotes included."""

import re


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in text.split():
        word = re.sub(r"^[\W_]+|[\W_]+$", "", piece).lower()
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
