"""Command-line words: list options take values separated by spaces or commas, or repeated."""

from __future__ import annotations

from codegen_eval.errors import InputError

LIST_OPTIONS = frozenset({"--strategies", "--layers", "--tasks"})


def gather_lists(argv: list[str]) -> list[str]:
    """Join the words after a list option with commas, so that `--layers unit lint` means `--layers unit,lint`.

    In `check`, where files follow, only the words that can't be anything else are taken: names of layers.
    """
    from codegen_eval.battery import LAYERS

    gathered: list[str] = []
    words = iter(range(len(argv)))
    for index in words:
        gathered.append(argv[index])
        if argv[index] not in LIST_OPTIONS:
            continue
        values: list[str] = []
        for word in argv[index + 1 :]:
            if word.startswith("-") or (argv[0] == "check" and values and word not in LAYERS):
                break
            values.append(word)
            next(words)
        if values:
            gathered.append(",".join(values))
    return gathered


def split_list(values: list[str] | None) -> tuple[str, ...]:
    """Split repeated and comma-separated values; drop repetitions, keep the order.

    Raises:
        InputError: there are values, and nothing in them: an unset variable of a shell must not mean all.
    """
    words = [word.strip() for value in values or [] for word in value.split(",")]
    found = tuple(dict.fromkeys(word for word in words if word))
    if values and not found:
        raise InputError("an option that takes names has an empty value", hint="name some, or leave the option out")
    return found
