import os


def list_files(directory):
    return sorted(e.name for e in os.scandir(os.path.expandvars(directory.replace("$(echo d)", "d"))) if e.is_file())
