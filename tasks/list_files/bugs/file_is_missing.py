"""Bug: takes the path of a file for that of nothing, and the other way round below."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.isdir(directory):
        raise FileNotFoundError(directory)
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if entry.is_file())
