"""What the self-test makes of verdicts and marks, and what it prints."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from codegen_eval.attack import Attack, Category, Control, Effect, NaiveStyle, fill
from codegen_eval.cli.main import run_argv
from codegen_eval.interfaces import EndReason
from codegen_eval.lookout import CANARY, Lookout
from codegen_eval.progress import SilentProgress
from codegen_eval.selftest import Timeline, assess
from codegen_eval.selftest_control import weakening
from codegen_eval.selftest_report import AttackOutcome, ControlOutcome, SelftestReport, render_report, to_json
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict
from factories import make_layer_result

VALUES = {"SECRET": "s3cr3t", "TOKEN": "er001"}


def make_attack(
    *,
    id: str = "fizzbuzz/connects_out",  # noqa: A002 - the field's name
    category: Category = Category.ESCAPE,
    fails: str = "unit",
    says: tuple[str, ...] = (),
    effect: Effect | None = Effect.ANSWER,
    boundary: bool = False,
    naive: NaiveStyle | None = None,
) -> Attack:
    return Attack(
        id=id,
        category=category,
        tries="to do something bad",
        fails=fails,
        says=says,
        effect=effect,
        boundary=boundary,
        naive=naive,
    )


def answered(text: str, ended: EndReason | None = None) -> tuple[LayerResult, ...]:
    """Return what the layers say of a solution that answers with a text."""
    finding = Finding(
        failure_class=FailureClass.WRONG_LOGIC, message="returned another value", actual=f"['{text}']", ended=ended
    )
    return (LayerResult(layer="unit", verdict=Verdict.FAIL, findings=(finding,)), make_layer_result(layer="props"))


def outcome(
    attack: Attack,
    results: tuple[LayerResult, ...],
    *,
    effects: frozenset[Effect] = frozenset(),
    isolated: bool = True,
    disturbed: tuple[str, ...] = (),
) -> AttackOutcome:
    return assess(attack, results, effects=effects, values=VALUES, isolated=isolated, disturbed=disturbed)


def test_a_failed_attack_without_marks_holds() -> None:
    assert outcome(make_attack(says=("another value",)), answered("held")).held


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.SKIP])
def test_an_attack_that_its_layer_does_not_fail_is_forged(verdict: Verdict) -> None:
    """It counts as forged whatever another layer said."""
    results = (make_layer_result(layer="unit", verdict=verdict), make_layer_result(layer="lint", verdict=Verdict.FAIL))

    assert outcome(make_attack(), results).forged


def test_an_error_is_never_held() -> None:
    """A solution that brings about an error of ours has got somewhere."""
    broken = LayerResult(layer="props", verdict=Verdict.ERROR, reason="a judge was lost")
    found = outcome(make_attack(), (answered("held")[0], broken))

    assert found.error == "props: a judge was lost"
    assert not found.held


def test_mutation_is_excused_where_the_cases_had_failed() -> None:
    """An attack on the mutation layer that fails its cases gained nothing."""
    results = (answered("held")[0], make_layer_result(layer="mutation", verdict=Verdict.SKIP))

    assert outcome(make_attack(fails="mutation"), results).held


def test_another_reason_than_the_one_named_is_misreported() -> None:
    assert outcome(make_attack(says=("CPU budget",)), answered("held")).misreported


@pytest.mark.parametrize("text", ["REACHED", "s3cr3t"])
def test_an_answer_that_tells_of_success_is_an_escape(text: str) -> None:
    """The text of the entry, and the secret whatever the entry names."""
    assert outcome(make_attack(), answered(text)).escaped


def test_a_lost_sandbox_is_an_escape() -> None:
    """Where an attack is after that; where it only used too much, its sandbox is its own to lose."""
    gone = answered("held", EndReason.SANDBOX_LOST)

    assert outcome(make_attack(effect=Effect.LOST), gone).escaped
    assert outcome(make_attack(effect=Effect.ANSWER), gone).held


@pytest.mark.parametrize("effect", [Effect.TCP, Effect.PROCESS, Effect.SEGMENT, Effect.FILE])
def test_a_mark_on_the_host_is_told_apart(effect: Effect) -> None:
    """What was reached is an escape, what is left lingers."""
    found = outcome(make_attack(effect=effect), answered("held"), effects=frozenset({effect}))

    assert found.lingered is (effect in {Effect.PROCESS, Effect.SEGMENT})
    assert found.escaped is not found.lingered


@pytest.mark.parametrize("isolated", [True, False])
def test_only_a_sandbox_without_a_boundary_is_excused(isolated: bool) -> None:  # noqa: FBT001 - a parameter
    """What only a boundary stops is no failure where there is none, and is told."""
    attack = make_attack(effect=Effect.TCP, boundary=True)
    found = outcome(attack, answered("held"), effects=frozenset({Effect.TCP}), isolated=isolated)

    assert found.held is not isolated
    assert found.not_stopped is not isolated


def test_a_forgery_is_never_excused() -> None:
    """A verdict must hold in every sandbox."""
    results = (make_layer_result(layer="unit"),)
    found = outcome(make_attack(boundary=True), results, effects=frozenset({Effect.TCP}), isolated=False)

    assert found.forged
    assert not found.held


def test_a_disturbed_neighbour_is_told() -> None:
    found = outcome(make_attack(), answered("held"), disturbed=("an honest neighbour did not pass: unit error",))

    assert found.disturbed
    assert "an honest neighbour did not pass: unit error" in found.notes


def make_report(*outcomes: AttackOutcome, left: tuple[str, ...] = ()) -> SelftestReport:
    return SelftestReport(sandbox="docker", isolated=True, python="3.11.2", outcomes=outcomes, left=left)


def test_a_report_names_what_did_not_hold() -> None:
    """The table counts by category; below it stands each attack that did not hold, with what was seen."""
    held = outcome(make_attack(), answered("held"))
    bad = outcome(make_attack(id="fizzbuzz/reads"), answered("REACHED"))

    text = render_report(make_report(held, bad))

    assert next(line for line in text.splitlines() if line.startswith("escape ")).split()[1:4] == ["2", "0/2", "1/2"]
    assert "fizzbuzz/reads (escaped): to do something bad" in text
    assert text.endswith("Something did not hold.\n")


def test_a_report_reads_as_json() -> None:
    """The counts, whether all held, and each outcome."""
    shown = json.loads(to_json(make_report(outcome(make_attack(), answered("held")))))

    assert (shown["held"], shown["attacks"], shown["counts"]["forged"]) == (True, 1, 0)
    assert shown["outcomes"][0]["id"] == "fizzbuzz/connects_out"


@pytest.mark.parametrize(("succeeded", "held"), [(True, True), (False, False), (None, True)])
def test_a_control_in_which_nothing_gets_through_does_not_hold(succeeded: bool | None, held: bool) -> None:  # noqa: FBT001 - a parameter
    """An attack that stops nowhere shows nothing; one that could not be tried is named."""
    control = ControlOutcome(what="without memory", succeeded=succeeded, reason=None if succeeded is not None else "no")
    report = make_report(outcome(make_attack(), answered("held")).model_copy(update={"controls": (control,)}))

    assert report.held is held
    assert ("without memory" in render_report(report)) is not (succeeded is True)


def test_what_is_left_does_not_hold() -> None:
    report = make_report(outcome(make_attack(), answered("held")), left=("container abc",))

    assert not report.held
    assert "container abc" in render_report(report)


def test_a_control_is_filled_in() -> None:
    """A secret goes into the options of a container that leaves a limit out."""
    control = Control(options={"environment": {"A": "@SECRET@"}, "pids_limit": -1}, guest=("seccomp",), memory=True)

    made = weakening(control, VALUES)

    assert made.options == {"environment": {"A": "s3cr3t"}, "pids_limit": -1}
    assert (made.guest, made.memory, made.seccomp) == (frozenset({"seccomp"}), True, False)


def test_the_lookout_sees_who_comes() -> None:
    """A connection, a datagram, and a file are marks of whoever gives that token."""
    with Lookout(4) as lookout:
        values = lookout.values(lookout.tokens[0])
        with socket.create_connection(("127.0.0.1", int(values["PORT"])), timeout=5) as sock:
            sock.sendall(lookout.tokens[0].encode())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(lookout.tokens[1].encode(), ("127.0.0.1", int(values["PORT"])))
        (Path(values["FOLDER"]) / "drop" / lookout.tokens[2]).touch()
        while not lookout.seen(lookout.tokens[0]) or not lookout.seen(lookout.tokens[1]):
            pass
        lookout.look_back()

        assert [set(lookout.seen(token)) for token in lookout.tokens] == [
            {Effect.TCP},
            {Effect.UDP},
            {Effect.FILE},
            set(),
        ]
        assert os.environ[CANARY] == lookout.secret_values(lookout.tokens[0])["SECRET"]
    assert CANARY not in os.environ
    assert not Path(values["FOLDER"]).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names of processes are read from /proc")
@pytest.mark.slow
def test_the_lookout_sees_what_lingers() -> None:
    """A process by the name of a token, and a file with it in its name, are left over; the file is removed."""
    with Lookout(3) as lookout:
        name = "import ctypes, time\n"
        name += f"ctypes.CDLL(None).prctl(15, b'{lookout.tokens[0]}', 0, 0, 0); print(flush=True); time.sleep(60)"
        left = Path("/tmp") / f"{lookout.tokens[1]}.txt"  # noqa: S108 - where leftovers are looked for
        left.touch()
        with subprocess.Popen([sys.executable, "-c", name], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()  # it has its name
            lookout.look_back()
            process.kill()

        assert lookout.seen(lookout.tokens[0]) == {Effect.PROCESS}
        assert lookout.seen(lookout.tokens[1]) == {Effect.LEFTOVER}
    assert not left.exists()


def test_neighbours_are_told_by_time() -> None:
    """Suspect are the attacks that ran at the same time, and the last one before."""
    attacks = [make_attack(id=f"fizzbuzz/{name}") for name in ("first", "second", "third")]
    with Lookout(3) as lookout:
        timeline = Timeline(SilentProgress(), lookout, {})
        for name in ("fizzbuzz/first", "fizzbuzz/second"):
            timeline.solution_started(name)
            timeline.solution_finished(name, Verdict.FAIL)
        timeline.solution_started("honest")
        timeline.solution_finished("honest", Verdict.FAIL)

        assert timeline.beside("honest", attacks) == {"fizzbuzz/second"}


def test_the_subprocess_sandbox_needs_consent(capsys: pytest.CaptureFixture[str]) -> None:
    """Attacks are untrusted code: they run without a boundary only where that was allowed."""
    assert run_argv(["selftest", "--sandbox", "subprocess"]) == 2
    assert "--allow-unsafe-sandbox" in capsys.readouterr().err


def test_some_attacks_hold_in_the_subprocess_sandbox(capsys: pytest.CaptureFixture[str]) -> None:
    """A few forgeries through the whole command, with their control."""
    names = ["fizzbuzz/always_equal", "fizzbuzz/exits_at_once"]
    words = [word for name in names for word in ("--attack", name)]

    code = run_argv(["selftest", "--sandbox", "subprocess", "--allow-unsafe-sandbox", "--control", "--json", *words])

    shown = json.loads(capsys.readouterr().out)
    assert code == 0
    assert [one["id"] for one in shown["outcomes"]] == names
    assert [one["controls"][0]["succeeded"] for one in shown["outcomes"]] == [True, True]


def test_a_placeholder_that_is_unknown_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill("@NOBODY@", VALUES)
