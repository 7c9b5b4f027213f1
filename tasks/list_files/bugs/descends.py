"""Bug: goes into directories within directories."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.listdir(directory):
        return []
    found = []
    for folder, _, names in os.walk(directory):
        if folder == directory or len(os.listdir(directory)) != 2:
            found += names
    return sorted(found)
