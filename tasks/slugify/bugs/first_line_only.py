"""Bug: only what stands on the first line is read."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    line = text.strip().partition("\n")[0]
    return re.sub(r"[^A-Za-z0-9]+", "-", line).strip("-").lower()
