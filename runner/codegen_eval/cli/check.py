"""`evalrun check`: the battery on solution files of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codegen_eval.cli import options
from codegen_eval.cli.words import read_temperature, split_list


def check(
    task: Annotated[str, typer.Argument(help="The task, or the problem of the set, that the files solve.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Solution files; for a problem of a set also bodies without their head, and replies (`.md`)."
        ),
    ],
    *,
    layers: options.Layers = None,
    sandbox: options.Sandbox = "auto",
    runtime: options.Runtime = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    max_mutants: options.MaxMutants = 20,
    timeout: options.Timeout = 5.0,
    memory: options.Memory = 256,
    reviewer: options.Reviewer = None,
    review_policy: options.ReviewPolicy = "confirmed",
    reviewer_temperature: options.ReviewerTemperature = "none",
    reviewer_base_url: options.ReviewerBaseUrl = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
    allow_unsafe: options.AllowUnsafe = False,
    tasks_dir: options.TasksDir = None,
    dataset: options.ProblemSet = None,
    log_format: options.LogFormat = "auto",
    verbose: options.Verbose = False,
) -> int:
    """Judge each file; exit 0 where all pass, 1 where one fails, 3 where something of ours broke."""
    from codegen_eval.judge import fork_server

    fork_server.start()  # it imports while we do
    import os
    import sys

    from codegen_eval.battery import select_layers
    from codegen_eval.checking import check_files, failing_reference, load_solution, make_desk, render_checked, to_json
    from codegen_eval.cli.output import configure_log, left_out_lines
    from codegen_eval.judge.bench import CPU_SHARE, Settings
    from codegen_eval.material import find_one
    from codegen_eval.pipeline import Plan
    from codegen_eval.progress import make_progress
    from codegen_eval.sandbox.choice import Wish

    configure_log(log_format, verbose=verbose)
    with find_one(task, dataset=dataset, tasks_dir=tasks_dir) as found:
        solutions = [load_solution(found.task.id, path, found.problem) for path in files]
        count = min(jobs or os.cpu_count() or 1, len(solutions))
        settings = Settings(seed=seed, max_mutants=max_mutants, wall_seconds=timeout, cpu_seconds=CPU_SHARE * timeout)
        plan = Plan(layers=select_layers(split_list(layers)), settings=settings, jobs=count, memory_mib=memory)
        wish = Wish(
            name=sandbox,
            runtime=runtime,
            memory_mib=memory,
            jobs=count,
            expected=len(solutions) + bool(found.task.performance),
            allow_unsafe=allow_unsafe,
        )
        progress = make_progress(sys.stderr, environ=os.environ)
        desk = make_desk(
            reviewer,
            review_policy,
            base_url=reviewer_base_url,
            temperature=read_temperature(reviewer_temperature),
        )
        checked = check_files(found.task, found.folder, solutions, plan, wish, progress, desk=desk, suites=found.suites)
        verdicts = {one.verdict.value for one in checked}
        bad = {} if found.known_bad is None else {found.task.id: found.known_bad}
        if found.suites is not None and verdicts != {"pass"}:
            why = failing_reference(found.task, plan, wish, progress, suites=found.suites)
            bad |= {} if why is None else {found.task.id: why}
    sys.stderr.write(left_out_lines({}, bad))
    sys.stdout.write(to_json(checked) if as_json else render_checked(checked))
    return 3 if "error" in verdicts else 1 if "fail" in verdicts else 0
