"""How fast are the sandboxes? One run, the same solutions and cases for all, targets beside the figures.

    python benchmarks/throughput.py [--quick] [--json] [--only floor subprocess] [--rounds N] [--linear 400 4000]

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import sys
from collections.abc import Sequence

from codegen_eval.errors import CodegenEvalError
from codegen_eval.task_loader import discover_tasks
from contender import CONTENDERS, contenders
from event import log_warnings_only
from figure import Target
from growth import growth
from inside import battery, inside
from race import Lane, race, ratio, show
from workload import plain_items

_FLOOR, _CEILING = "bare python3 -I", "engine's ceiling"


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the sandboxes against each other, and against targets.")
    parser.add_argument("--only", nargs="+", choices=CONTENDERS, default=[], help="contenders; all by default")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each contender")
    parser.add_argument("--solutions", type=int, default=36, help="solutions in a turn, the corpus over and over")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="solutions at the same time")
    parser.add_argument("--repetitions", type=int, default=2000, help="single calls that are timed")
    parser.add_argument("--inside", nargs="*", default=["docker"], help="sandboxes to measure calls and battery in")
    parser.add_argument(
        "--linear", nargs=2, type=int, metavar=("FEW", "MANY"), help="also: does the cost grow linearly"
    )
    parser.add_argument("--linear-sandbox", default="subprocess", help="the sandbox for --linear")
    parser.add_argument("--quick", action="store_true", help="two short rounds, to see that all of it works")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(argv)


def _race_targets(lanes: Sequence[Lane]) -> list[Target]:
    wanted = (
        ("subprocess", _FLOOR, 0.8, "subprocess against the floor"),
        ("bwrap", _FLOOR, 0.5, "bwrap against the floor"),
        ("docker", "docker run", 1.6, "docker against a `docker run` loop"),
        ("docker", _CEILING, 0.85, "docker against the engine's ceiling"),
    )
    found = [(what, ratio(lanes, above, below), bound) for above, below, bound, what in wanted]
    return [
        Target(what=what, figure=figure, bound=bound, unit="x", at_least=True)
        for what, figure, bound in found
        if figure is not None and not math.isnan(figure)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; exit 0 whatever the figures are, 3 where something could not be measured."""
    options = _options(argv)
    if options.quick:
        options.rounds, options.solutions, options.repetitions = 2, 8, 200

    def tell(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    log_warnings_only()
    tasks = discover_tasks()
    plain = plain_items(tasks)
    items = [plain[number % len(plain)] for number in range(options.solutions)]
    lanes = race(contenders(tuple(options.only)), items, rounds=options.rounds, jobs=options.jobs, tell=tell)
    targets = _race_targets(lanes)
    layers: dict[str, dict[str, float]] = {}
    linear: list[dict[str, float]] = []
    try:
        for name in options.inside:
            tell(f"inside an open sandbox: {name}")
            targets += inside(name, repetitions=options.repetitions)
            target, layers[name] = battery(name, tasks)
            targets.append(target)
        if options.linear:
            tell("linearity, which takes long")
            few, many = options.linear
            linear, more = growth(options.linear_sandbox, few=few, many=many, jobs=options.jobs)
            targets += more
    except CodegenEvalError as exc:
        sys.stderr.write(f"error: {exc.message}\n")
        return exc.exit_code
    if options.json:
        sys.stdout.write(_to_json(options, lanes, targets, layers, linear))
    else:
        sys.stdout.write(_to_text(options, lanes, targets, layers, linear))
    return 0


def _to_text(
    options: argparse.Namespace,
    lanes: Sequence[Lane],
    targets: Sequence[Target],
    layers: dict[str, dict[str, float]],
    linear: Sequence[dict[str, float]],
) -> str:
    bytecode = ", no bytecode is written" if sys.dont_write_bytecode else ""
    head = (
        f"{options.rounds} rounds of {options.solutions} solutions, {options.jobs} at a time, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}{bytecode}"
    )
    parts = [head, "", show(lanes, _FLOOR), "", *(target.line() for target in targets)]
    parts += [f"layers in {name}, median ms: {told}" for name, told in layers.items()]
    parts += [f"battery: {told}" for told in linear]
    return "\n".join(parts) + "\n"


def _to_json(
    options: argparse.Namespace,
    lanes: Sequence[Lane],
    targets: Sequence[Target],
    layers: dict[str, dict[str, float]],
    linear: Sequence[dict[str, float]],
) -> str:
    document = {
        "options": vars(options),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "race": [dataclasses.asdict(lane) | {"right": sorted(lane.right)} for lane in lanes],
        "targets": [dataclasses.asdict(target) | {"met": target.met} for target in targets],
        "layers_ms": layers,
        "linear": list(linear),
    }
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
