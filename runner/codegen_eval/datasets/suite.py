"""How a test program is looked at without running it: what it defines, how much it asserts, which names it uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codegen_eval.lexis import Word, defined_names, imported_names, mentioned_names, words

from .fields import BadRecordError
from .problem import CheckTests


def check_suite(code: str, *, shown: str | None = None) -> CheckTests:
    """Return a test program that defines `check`.

    Raises:
        BadRecordError: it doesn't.
    """
    if "check" not in defined_names(code):
        raise BadRecordError("`test` defines no function `check`")
    return CheckTests(code=code, shown=shown or None)


def count_asserts(code: str) -> int:
    """Return the number of assertions in a program; 1 where there are none, since the program as a whole is one."""
    return sum(word.text == "assert" for word in words(code)) or 1


def used_names(program: str | None, entry_point: str, *tests: str) -> tuple[str, ...]:
    """Return the names that a program defines or imports besides its entry point and that the tests mention."""
    mentioned = frozenset[str]().union(*(mentioned_names(test) for test in tests))
    defined = defined_names(program or "") | imported_names(program or "")
    return tuple(sorted((defined - {entry_point}) & mentioned))


def case_methods(code: str, classes: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return class and name of each `test…` that stands in these classes, class by class, sorted in each."""
    found: dict[str, set[str]] = {name: set() for name in classes}
    owner, column = "", 0
    for line in _statements(code):
        texts = [word.text for word in line]
        at = line[0].start - (code.rfind("\n", 0, line[0].start) + 1)
        if not line[0].indented:
            owner, column = (texts[1] if texts[0] == "class" and len(texts) > 1 else ""), 0
            continue
        column = column or at
        name = texts[1] if texts[:1] == ["def"] and len(texts) > 1 else ""
        if owner in found and at == column and name.startswith("test"):
            found[owner].add(name)
    return tuple((owner, name) for owner in found for name in sorted(found[owner]))


def uses_of(code: str, name: str) -> Iterator[str]:
    """Yield what follows a name wherever a program mentions it, attributes included, but in imports that keep it."""
    importing = renamed = False
    found = ""
    for word in words(code):
        if found:
            renamed = importing and word.text == "as"
            if not importing or renamed:
                yield word.text
        if word.first:
            importing = word.text in {"import", "from"}
        found = word.text if word.kind == "name" and word.text == name else ""
    if found and not importing:
        yield ""


def _statements(code: str) -> Iterator[list[Word]]:
    """Yield the first words of each statement."""
    line: list[Word] = []
    for word in words(code):
        if word.first and line:
            yield line
            line = []
        if word.kind != "newline" and (line or word.first) and len(line) < len(("async", "def", "name")):
            line.append(word)
    if line:
        yield line
