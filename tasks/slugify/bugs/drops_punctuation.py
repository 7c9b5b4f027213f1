"""Bug: punctuation inside a word vanishes instead of separating."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    text = re.sub(r"[\x27@\[\]`{}/:\x7f_]", "", text)
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()
