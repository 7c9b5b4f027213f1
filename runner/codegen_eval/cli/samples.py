"""`evalrun samples`: read other people's samples and say what they cover."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

_MOST_LISTED = 20
app = typer.Typer(no_args_is_help=True)


@app.callback()
def samples() -> None:
    """Read other people's samples."""


@app.command(
    "check", help="Read samples and say for which problems there are how many: exit 1 where a line gives none."
)
def check(
    path: Annotated[Path, typer.Argument(help="A file, or a folder with a folder for each problem.")],
    *,
    dataset: Annotated[str, typer.Option("--dataset", help="NAME=PATH, the problem set that they are for.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Print counts by kind, coverage and faults."""
    import json
    from collections import Counter

    from codegen_eval.datasets import read_dataset
    from codegen_eval.fault import MAX_KEPT
    from codegen_eval.samples import read_samples

    with read_dataset(dataset) as problems:
        stream = read_samples(path, problems.problems)
        kinds = Counter(sample.kind.value for sample in stream)
    coverage, faults = stream.coverage, stream.faults
    if as_json:
        found = {
            "coverage": coverage.model_dump(mode="json"),
            "kinds": dict(sorted(kinds.items())),
            "fault_count": len(faults),
            "faults": [fault.model_dump() for fault in faults],
        }
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return 1 if faults else 0
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"
    each = f"{coverage.fewest}" if coverage.fewest == coverage.most else f"{coverage.fewest} to {coverage.most}"
    sys.stdout.write(f"{coverage.samples} samples ({listed})\n")
    sys.stdout.write(f"{coverage.sampled} of {coverage.problems} problems have samples, {each} each\n")
    sys.stdout.writelines(f"{fault}\n" for fault in faults.kept[:_MOST_LISTED])
    if len(faults) > _MOST_LISTED:
        sys.stdout.write(f"and {len(faults) - _MOST_LISTED} more; `--json` has the first {MAX_KEPT}\n")
    return 1 if faults else 0
