"""Bug: trims before it replaces, so accents at the ends leave hyphens."""

import re
import string


def slugify(text: str) -> str:
    """Return a slug of the text."""
    trimmed = text.strip(string.whitespace + string.punctuation)
    return re.sub(r"[^A-Za-z0-9]+", "-", trimmed).lower()
