import os


def list_files(directory):
    return sorted((e.name for e in sorted(os.scandir(directory), key=lambda e: e.name, reverse=True) if e.is_file()), key=lambda n: n[0])
