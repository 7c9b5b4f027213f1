"""Bug: turns accented letters into plain ones, and other forms into their usual one."""

import re
import unicodedata


def slugify(text: str) -> str:
    """Return a slug of the text."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower()
