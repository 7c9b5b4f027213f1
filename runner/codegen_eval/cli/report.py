"""`evalrun report`: render a run or an evaluation again, compare it with an earlier one, and hold it against a bar."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codegen_eval.cli import options

if TYPE_CHECKING:
    from codegen_eval.comparison import Bar, Standing
    from codegen_eval.results import RunRecord


def report(
    results: Annotated[Path, typer.Argument(help="What `evalrun run` or `evalrun evaluate` wrote.")],
    *,
    form: Annotated[str, typer.Option("--format", help="text, markdown or json.")] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as `--format json`.")] = False,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            help="What an earlier run, or evaluation of the same set, wrote, to compare with. Exit 1 where a pass rate"
            " fell significantly (exact McNemar or sign test, p at most 0.05), or as `--max-regression` says.",
        ),
    ] = None,
    max_regression: Annotated[
        float | None,
        typer.Option(
            "--max-regression",
            min=0,
            max=100,
            help="With `--against`: exit 1 where the pass rate of a model fell by more than so many percentage"
            " points, whether significantly or not.",
        ),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under", min=0, max=100, help="Exit 1 where less than so many percent of a model's answers pass."
        ),
    ] = None,
    verbose: options.Verbose = False,
) -> int:
    """Print the scorecard of a run, or the summary of an evaluation."""
    from codegen_eval.comparison import Bar
    from codegen_eval.errors import InputError
    from codegen_eval.evaluation.record import is_evaluation
    from codegen_eval.render.printable import printable

    if as_json and form not in {"text", "json"}:
        raise InputError(f"`--json` and `--format {form}` ask for different things", hint="leave one of them out")
    if max_regression is not None and against is None:
        raise InputError("`--max-regression` needs an earlier run", hint="name its results with `--against`")
    bar = Bar(fail_under=fail_under, max_regression=max_regression)
    of_evaluation = is_evaluation(results)
    if against is not None and is_evaluation(against) != of_evaluation:
        raise InputError("a run and an evaluation can't be compared", hint="name two of the same kind")
    show = _evaluation if of_evaluation else _run
    standing = show(results, "json" if as_json else form, against, bar, verbose=verbose)
    for difference in () if standing is None else standing.differences:
        sys.stderr.write(f"warning: not as in the earlier run: {printable(difference)}\n")
    complaints = () if standing is None else standing.complaints
    for complaint in complaints:
        sys.stderr.write(f"below what was asked: {printable(complaint)}\n")
    return 1 if complaints else 0


def _run(results: Path, form: str, against: Path | None, bar: Bar, *, verbose: bool) -> Standing | None:
    from codegen_eval.adjudication import load_adjudications
    from codegen_eval.cli.output import print_scorecard
    from codegen_eval.comparison import stand
    from codegen_eval.differences import find_differences
    from codegen_eval.results import changed_tasks, load_results

    found = load_results(results)
    said = load_adjudications(results, found)
    standing = None
    if against is not None or bar.fail_under is not None:
        baseline = None if against is None else load_results(against)
        changed = () if against is None else changed_tasks(against, results)
        different = (
            ()
            if against is None or baseline is None
            else find_differences(baseline, found, (_record(against), _record(results)))
        )
        standing = stand(found, baseline, bar, changed=changed, differences=different)
    print_scorecard(found, form, verbose=verbose, standing=standing, adjudications=said)
    return standing


def _evaluation(results: Path, form: str, against: Path | None, bar: Bar, *, verbose: bool) -> Standing | None:
    from codegen_eval.cli.output import print_evaluation
    from codegen_eval.evaluation.comparison import stand
    from codegen_eval.evaluation.record import load_evaluation

    found = load_evaluation(results)
    standing = None
    if against is not None or bar.fail_under is not None:
        standing = stand(found, None if against is None else load_evaluation(against), bar)
    print_evaluation(found, form, verbose=verbose, standing=standing)
    return standing


def _record(results: Path) -> RunRecord | None:
    """Return the record beside a results file; None where there is none."""
    from codegen_eval.results import load_run_record, run_record_path

    path = run_record_path(results)
    return load_run_record(path) if path.exists() else None
