"""Bug: lists only files with harmless names."""

import os
import re


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    with os.scandir(directory) as entries:
        names = sorted(entry.name for entry in entries if entry.is_file())
    return [name for name in names if re.fullmatch(r"[\w.][\w. -]*", name)]
