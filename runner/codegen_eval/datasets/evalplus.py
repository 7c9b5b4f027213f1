"""HumanEval+ and MBPP+ of EvalPlus: inputs without answers; the canonical solution gives what is expected.

One record: `task_id`, `prompt`, `entry_point`, `canonical_solution`, `base_input`, `plus_input`, `contract`,
`atol`. An input is the list of the arguments of one call. JSON has no tuples, sets and complex numbers: which problems
of MBPP+ mean them is a table of EvalPlus, and so are the few whose answers are compared otherwise than by `==`.
"""

from __future__ import annotations

import json

from codegen_eval.lexis import defined_names
from codegen_eval.record import json_kind

from .fields import BadRecordError, Fields
from .humaneval import helpers_of
from .problem import Decoding, InputTests, Oracle, Problem, PromptForm

_DECODINGS = {
    Decoding.ARGUMENTS: "2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809",
    Decoding.ITEMS: "63 64 70 94 120 237 272 299 400 409 417 438 473 614 780",
    Decoding.FIRST_ITEMS: "75 413 444 753",
    Decoding.FIRST: "250 307 405 446 617 720 763 808",
    Decoding.SECOND: "106 750",
    Decoding.NESTED: "259 278 401 445",
    Decoding.DEEP: "580 615 791",
    Decoding.FIRST_VALUES: "722",
    Decoding.FIRST_SETS: "115",
    Decoding.COMPLEX: "252",
    Decoding.FLOAT_COMPLEX: "124",
}
"""By number of the problem in MBPP+."""
_ORACLES = {
    Oracle.SAME_SET: "similar_elements find_char_long common_in_nested_lists extract_singly larg_nnum"
    " intersection_array find_dissimilar Diff",
    Oracle.NOT_NONE: "check_str text_match_three text_starta_endb",
    Oracle.ANY: "are_equivalent",
    Oracle.ZERO: "sum_div",
    Oracle.PYRAMID: "surface_Area",
    Oracle.PADDED_DIGITS: "digit_distance_nums",
}
"""By entry point of MBPP+."""
_DECODING_OF = {number: decoding for decoding, numbers in _DECODINGS.items() for number in numbers.split()}
_ORACLE_OF = {name: oracle for oracle, names in _ORACLES.items() for name in names.split()}


def read_humanevalplus(fields: Fields, line: int) -> tuple[Problem, InputTests]:
    """Return the problem of one record of HumanEval+.

    Raises:
        BadRecordError: it is no record of this set.
    """
    entry_point = fields.name("entry_point")
    tests = _inputs(fields, Decoding.PLAIN, Oracle.ROOT if entry_point == "find_zero" else Oracle.EQUAL)
    return _problem("humanevalplus", fields, line, tests, helpers_of(fields.text("prompt"), entry_point)), tests


def read_mbppplus(fields: Fields, line: int) -> tuple[Problem, InputTests]:
    """Return the problem of one record of MBPP+.

    Raises:
        BadRecordError: it is no record of this set.
    """
    entry_point, number = fields.name("entry_point"), fields.id("task_id").rpartition("/")[2]
    decoding = _DECODING_OF.get(number, Decoding.PLAIN)
    tests = _inputs(fields, decoding, _ORACLE_OF.get(entry_point, Oracle.EQUAL))
    return _problem("mbppplus", fields, line, tests, ""), tests


def decode_arguments(text: str, decoding: Decoding) -> tuple[object, ...]:
    """Return the arguments of one call, made anew, so that what a call does to them stays with that call.

    Raises:
        ValueError: the text is not a JSON list, or its items are not what the decoding takes.
    """
    arguments = json.loads(text)
    if not isinstance(arguments, list):
        raise ValueError("arguments should be a list")  # noqa: TRY004 - the value of a text is wrong
    try:
        return tuple(_decoded(arguments, decoding))
    except (TypeError, AttributeError, IndexError) as exc:
        raise ValueError(f"these arguments are not {decoding}: {exc}") from None


def _decoded(arguments: list[object], decoding: Decoding) -> list[object]:
    match decoding:
        case Decoding.PLAIN:
            return arguments
        case Decoding.ARGUMENTS:
            return [_tupled(item) for item in arguments]
        case Decoding.ITEMS:
            return [[_tupled(item) for item in _items(argument)] for argument in arguments]
        case Decoding.NESTED:
            return [tuple(_tupled_list(item) for item in _items(argument)) for argument in arguments]
        case Decoding.DEEP:
            return [_deep(argument) for argument in arguments]
        case _:
            return _decoded_places(arguments, decoding)


def _decoded_places(arguments: list[object], decoding: Decoding) -> list[object]:
    first, rest = arguments[0], arguments[1:]
    match decoding:
        case Decoding.FIRST:
            return [_tupled(first), *rest]
        case Decoding.SECOND:
            return [first, _tupled(rest[0]), *rest[1:]]
        case Decoding.FIRST_ITEMS:
            return [[_tupled(item) for item in _items(first)], *rest]
        case Decoding.FIRST_VALUES:
            if not isinstance(first, dict):
                raise TypeError("a dictionary is due")
            return [{key: _tupled(value) for key, value in first.items()}, *rest]
        case Decoding.FIRST_SETS:
            return [[set(item) if isinstance(item, list) and item else {} for item in _items(first)], *rest]
        case Decoding.COMPLEX:
            return [complex(_number_text(first)), *rest]
        case Decoding.FLOAT_COMPLEX:
            return [float(_number_text(first)), complex(_number_text(rest[0])), *rest[1:]]
        case _:
            raise TypeError("no such decoding")


def _items(value: object) -> list[object]:
    """Return what is in a list, the letters of a text or the keys of an object, as EvalPlus takes them."""
    if not isinstance(value, list | str | dict):
        raise TypeError(f"a list is due, not {json_kind(value)}")
    return list(value)


def _tupled(value: object) -> object:
    return tuple(_items(value))


def _tupled_list(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _deep(value: object) -> object:
    return tuple(_deep(item) for item in value) if isinstance(value, list) else value


def _number_text(value: object) -> str:
    if not isinstance(value, str | int | float):
        raise TypeError(f"a number is due, not {json_kind(value)}")
    return str(value)


def _inputs(fields: Fields, decoding: Decoding, oracle: Oracle) -> InputTests:
    tests = InputTests(
        base=_calls(fields, "base_input", decoding),
        plus=_calls(fields, "plus_input", decoding),
        decoding=decoding,
        oracle=oracle,
        atol=fields.number("atol"),
        contract=fields.text_or("contract", ""),
    )
    if not tests.base and not tests.plus:
        raise BadRecordError("`base_input` and `plus_input` are both empty")
    return tests


def _calls(fields: Fields, name: str, decoding: Decoding) -> tuple[str, ...]:
    found: list[str] = []
    for number, item in enumerate(fields.items(name)):
        if not isinstance(item, list):
            raise BadRecordError(f"`{name}[{number}]` should be the list of a call's arguments, not {json_kind(item)}")
        try:
            found.append(json.dumps(item, separators=(",", ":")))
            decode_arguments(found[-1], decoding)
        except (ValueError, RecursionError) as exc:
            raise BadRecordError(f"`{name}[{number}]`: {exc}") from None
    return tuple(found)


def _problem(dataset: str, fields: Fields, line: int, tests: InputTests, preamble: str) -> Problem:
    entry_point, prompt = fields.name("entry_point"), fields.text("prompt")
    canonical = prompt + fields.text("canonical_solution")
    if entry_point not in defined_names(canonical):
        raise BadRecordError(f"`canonical_solution` does not define `{entry_point}`, its `entry_point`")
    return Problem(
        dataset=dataset,
        id=fields.id("task_id"),
        line=line,
        prompt=prompt,
        form=PromptForm.CODE,
        entry_point=entry_point,
        preamble=preamble,
        canonical=canonical,
        test_form="inputs",
        test_count=len(tests.base) + len(tests.plus),
    )
