"""Raw replies, real ones among them, and what is extracted from each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codegen_eval.compilation import find_syntax_errors
from codegen_eval.extraction import candidates, extract
from codegen_eval.frozen import Frozen
from codegen_eval.solution import Outcome

FOLDER = Path(__file__).parent / "golden" / "replies"


class Expected(Frozen):
    """One line of `expected.json`."""

    reply: str
    origin: str
    entry_point: str
    rule: str
    outcome: Outcome
    code: tuple[str, ...] | None

    @property
    def text(self) -> str:
        """The reply itself; line ends count."""
        return (FOLDER / f"{self.reply}.md").read_bytes().decode("utf-8")


EXPECTED = tuple(
    Expected.model_validate(entry) for entry in json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected.reply)
def test_a_reply_is_read_as_a_person_would(expected: Expected) -> None:
    """Code, rule and outcome are the ones that were written down for this reply."""
    found = extract(expected.text, expected.entry_point)

    code = None if expected.code is None else "".join(f"{line}\n" for line in expected.code)
    assert (found.code, found.rule, found.outcome) == (code, expected.rule, expected.outcome)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected.reply)
def test_the_first_candidate_is_what_is_extracted(expected: Expected) -> None:
    """Candidates are distinct, begin with the extraction, and all hold code."""
    found = extract(expected.text, expected.entry_point)
    others = candidates(expected.text, expected.entry_point)

    spoken = [other for other in others if not other.rule.startswith("thinking/")]
    assert spoken[:1] == ([found] if found.code is not None else [])
    assert len({other.code for other in others}) == len(others)
    assert all(other.code for other in others)


def test_every_reply_is_expected_and_there_are_enough() -> None:
    """No reply lies there unread, none is missing, and every outcome of extraction occurs."""
    names = [expected.reply for expected in EXPECTED]

    assert sorted(names) == sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")
    assert len(names) >= 80
    assert {expected.outcome for expected in EXPECTED} == {Outcome.OK, Outcome.TRUNCATED, Outcome.NO_CODE}


def test_code_of_whole_replies_compiles() -> None:
    """What is extracted from a reply that is not cut compiles, but for replies that are wrong themselves."""
    whole = [e for e in EXPECTED if e.outcome is Outcome.OK and e.code is not None]
    faults = find_syntax_errors(["\n".join(e.code or ()) for e in whole])

    broken = {e.reply for e, fault in zip(whole, faults, strict=True) if fault is not None}
    assert broken <= {"aider-72", "fence-ruby-untagged", "generic", "realhumaneval-586", "syntax-error"}
