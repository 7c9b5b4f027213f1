"""Bug: pairs of hyphens are halved once, so that longer runs leave more than one."""

import re


def slugify(text: str) -> str:
    """Return a slug of the text."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", text).strip("-").lower()
    return slug.replace("--", "-")
