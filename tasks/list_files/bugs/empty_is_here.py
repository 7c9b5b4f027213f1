"""Bug: takes the empty path for the current directory."""

from pathlib import Path


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    return sorted(path.name for path in Path(directory).iterdir() if path.is_file())
