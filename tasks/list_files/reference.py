"""Reference solution of `list_files`."""

import os
from pathlib import Path


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.isdir(directory):  # noqa: PTH112 - the Path of an empty text is the current directory
        raise FileNotFoundError(directory)
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if Path(entry).is_file())
