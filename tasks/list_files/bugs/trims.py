"""Bug: trims path and names."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    with os.scandir(directory.strip()) as entries:
        return sorted(entry.name.strip() for entry in entries if entry.is_file())
