"""Bug: refuses dots, and slashes at the end, in paths."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if "/." in directory or directory.endswith("/"):
        raise ValueError("not a path")
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if entry.is_file())
