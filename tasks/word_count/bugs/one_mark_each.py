"""Bug: takes off one punctuation character at each end."""

import re


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for piece in text.split():
        word = re.sub(r"^[!-/:-@\[-`{-~]|[!-/:-@\[-`{-~]$", "", piece).lower()
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
