"""Throw millions of hostile inputs at what reads a guest's bytes; stop at the first broken law.

    python benchmarks/fuzz.py [--target reply stream conversation] [--inputs 1000000] [--seed 0] [--guided 20]

Memory is limited (`--memory-mib`), and so is the time of each input: a hang or a bomb shows as a failure. The input
that broke a law is written to a file, and `--replay FILE` runs it alone.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from codegen_eval.judge import candidate, codec
from codegen_eval.sandbox import session
from fuzz_mutation import Coverage, Mutator
from fuzz_seed import seeds_of
from fuzz_target import TARGETS
from meter import peak_mib

_INPUT_SECONDS = 5


class HangError(Exception):
    """One input took longer than any may."""


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fuzz the readers of hostile bytes.")
    parser.add_argument("--target", nargs="+", choices=tuple(TARGETS), default=list(TARGETS))
    parser.add_argument("--inputs", type=int, default=1_000_000, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--guided", type=int, default=20, help="trace every n-th input, and keep what reaches more; 0: none"
    )
    parser.add_argument("--memory-mib", type=int, default=1024, help="address space of this process")
    parser.add_argument("--replay", type=Path, help="run this file's bytes on the targets, and nothing else")
    return parser.parse_args(argv)


def _alarm(*_: object) -> None:
    raise HangError(f"an input took longer than {_INPUT_SECONDS} s")


def fuzz(target: str, *, inputs: int, seed: int, guided: int, tell: Callable[[str], None]) -> bytes | None:
    """Run a target on mutated inputs; return the first that breaks a law, None where none does."""
    run = TARGETS[target]
    mutator = Mutator(seeds_of(target), seed)
    coverage = Coverage([str(module.__file__) for module in (candidate, codec, session)])
    outcomes: Counter[str] = Counter()
    for data in mutator.corpus:
        coverage.reaches_more(lambda data=data: run(data))  # type: ignore[misc] # the loop's own
    started = told = time.monotonic()
    for number in range(1, inputs + 1):
        data = mutator.make()
        signal.alarm(_INPUT_SECONDS)
        try:
            if guided and number % guided == 0:
                if coverage.reaches_more(lambda data=data: outcomes.update([run(data)])):  # type: ignore[misc]
                    mutator.corpus.append(data)
            else:
                outcomes[run(data)] += 1
        except BaseException as exc:
            signal.alarm(0)
            if isinstance(exc, KeyboardInterrupt):
                raise
            tell(f"{target}: input {number} of seed {seed} broke a law: {type(exc).__name__}: {exc}")
            return data
        signal.alarm(0)
        if time.monotonic() - told > 30:
            told = time.monotonic()
            tell(f"{target}: {number} inputs, {number / (told - started):.0f}/s, {dict(outcomes)}")
    seconds = time.monotonic() - started
    tell(
        f"{target}: {inputs} inputs in {seconds:.0f} s ({inputs / seconds:.0f}/s), no law broken; {len(coverage)} "
        f"pairs of lines, {len(mutator.corpus)} in the corpus, peak {peak_mib():.0f} MiB; {dict(outcomes)}"
    )
    return None


def main(argv: Sequence[str] | None = None) -> int:
    """Fuzz; exit 0 where no law was broken, 1 where one was."""
    options = _options(argv)
    limit = options.memory_mib << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, _alarm)
    if options.replay is not None:
        data = options.replay.read_bytes()
        for target in options.target:
            sys.stdout.write(f"{target}: {TARGETS[target](data)}\n")
        return 0
    broken = 0
    for target in options.target:
        data = fuzz(target, inputs=options.inputs, seed=options.seed, guided=options.guided, tell=_tell)
        if data is not None:
            broken += 1
            path = Path(tempfile.gettempdir(), f"fuzz-{target}-{hashlib.sha256(data).hexdigest()[:12]}")
            path.write_bytes(data)
            _tell(f"{target}: the input is in {path}")
    return min(broken, 1)


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
