"""Laws of the canned corpus: its manifest is checked as a whole, and its replies are all there."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen_eval.corpus import Manifest, Witness, WitnessKind, load_manifest, reply_text
from codegen_eval.errors import CorpusError
from codegen_eval.extraction import extract
from codegen_eval.layers.lint import scan
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.strategy import TURNS
from codegen_eval.task_loader import discover_tasks
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass

SEEDED = """
[[seeded]]
task = "double"
strategy = "bare"
class = "wrong-logic"
summary = "It triples."
witness = { kind = "input", args = "[2]" }
"""
DESIGN = {
    Strategy.BARE: (3, 2, 2, 2, 1),
    Strategy.SPEC: (0, 2, 1, 0, 0),
    Strategy.TEST_FIRST: (0, 0, 1, 0, 0),
    Strategy.SELF_REVIEW: (0, 0, 0, 0, 0),
}
"""Seeded failures of the shipped corpus, in the order of the classes."""


def write_corpus(root: Path, manifest: str = SEEDED) -> Path:
    """Write a corpus of one task with all its replies."""
    folder = root / "mock" / "double"
    folder.mkdir(parents=True)
    for name in ("bare", "spec", "test-first", "self-review.1", "self-review.2"):
        (folder / f"{name}.md").write_text(f"This is {name}.\n", encoding="utf-8")
    (root / "mock" / "manifest.toml").write_text(manifest, encoding="utf-8")
    return root


def complaint(root: Path) -> str:
    """Return what is said against a corpus."""
    with pytest.raises(CorpusError) as caught:
        load_manifest(root)
    return caught.value.message


def test_a_sound_manifest_is_the_truth(tmp_path: Path) -> None:
    """A manifest that fits its corpus says what is seeded."""
    manifest = load_manifest(write_corpus(tmp_path))

    assert [(entry.id, entry.failure_class) for entry in manifest.seeded] == [("double/bare", FailureClass.WRONG_LOGIC)]
    assert manifest.seeded[0].witness.arguments() == (2,)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('"double"', '"duble"', "`duble/bare`: there is no such task in the corpus; did you mean `double`?"),
        ('"bare"', '"bear"', "seeded.0.strategy"),
        ('"wrong-logic"', '"fragile-pass"', "`fragile-pass` is not a class that is seeded"),
        ('"wrong-logic"', '"wrong"', "seeded.0.class"),
        ("summary", "sumary", "seeded.0.sumary: Extra inputs are not permitted"),
        (', args = "[2]"', "", "its witness of kind `input` lacks what it needs"),
        ('"input"', '"pattern"', "its witness of kind `pattern` lacks what it needs"),
        ('"input", args = "[2]"', '"growth", sizes = [5, 5]', "its witness of kind `growth` lacks what it needs"),
        ('"[2]"', '"[f(2)]"', "are not a Python literal"),
        ('"[2]"', '"2"', "are not a list"),
        ("[[seeded]]", "[[seeded]", "can't be read"),
    ],
)
def test_a_problem_is_told(tmp_path: Path, before: str, after: str, expected: str) -> None:
    """A manifest that is wrong in one way does not load, and the error says where."""
    assert expected in complaint(write_corpus(tmp_path, SEEDED.replace(before, after)))


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    """Missing replies, a failure that is seeded twice and wrong counts are told in one error."""
    root = write_corpus(tmp_path, "[counts.bare]\nwrong-logic = 3\n[counts.spec]\ninsecure-pattern = 1\n" + SEEDED * 2)
    (root / "mock" / "double" / "spec.md").unlink()
    (root / "mock" / "double" / "self-review.2.md").write_bytes(b"\xff")

    said = complaint(root)
    assert "no reply for task `double`, strategy `spec`" in said
    assert "is not UTF-8" in said
    assert "`double/bare` is seeded 2 times" in said
    assert "`bare` has 2 seeded failures of class `wrong-logic`, not 3" in said
    assert "`spec` has 0 seeded failures of class `insecure-pattern`, not 1" in said


def test_a_missing_manifest_is_told(tmp_path: Path) -> None:
    """A corpus without a manifest is an error that names the file."""
    (tmp_path / "mock").mkdir()

    assert "manifest.toml" in complaint(tmp_path)


def test_the_digest_tells_replies_apart(tmp_path: Path) -> None:
    """The digest covers every reply."""
    root = write_corpus(tmp_path)
    before = load_manifest(root).digest
    (root / "mock" / "double" / "bare.md").write_text("changed", encoding="utf-8")

    assert load_manifest(root).digest != before


def test_a_reply_is_found_by_its_turn(tmp_path: Path) -> None:
    """Each turn of a strategy has a reply of its own."""
    root = write_corpus(tmp_path)

    assert reply_text("double", Strategy.SELF_REVIEW, 0, root) == "This is self-review.1.\n"
    assert reply_text("double", Strategy.SELF_REVIEW, 1, root) == "This is self-review.2.\n"
    with pytest.raises(CorpusError, match="turn 1"):
        reply_text("double", Strategy.BARE, 1, root)


def test_arguments_default_to_none_at_all() -> None:
    """A witness without arguments calls with none."""
    assert Witness(kind=WitnessKind.PATTERN, text="eval(").arguments() == ()


@pytest.fixture(scope="module")
def shipped() -> Manifest:
    """Return the shipped ground truth."""
    return load_manifest()


def test_the_shipped_corpus_is_as_designed(shipped: Manifest) -> None:
    """Fourteen of the forty shipped solutions are seeded, by strategy and class as designed."""
    found = {
        strategy: tuple(
            sum(e.strategy is strategy and e.failure_class is kind for e in shipped.seeded) for kind in SEEDED_CLASSES
        )
        for strategy in Strategy
    }

    assert found == DESIGN
    assert len(discover_tasks()) * len(Strategy) == 40


@pytest.mark.parametrize("strategy", Strategy)
def test_every_shipped_reply_holds_its_solution(strategy: Strategy) -> None:
    """From every final reply, code is extracted from a fence that defines the entry point, and it compiles."""
    for task in discover_tasks().values():
        found = extract(reply_text(task.id, strategy, TURNS[strategy] - 1), task.text.entry_point)

        assert (task.id, found.rule, found.outcome) == (task.id, "fence", Outcome.OK)
        compile(found.code or "", task.id, "exec")


def test_the_scanner_flags_the_insecure_ones_alone(shipped: Manifest) -> None:
    """The insecure-pattern scanner matches the solutions that are seeded as insecure and no other."""
    insecure = {e.id for e in shipped.seeded if e.failure_class is FailureClass.INSECURE_PATTERN}
    flagged = {
        f"{task.id}/{strategy}"
        for task in discover_tasks().values()
        for strategy in Strategy
        if scan(
            extract(reply_text(task.id, strategy, TURNS[strategy] - 1), task.text.entry_point).code or "",
            task.untrusted,
        )
    }

    assert flagged == insecure
