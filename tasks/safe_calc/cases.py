"""Cases of `safe_calc`."""

from __future__ import annotations

import re

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass as F

CASES = (
    Case("sum", ("1 + 2",), 3.0, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("precedence", ("2 + 3 * 4",), 14.0, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("parentheses", ("(1 + 2) * 3 - 4 / 2",), 7.0, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("negative", ("-5 + 2.5",), -2.5, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("name", ("abc",), raises=ValueError, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("power", ("2**3",), raises=ValueError, aimed_at=F.INSECURE_PATTERN),
    Case("floor-division", ("7//2",), raises=ValueError, aimed_at=F.INSECURE_PATTERN),
    Case("import", ("__import__('os').getcwd()",), raises=ValueError, aimed_at=F.INSECURE_PATTERN),
    Case("attribute", ("(1).__class__",), raises=ValueError, aimed_at=F.INSECURE_PATTERN),
    Case("call", ("abs(1)",), raises=ValueError, aimed_at=F.INSECURE_PATTERN),
    Case("tuple", ("(1, 2)",), raises=ValueError, aimed_at=F.INSECURE_PATTERN),
    Case("left-to-right", ("10 - 4 - 3",), 3.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("left-to-right-division", ("16 / 4 / 2",), 2.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("mixed-strength", ("2 * 3 + 4 * 5 - 6 / 3",), 24.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("minus-in-front-of-parentheses", ("-(2 + 3) * 2",), -10.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("minus-after-operator", ("3 * -2",), -6.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("double-minus", ("--4",), 4.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("minus-minus", ("5 - -3",), 8.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("no-spaces", ("1+2*3",), 7.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("outer-spaces", ("  7  ",), 7.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("nested", ("(" * 40 + "1" + ")" * 40,), 1.0, aimed_at=F.MISSED_EDGE_CASE),
    Case("division-by-zero", ("1 / 0",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("division-by-hidden-zero", ("1 / (2 - 2)",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("empty", ("",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("only-spaces", ("   ",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("dangling-operator", ("1 +",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("leading-star", ("* 2",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("unclosed", ("(1 + 2",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("unopened", ("1 + 2)",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("empty-parentheses", ("()",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("two-numbers", ("1 2",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("number-then-parenthesis", ("2(3)",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("two-points", ("1.2.3",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("unary-plus", ("+1",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("exponent", ("1e5",), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("thousands-of-parentheses", ("(" * 20_000,), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("thousands-of-minus-signs", ("-" * 20_000,), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("lone-number", ("42",), 42.0, aimed_at=F.SILENT_TYPE_ERROR),
)


def ACCEPTS(expr: str) -> bool:  # noqa: N802
    """Say whether the statement determines the answer: it is neither long, nor deep, nor of huge values."""
    depth = deepest = 0
    for char in expr:
        depth += (char == "(") - (char == ")")
        deepest = max(deepest, depth)
    minuses = max((run.count("-") for run in re.findall(r"[- (]+", expr)), default=0)
    digits = sum(map(str.isdigit, expr))
    return depth != 0 or not digits or (len(expr) <= 1000 and deepest + minuses <= 40 and digits <= 300)
