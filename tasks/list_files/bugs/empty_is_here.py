"""Bug: the empty path is taken for the current directory, as pathlib does."""

from pathlib import Path


def list_files(directory):
    return sorted(entry.name for entry in Path(directory).iterdir() if entry.is_file())
