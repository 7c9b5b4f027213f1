"""What the benchmarks run: the solutions of the shipped corpus, with the cases of their tasks."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen_eval.corpus import load_manifest, reply_text
from codegen_eval.extraction import extract
from codegen_eval.resources import resource_root
from codegen_eval.solution import Solution, Strategy
from codegen_eval.strategy import TURNS
from codegen_eval.task import Case, Task
from codegen_eval.task_loader import discover_tasks


def corpus_solutions(tasks: Mapping[str, Task]) -> list[Solution]:
    """Return what the canned replies hold, extracted as a run extracts it; sorted by id."""
    found: list[Solution] = []
    for task in tasks.values():
        for strategy in Strategy:
            reply = reply_text(task.id, strategy, TURNS[strategy] - 1)
            code = extract(reply, task.text.entry_point).code or ""
            name = f"{task.id}/{strategy}"
            found.append(Solution(id=name, task=task.id, strategy=strategy, model="mock", source=code))
    return sorted(found, key=lambda solution: solution.id)


def references(tasks: Mapping[str, Task]) -> list[Solution]:
    """Return the tasks' reference solutions."""
    return [
        Solution(id=f"{task.id}/reference", task=task.id, strategy=None, model="", source=task.reference)
        for task in tasks.values()
    ]


def clean_ids() -> frozenset[str]:
    """Return the ids of all solutions of the corpus that no failure is seeded in."""
    seeded = {entry.id for entry in load_manifest().seeded}
    return frozenset(solution.id for solution in corpus_solutions(discover_tasks()) if solution.id not in seeded)


def repeated(solutions: Sequence[Solution], count: int) -> Iterator[Solution]:
    """Yield `count` solutions, each under an id of its own."""
    for number, solution in enumerate(itertools.islice(itertools.cycle(solutions), count)):
        yield solution.model_copy(update={"id": f"{solution.id}#{number}"})


def folders(tasks: Mapping[str, Task]) -> dict[str, Path]:
    """Return where each shipped task is."""
    return {name: resource_root() / "tasks" / name for name in tasks}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One solution with the cases that every contender runs on it."""

    solution: Solution
    entry_point: str
    cases: tuple[Case, ...]
    program: str
    """The same as one plain program, which prints an answer a line."""


def plain_items(tasks: Mapping[str, Task]) -> list[Item]:
    """Return the corpus with those cases that a plain program can run: literal arguments, and no files."""
    items: list[Item] = []
    for solution in corpus_solutions(tasks):
        task = tasks[solution.task]
        cases = tuple(case for case in task.cases if not case.files and _literal(case))
        if cases:
            entry = task.text.entry_point
            items.append(
                Item(solution=solution, entry_point=entry, cases=cases, program=_program(solution.source, entry, cases))
            )
    return items


def _literal(case: Case) -> bool:
    try:
        return bool(ast.literal_eval(repr(case.args)) == case.args and not case.kwargs)
    except (ValueError, SyntaxError):
        return False


def _program(source: str, entry_point: str, cases: Sequence[Case]) -> str:
    """Return the solution with a loop below it, as one would write it by hand."""
    calls = "".join(f"    {case.args!r},\n" for case in cases)
    return (
        f"{source}\n\nfor _args in [\n{calls}]:\n"
        f"    try:\n        print(repr({entry_point}(*_args)), flush=False)\n"
        f"    except Exception as _error:\n        print(type(_error).__name__)\n"
    )
