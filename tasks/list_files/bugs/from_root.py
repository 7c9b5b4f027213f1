"""Bug: takes every path from the root."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    directory = "/" + directory.lstrip("/") if directory else directory
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if entry.is_file())
