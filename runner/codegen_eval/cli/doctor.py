"""`evalrun doctor`: what is installed, and which sandbox would be used."""

from __future__ import annotations

from typing import Annotated

import typer

from codegen_eval.cli import options


def doctor(
    *,
    sandbox: options.Sandbox = "auto",
    runtime: options.Runtime = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Look around; exit 3 where no isolated sandbox can be had."""
    import sys

    from codegen_eval.diagnosis import diagnose, render_diagnosis

    diagnosis = diagnose(sandbox, runtime)
    sys.stdout.write(diagnosis.model_dump_json(indent=1) + "\n" if as_json else render_diagnosis(diagnosis))
    return 0 if diagnosis.isolated else 3
