"""`evalrun push` and `evalrun pull`: finished runs in an S3-compatible store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Place = Annotated[str, typer.Argument(help="Where the run is stored: s3://BUCKET/PREFIX.")]


def push(
    results: Annotated[Path, typer.Argument(help="A results file of `evalrun run`.")],
    place: Place,
    *,
    ledger: Annotated[bool, typer.Option("--ledger", help="Store its ledger, too, with every reply.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run that is stored there.")] = False,
) -> int:
    """Store a finished run: results, run record and, if asked for, ledger."""
    import sys

    from codegen_eval.storage import push as store

    manifest = store(results, place, with_ledger=ledger, overwrite=overwrite)
    for file in manifest.files:
        sys.stderr.write(f"stored: {file.name.value} ({file.size} bytes, SHA-256 {file.sha256})\n")
    return 0


def pull(
    place: Place,
    results: Annotated[Path, typer.Argument(help="Where to write the results; the rest goes beside them.")],
    *,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")] = False,
) -> int:
    """Fetch a stored run."""
    import sys

    from codegen_eval.storage import pull as fetch

    manifest = fetch(place, results, overwrite=overwrite)
    for file in manifest.files:
        sys.stderr.write(f"fetched: {file.name.beside(results)} ({file.size} bytes)\n")
    return 0
