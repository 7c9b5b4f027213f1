"""A problem of a public set, and the tests that came with it.

A `Problem` is what somebody else published; a `Task` is ours, with cases and properties of our own form. The two parts
travel apart: the problem (statement, helpers, canonical solution) and its tests, which are somebody's program or data
and belong to a judge in a sandbox of its own. Every text of code has line feeds only.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from codegen_eval.frozen import Frozen


class PromptForm(StrEnum):
    """What a model is shown."""

    CODE = "code"
    """The beginning of a program, which a completion goes on with."""
    PROSE = "prose"
    """A description; the answer is a program of its own."""


class Problem(Frozen):
    """One problem, without its tests."""

    dataset: str
    id: str
    """As its set writes it, `HumanEval/3`. The only key: entry points occur twice."""
    line: int
    """Of the file that it was read from."""
    prompt: str
    form: PromptForm
    entry_point: str | None
    """The function, or the class, that the tests call. None for a program that reads standard input."""
    preamble: str = ""
    """Imports and helpers that the set puts into the scope of a solution, and of its tests."""
    canonical: str | None = None
    """The canonical solution as a whole program. None where the set has none."""
    buggy: str | None = None
    """A program with a known bug, for sets that have one."""
    libraries: tuple[str, ...] = ()
    """Packages beyond the standard library that the set says it needs."""
    test_form: str
    test_count: int
    """Cases or assertions, where they can be counted without running anything; otherwise 1."""
    uses: tuple[str, ...] = ()
    """Names of the canonical program, besides the entry point, that the tests mention: classes and helpers."""
    known_bad: str | None = None
    """Why a right solution may fail here or a wrong one pass, as far as that is known."""


class CheckTests(Frozen):
    """A program that defines `check`, a function that gets the candidate."""

    form: Literal["check"] = "check"
    code: str
    shown: str | None = None
    """A part of it, in the same form, that the model is shown."""


class AssertTests(Frozen):
    """Assertions that call the solution's function by name, each a statement of its own."""

    form: Literal["assert"] = "assert"
    setup: str = ""
    """Runs before them, in their scope."""
    asserts: tuple[str, ...]
    challenge: tuple[str, ...] = ()
    """Harder ones, which the set doesn't count."""


class Decoding(StrEnum):
    """How the arguments of a call follow from a JSON list, which knows neither tuples nor sets nor complex numbers."""

    PLAIN = "plain"
    """As they stand."""
    ARGUMENTS = "arguments"
    """Every argument is a tuple."""
    ITEMS = "items"
    """Every argument is a list of tuples."""
    FIRST_ITEMS = "first-items"
    """The first argument is a list of tuples."""
    FIRST = "first"
    """The first argument is a tuple."""
    SECOND = "second"
    """The second argument is a tuple."""
    NESTED = "nested"
    """Every argument is a tuple, and so are the lists in it."""
    DEEP = "deep"
    """Every list, however deep, is a tuple."""
    FIRST_VALUES = "first-values"
    """The first argument is a dictionary whose values are tuples."""
    FIRST_SETS = "first-sets"
    """The first argument is a list of sets; an empty one is an empty dictionary."""
    COMPLEX = "complex"
    """The argument is a complex number, written as a text."""
    FLOAT_COMPLEX = "float-complex"
    """The first argument is a float, the second a complex number, both written as texts."""


class Oracle(StrEnum):
    """How an answer is compared with what the canonical solution returns."""

    EQUAL = "equal"
    """`==`, or within the tolerance."""
    SAME_SET = "same-set"
    """Equal as sets."""
    NOT_NONE = "not-none"
    """A bool equals the one expected; any other answer counts as whether it is not None."""
    ANY = "any"
    """Every answer is accepted."""
    ZERO = "zero"
    """Equal, or 0."""
    ROOT = "root"
    """It is a root of the polynomial that the argument gives, within the tolerance."""
    PYRAMID = "pyramid"
    """Equal, or the rounded surface of the pyramid whose height is perpendicular, within the tolerance."""
    PADDED_DIGITS = "padded-digits"
    """Equal, or the sum of differences of the digits, the shorter number padded with zeros."""


class InputTests(Frozen):
    """Inputs only: what is expected is what the canonical solution returns for them."""

    form: Literal["inputs"] = "inputs"
    base: tuple[str, ...]
    """The inputs of the original set: for each call a JSON list of its arguments. NaN and infinities may occur."""
    plus: tuple[str, ...]
    """Those that were added."""
    decoding: Decoding = Decoding.PLAIN
    oracle: Oracle = Oracle.EQUAL
    atol: float = 0.0
    """Absolute tolerance. 0: exact, but floats within 1e-6; the relative one is 1e-7 then and elsewhere."""
    contract: str = ""
    """Assertions about the arguments, first lines of the entry point's body: inputs that break them don't count."""


class StdinCase(Frozen):
    """One run of a program."""

    stdin: str
    stdout: str
    """Compared line by line without blanks at the ends of lines; where lines differ, number by number."""
    shown: bool = False


class StdinTests(Frozen):
    """Runs of a program that reads standard input."""

    form: Literal["stdin"] = "stdin"
    cases: tuple[StdinCase, ...]


class FunctionalCase(Frozen):
    """One call."""

    arguments: tuple[str, ...]
    """A JSON text for each."""
    expected: str
    """A JSON text. A tuple returned counts as a list."""
    shown: bool = False


class FunctionalTests(Frozen):
    """Calls of a function, or of a method of a class without arguments."""

    form: Literal["functional"] = "functional"
    owner: str | None = None
    """The class that has the method, if the solution defines it; otherwise a function of that name is called."""
    cases: tuple[FunctionalCase, ...]


class UnittestTests(Frozen):
    """A program with classes of `unittest`, made to be run in the scope of the solution."""

    form: Literal["unittest"] = "unittest"
    code: str
    case_classes: tuple[str, ...]
    """Those that decide."""
    methods: tuple[tuple[str, str], ...]
    """Their tests: class and name, class by class, sorted as the library runs them."""


Tests = Annotated[
    CheckTests | AssertTests | InputTests | StdinTests | FunctionalTests | UnittestTests, Field(discriminator="form")
]
"""The tests of one problem."""
