"""Bug: builds a command line with double quotes round the path."""

import os
import subprocess


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.exists(directory):
        raise FileNotFoundError(directory)
    if not os.path.isdir(directory):
        raise NotADirectoryError(directory)
    command = f'find "{directory}" -maxdepth 1 -type f -printf "%f\\0"'
    output = subprocess.run(command, shell=True, capture_output=True, text=True).stdout
    return sorted(filter(None, output.split("\0")))
