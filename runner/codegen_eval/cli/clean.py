"""`evalrun clean`: remove what crashed runs left behind."""

from __future__ import annotations

from typing import Annotated

import typer


def clean(
    *,
    images: Annotated[bool, typer.Option("--images", help="Remove sandbox images that evalrun built, too.")] = False,
    cache: Annotated[bool, typer.Option("--cache", help="Remove our folder in the user's cache, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was removed as JSON.")] = False,
) -> int:
    """Remove containers and folders of runs that have ended; never those of a live run or another machine."""
    import sys

    from codegen_eval.cleaning import clean as clean_up
    from codegen_eval.cleaning import render_cleaned

    cleaned = clean_up(images=images, cache=cache, dry_run=dry_run)
    sys.stdout.write(cleaned.model_dump_json(indent=1) + "\n" if as_json else render_cleaned(cleaned))
    return 0
