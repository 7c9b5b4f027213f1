"""Cases of `word_count`."""

from __future__ import annotations

import string

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass as F

_MANY = 1000


def _edge(name: str, text: str, counts: dict[str, int]) -> Case:
    return Case(name, (text,), counts, aimed_at=F.MISSED_EDGE_CASE)


CASES: tuple[Case, ...] = (
    Case(
        "plain",
        ("the cat and the hat",),
        {"the": 2, "cat": 1, "and": 1, "hat": 1},
        aimed_at=F.WRONG_LOGIC,
        shown=True,
    ),
    Case("case-and-comma", ("Hello, hello WORLD!",), {"hello": 2, "world": 1}, aimed_at=F.WRONG_LOGIC, shown=True),
    Case(
        "short-words",
        ("A man, a plan, a canal",),
        {"a": 3, "man": 1, "plan": 1, "canal": 1},
        aimed_at=F.WRONG_LOGIC,
        shown=True,
    ),
    Case("quoted", ('She said: "Yes"',), {"she": 1, "said": 1, "yes": 1}, aimed_at=F.WRONG_LOGIC, shown=True),
    # nothing to count
    Case("empty", ("",), {}, aimed_at=F.SILENT_TYPE_ERROR),
    _edge("only-white-space", " \t\n ", {}),
    _edge("only-punctuation", "... -- !", {}),
    _edge("dash-between-words", "hello - world", {"hello": 1, "world": 1}),
    _edge("lone-marks", "yes ? & no", {"yes": 1, "no": 1}),
    # inside a word
    _edge("apostrophe", "Don't stop, don't!", {"don't": 2, "stop": 1}),
    _edge("hyphen", "a well-known well", {"a": 1, "well-known": 1, "well": 1}),
    _edge("comma-without-space", "red,green red", {"red,green": 1, "red": 1}),
    _edge("address", "me@example.org (me)", {"me@example.org": 1, "me": 1}),
    _edge("underscore-inside", "snake_case snake", {"snake_case": 1, "snake": 1}),
    # at the ends of a word
    _edge("several-marks", '("Well!")... well?!', {"well": 2}),
    _edge("mark-in-front", "#tag @tag $tag", {"tag": 3}),
    _edge("underscores-around", "_private_ __init__ private", {"private": 2, "init": 1}),
    _edge("quotes-around", "'word' \"word\" `word`", {"word": 3}),
    _edge("abbreviation", "e.g. e.g", {"e.g": 2}),
    _edge("plus-and-hash", "C++ c# C", {"c": 3}),
    _edge("every-mark", " ".join(f"{mark}x{mark}" for mark in string.punctuation), {"x": len(string.punctuation)}),
    _edge("typographic-quotes", "\u201chi\u201d hi", {"\u201chi\u201d": 1, "hi": 1}),
    _edge("long-dash", "yes \u2014 no", {"yes": 1, "\u2014": 1, "no": 1}),
    # what a word is made of
    _edge("digits", "3 3.14 (3)", {"3": 2, "3.14": 1}),
    _edge("letters-and-digits", "R2D2 r2d2", {"r2d2": 2}),
    _edge("accents", "\u00c9lan \u00e9lan, elan", {"\u00e9lan": 2, "elan": 1}),
    _edge("sharp-s", "Stra\u00dfe STRASSE", {"stra\u00dfe": 1, "strasse": 1}),
    _edge("mixed-case", "McDonald mcdonald MCDONALD", {"mcdonald": 3}),
    _edge("word-in-word", "cat cats concat", {"cat": 1, "cats": 1, "concat": 1}),
    _edge("one-letter", "x", {"x": 1}),
    # white space
    _edge("tabs-and-lines", "one\ttwo\none\r\ntwo", {"one": 2, "two": 2}),
    _edge("runs-of-spaces", "  one   two  ", {"one": 1, "two": 1}),
    _edge("other-spaces", "one\u00a0two\u3000one", {"one": 2, "two": 1}),
    _edge("many", "Spam, egg. " * _MANY, {"spam": _MANY, "egg": _MANY}),
)
