import os


def list_files(directory):
    return sorted(os.listdir(directory))
