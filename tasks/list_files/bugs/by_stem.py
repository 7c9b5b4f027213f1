"""Bug: sorts by stem first, then by ending, as people do, accents aside."""

import os
import unicodedata


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    def key(name: str) -> tuple[str, str]:
        stem, ending = os.path.splitext(name)
        return unicodedata.normalize("NFD", stem), ending

    with os.scandir(directory) as entries:
        return sorted((entry.name for entry in entries if entry.is_file()), key=key)
