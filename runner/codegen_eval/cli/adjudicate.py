"""`evalrun adjudicate`: have a person judge what layers flagged, and a sample of what they didn't."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer


def adjudicate(
    results: Annotated[Path, typer.Argument(help="A results file of `evalrun run`.")],
    *,
    sample: Annotated[
        int, typer.Option("--sample", min=0, help="How many of the solutions that no layer flags, drawn at random.")
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of that sample, and of the order.")] = 0,
    export: Annotated[
        Path | None,
        typer.Option("--export-csv", help="Write the solutions to judge into a new file, for a spreadsheet."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            help="Read judgements from a file with the columns solution, verdict (true: it has a failure, or false, or"
            " unsure), class and note. Its lines replace what was said of the same solutions.",
        ),
    ] = None,
) -> int:
    """Show solutions and findings one by one, ask whether there is a failure and of which class, keep each answer."""
    from codegen_eval.adjudication import (
        adjudication_path,
        load_adjudications,
        make_docket,
        save_adjudications,
    )
    from codegen_eval.adjudication_csv import export_csv, import_csv
    from codegen_eval.errors import InputError
    from codegen_eval.hearing import Hearing
    from codegen_eval.json_file import write_atomic
    from codegen_eval.render.cell import count
    from codegen_eval.results import load_results

    if export is not None and table is not None:
        raise InputError("`--csv` and `--export-csv` are two steps", hint="run one after the other")
    found = load_results(results)
    said = load_adjudications(results, found)
    docket = make_docket(found, sample=sample, seed=seed)
    if export is not None:
        if export.exists():
            hint = "name a new file: somebody may have filled that one in"
            raise InputError(f"`{export}` is there already", hint=hint)
        write_atomic(export, export_csv(docket, said))
        sys.stderr.write(f"{count(len(docket.all), 'solution')} to judge in {export}; then `--csv {export}`\n")
        return 0
    if table is not None:
        entries = import_csv(table, found)
        said = said.with_entries(entries)
        save_adjudications(results, said)
        sys.stderr.write(f"{count(len(entries), 'judgement')} read\n")
    else:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InputError(
                "judging one by one takes a terminal",
                hint="use a spreadsheet: `--export-csv FILE`, fill in, `--csv FILE`",
            )
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="backslashreplace")
        hearing = Hearing(docket, said, ask=input, show=print, save=lambda value: save_adjudications(results, value))
        said = hearing.run()
    judged = said.by_solution()
    flagged, sampled = (sum(s.solution.id in judged for s in part) for part in (docket.flagged, docket.sampled))
    place = adjudication_path(results)
    sys.stdout.write(
        f"judged: {flagged} of {len(docket.flagged)} flagged, {sampled} of {len(docket.sampled)} sampled others"
        + (f" (in {place})\n" if place.exists() else "\n")
    )
    return 0
