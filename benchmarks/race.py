"""The race: every contender runs the same solutions, in turns, round by round."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from codegen_eval.errors import CodegenEvalError
from contender import Contender
from figure import median, median_ratio, percentile, table
from meter import Meter, Spent
from workload import Item


@dataclass(kw_only=True)
class Lane:
    """What one contender did in all rounds."""

    name: str
    command: str = ""
    absent: str | None = None
    """Why it did not take part."""
    rates: list[float] = field(default_factory=list)
    """Solutions per second, a figure for each round."""
    latencies: list[float] = field(default_factory=list)
    """Seconds from asking for a place until that place was given back."""
    spent: list[Spent] = field(default_factory=list)
    solutions: list[int] = field(default_factory=list)
    right: set[int] = field(default_factory=set)
    """How many cases of a round were answered rightly: one figure, if all rounds did the same work."""

    def per_solution(self, what: Callable[[Spent], float]) -> float:
        """Return the median over the rounds of something that was spent, for each solution."""
        return median([what(spent) / count for spent, count in zip(self.spent, self.solutions, strict=True)])


def race(
    contenders: Sequence[Contender], items: Sequence[Item], *, rounds: int, jobs: int, tell: Callable[[str], None]
) -> list[Lane]:
    """Let all run all items `rounds` times; one that can't take part is left out with the reason."""
    lanes = [Lane(name=each.name) for each in contenders]
    for number in range(rounds):
        for lane, contender in zip(lanes, contenders, strict=True):
            if lane.absent is None:
                tell(f"round {number + 1}/{rounds}: {lane.name}")
                _turn(lane, contender, items, jobs)
    return lanes


def _turn(lane: Lane, contender: Contender, items: Sequence[Item], jobs: int) -> None:
    """One turn: from opening to the last removal, so that nobody leaves work to the next."""
    latencies: list[float] = []
    right = 0
    try:
        with Meter() as meter, contender.opened(jobs=jobs, expected=len(items)) as run:

            def timed(item: Item) -> int:
                started = time.monotonic()
                answered = run(item)
                latencies.append(time.monotonic() - started)
                return answered

            with ThreadPoolExecutor(jobs * contender.threads_per_job) as executor:
                right = sum(executor.map(timed, items))
    except CodegenEvalError as exc:
        lane.absent = exc.message
        return
    lane.command = contender.command
    lane.rates.append(len(items) / meter.spent.wall_seconds)
    lane.latencies += latencies
    lane.spent.append(meter.spent)
    lane.solutions.append(len(items))
    lane.right.add(right)


def ratio(lanes: Sequence[Lane], above: str, below: str) -> float | None:
    """Return the median ratio of the rates of two contenders, None where one did not take part."""
    found = {lane.name: lane for lane in lanes if lane.rates}
    return median_ratio(found[above].rates, found[below].rates) if {above, below} <= found.keys() else None


def show(lanes: Sequence[Lane], floor: str) -> str:
    """Return the table of the race."""
    header = ("", "solutions/s", "x floor", "p50 ms", "p99 ms", "own CPU ms", "other CPU ms", "daemons ms", "peak MiB")
    rows: list[tuple[str, ...]] = []
    for lane in lanes:
        if lane.absent is not None:
            rows.append((lane.name, *("-",) * (len(header) - 1)))
            continue
        to_floor = ratio(lanes, lane.name, floor)
        rows.append(
            (
                lane.name,
                f"{median(lane.rates):.1f}",
                "-" if to_floor is None else f"{to_floor:.2f}",
                f"{percentile(lane.latencies, 0.5) * 1000:.0f}",
                f"{percentile(lane.latencies, 0.99) * 1000:.0f}",
                f"{lane.per_solution(lambda spent: spent.own_cpu_seconds) * 1000:.0f}",
                f"{lane.per_solution(lambda spent: spent.other_cpu_seconds) * 1000:.0f}",
                f"{lane.per_solution(lambda spent: spent.daemon_cpu_seconds) * 1000:.0f}",
                f"{max(spent.peak_mib for spent in lane.spent):.0f}",
            )
        )
    notes = [f"{lane.name}: not here ({lane.absent})" for lane in lanes if lane.absent is not None]
    notes += [f"{lane.name}: {lane.command}" for lane in lanes if lane.command]
    return "\n".join([table(header, rows), "", *notes])
