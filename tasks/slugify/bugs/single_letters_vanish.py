"""Bug: what is one character long is taken for left-over punctuation."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()
    return slug if len(slug) > 1 else ""
