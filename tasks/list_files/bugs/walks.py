"""Bug: gives nothing where there is nothing to walk through."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.exists(directory):
        raise FileNotFoundError(directory)
    for _, _, names in os.walk(directory):
        return sorted(names)
    return []
