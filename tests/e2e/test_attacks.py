"""The shipped attacks, through the whole battery: none passes, and an honest neighbour is unaffected."""

from __future__ import annotations

import json
import tomllib

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.resources import resource_root
from codegen_eval.task_loader import find_task

FOLDER = resource_root() / "corpus" / "attacks"
ATTACKS = tomllib.loads((FOLDER / "manifest.toml").read_text())["attack"]


def test_every_attack_is_in_the_manifest() -> None:
    """Files and entries are the same."""
    files = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.py")}

    assert files == {attack["id"] for attack in ATTACKS}


@pytest.mark.slow
@pytest.mark.parametrize("task", sorted({attack["id"].partition("/")[0] for attack in ATTACKS}))
@pytest.mark.parametrize("sandbox", ["subprocess", "bwrap", pytest.param("docker", marks=pytest.mark.docker)])
def test_no_attack_passes(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], sandbox: str, task: str
) -> None:
    """Each attack fails the layer that it has to, and the reference beside it passes."""
    if sandbox != "subprocess":
        request.getfixturevalue({"docker": "engine", "bwrap": "bubblewrap"}[sandbox])
    wanted = {a["id"]: a["fails"] for a in ATTACKS if a["id"].startswith(f"{task}/")}
    honest = find_task(task)[1] / "reference.py"
    files = [str(FOLDER / f"{name}.py") for name in wanted] + [str(honest)]
    options = ["--sandbox", sandbox, "--allow-unsafe-sandbox", "--timeout", "2"]
    options += ["--layers", "unit", "props", *{"mutation"}.intersection(wanted.values())]

    assert run_argv(["check", task, *files, *options, "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    for row, (name, layer) in zip(rows, wanted.items(), strict=False):
        assert row["verdict"] == "fail", name
        if sandbox != "subprocess" or layer != "mutation":  # outside a sandbox it can't count, and fails its cases
            assert row["layers"][layer]["verdict"] == "fail", name
    assert rows[-1]["verdict"] == "pass"
