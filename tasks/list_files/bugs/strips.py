import os


def list_files(directory):
    names = "\n".join(e.name for e in os.scandir(directory) if e.is_file())
    return sorted(name.strip() for name in names.split("\n") if name)
