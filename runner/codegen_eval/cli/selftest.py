"""`evalrun selftest`: the shipped attacks against the sandbox of this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from codegen_eval.cli import options
from codegen_eval.cli.words import split_list


def selftest(
    *,
    sandbox: options.Sandbox = "auto",
    runtime: options.Runtime = None,
    jobs: options.Jobs = None,
    category: Annotated[list[str] | None, typer.Option("--category", help="Categories to run; all by default.")] = None,
    attack: Annotated[list[str] | None, typer.Option("--attack", help="Attacks to run; all by default.")] = None,
    control: Annotated[
        bool, typer.Option("--control", help="Also show that each attack gets through where nothing stops it.")
    ] = False,
    timeout: options.Timeout = 2.0,
    memory: options.Memory = 256,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    allow_unsafe: options.AllowUnsafe = False,
    log_format: options.LogFormat = "auto",
    verbose: options.Verbose = False,
) -> int:
    """Run the attacks; exit 0 where all held, 1 where something did not, 3 where there is no sandbox."""
    from codegen_eval.judge import fork_server

    fork_server.start()  # it imports while we do
    import os
    import sys

    from codegen_eval.attack import choose, load_attacks
    from codegen_eval.cli.output import configure_log
    from codegen_eval.lookout import Lookout
    from codegen_eval.progress import make_progress
    from codegen_eval.sandbox.choice import Wish
    from codegen_eval.selftest import Stage, run_selftest
    from codegen_eval.selftest_control import with_controls
    from codegen_eval.selftest_report import render_report, to_json

    configure_log(log_format, verbose=verbose)
    attacks = choose(load_attacks(), ids=split_list(attack), categories=split_list(category))
    count = jobs or os.cpu_count() or 1
    wish = Wish(name=sandbox, runtime=runtime, memory_mib=memory, jobs=count, allow_unsafe=allow_unsafe)
    stage = Stage(wish=wish, jobs=count, timeout=timeout)
    with Lookout(len(attacks), wall_seconds=timeout) as lookout:
        report = run_selftest(attacks, stage, lookout, make_progress(sys.stderr, environ=os.environ))
    if control:
        report = with_controls(report, attacks, stage, make_progress(sys.stderr, environ=os.environ))
    sys.stdout.write(to_json(report) if as_json else render_report(report))
    return 0 if report.held else 1
