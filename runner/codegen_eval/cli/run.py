"""`evalrun run`: a model, or the canned corpus, through the battery."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from codegen_eval.cli import options
from codegen_eval.cli.words import split_list


def run(
    *,
    mock: Annotated[bool, typer.Option("--mock", help="Use the canned corpus instead of a model.")] = False,
    mode: Annotated[
        str | None, typer.Option("--mode", help="Model provider: mock, or one that a plugin brings.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="The provider's name of the model.")] = None,
    strategies: Annotated[
        list[str] | None, typer.Option("--strategies", help="bare, spec, test-first, self-review; all by default.")
    ] = None,
    layers: options.Layers = None,
    tasks: Annotated[list[str] | None, typer.Option("--tasks", help="Tasks to run; all by default.")] = None,
    sandbox: options.Sandbox = "auto",
    runtime: options.Runtime = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    max_mutants: options.MaxMutants = 20,
    timeout: options.Timeout = 5.0,
    memory: options.Memory = 256,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the results.")] = Path("results.json"),
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Finish the interrupted run of this results file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scorecard as JSON.")] = False,
    allow_unsafe: options.AllowUnsafe = False,
    log_format: options.LogFormat = "auto",
    verbose: options.Verbose = False,
) -> int:
    """Run and print the scorecard."""
    from codegen_eval.judge import fork_server

    fork_server.start()
    import os
    import sys

    from codegen_eval.cli.output import configure_log, print_scorecard
    from codegen_eval.errors import InputError
    from codegen_eval.ledger import Ledger, ledger_path
    from codegen_eval.progress import make_progress
    from codegen_eval.run import MOCK, Means, Request, execute, make_request

    configure_log(log_format, verbose=verbose)
    means = Means(sandbox=sandbox, runtime=runtime, jobs=jobs or os.cpu_count() or 1, allow_unsafe=allow_unsafe)
    progress = make_progress(sys.stderr, environ=os.environ)
    if resume is not None:
        with Ledger.resume(ledger_path(resume)) as ledger, _resumable(resume):
            request = Request.model_validate(ledger.parameters)
            results = execute(request, means, ledger, resume, progress)
    else:
        chosen = MOCK if mock else mode
        if chosen is None:
            raise InputError("no model to run", hint="`evalrun run --mock` runs the canned corpus")
        if mock and mode not in {None, MOCK}:
            raise InputError("`--mock` and `--mode` name different models", hint="leave one of them out")
        if chosen != MOCK and model is None:
            raise InputError(f"mode `{chosen}` needs a model", hint="name it with `--model`")
        request = make_request(
            mode=chosen,
            model=model or MOCK,
            tasks=split_list(tasks),
            strategies=split_list(strategies),
            layers=split_list(layers),
            seed=seed,
            max_mutants=max_mutants,
            timeout_seconds=timeout,
            memory_mib=memory,
        )
        parameters = request.model_dump(mode="json")
        with Ledger.open(ledger_path(out), parameters=parameters) as ledger, _resumable(out):
            results = execute(request, means, ledger, out, progress)
    print_scorecard(results, "json" if as_json else "text", verbose=verbose)
    broken = any(layer.verdict == "error" for scored in results.solutions for layer in scored.layers)
    return 3 if broken else 0


@contextmanager
def _resumable(out: Path) -> Iterator[None]:
    """Say how to go on where something around us breaks in the middle of a run."""
    from codegen_eval.errors import EnvironmentFaultError

    try:
        yield
    except EnvironmentFaultError as exc:
        go_on = f"`evalrun run --resume {out}` goes on with this run"
        exc.hint = f"{exc.hint}; {go_on}" if exc.hint else go_on
        raise
