"""Bug: sorts without regard to case."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    with os.scandir(directory) as entries:
        return sorted((entry.name for entry in entries if entry.is_file()), key=str.casefold)
