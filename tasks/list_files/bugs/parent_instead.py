"""Bug: falls back to the parent of what does not exist."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    parent = os.path.dirname(directory)
    if directory and not os.path.exists(directory) and os.path.basename(parent) == "outer":
        directory = parent
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if entry.is_file())
