"""The subprocess sandbox, where it stands: whom it blames for a place that it can't use."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from codegen_eval.battery import sandboxed_layer
from codegen_eval.judge.bench import Bench, Settings
from codegen_eval.judge.pool import JudgePool
from codegen_eval.judge.server import Job
from codegen_eval.judge.values import WorkerNotUpError
from codegen_eval.sandbox.process import ProcessProvider
from codegen_eval.sandbox.session import GuestSession
from codegen_eval.task_loader import find_task
from codegen_eval.verdict import Verdict
from factories import make_solution
from sandbox.talk import answer, ask

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a sandbox another user")


@root_only
def test_a_folder_that_only_root_can_enter_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With TMPDIR in a closed folder a sandbox takes another place, and works."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(closed))
    provider = ProcessProvider(memory_mib=256)

    sandbox = provider.open()
    reply = answer(ask(sandbox, "import os\ndef f(x): return os.getcwd()", 1))
    sandbox.close()

    assert reply == sandbox.workdir
    assert not sandbox.workdir.startswith(str(closed))


@root_only
def test_a_worker_that_cannot_be_set_up_is_nobody_elses_fault(sandbox: GuestSession) -> None:
    """What ends a worker before it has the solution is an error of ours: in the layer, and in the judge's answer."""
    Path(sandbox.workdir).parent.chmod(0o700)  # its user can't get there any more
    task, folder = find_task("fizzbuzz")
    bench = Bench(sandbox=sandbox, task=task, solution=make_solution(), settings=Settings())

    for layer in ("unit", "props", "mutation"):
        with pytest.raises(WorkerNotUpError):
            sandboxed_layer(layer, bench).run()
    with JudgePool() as judges:
        judge = judges.take(str(folder))
        judge.open(make_solution(), sandbox)
        outcome = judge.run(Job(layer="unit", settings=Settings()))

    assert outcome.result.verdict is Verdict.ERROR
    assert outcome.not_up
    assert outcome.first_worker
