"""Bug: the path is split into words as a shell does, and only the first word counts."""

import os
import shlex


def list_files(directory):
    words = shlex.split(directory)
    return sorted(entry.name for entry in os.scandir(words[0] if words else "") if entry.is_file())
