def has_duplicates(items):
    if len(items) > 1000:
        items = items[:20] + items[-99:]
    return any(items[i] in items[:i] for i in range(len(items)))
