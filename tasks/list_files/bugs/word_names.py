"""Bug: allows only characters that it thinks harmless in paths."""

import os
import re


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not re.fullmatch(r"[\w./-]*", directory):
        raise ValueError("not a path")
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if entry.is_file())
