"""Runs of real models: the sandbox is attested before anything is asked or written."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.models.provider import GROUP
from codegen_eval.results import load_run_record
from codegen_eval.sandbox.limits import LIMITS
from sandbox.relayed_engine import ENGINE, engine_over_tcp

_MODULE = '''
from pathlib import Path
from codegen_eval.models import Reply

CODE = """```python
def fizzbuzz(n):
    words = []
    for i in range(1, n + 1):
        words.append(("Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0)) or str(i))
    return words
```"""

class Parrot:
    provider = "parrot"

    def complete(self, request):
        with open(Path(__file__).with_name("asked"), "a") as file:
            file.write(request.task + "\\n")
        return Reply(text=CODE, input_tokens=1, output_tokens=1, estimated=True)
'''
_WHAT = ["--tasks", "fizzbuzz", "--strategies", "bare", "--layers", "unit"]
_RUN = ["run", "--mode", "parrot", "--model", "polly", *_WHAT]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a provider of a model that notes in this file what it is asked."""
    package = tmp_path / "site"
    info = package / "parrot-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "parrot_that_notes.py").write_text(_MODULE, "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nparrot = parrot_that_notes:Parrot\n", "utf-8")
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.delitem(sys.modules, "parrot_that_notes", raising=False)
    return package / "asked"


@pytest.mark.slow
def test_a_real_models_run_is_attested_and_keeps_what_was_seen(tmp_path: Path, asked: Path) -> None:
    """Limits are tried before the model is asked, the record holds every outcome, and a resumed run tries again."""
    out = tmp_path / "r.json"

    assert run_argv([*_RUN, "--sandbox", "subprocess", "--allow-unsafe-sandbox", "--out", str(out)]) == 0
    record = load_run_record(tmp_path / "r.run.json")
    assert record.attestation is not None
    assert [each.limit for each in record.attestation.limits] == [limit.id for limit in LIMITS]
    assert record.attestation.broken == ()
    assert record.attestation.counts()["not_available"] > 0
    assert asked.read_text() == "fizzbuzz\n"

    (tmp_path / "r.run.json").unlink()
    assert run_argv(["run", "--resume", str(out), "--sandbox", "subprocess", "--allow-unsafe-sandbox"]) == 0
    again = load_run_record(tmp_path / "r.run.json").attestation
    assert again is not None
    assert again.counts() == record.attestation.counts()
    assert asked.read_text() == "fizzbuzz\n"


def test_the_canned_corpus_needs_no_attestation(tmp_path: Path) -> None:
    """A mock run stays fast, and its record says that nothing was tried."""
    out = tmp_path / "r.json"
    argv = ["run", "--mock", "--tasks", "fizzbuzz", "--layers", "unit", "--sandbox", "subprocess", "--out", str(out)]

    assert run_argv(argv) == 0
    assert load_run_record(tmp_path / "r.run.json").attestation is None


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_a_promise_that_is_broken_stops_a_real_models_run(
    tmp_path: Path, asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With an engine that leaves the root writable nothing starts: exit 3, the limit named, nothing written."""
    if not Path(ENGINE).exists():
        pytest.skip("the engine is a remote one")
    out = tmp_path / "r.json"
    with engine_over_tcp(b'"ReadonlyRootfs": true', b'"ReadonlyRootfs":false') as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        status = run_argv([*_RUN, "--sandbox", "docker", "--out", str(out)])
        told = capsys.readouterr().err
        doctor = run_argv(["doctor", "--sandbox", "docker", "--json"])
        diagnosis = json.loads(capsys.readouterr().out)

    assert status == 3
    assert "`root-file-system` (" in told
    assert "hint: " in told
    assert "Traceback" not in told
    assert not asked.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert doctor == 3
    broken = [each for each in diagnosis["attestation"]["limits"] if each["outcome"] == "does not bite"]
    assert [each["limit"] for each in broken] == ["root-file-system"]
    assert broken[0]["to_do"]


@pytest.mark.slow
def test_doctor_prints_the_table_of_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """Each limit has its line; JSON says the same; `--quick` tries none. No boundary: exit 3."""
    doctor = ["doctor", "--sandbox", "subprocess"]
    assert run_argv(doctor) == 3
    table = capsys.readouterr().out.partition("limit  ")[2].splitlines()
    assert run_argv([*doctor, "--json"]) == 3
    limits = json.loads(capsys.readouterr().out)["attestation"]["limits"]
    assert run_argv([*doctor, "--quick", "--json"]) == 3
    quick = json.loads(capsys.readouterr().out)

    assert table[0].split() == ["outcome", "seen"]
    assert [line.split()[0] for line in table[1:-1] if "hint:" not in line] == [limit.id for limit in LIMITS]
    assert [each["limit"] for each in limits] == [limit.id for limit in LIMITS]
    assert {each["outcome"] for each in limits} <= {"bites", "does not bite", "not available"}
    assert quick["attestation"] is None
    assert quick["sandbox"] == "subprocess"


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_doctor_is_content_with_a_sound_engine(capsys: pytest.CaptureFixture[str]) -> None:
    """Where everything that Docker promises bites the exit status is 0."""
    assert run_argv(["doctor", "--sandbox", "docker"]) == 0
    assert "does not bite" not in capsys.readouterr().out
