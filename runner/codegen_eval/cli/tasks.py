"""`evalrun tasks`: list, show and validate tasks."""

from __future__ import annotations

import sys
from pathlib import Path
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
    from codegen_eval.layers.unit import show_case
    from codegen_eval.task_loader import find_task

    found, _ = find_task(task, tasks_dir)
    text = found.text
    lines = [text.signature, "", text.statement.strip(), "", "constraints:"]
    lines += [f"  - {line}" for line in text.constraints] + ["edge cases:"]
    lines += [f"  - {line}" for line in text.edge_cases] + ["cases:"]
    for case in found.cases:
        kind = "shown " if case.shown else "hidden"
        lines.append(f"  {kind} {case.id:28} {case.aimed_at:18} {show_case(case)}")
    lines += [f"  timed  {case.id:28} {case.aimed_at:18} size {case.size}" for case in found.performance]
    lines += ["properties:"] + [f"  {law.id:35} {law.aimed_at}" for law in found.properties]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


@app.command("new", help="Make a task of your own: a scaffold that is sound as it is, to be changed.")
def new(
    name: Annotated[str, typer.Argument(help="The task's id: a-z, 0-9, `_` and `-`.")],
    *,
    folder: Annotated[Path, typer.Option("--dir", help="The folder of tasks that it goes into.")] = Path("my_tasks"),
    kind: Annotated[
        str, typer.Option("--kind", help="function, class, generator, async, callable, program or files.")
    ] = "function",
) -> int:
    """Write the files of a task, and say what to do next."""
    from codegen_eval.scaffold import make_task

    made = make_task(name, folder, kind)
    sys.stdout.writelines(f"{path}\n" for path in made)
    sys.stderr.write(f"\nchange them, then: evalrun tasks validate {made[0].parent}\n")
    return 0


@app.command("validate", help="Check that tasks are sound: exit 1 where one is not, 2 where one can't be read.")
def validate(
    names: Annotated[
        list[str] | None, typer.Argument(help="Ids, folders of one task, or folders of tasks; all tasks by default.")
    ] = None,
    *,
    tasks_dir: options.TasksDir = None,
    sandbox: options.Sandbox = "auto",
    jobs: options.Jobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    log_format: options.LogFormat = "auto",
) -> int:
    """Run references, planted bugs and mutants; print what is wrong."""
    from codegen_eval.judge import fork_server

    fork_server.start()  # it imports while we do
    import json
    import os

    from codegen_eval.cli.output import configure_log
    from codegen_eval.progress import make_progress
    from codegen_eval.render.printable import printable
    from codegen_eval.sandbox.choice import Wish
    from codegen_eval.task_loader import find_folders
    from codegen_eval.validation import validate_tasks

    configure_log(log_format, verbose=False)
    wish = Wish(name=sandbox, jobs=jobs or os.cpu_count() or 1, trusted=True)
    folders = find_folders(tuple(names or ()), tasks_dir)
    reports = validate_tasks(folders, wish, make_progress(sys.stderr, environ=os.environ))
    if as_json:
        told = {
            report.task: {"loaded": report.loaded, "problems": report.problems, "notes": report.notes}
            for report in reports
        }
        sys.stdout.write(json.dumps(told, indent=1) + "\n")
    for report in () if as_json else reports:
        if report.problems:
            sys.stdout.write(f"{printable(report.task)}: {'unsound' if report.loaded else 'can not be read'}\n")
            sys.stdout.writelines(f"  - {printable(problem)}\n" for problem in report.problems)
        else:
            sys.stdout.write(f"{report.task}: ok ({'; '.join(report.notes)})\n")
    if not all(report.loaded for report in reports):
        return 2
    return 1 if any(report.problems for report in reports) else 0
