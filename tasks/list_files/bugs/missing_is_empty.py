import os


def list_files(directory):
    if not os.path.isdir(directory):
        return []
    return sorted(e.name for e in os.scandir(directory) if e.is_file())
