"""Bug: an underscore counts as a letter."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return re.sub(r"[^\w]+", "-", text, flags=re.ASCII).strip("-").lower()
