"""Bug: letters and digits of every script are kept."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    return re.sub(r"[\W_]+", "-", text).strip("-").lower()
