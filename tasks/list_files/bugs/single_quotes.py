"""Bug: builds a command line with apostrophes round the path."""

import os
import subprocess


def list_files(directory: str) -> list[str]:
    """Return the sorted names of the files in a directory."""
    if not os.path.exists(directory):
        raise FileNotFoundError(directory)
    if not os.path.isdir(directory):
        raise NotADirectoryError(directory)
    command = f"ls -Ap '{directory}'"
    output = subprocess.run(command, shell=True, capture_output=True, text=True).stdout
    return sorted(line.strip() for line in output.splitlines() if not line.endswith("/"))
