"""The ids of a problem set, found again under the other names that tools give them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

_MAX_ID = 200
_MAX_COMPARED = 2000


class IdDirectory:
    """Finds a problem's id by what a sample calls it."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = tuple(ids)
        self._exact = frozenset(self._ids)
        self._folded = _unambiguous(self._ids, str.casefold)
        self._numbered = _unambiguous(self._ids, lambda name: name.rpartition("/")[2])
        self._folders = _unambiguous(self._ids, lambda name: name.replace("/", "_").casefold())

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids, in the order of the set."""
        return self._ids

    def find(self, name: object) -> str | None:
        """Return the id that is meant: as it stands, in other letters (`Mbpp/2`), or by its number alone."""
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name) if name.bit_length() <= 64 else ""  # noqa: PLR2004 - no id is a longer number
        if not isinstance(name, str) or len(name) > _MAX_ID:
            return None
        if name in self._exact:
            return name
        return self._folded.get(name.casefold()) or self._numbered.get(name)

    def find_folder(self, name: str) -> str | None:
        """Return the id that a folder is named after, `HumanEval_0` for `HumanEval/0`."""
        return self.find(name) or self._folders.get(name.casefold())

    def hint(self, name: object) -> str | None:
        """Return what may help with a name that is unknown."""
        if not isinstance(name, str) or len(name) > _MAX_ID:
            return None
        given, known = name.rpartition("/")[0], {other.rpartition("/")[0] for other in self._ids}
        if given and len(known) == 1 and given.casefold() not in {other.casefold() for other in known}:
            return f"the ids of this problem set begin with `{next(iter(known))}/`"
        close = difflib.get_close_matches(name, self._ids[:_MAX_COMPARED], 1)
        return f"did you mean `{close[0]}`?" if close else None


def _unambiguous(ids: Iterable[str], short: Callable[[str], str]) -> dict[str, str]:
    """Return ids by a shorter name, but for names that mean several."""
    meant: dict[str, list[str]] = {}
    for name in ids:
        meant.setdefault(short(name), []).append(name)
    return {name: ids[0] for name, ids in meant.items() if len(ids) == 1}
