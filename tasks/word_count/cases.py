"""Cases of `word_count`."""

from __future__ import annotations

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass as F

CASES = (
    Case("two-words", ("hello world",), {"hello": 1, "world": 1}, aimed_at=F.WRONG_LOGIC, shown=True),
    Case(
        "case-is-ignored",
        ("The cat saw the dog",),
        {"the": 2, "cat": 1, "saw": 1, "dog": 1},
        aimed_at=F.WRONG_LOGIC,
        shown=True,
    ),
    Case("punctuation", ("Stop! Go, stop.",), {"stop": 2, "go": 1}, aimed_at=F.WRONG_LOGIC, shown=True),
    Case(
        "letters-inside-words",
        ("a cat and a hat",),
        {"a": 2, "cat": 1, "and": 1, "hat": 1},
        aimed_at=F.WRONG_LOGIC,
        shown=True,
    ),
    Case("empty", ("",), {}, aimed_at=F.MISSED_EDGE_CASE),
    Case("white-space-only", (" \t\n ",), {}, aimed_at=F.MISSED_EDGE_CASE),
    Case("punctuation-only", ("wait - what ...",), {"wait": 1, "what": 1}, aimed_at=F.MISSED_EDGE_CASE),
    Case("many-spaces", ("a   b  a",), {"a": 2, "b": 1}, aimed_at=F.MISSED_EDGE_CASE),
    Case("tabs-and-newlines", ("a\tb\na",), {"a": 2, "b": 1}, aimed_at=F.MISSED_EDGE_CASE),
    Case(
        "inner-punctuation-is-kept",
        ("don't well-known Don't",),
        {"don't": 2, "well-known": 1},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    Case("wrapped", ('((deep)) "quoted!?"',), {"deep": 1, "quoted": 1}, aimed_at=F.MISSED_EDGE_CASE),
    Case("leading-punctuation", ("'tis #tag tis",), {"tis": 2, "tag": 1}, aimed_at=F.MISSED_EDGE_CASE),
    Case("numbers-are-words", ("1 2 1",), {"1": 2, "2": 1}, aimed_at=F.MISSED_EDGE_CASE),
    Case("three-times", ("x X x",), {"x": 3}, aimed_at=F.MISSED_EDGE_CASE),
    Case("underscores", ("_name_ name",), {"name": 2}, aimed_at=F.MISSED_EDGE_CASE),
    Case("plain-dict", ("b",), {"b": 1}, aimed_at=F.SILENT_TYPE_ERROR),
)
