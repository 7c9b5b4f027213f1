"""Bug: a word is a run of letters, digits and apostrophes."""

import re


def word_count(text: str) -> dict[str, int]:
    """Return how often each word occurs."""
    counts: dict[str, int] = {}
    for word in re.findall(r"[a-z0-9][a-z0-9']*", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts
