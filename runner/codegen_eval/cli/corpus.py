"""`evalrun corpus`: check the canned corpus."""

from __future__ import annotations

import sys

import typer

from codegen_eval.cli import options

app = typer.Typer(no_args_is_help=True)


@app.callback()
def main() -> None:
    """Check the canned corpus."""


@app.command("validate", help="Check that every seeded failure is there, by its witness: exit 1 where one is not.")
def validate(*, sandbox: options.Sandbox = "auto", log_format: options.LogFormat = "auto") -> int:
    """Run every witness; print what is wrong."""
    from codegen_eval.cli.output import configure_log
    from codegen_eval.sandbox.choice import Wish
    from codegen_eval.validation import validate_corpus

    configure_log(log_format, verbose=False)
    problems = validate_corpus(Wish(name=sandbox, trusted=True))
    for solution, problem in problems.items():
        sys.stdout.write(f"{solution}: {problem or 'ok'}\n")
    return 1 if any(problems.values()) else 0
