"""Bug: tells files by their endings."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    return sorted(name for name in os.listdir(directory) if os.path.splitext(name)[1])
