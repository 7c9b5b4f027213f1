"""Laws of `word_count`, over texts that are put together from known words."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass

_word = st.text(alphabet="abAB1\u00e9", min_size=1, max_size=4)
_words = st.lists(_word, max_size=6)
_marks = st.text(alphabet=string.punctuation, max_size=3)
_space = st.sampled_from([" ", "  ", "\n", "\t", " \r\n", "\u00a0"])
_text = st.text(alphabet="abAB1 \n.,-'_\u00e9", max_size=20)


def _counted(words: list[str]) -> dict[str, int]:
    return dict(Counter(word.lower() for word in words))


@prop(FailureClass.WRONG_LOGIC, words=_words, before=_marks, after=_marks, space=_space)
def counts_the_words(
    candidate: Callable[[str], object], words: list[str], before: str, after: str, space: str
) -> None:
    """Words with punctuation around them and white space between them are counted, whatever their case."""
    text = space.join(before + word + after for word in words)
    assert candidate(text) == _counted(words)


@prop(FailureClass.MISSED_EDGE_CASE, words=_words, marks=st.text(alphabet=string.punctuation, min_size=1, max_size=3))
def lone_punctuation_is_no_word(candidate: Callable[[str], object], words: list[str], marks: str) -> None:
    """Pieces of nothing but punctuation change nothing."""
    assert candidate(f" {marks} ".join(["", *words, ""])) == _counted(words)


@prop(FailureClass.MISSED_EDGE_CASE, left=_word, mark=st.sampled_from(string.punctuation), right=_word)
def punctuation_inside_stays(candidate: Callable[[str], object], left: str, mark: str, right: str) -> None:
    """A word with punctuation inside is one word."""
    assert candidate(left + mark + right) == {(left + mark + right).lower(): 1}


@prop(FailureClass.SILENT_TYPE_ERROR, text=_text)
def gives_a_plain_dict(candidate: Callable[[str], object], text: str) -> None:
    """The result is a dict and nothing else, with words that occur."""
    counts = candidate(text)
    assert type(counts) is dict
    assert all(type(word) is str and type(count) is int and count > 0 for word, count in counts.items())


@prop(FailureClass.WRONG_LOGIC, text=_text)
def twice_the_text_is_twice_the_count(candidate: Callable[[str], object], text: str) -> None:
    """Every word of a text occurs twice as often in the text and its copy in the other case."""
    once, twice = candidate(text), candidate(f"{text} {text.swapcase()}")
    assert isinstance(once, dict)
    assert twice == {word: 2 * count for word, count in once.items()}


PROPERTIES: tuple[Property, ...] = (
    counts_the_words,
    lone_punctuation_is_no_word,
    punctuation_inside_stays,
    gives_a_plain_dict,
    twice_the_text_is_twice_the_count,
)
