"""Bug: expands variables and the tilde."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    directory = os.path.expanduser(os.path.expandvars(directory.replace("$HOME", os.path.expanduser("~"))))
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if entry.is_file())
