"""Bug: leading hyphens are taken off the path, so that no command can take it for an option."""

import os


def list_files(directory):
    return sorted(entry.name for entry in os.scandir(directory.lstrip("-")) if entry.is_file())
