"""`evalrun plan`: what a run would come to, before anything is spent.

It takes all options of `evalrun run` but `--resume`, so that a command line of the one is one of the other.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from codegen_eval.cli import options
from codegen_eval.cli.words import choose_models, read_dollars, read_temperature, split_list


def plan(
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
    reviewer: options.Reviewer = None,
    review_policy: options.ReviewPolicy = "confirmed",
    reviewer_temperature: options.ReviewerTemperature = "none",
    strategies: options.Strategies = None,
    layers: options.Layers = None,
    tasks: options.Tasks = None,
    dataset: options.ProblemSet = None,
    tasks_dir: options.TasksDir = None,
    limit: options.Limit = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the estimates as JSON.")] = False,
    # what only says how a run is done is taken, and changes no estimate
    _concurrency: options.Concurrency = 8,
    _call_timeout: options.CallTimeout = 600,
    _base_url: options.BaseUrl = None,
    _reviewer_base_url: options.ReviewerBaseUrl = None,
    _sandbox: options.Sandbox = "auto",
    _runtime: options.Runtime = None,
    _jobs: options.Jobs = None,
    _seed: options.Seed = 0,
    _max_mutants: options.MaxMutants = 20,
    _timeout: options.Timeout = 5.0,
    _memory: options.Memory = 256,
    _out: Annotated[Path | None, typer.Option("--out", "-o", help="Nothing is written, and nothing read.")] = None,
    _fresh: Annotated[bool, typer.Option("--fresh", help="What was paid for before is never taken off.")] = False,
    _allow_unsafe: options.AllowUnsafe = False,
    _log_format: options.LogFormat = "auto",
    _verbose: options.Verbose = False,
) -> int:
    """Estimate calls, tokens and dollars. Needs no key and no network, and takes the options of `run`."""
    from codegen_eval.cli.output import left_out_lines
    from codegen_eval.forecast import forecast, render_forecast
    from codegen_eval.json_file import dump_json
    from codegen_eval.layers import llm_review
    from codegen_eval.material import open_material
    from codegen_eval.run_request import make_request

    budget = read_dollars(budget_usd)
    chosen, models = choose_models(mode, split_list(model), mock=mock)
    with open_material(dataset=dataset, tasks_dir=tasks_dir) as material:
        request = make_request(
            mode=chosen,
            models=models,
            tasks=split_list(tasks),
            strategies=split_list(strategies),
            layers=split_list(layers),
            samples=samples,
            temperature=read_temperature(temperature),
            max_tokens=max_tokens,
            drafts=drafts,
            prices=prices,
            reviewer=reviewer,
            review_policy=review_policy,
            reviewer_temperature=read_temperature(reviewer_temperature),
            material=material,
            limit=limit,
        )
        name = request.reviewer_name
        found = forecast(
            request.load_tasks(material),
            request.strategies,
            request.models,
            samples=request.samples,
            max_tokens=request.max_tokens,
            prices=request.price_table(),
            prompts=material.briefing,
            reviewer=name.model if name is not None and llm_review.NAME in request.layers else None,
            drafts=request.drafts,
            paid=request.real,
        )
        sys.stderr.write(left_out_lines(material.left_out))
    sys.stdout.write(dump_json(found).decode("ascii") if as_json else render_forecast(found, budget))
    return 0
