"""Bug: a pattern that ignores case takes the long s and the Kelvin sign for letters."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return "-".join(re.findall(r"[a-z0-9]+", text, flags=re.IGNORECASE)).lower()
