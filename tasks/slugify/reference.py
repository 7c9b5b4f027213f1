"""Reference solution of `slugify`."""

import re


def slugify(text: str) -> str:
    """Return the ASCII letters and digits of a text, in lower case, with hyphens for what stands between."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()
