import os


def list_files(directory):
    return sorted(e.name for e in os.scandir(directory) if e.is_file()) or None
