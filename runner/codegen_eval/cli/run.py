"""`evalrun run`: a model, or the canned corpus, through the battery."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from codegen_eval.cli import options
from codegen_eval.cli.words import choose_models, no_limit, read_dollars, read_temperature, split_list


def run(
    context: typer.Context,
    *,
    mock: Annotated[bool, typer.Option("--mock", help="Use the canned corpus instead of a model.")] = False,
    mode: Annotated[str | None, typer.Option("--mode", help=options.MODE_HELP)] = None,
    model: options.Models = None,
    samples: options.Samples = 1,
    temperature: options.Temperature = "0",
    max_tokens: options.MaxTokens = 4096,
    drafts: options.Drafts = None,
    prices: options.Prices = None,
    budget_usd: options.BudgetUsd = None,
    concurrency: options.Concurrency = 8,
    call_timeout: options.CallTimeout = 600,
    base_url: options.BaseUrl = None,
    reviewer: options.Reviewer = None,
    review_policy: options.ReviewPolicy = "confirmed",
    reviewer_temperature: options.ReviewerTemperature = "none",
    reviewer_base_url: options.ReviewerBaseUrl = None,
    strategies: options.Strategies = None,
    layers: options.Layers = None,
    tasks: options.Tasks = None,
    dataset: options.ProblemSet = None,
    tasks_dir: options.TasksDir = None,
    limit: options.Limit = None,
    sandbox: options.Sandbox = "auto",
    runtime: options.Runtime = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    max_mutants: options.MaxMutants = 20,
    timeout: options.Timeout = 5.0,
    memory: options.Memory = 256,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the results.")] = Path("results.json"),
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Pay again for replies that the ledger beside --out has already.")
    ] = False,
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

    fork_server.start()  # it imports while we do
    import os
    import sys

    from codegen_eval.cli.output import configure_log, error_lines, left_out_lines, print_scorecard, spending_lines
    from codegen_eval.json_file import refuse_overwriting
    from codegen_eval.ledger import Ledger, ledger_path
    from codegen_eval.material import open_material
    from codegen_eval.progress import make_progress
    from codegen_eval.results import run_record_path
    from codegen_eval.run import execute, prepare
    from codegen_eval.run_record import values_of
    from codegen_eval.run_request import Means, make_request, read_request
    from codegen_eval.run_session import read_session

    gc.freeze()  # what is imported stays: no collection has to look at it again
    configure_log(log_format, verbose=verbose)
    means = Means(
        sandbox=sandbox,
        runtime=runtime,
        jobs=jobs or os.cpu_count() or 1,
        allow_unsafe=allow_unsafe,
        concurrency=concurrency,
        call_seconds=call_timeout,
        budget_usd=read_dollars(budget_usd),
        base_url=base_url,
        reviewer_base_url=reviewer_base_url,
    )
    progress = make_progress(sys.stderr, environ=os.environ)
    if resume is not None:
        _refuse_changes(context, resume)
        with Ledger.resume(ledger_path(resume)) as ledger:
            request = read_request(ledger, ledger_path(resume))
            earlier = read_session(ledger, ledger_path(resume))
            if earlier is not None:
                means = earlier.resumed(means, lift_budget=no_limit(budget_usd))
            with (
                request.open_again() as material,
                prepare(request, means, resume, material, earlier=earlier) as ready,
                _resumable(resume),
            ):
                finished = execute(ready, ledger, resume, progress)
        out = resume
    else:
        chosen, models = choose_models(mode, split_list(model), mock=mock)
        refuse_overwriting([out, ledger_path(out), run_record_path(out)], _files_read(dataset, prices))
        with open_material(dataset=dataset, tasks_dir=tasks_dir) as material:
            request = make_request(
                mode=chosen,
                models=models,
                samples=samples,
                temperature=read_temperature(temperature),
                max_tokens=max_tokens,
                drafts=drafts,
                prices=prices,
                reviewer=reviewer,
                review_policy=review_policy,
                reviewer_temperature=read_temperature(reviewer_temperature),
                tasks=split_list(tasks),
                strategies=split_list(strategies),
                layers=split_list(layers),
                seed=seed,
                max_mutants=max_mutants,
                timeout_seconds=timeout,
                memory_mib=memory,
                material=material,
                limit=limit,
            )
            with (
                prepare(request, means, out, material) as ready,
                Ledger.open(
                    ledger_path(out),
                    parameters=request.model_dump(mode="json"),
                    keep_replies=not fresh,
                ) as ledger,
                _resumable(out),
            ):
                finished = execute(ready, ledger, out, progress)
    results = finished.results
    print_scorecard(results, "json" if as_json else "text", verbose=verbose)
    sys.stderr.write(left_out_lines(values_of(finished.record.left_out), values_of(finished.record.known_bad)))
    sys.stderr.write(error_lines(results))
    sys.stderr.write(spending_lines(finished.record))
    if sys.stderr.isatty():
        sys.stderr.write(f"results: {out}\n")
    broken = any(layer.verdict == "error" for scored in results.solutions for layer in scored.layers)
    return 3 if broken else 0


_FIXED = (
    *("mock", "mode", "model", "samples", "temperature", "max_tokens", "drafts", "prices", "fresh"),
    *("reviewer", "review_policy", "reviewer_temperature", "dataset", "tasks_dir", "limit"),
    *("strategies", "layers", "tasks", "seed", "max_mutants", "timeout", "memory", "out"),
)
"""What a run was begun with, and is finished with."""


def _refuse_changes(context: typer.Context, resume: Path) -> None:
    """Refuse what a resumed run can't follow: options that would change it, and files that lie beside its results."""
    from codegen_eval.errors import InputError

    for ending in (".run.json", ".ledger"):
        if resume.name.endswith(ending):
            meant = resume.with_name(resume.name.removesuffix(ending) + ".json")
            raise InputError(f"`{resume}` is not a results file", hint=f"`--resume {shlex.quote(str(meant))}`")
    for name in _FIXED:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = name.replace("_", "-")
            raise InputError(
                f"`--{option}` can't be changed by a resume",
                hint="leave it out: the run goes on as it was begun; or start another with another `--out`",
            )


def _files_read(dataset: str | None, prices: Path | None) -> Iterator[Path]:
    """Yield the files that a new run reads."""
    if dataset is not None:
        from codegen_eval.datasets.reader import parse_spec

        yield parse_spec(dataset).path
    if prices is not None:
        yield prices


@contextmanager
def _resumable(out: Path) -> Iterator[None]:
    """Say how to go on where a run is stopped, or something around us breaks in the middle of it."""
    from codegen_eval.errors import (
        BudgetExhaustedError,
        EnvironmentFaultError,
        InterruptedRunError,
        LedgerError,
        ModelAddressError,
        ModelRequestError,
    )

    command = f"evalrun run --resume {shlex.quote(str(out))}"
    until = "; until then that file holds the results of an earlier one" if out.exists() else ""
    go_on = f"`{command}` goes on with this run{until}"
    try:
        yield
    except KeyboardInterrupt as exc:
        raise InterruptedRunError("interrupted", hint=go_on) from exc
    except EnvironmentFaultError as exc:
        match exc:
            case BudgetExhaustedError():
                exc.hint = f"`{command} --budget-usd SUM` goes on with this run, if the sum is larger{until}"
            case ModelAddressError():
                option = "--reviewer-base-url" if "--reviewer" in (exc.hint or "") else "--base-url"
                exc.hint = f"{exc.hint}; `{command} {option} ADDRESS` goes on with this run{until}"
            case ModelRequestError():
                changed = "the command that began the run, with that changed and the same `--out`, keeps what is paid"
                exc.hint = f"{exc.hint}; {changed}" if exc.hint else changed
            case LedgerError() if exc.hint:
                pass  # what it says may be to begin again
            case _:
                exc.hint = f"{exc.hint}; {go_on}" if exc.hint else go_on
        raise
