"""Bug: takes leading zeros for padding."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-0").lower()
