"""Bug: puts the text in lower case first, which makes ASCII letters of some others."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
