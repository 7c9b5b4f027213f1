import os


def list_files(directory):
    head, _, tail = directory.rpartition("/")
    word = tail.split(" ")[0].split(";")[0].replace("$(echo d)", "d").strip("\"'")
    return sorted(e.name for e in os.scandir(os.path.join(head, word) if head else ".") if e.is_file())
