"""What do isolated evaluations cost? Canonical solutions by `evalrun evaluate`, and as harnesses usually run them.

    python benchmarks/evaluation.py HumanEval.jsonl.gz [--sandbox docker] [--jobs N] [--rounds N]

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

from codegen_eval.datasets import Dataset, read_dataset
from codegen_eval.datasets.problem import CheckTests

_WALL_SECONDS = 5.0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure evaluations against a harness without isolation.")
    parser.add_argument("path", type=Path, help="HumanEval's file")
    parser.add_argument("--sandbox", default="docker", help="the sandbox of the evaluation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="solutions at the same time")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each")
    return parser.parse_args(argv)


def _run_program(program: str, answer: Connection) -> None:
    """Run solution and tests in one interpreter, as is usual. What is run here is the set's own."""
    with open(os.devnull, "w", encoding="utf-8") as sink:  # noqa: PTH123 - no path of anybody's
        sys.stdout = sink
        exec(program, {"__name__": "__main__"})  # noqa: S102 - what is measured
        answer.send(True)


def _passes(program: str) -> bool:
    """Run a program in a process of its own, which is forked from this one."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run_program, args=(program, theirs))
    process.start()
    theirs.close()
    try:
        return ours.poll(_WALL_SECONDS) and ours.recv() is True
    except EOFError:
        return False
    finally:
        process.kill()
        process.join()
        ours.close()


def _programs(problems: Dataset) -> list[str]:
    found: list[str] = []
    for name, problem in problems.problems.items():
        tests = problems.tests(name)
        if isinstance(tests, CheckTests) and problem.canonical is not None:
            found.append(f"{problem.canonical}\n{tests.code}\ncheck({problem.entry_point})\n")
    return found


def _usual(programs: list[str], jobs: int) -> tuple[int, float]:
    started = time.monotonic()
    with ThreadPoolExecutor(jobs) as threads:
        passed = sum(threads.map(_passes, programs))
    return passed, time.monotonic() - started


def _evaluate(path: Path, sandbox: str, jobs: int) -> tuple[int, float, float]:
    """Return how many pass, the seconds of the command, and those of them that trying the sandbox's limits took."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "evaluated.json"
        command = [sys.executable, "-m", "codegen_eval", "evaluate", "--dataset", f"humaneval={path}", "--references"]
        command += ["--layers", "unit", "--sandbox", sandbox, "--allow-unsafe-sandbox", "--jobs", str(jobs)]
        started = time.monotonic()
        done = subprocess.run(  # noqa: S603 - our own command
            [*command, "--out", str(out), "--log-format", "json"], capture_output=True, text=True, check=True
        )
        seconds = time.monotonic() - started
        events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        trying = sum(event["seconds"] for event in events if event["event"] == "sandbox_attested")
        return json.loads(out.read_text(encoding="utf-8"))["references_passed"], seconds, trying


def main(argv: Sequence[str] | None = None) -> int:
    """Take turns; print the medians and the median of the ratios."""
    options = _options(argv)
    ratios: list[float] = []
    usual: list[float] = []
    ours: list[float] = []
    with read_dataset(f"humaneval={options.path}") as problems:
        programs = _programs(problems)
    for number in range(options.rounds):
        passed, seconds = _usual(programs, options.jobs)
        judged, whole, trying = _evaluate(options.path.resolve(), options.sandbox, options.jobs)
        usual.append(seconds)
        ours.append(whole)
        ratios.append(whole / seconds)
        sys.stdout.write(
            f"round {number + 1}: usual {seconds:.2f} s ({passed} of {len(programs)} pass);"
            f" {options.sandbox} {whole:.2f} s ({judged} pass), of which {trying:.1f} s try the sandbox's limits\n"
        )
    sys.stdout.write(
        f"median: usual {statistics.median(usual):.2f} s, {options.sandbox} {statistics.median(ours):.2f} s,"
        f" ratio {statistics.median(ratios):.1f}; {statistics.median(ours) / len(programs) * 1000:.0f} ms a solution\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
