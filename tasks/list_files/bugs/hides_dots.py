"""Bug: hides files with a dot in front, and those that editors leave behind."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    with os.scandir(directory) as entries:
        names = [entry.name for entry in entries if entry.is_file()]
    return sorted(name for name in names if not name.startswith((".", "#")) and not name.endswith(("~", ".bak")))
