"""`evalrun evaluate`: somebody's samples on a public problem set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codegen_eval.cli import options
from codegen_eval.cli.words import split_list


def evaluate(
    *,
    dataset: Annotated[str, typer.Option("--dataset", help="NAME=PATH, as `humaneval=HumanEval.jsonl.gz`.")],
    samples: Annotated[Path | None, typer.Option("--samples", help="A file or a folder of samples.")] = None,
    references: Annotated[
        bool, typer.Option("--references", help="Judge the set's canonical solutions instead.")
    ] = False,
    buggy: Annotated[bool, typer.Option("--buggy", help="Judge the set's buggy programs instead.")] = False,
    layers: Annotated[
        list[str] | None, typer.Option("--layers", help="unit, props, mutation, lint; unit and lint by default.")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option("--rule", help="How programs are made of samples where it applies; it follows from each."),
    ] = None,
    other_rules: Annotated[
        bool, typer.Option("--other-rules", help="Say which failures another rule would have saved.")
    ] = False,
    k: Annotated[list[str] | None, typer.Option("--k", help="Of pass@k; 1, 5, 10, 25, 50 and 100 by default.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Judge no more than the first samples.")] = None,
    sandbox: options.Sandbox = "auto",
    runtime: options.Runtime = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    max_mutants: options.MaxMutants = 20,
    timeout: options.Timeout = 5.0,
    memory: options.Memory = 256,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the summary.")] = Path("evaluated.json"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the evaluation of this `--out`.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    allow_unsafe: options.AllowUnsafe = False,
    log_format: options.LogFormat = "auto",
    verbose: options.Verbose = False,
) -> int:
    """Judge references, then samples; print pass@k and what the layers add."""
    from codegen_eval.judge import fork_server

    fork_server.start()  # it imports while we do
    import os
    import sys

    from codegen_eval.cli.output import configure_log, print_evaluation
    from codegen_eval.datasets import read_dataset
    from codegen_eval.evaluation.evaluate import DEFAULT_KS, Request, short_name
    from codegen_eval.evaluation.session import choose_layers, choose_rule, choose_source, numbers, run_session
    from codegen_eval.progress import Progress, make_progress

    configure_log(log_format, verbose=verbose)
    wanted = numbers(split_list(k))
    request = Request(
        samples=choose_source(samples, references=references, buggy=buggy),
        layers=choose_layers(split_list(layers)),
        rule=choose_rule(rule),
        ks=wanted or DEFAULT_KS,
        other_rules=other_rules,
        seed=seed,
        max_mutants=max_mutants,
        timeout_seconds=timeout,
        memory_mib=memory,
        sandbox=sandbox,
        runtime=runtime,
        jobs=jobs or os.cpu_count() or 1,
        allow_unsafe=allow_unsafe,
        limit=limit,
    )

    def progress(what: str) -> Progress:
        return make_progress(sys.stderr, environ=os.environ, what=what, name=short_name)

    with read_dataset(dataset) as problems:
        found = run_session(request, problems, out, resume=resume, progress=progress)
    for lost in sorted(set(wanted) - {one.k for one in found.pass_at_k}):
        sys.stderr.write(f"pass@{lost}: no problem that counts has {lost} samples\n")
    print_evaluation(found, "json" if as_json else "text", verbose=verbose)
    if sys.stderr.isatty():
        sys.stderr.write(f"summary: {out}\n")
    if not found.problems:
        return 1
    return 3 if found.errors else 0
