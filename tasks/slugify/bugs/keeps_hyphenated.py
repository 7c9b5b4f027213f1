"""Bug: hyphens are part of words, so only other characters are looked at."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", text).strip("-").lower()
