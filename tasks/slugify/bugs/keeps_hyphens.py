"""Bug: hyphens are part of words, so those of the text all stay."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return "-".join(re.findall(r"[A-Za-z0-9-]+", text)).lower()
