"""`evalrun extract`: extract the code of a finished run again, and say what changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from codegen_eval.cli import options


def extract(
    results: Annotated[Path, typer.Argument(help="A results file of `evalrun run`; its ledger lies beside it.")],
    *,
    tasks_dir: options.TasksDir = None,
    rules: Annotated[bool, typer.Option("--rules", help="Count the rules that find code today.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Print which solutions would be others today. Exit code 1 where some would, 0 where none."""
    from codegen_eval.json_file import dump_json
    from codegen_eval.reextraction import reextract, render_reextraction

    found = reextract(results, tasks_dir)
    sys.stdout.write(dump_json(found).decode("ascii") if as_json else render_reextraction(found, rules=rules))
    if found.changes:
        sys.stderr.write(f"hint: `evalrun run --resume {results}` judges what changed and writes the results again\n")
    return 1 if found.changes else 0
