"""What may have been meant by a word that nobody knows."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean `…`?" with the nearest of the words that are known; nothing where none is near."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean `{near[0]}`?" if near else ""
