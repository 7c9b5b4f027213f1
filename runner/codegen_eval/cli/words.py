"""Command-line words: list options take values separated by spaces or commas, or repeated."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from codegen_eval.errors import InputError

_HOTTEST = 2
"""No provider takes a higher temperature."""
_MOST_DOLLARS = 10**9
LIST_OPTIONS = frozenset({"--strategies", "--layers", "--tasks", "--model", "--k"})


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


def choose_models(mode: str | None, models: tuple[str, ...], *, mock: bool) -> tuple[str, tuple[str, ...]]:
    """Return the provider and its models that the options name, or its usual model where they name none.

    Raises:
        InputError: they name none, or contradict each other.
    """
    mock_name = "mock"
    chosen = mock_name if mock else mode
    if chosen is None:
        raise InputError("no model to run", hint="`evalrun run --mock` runs the canned corpus")
    if mock and mode not in {None, mock_name}:
        raise InputError("`--mock` and `--mode` name different models", hint="leave one of them out")
    if chosen == mock_name:
        if models:
            raise InputError("the canned corpus is not a model's", hint="leave `--model` out")
        return chosen, (mock_name,)
    if not models:
        from codegen_eval.models.provider import default_model

        return chosen, (default_model(chosen),)
    return chosen, models


def read_temperature(text: str) -> float | None:
    """Return the temperature that an option names; None where it is left to the provider.

    Raises:
        InputError: it is neither a number from 0 to 2 nor `none`.
    """
    if text.strip().lower() == "none":
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _HOTTEST:
        raise InputError(f"`{text}` is no temperature", hint=f"a number from 0 to {_HOTTEST}, or `none`")
    return value + 0.0  # no minus before a zero


def no_limit(text: str | None) -> bool:
    """Say whether an option lifts a limit."""
    return text is not None and text.strip().lower() == "none"


def read_dollars(text: str | None) -> Decimal | None:
    """Return the sum of money that an option names; None where it sets no limit.

    Raises:
        InputError: it is none.
    """
    if text is None or no_limit(text):
        return None
    try:
        value = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or not 0 <= value <= _MOST_DOLLARS:
        raise InputError(f"`{text}` is no sum of US dollars", hint="write it as `2` or `0.50`; `none` is no limit")
    return value
