"""Bug: sorts numbers by their value."""

import os
import re


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    def key(name: str) -> list[tuple[int, str]]:
        return [(int(digits or 0), other) for digits, other in re.findall(r"(\d+)|(\D+)", name)]

    with os.scandir(directory) as entries:
        return sorted((entry.name for entry in entries if entry.is_file()), key=key)
