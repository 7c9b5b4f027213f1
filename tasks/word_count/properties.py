"""Properties of `word_count`."""

from __future__ import annotations

from hypothesis import strategies as st

from codegen_eval.judge.candidate import Candidate
from codegen_eval.task import prop
from codegen_eval.verdict import FailureClass as F

words = st.lists(st.sampled_from(["a", "A", "b", "bad", "don't", "x1", "X1"]), max_size=8)
tokens = st.lists(st.sampled_from(["a", "b.", "(A)", "-", "...", "!?"]), max_size=8)


@prop(F.WRONG_LOGIC, chosen=words)
def every_word_counts(candidate: Candidate, chosen: list[str]) -> None:
    """The counts add up to the number of words, whatever their case."""
    counted = candidate(" ".join(chosen))
    assert counted == {word.lower(): sum(other.lower() == word.lower() for other in chosen) for word in chosen}


@prop(F.MISSED_EDGE_CASE, chosen=tokens)
def punctuation_is_no_word(candidate: Candidate, chosen: list[str]) -> None:
    """No key is empty, and only tokens with a letter are counted."""
    counted = candidate(" ".join(chosen))
    assert isinstance(counted, dict)
    assert "" not in counted
    assert sum(counted.values()) == sum(any(char.isalnum() for char in token) for token in chosen)


PROPERTIES = (every_word_counts, punctuation_is_no_word)
