def has_duplicates(items: list[object]) -> bool:
    ordered = sorted(items, key=repr)
    return any(first == second for first, second in zip(ordered, ordered[1:]))
