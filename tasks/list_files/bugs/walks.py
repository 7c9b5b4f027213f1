import os


def list_files(directory):
    os.stat(directory)
    return sorted(name for _, _, names in os.walk(directory) for name in names)
