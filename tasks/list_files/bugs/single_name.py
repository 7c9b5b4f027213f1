"""Bug: gives a lone file that stands for itself as a str."""

import os


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    names = sorted(os.listdir(directory))
    if len(names) == 1:
        return names[0]
    return [name for name in names if os.path.isfile(os.path.join(directory, name))]
