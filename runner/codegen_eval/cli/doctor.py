"""`evalrun doctor`: what is installed, which sandbox would be used, and which of its limits bite here."""

from __future__ import annotations

from typing import Annotated

import typer

from codegen_eval.cli import options


def doctor(
    *,
    sandbox: options.Sandbox = "auto",
    runtime: options.Runtime = None,
    quick: Annotated[bool, typer.Option("--quick", help="Don't try the sandbox's limits.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Look around and try the sandbox's limits; exit 3 where none is isolated, or a limit does not bite."""
    import sys

    from codegen_eval.diagnosis import diagnose, render_diagnosis

    diagnosis = diagnose(sandbox, runtime, quick=quick)
    sys.stdout.write(diagnosis.model_dump_json(indent=1) + "\n" if as_json else render_diagnosis(diagnosis))
    return 0 if diagnosis.sound else 3
