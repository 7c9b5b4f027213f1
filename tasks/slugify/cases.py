"""Cases of `slugify`."""

from __future__ import annotations

import string

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass as F

CASES: tuple[Case, ...] = (
    Case("two-words", ("Hello, World!",), "hello-world", aimed_at=F.WRONG_LOGIC, shown=True),
    Case("digits", ("Python 3.12",), "python-3-12", aimed_at=F.WRONG_LOGIC, shown=True),
    Case("padded", ("  Spaces Around ",), "spaces-around", aimed_at=F.WRONG_LOGIC, shown=True),
    Case("one-word", ("Title",), "title", aimed_at=F.WRONG_LOGIC, shown=True),
    # every character of the alphabet, and its neighbours
    Case("lower-case-letters", (string.ascii_lowercase,), string.ascii_lowercase, aimed_at=F.MISSED_EDGE_CASE),
    Case("upper-case-letters", (string.ascii_uppercase,), string.ascii_lowercase, aimed_at=F.MISSED_EDGE_CASE),
    Case("all-digits", (string.digits,), string.digits, aimed_at=F.MISSED_EDGE_CASE),
    Case("neighbours-of-letters", ("x@A[`a{Z",), "x-a-a-z", aimed_at=F.MISSED_EDGE_CASE),
    Case("neighbours-of-digits", ("0/9:0",), "0-9-0", aimed_at=F.MISSED_EDGE_CASE),
    Case("delete-character", ("a\x7fb\x80c\xffd",), "a-b-c-d", aimed_at=F.MISSED_EDGE_CASE),
    # runs and ends
    Case("long-run", ("rock  &  roll",), "rock-roll", aimed_at=F.MISSED_EDGE_CASE),
    Case("run-of-hyphens", ("a---b",), "a-b", aimed_at=F.MISSED_EDGE_CASE),
    Case("mixed-run", ("a -_- b",), "a-b", aimed_at=F.MISSED_EDGE_CASE),
    Case("outer-hyphens", ("--a-b--",), "a-b", aimed_at=F.MISSED_EDGE_CASE),
    Case("outer-punctuation", ("¡Hola!...",), "hola", aimed_at=F.MISSED_EDGE_CASE),
    Case("outer-accents", ("École à côté",), "cole-c-t", aimed_at=F.MISSED_EDGE_CASE),
    Case("slug-already", ("a-slug-of-2-parts",), "a-slug-of-2-parts", aimed_at=F.MISSED_EDGE_CASE),
    Case("single-letter", ("Q",), "q", aimed_at=F.MISSED_EDGE_CASE),
    # what separates
    Case("underscores", ("snake_case__name",), "snake-case-name", aimed_at=F.MISSED_EDGE_CASE),
    Case("apostrophe", ("Don't stop",), "don-t-stop", aimed_at=F.MISSED_EDGE_CASE),
    Case("line-ends-and-tabs", ("one\ntwo\tthree\r\n",), "one-two-three", aimed_at=F.MISSED_EDGE_CASE),
    Case("accents", ("Crème Brûlée",), "cr-me-br-l-e", aimed_at=F.MISSED_EDGE_CASE),
    Case("other-scripts", ("Привет world 你好 2",), "world-2", aimed_at=F.MISSED_EDGE_CASE),
    Case("other-digits", ("10m² ٣ 5",), "10m-5", aimed_at=F.MISSED_EDGE_CASE),
    Case("full-width", ("\uff21\uff42c\uff11 2",), "c-2", aimed_at=F.MISSED_EDGE_CASE),
    Case("kelvin-sign", ("5\u212a x",), "5-x", aimed_at=F.MISSED_EDGE_CASE),
    Case("dotted-capital-i", ("\u0130stanbul",), "stanbul", aimed_at=F.MISSED_EDGE_CASE),
    Case("long-s", ("Con\u017fent",), "con-ent", aimed_at=F.MISSED_EDGE_CASE),
    # always a str
    Case("empty", ("",), "", aimed_at=F.SILENT_TYPE_ERROR),
    Case("only-spaces", ("   ",), "", aimed_at=F.SILENT_TYPE_ERROR),
    Case("only-punctuation", ("!?-_.",), "", aimed_at=F.SILENT_TYPE_ERROR),
    Case("only-hyphen", ("-",), "", aimed_at=F.SILENT_TYPE_ERROR),
    Case("only-other-scripts", ("日本語",), "", aimed_at=F.SILENT_TYPE_ERROR),
    Case("number-stays-text", ("007",), "007", aimed_at=F.SILENT_TYPE_ERROR),
)
