"""Bug: invents a slug where nothing is left."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()
    return slug or "n-a"
