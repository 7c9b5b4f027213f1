"""Cases of `safe_calc`."""

from __future__ import annotations

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass as F

_NEST = 50
_LONG = 300
_FAR = 20_000
_EXACT = 1e-9


def _value(name: str, expr: str, value: float, aimed_at: F = F.MISSED_EDGE_CASE) -> Case:
    return Case(name, (expr,), value, tolerance=_EXACT, aimed_at=aimed_at)


def _refused(name: str, expr: str, aimed_at: F = F.MISSED_EDGE_CASE) -> Case:
    return Case(name, (expr,), raises=ValueError, aimed_at=aimed_at)


CASES: tuple[Case, ...] = (
    Case("precedence", ("1.5 + 2 * 4",), 9.5, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("parentheses", ("(1.5 + 2) * 3",), 10.5, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("minus-sign", ("-7 / 2",), -3.5, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("name", ("2 + x",), raises=ValueError, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("divides-by-zero", ("1 / 0",), raises=ValueError, aimed_at=F.WRONG_LOGIC, shown=True),
    # always a float
    _value("whole-number", "7", 7.0, F.SILENT_TYPE_ERROR),
    _value("whole-sum", "2+2", 4.0, F.SILENT_TYPE_ERROR),
    _value("whole-product", "6*(3-1)", 12.0, F.SILENT_TYPE_ERROR),
    _value("zero", "0", 0.0, F.SILENT_TYPE_ERROR),
    # order of computation
    _value("minus-from-the-left", "8-4-2", 2.0),
    _value("division-from-the-left", "16/4/2", 2.0),
    _value("minus-then-plus", "9-4+2", 7.0),
    _value("division-then-product", "12/2*3", 18.0),
    _value("product-before-minus", "20-2*3-4/2", 12.0),
    _value("nested", "2*((3+4)*(5-(1+1)))", 42.0),
    _value("divided-by-parentheses", "12/(2*3)", 2.0),
    _value("minus-parentheses", "10-(3-2)", 9.0),
    # the minus sign
    _value("sign-binds-tightly", "-2+3", 1.0),
    _value("sign-after-operator", "2*-3", -6.0),
    _value("sign-after-minus", "2 - -3", 5.0),
    _value("sign-in-divisor", "6/-2-1", -4.0),
    _value("two-signs", "--2", 2.0),
    _value("three-signs", "1---2", -1.0),
    _value("sign-of-parentheses", "-(1+2)*2", -6.0),
    _value("sign-in-parentheses", "(-4)*2", -8.0),
    _value("sign-and-spaces", " -  3 ", -3.0),
    # numbers
    _value("decimals", "0.1+0.2", 0.3),
    _value("third", "1/3", 0.3333333333333333),
    _value("small", "1/8/1000000", 0.000000125),
    _value("many-digits", "1234567890.125*2", 2469135780.25),
    _value("leading-zeros", "007", 7.0),
    _value("leading-zeros-and-point", "00.50", 0.5),
    _value("nine", "9.9", 9.9),
    _refused("point-first", ".5"),
    _refused("point-last", "5."),
    _refused("two-points", "1.2.3"),
    _refused("point-alone", "1+."),
    _refused("space-in-number", "1 2"),
    _refused("space-after-point", "1. 5"),
    _refused("space-before-point", "1 .5"),
    # spaces
    _value("no-spaces", "3*4-5", 7.0),
    _value("many-spaces", "   (  1  +  2  )   *   3   ", 9.0),
    _refused("tab", "1\t+ 1"),
    _refused("line-break", "1 +\n1"),
    _refused("line-break-at-the-end", "1 + 1\n"),
    _refused("no-break-space", "1\u00a0+ 1"),
    # division by zero
    _refused("zero-by-zero", "0/0"),
    _refused("computed-zero", "1/(2-2)"),
    _refused("decimal-zero", "5/0.0"),
    _refused("negative-zero", "5/-0"),
    _value("zero-divided", "0/5", 0.0),
    # not an expression
    _refused("empty", ""),
    _refused("only-spaces", "   "),
    _refused("empty-parentheses", "()"),
    _refused("empty-parentheses-inside", "2+()"),
    _refused("operator-last", "1+"),
    _refused("product-last", "2*"),
    _refused("sign-alone", "-"),
    _refused("product-first", "*1"),
    _refused("two-operators", "1*/2"),
    _refused("not-closed", "(1+2"),
    _refused("not-opened", "1+2)"),
    _refused("wrong-way-round", ")1("),
    _refused("one-of-two-closed", "((1)"),
    _refused("number-and-parentheses", "2(3)"),
    _refused("parentheses-and-number", "(2)3"),
    _refused("parentheses-in-a-row", "(1)(2)"),
    _refused("two-expressions", "1+2 3+4"),
    _refused("plus-sign", "+1"),
    _refused("plus-after-plus", "1++1"),
    # what an interpreter would take
    _refused("power", "2**3", F.INSECURE_PATTERN),
    _refused("floor-division", "7//2", F.INSECURE_PATTERN),
    _refused("remainder", "7%2", F.INSECURE_PATTERN),
    _refused("bits", "6&3", F.INSECURE_PATTERN),
    _refused("shift", "1<<3", F.INSECURE_PATTERN),
    _refused("comparison", "1<2", F.INSECURE_PATTERN),
    _refused("underscore", "1_000", F.INSECURE_PATTERN),
    _refused("exponent", "1e3", F.INSECURE_PATTERN),
    _refused("hexadecimal", "0x1f", F.INSECURE_PATTERN),
    _refused("comment", "1+1 # two", F.INSECURE_PATTERN),
    _refused("true", "True", F.INSECURE_PATTERN),
    _refused("known-call", "abs(1)", F.INSECURE_PATTERN),
    _refused("text", "'1'*3", F.INSECURE_PATTERN),
    _refused("subscript", "[4][0]", F.INSECURE_PATTERN),
    _refused("condition", "1 if 1 else 2", F.INSECURE_PATTERN),
    _refused("lambda", "(lambda: 1)()", F.INSECURE_PATTERN),
    _refused("attribute", "(1).real", F.INSECURE_PATTERN),
    _refused("subclasses", "().__class__.__base__.__subclasses__().__len__()", F.INSECURE_PATTERN),
    _refused("import", "__import__('os').getpid()", F.INSECURE_PATTERN),
    _refused("comma", "1,2"),
    _refused("semicolon", "1;"),
    _refused("other-sign", "3 $ + 4"),
    _refused("infinity", "inf"),
    _refused("not-a-number", "nan"),
    _refused("null", "1\0"),
    _refused("arabic-digit", "\u0663+1"),
    _refused("wide-digit", "\uff13"),
    _refused("superscript", "2\u00b2"),
    _refused("typographic-minus", "3\u22121"),
    # size
    _value("parentheses-50-deep", "(" * _NEST + "7" + ")" * _NEST, 7.0),
    _value("signs-50-long", "-" * _NEST + "7", 7.0),
    _value("long", "1" + "+1" * _LONG, _LONG + 1.0),
    _refused("parentheses-without-end", "(" * _FAR),
    _refused("signs-without-end", "-" * _FAR),
)
