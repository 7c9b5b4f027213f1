"""`evalrun tasks`: list, show and validate tasks."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from codegen_eval.cli import options

app = typer.Typer(no_args_is_help=True)


@app.command("list", help="List the tasks.")
def list_tasks(
    *,
    tasks_dir: options.TasksDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Print one line for each task."""
    import json

    from codegen_eval.task_loader import discover_tasks

    tasks = discover_tasks(tasks_dir)
    if as_json:
        listed = [
            {
                "id": task.id,
                "signature": task.text.signature,
                "summary": task.text.summary,
                "shown": len(task.shown),
                "hidden": len(task.cases) - len(task.shown),
                "performance": len(task.performance),
                "properties": len(task.properties),
            }
            for task in tasks.values()
        ]
        sys.stdout.write(json.dumps(listed, indent=1) + "\n")
        return 0
    for task in tasks.values():
        counts = f"{len(task.cases)} cases, {len(task.performance)} performance, {len(task.properties)} properties"
        sys.stdout.write(f"{task.id:16} {task.text.summary}  ({counts})\n")
    return 0


@app.command("show", help="Show one task.")
def show(
    task: Annotated[str, typer.Argument(help="The task's id.")],
    *,
    tasks_dir: options.TasksDir = None,
) -> int:
    """Print statement, constraints, edge cases, cases and properties."""
    from codegen_eval.layers.unit import show_input
    from codegen_eval.task_loader import find_task

    found, _ = find_task(task, tasks_dir)
    text = found.text
    lines = [text.signature, "", text.statement.strip(), "", "constraints:"]
    lines += [f"  - {line}" for line in text.constraints] + ["edge cases:"]
    lines += [f"  - {line}" for line in text.edge_cases] + ["cases:"]
    for case in found.cases:
        kind = "shown " if case.shown else "hidden"
        lines.append(f"  {kind} {case.id:28} {case.aimed_at:18} {show_input(case.args, case.kwargs, case.files)}")
    lines += [f"  timed  {case.id:28} {case.aimed_at:18} size {case.size}" for case in found.performance]
    lines += ["properties:"] + [f"  {law.id:35} {law.aimed_at}" for law in found.properties]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


@app.command("validate", help="Check that tasks are sound: exit 1 where one is not.")
def validate(
    names: Annotated[list[str] | None, typer.Argument(help="Tasks to check; all by default.")] = None,
    *,
    tasks_dir: options.TasksDir = None,
    sandbox: options.Sandbox = "auto",
    jobs: options.Jobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    log_format: options.LogFormat = "auto",
) -> int:
    """Run references, planted bugs and mutants; print what is wrong."""
    import json
    import os

    from codegen_eval.cli.output import configure_log
    from codegen_eval.sandbox.choice import Wish
    from codegen_eval.validation import validate_tasks

    configure_log(log_format, verbose=False)
    wish = Wish(name=sandbox, jobs=jobs or os.cpu_count() or 1, trusted=True)
    problems = validate_tasks(tuple(names or ()), tasks_dir, wish)
    if as_json:
        sys.stdout.write(json.dumps(problems, indent=1) + "\n")
    else:
        for task, found in problems.items():
            sys.stdout.write(f"{task}: ok\n" if not found else f"{task}:\n")
            sys.stdout.writelines(f"  - {problem}\n" for problem in found)
    return 1 if any(problems.values()) else 0
