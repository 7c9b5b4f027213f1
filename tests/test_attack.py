"""The manifest of the attacks: strict, and complete."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from codegen_eval.attack import Attack, Category, Effect, attack_folder, choose, fill, load_attacks
from codegen_eval.errors import CorpusError, InputError
from codegen_eval.selftest import attack_source
from codegen_eval.task_loader import discover_tasks

ATTACKS = load_attacks()
VALUES = dict.fromkeys(("TOKEN", "HOSTS", "PORT", "SOCKET", "FOLDER", "KEY", "COMPUTE", "WAIT"), "1")

ENTRY = """
[[attack]]
id = "fizzbuzz/always_equal"
category = "verdict-forgery"
tries = "to equal everything"
fails = "unit"
naive = "exit"
"""


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """Give a function that writes a manifest beside one attack and returns the folder."""

    def write(text: str) -> Path:
        (tmp_path / "fizzbuzz").mkdir()
        shutil.copy(attack_folder() / "fizzbuzz" / "always_equal.py", tmp_path / "fizzbuzz")
        (tmp_path / "manifest.toml").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_a_sound_manifest_loads(written: Callable[[str], Path]) -> None:
    """An entry with its file is an attack on the task that its id names."""
    (attack,) = load_attacks(written(ENTRY))

    assert (attack.task, attack.category, attack.boundary) == ("fizzbuzz", Category.VERDICT_FORGERY, False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ENTRY + 'colour = "red"\n', "colour"),
        (ENTRY.replace('"exit"', '"luck"'), "naive"),
        (ENTRY.replace('naive = "exit"', ""), "names the naive harness"),
        (ENTRY.replace('"unit"', '"unot"'), "no layer `unot`"),
        (ENTRY + ENTRY, "2 entries"),
        (ENTRY + ENTRY.replace("always_equal", "never_equal"), "`fizzbuzz/never_equal` has no file"),
        ("attack = []", "`fizzbuzz/always_equal` has no entry"),
        (ENTRY + 'answer = "x"\n', "`answer` is for the effect"),
        (ENTRY + "control = { memory = true }\n", "without an effect"),
        (ENTRY + "control = { slower = -1 }\n", "slower"),
        ("[[attack]", "can't be read"),
    ],
)
def test_what_is_wrong_with_a_manifest_is_told(written: Callable[[str], Path], text: str, told: str) -> None:
    """A manifest that is not sound is refused, with the entry and the key."""
    with pytest.raises(CorpusError) as caught:
        load_attacks(written(text))

    assert told in caught.value.message


def test_there_are_enough_attacks_of_every_category() -> None:
    """The corpus holds sixty attacks and more, and some of every category."""
    assert len(ATTACKS) >= 60
    assert {attack.category for attack in ATTACKS} == set(Category)


def test_attacks_are_on_shipped_tasks() -> None:
    assert {attack.task for attack in ATTACKS} <= set(discover_tasks())


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_no_attack_has_a_placeholder_that_nothing_is_known_for(attack: Attack) -> None:
    """Sources, and what must not be answered, can be filled in."""
    source = attack_source(attack, VALUES)

    assert f"def {attack.task}(" in source
    assert "@" not in fill(attack.answer, VALUES | {"SECRET": "1", "HOSTNAME": "1"})


def test_what_needs_a_boundary_says_what_it_does() -> None:
    """An attack that is excused where there is no boundary names the effect that it is excused for."""
    unnamed = {a.id for a in ATTACKS if a.boundary and a.effect is None}

    assert unnamed == set()


def test_every_forgery_and_most_limits_have_a_control() -> None:
    """A forgery beats a naive harness; an effect that a limit alone prevents is shown without that limit."""
    forgeries = [a for a in ATTACKS if a.category is Category.VERDICT_FORGERY]
    effects = [a for a in ATTACKS if a.effect is not None and a.boundary]

    assert all(a.naive for a in forgeries)
    assert sum(a.control is not None or a.naive is not None for a in effects) / len(effects) > 0.7


def test_attacks_are_chosen_by_id_and_category() -> None:
    """Nothing asked for is everything; an unknown name is refused."""
    assert choose(ATTACKS, ids=(), categories=()) == ATTACKS
    assert {a.category for a in choose(ATTACKS, ids=(), categories=("escape",))} == {Category.ESCAPE}
    assert [a.effect for a in choose(ATTACKS, ids=("fizzbuzz/connects_out",), categories=())] == [Effect.TCP]
    with pytest.raises(InputError, match="unknown attack"):
        choose(ATTACKS, ids=("nobody",), categories=())
    with pytest.raises(InputError, match="unknown category"):
        choose(ATTACKS, ids=(), categories=("nothing",))
