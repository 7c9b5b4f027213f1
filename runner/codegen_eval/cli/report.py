"""`evalrun report`: render a finished run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codegen_eval.cli import options


def report(
    results: Annotated[Path, typer.Argument(help="A results file of `evalrun run`.")],
    *,
    form: Annotated[str, typer.Option("--format", help="text, markdown or json.")] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as `--format json`.")] = False,
    verbose: options.Verbose = False,
) -> int:
    """Print the scorecard."""
    from codegen_eval.cli.output import print_scorecard
    from codegen_eval.errors import InputError
    from codegen_eval.results import load_results

    if as_json and form not in {"text", "json"}:
        raise InputError(f"`--json` and `--format {form}` ask for different things", hint="leave one of them out")
    print_scorecard(load_results(results), "json" if as_json else form, verbose=verbose)
    return 0
