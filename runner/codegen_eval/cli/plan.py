"""`evalrun plan`: what a run would come to, before anything is spent."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from codegen_eval.cli import options
from codegen_eval.cli.words import choose_models, split_list


def plan(
    *,
    mode: Annotated[str | None, typer.Option("--mode", help=options.MODE_HELP)] = None,
    model: options.Models = None,
    samples: options.Samples = 1,
    max_tokens: options.MaxTokens = 4096,
    prices: options.Prices = None,
    strategies: options.Strategies = None,
    tasks: options.Tasks = None,
    dataset: options.ProblemSet = None,
    tasks_dir: options.TasksDir = None,
    limit: options.Limit = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the estimates as JSON.")] = False,
) -> int:
    """Estimate calls, tokens and dollars. Needs no key and no network."""
    from codegen_eval.cli.output import left_out_lines
    from codegen_eval.forecast import forecast, render_forecast
    from codegen_eval.json_file import dump_json
    from codegen_eval.material import open_material
    from codegen_eval.run_request import make_request

    chosen, models = choose_models(mode, split_list(model), mock=False)
    with open_material(dataset=dataset, tasks_dir=tasks_dir) as material:
        request = make_request(
            mode=chosen,
            models=models,
            tasks=split_list(tasks),
            strategies=split_list(strategies),
            layers=(),
            samples=samples,
            max_tokens=max_tokens,
            prices=prices,
            material=material,
            limit=limit,
        )
        found = forecast(
            request.load_tasks(material),
            request.strategies,
            request.models,
            samples=request.samples,
            max_tokens=request.max_tokens,
            prices=request.price_table(),
            prompts=material.briefing,
        )
        sys.stderr.write(left_out_lines(material.left_out))
    sys.stdout.write(dump_json(found).decode("ascii") if as_json else render_forecast(found))
    return 0
