"""Cases of `is_palindrome`."""

from __future__ import annotations

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass

_LONG = "Never odd or even. " * 400

CASES: tuple[Case, ...] = (
    Case("word", ("level",), returns=True, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("other-word", ("hello",), returns=False, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("sentence", ("A man, a plan, a canal: Panama",), returns=True, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("other-sentence", ("Not a palindrome!",), returns=False, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("empty", ("",), returns=True, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("no-letters", (" .,;!? ",), returns=True, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("one-letter", ("x",), returns=True, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("two-letters", ("ab",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("only-the-ends-differ", ("abbc",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("only-the-middle-differs", ("abcdba",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("only-inside-differs", ("abzdeycba",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("only-the-fourth-pair-differs", ("abcdecba",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("digits-differ", ("12",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("letter-between-digits", ("1a2",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("date", ("02/02/2020, 02:02",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("underscore", ("_ab_a",), returns=True, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("line-breaks", ("step on\n\tno pets\r\n",), returns=True, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case(
        "typographic-marks",
        ("\u201cAnna\u201d \u2014 Anna\u2026",),
        returns=True,
        aimed_at=FailureClass.MISSED_EDGE_CASE,
    ),
    Case("accents-count", ("\u00e9a",), returns=False, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("accents-have-case", ("\u00c9l\u00e9",), returns=True, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("long", (_LONG,), returns=True, aimed_at=FailureClass.MISSED_EDGE_CASE),
)
