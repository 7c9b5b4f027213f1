"""Properties of `slugify`."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass as F

_SEPARATORS = " -_.!'éß\u212a\u0660\n"
_TEXTS = st.text(alphabet="abzABZ059" + _SEPARATORS, max_size=12) | st.text(max_size=8)
_BARREN = st.text(alphabet=_SEPARATORS, max_size=5)
_WORDS = st.lists(st.text(alphabet="abzABZ059", min_size=1, max_size=4), max_size=4)
_SLUG = re.compile(r"(?:[a-z0-9]+(?:-[a-z0-9]+)*)?")


@prop(F.SILENT_TYPE_ERROR, text=_BARREN | _TEXTS)
def always_gives_a_str(candidate: Callable[..., object], text: str) -> None:
    """Give a str, also where nothing is left."""
    assert type(candidate(text)) is str


@prop(F.WRONG_LOGIC, text=_TEXTS)
def looks_like_a_slug(candidate: Callable[..., object], text: str) -> None:
    """Only a-z, 0-9 and single hyphens between them."""
    slug = candidate(text)
    assert isinstance(slug, str)
    assert _SLUG.fullmatch(slug)


@prop(F.MISSED_EDGE_CASE, text=_TEXTS)
def keeps_letters_and_digits(candidate: Callable[..., object], text: str) -> None:
    """Without its hyphens, the slug is the ASCII letters and digits of the text."""
    slug = candidate(text)
    assert isinstance(slug, str)
    assert slug.replace("-", "") == "".join(c for c in text if c.isascii() and c.isalnum()).lower()


@prop(F.MISSED_EDGE_CASE, words=_WORDS, run=st.text(alphabet=_SEPARATORS, min_size=1, max_size=5))
def one_hyphen_for_each_run(candidate: Callable[..., object], words: list[str], run: str) -> None:
    """Whatever stands between the words, and round them, is one hyphen, or none."""
    assert candidate(run + run.join(words) + run) == "-".join(words).lower()


@prop(F.WRONG_LOGIC, text=_TEXTS)
def a_slug_stays_as_it_is(candidate: Callable[..., object], text: str) -> None:
    """Leave a slug alone."""
    slug = candidate(text)
    assert candidate(slug) == slug


PROPERTIES: tuple[Property, ...] = (
    always_gives_a_str,
    looks_like_a_slug,
    keeps_letters_and_digits,
    one_hyphen_for_each_run,
    a_slug_stays_as_it_is,
)
