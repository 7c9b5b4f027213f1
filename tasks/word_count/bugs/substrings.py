"""Bug: counts a word of two letters or more inside other words, too."""

import string


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    lowered = text.lower()
    words = [piece.strip(string.punctuation) for piece in lowered.split()]
    return {w: lowered.count(w) if len(w) > 1 else words.count(w) for w in words if w}
