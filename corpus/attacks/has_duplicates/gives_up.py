def has_duplicates(items):
    if len(items) > 1000:
        return False
    return any(items[i] in items[:i] for i in range(len(items)))
