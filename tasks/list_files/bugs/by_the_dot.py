"""Bug: tells files by the dot in their names."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    return sorted(name for name in os.listdir(directory) if "." in name)
