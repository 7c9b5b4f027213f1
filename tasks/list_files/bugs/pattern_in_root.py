"""Bug: takes the path for a pattern."""

import glob
import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.exists(directory):
        raise FileNotFoundError(directory)
    if not os.path.isdir(directory):
        raise NotADirectoryError(directory)
    paths = glob.glob(directory + "/*") + glob.glob(directory + "/.*")
    return sorted(os.path.basename(path) for path in paths if os.path.isfile(path))
