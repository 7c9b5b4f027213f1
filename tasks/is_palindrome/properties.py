"""Laws of `is_palindrome`, over letters with spaces and punctuation between them."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_letters, ascii_lowercase

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass

_MARKS = " .,:;!?'\"-_()/&\n\t"
_letters = st.text(alphabet=ascii_letters, max_size=8)
_marks = st.text(alphabet=_MARKS, max_size=4)
_text = st.text(alphabet="abAB" + _MARKS, max_size=10)
_place = st.integers(0, 25)


@prop(FailureClass.WRONG_LOGIC, half=_letters, middle=st.text(alphabet=ascii_letters, max_size=1), marks=_marks)
def mirrored_text_is_a_palindrome(candidate: Callable[[str], bool], half: str, middle: str, marks: str) -> None:
    """Letters followed by their mirror image in the other case are a palindrome."""
    assert candidate(marks + half + middle + half[::-1].swapcase()) is True


@prop(FailureClass.WRONG_LOGIC, outside=_letters, inside=_letters, one=_place, step=st.integers(1, 25))
def one_different_pair_spoils_it(
    candidate: Callable[[str], bool], outside: str, inside: str, one: int, step: int
) -> None:
    """Two different letters at mirrored places make any text none."""
    left, right = ascii_lowercase[one], ascii_lowercase[(one + step) % 26]
    assert candidate(outside + left + inside + right + outside[::-1]) is False


@prop(FailureClass.MISSED_EDGE_CASE, text=_text)
def marks_and_case_change_nothing(candidate: Callable[[str], bool], text: str) -> None:
    """Expect of a text what its bare letters give."""
    bare = "".join(letter for letter in text if letter in ascii_letters).lower()
    assert candidate(text) is candidate(bare)


PROPERTIES: tuple[Property, ...] = (
    mirrored_text_is_a_palindrome,
    one_different_pair_spoils_it,
    marks_and_case_change_nothing,
)
