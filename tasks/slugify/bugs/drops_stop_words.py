"""Bug: leaves out words that say little."""

import re

_STOP_WORDS = {"a", "an", "and", "of", "the"}


def slugify(text: str) -> str:
    """Return a slug of the text."""
    words = re.findall(r"[A-Za-z0-9]+", text)
    return "-".join(word.lower() for word in words if word not in _STOP_WORDS)
