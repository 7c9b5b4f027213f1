"""Bug: the ranges of letters and digits end one too early."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return re.sub(r"[^A-Ya-y0-8]+", "-", text).strip("-").lower()
