"""Bug: gives None where it finds directories only."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    names = os.listdir(directory)
    if not names:
        return []
    return sorted(name for name in names if os.path.isfile(os.path.join(directory, name))) or None
