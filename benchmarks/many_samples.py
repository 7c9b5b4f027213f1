"""Does memory stay flat over many samples? Resident memory of `evalrun evaluate` while it judges.

    python benchmarks/many_samples.py HumanEval.jsonl.gz [--samples N] [--distinct N] [--sandbox subprocess] [--jobs N]

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from codegen_eval.datasets import read_dataset
from figure import Target, table

_LOOK_SECONDS = 0.5
_TOLERANCE_MIB = 16.0
_LEAST = 0.1
"""The share of the samples from which on memory should not grow: caches are full by then."""


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the memory of an evaluation of many samples.")
    parser.add_argument("path", type=Path, help="HumanEval's file")
    parser.add_argument("--samples", type=int, default=100_000, help="samples in all")
    parser.add_argument("--distinct", type=int, default=0, help="of them different; only the problems' own where 0")
    parser.add_argument("--sandbox", default="subprocess", help="the sandbox of the evaluation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="solutions at the same time")
    return parser.parse_args(argv)


def _samples(path: Path, count: int, distinct: int) -> Iterator[str]:
    """Yield lines of canonical completions, told apart by a comment."""
    with read_dataset(f"humaneval={path}") as problems:
        known = [(one.id, (one.canonical or "").removeprefix(one.prompt)) for one in problems.problems.values()]
    kinds = max(1, distinct // len(known))
    for number in range(count):
        name, text = known[number % len(known)]
        variant = number // len(known) % kinds
        yield json.dumps({"task_id": name, "completion": f"{text}\n# {variant}\n"}) + "\n"


def _resident_mib(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS:")), 0.0)


def _lines(path: Path) -> int:
    """Count lines, of a file that may have come to its final name meanwhile."""
    try:
        with path.open("rb") as file:
            return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))
    except FileNotFoundError:
        return 0


def _watch(process: subprocess.Popen[bytes], part: Path) -> list[tuple[float, int, float]]:
    """Return seconds, samples judged and resident memory, from the start to the end."""
    began, seen = time.monotonic(), list[tuple[float, int, float]]()
    while process.poll() is None:
        if mib := _resident_mib(process.pid):
            count = max(_lines(part), seen[-1][1] if seen else 0)  # at the end the lines have another name
            seen.append((time.monotonic() - began, count, mib))
        time.sleep(_LOOK_SECONDS)
    return seen


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate, print how memory went, and say whether it stayed flat."""
    options = _options(argv)
    with tempfile.TemporaryDirectory() as folder:
        samples, out = Path(folder) / "s.jsonl", Path(folder) / "e.json"
        with samples.open("w", encoding="utf-8") as file:
            file.writelines(_samples(options.path, options.samples, options.distinct))
        command = [sys.executable, "-m", "codegen_eval", "evaluate", "--dataset", f"humaneval={options.path.resolve()}"]
        command += ["--samples", str(samples), "--sandbox", options.sandbox, "--allow-unsafe-sandbox"]
        command += ["--jobs", str(options.jobs), "--out", str(out)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - our own command
            seen = _watch(process, out.with_name("e.samples.jsonl.part"))
        judged = json.loads(out.read_text(encoding="utf-8"))["scored_samples"]
    wanted = [options.samples * step // 10 for step in range(1, 10)]
    rows = [next((one for one in seen if one[1] >= count), seen[-1]) for count in wanted]
    rows.append((seen[-1][0], judged, seen[-1][2]))
    shown = [[str(count), f"{seconds:.0f}", f"{mib:.1f}"] for seconds, count, mib in rows]
    sys.stdout.write(table(["judged", "seconds", "MiB"], shown) + "\n")
    early = max(mib for _, count, mib in seen if count <= options.samples * _LEAST)
    growth = max(mib for _, _, mib in seen) - early
    target = Target(
        what="growth of memory after a tenth of the samples", figure=growth, bound=_TOLERANCE_MIB, unit="MiB"
    )
    sys.stdout.write(target.line() + "\n")
    return 0 if target.met else 1


if __name__ == "__main__":
    sys.exit(main())
