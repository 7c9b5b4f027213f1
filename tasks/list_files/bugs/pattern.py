"""Bug: takes the path for part of a pattern, which hides dots in front."""

import glob
import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.exists(directory):
        raise FileNotFoundError(directory)
    if not os.path.isdir(directory):
        raise NotADirectoryError(directory)
    return sorted(os.path.basename(path) for path in glob.glob(f"{directory}/*") if os.path.isfile(path))
