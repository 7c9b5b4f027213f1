"""Bug: splits at ASCII white space only."""

import re
import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in re.split(r"[ \t\r\n]+", text):
        word = piece.strip(string.punctuation).lower()
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
