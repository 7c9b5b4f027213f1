"""How a test program is looked at without running it: what it defines, how much it asserts, which names it uses."""

from __future__ import annotations

from codegen_eval.lexis import defined_names, imported_names, mentioned_names, words

from .fields import BadRecordError
from .problem import CheckTests


def check_suite(code: str, *, shown: str | None = None) -> CheckTests:
    """Return a test program that defines `check`.

    Raises:
        BadRecordError: it doesn't.
    """
    if "check" not in defined_names(code):
        raise BadRecordError("`test` defines no function `check`")
    calls = any(word.text == "check" and word.first and not word.indented for word in words(code))
    return CheckTests(code=code, calls_check=calls, shown=shown or None)


def count_asserts(code: str) -> int:
    """Return the number of assertions in a program; 1 where there are none, since the program as a whole is one."""
    return sum(word.text == "assert" for word in words(code)) or 1


def used_names(program: str | None, entry_point: str, *tests: str) -> tuple[str, ...]:
    """Return the names that a program defines or imports besides its entry point and that the tests mention."""
    mentioned = frozenset[str]().union(*(mentioned_names(test) for test in tests))
    defined = defined_names(program or "") | imported_names(program or "")
    return tuple(sorted((defined - {entry_point}) & mentioned))
