"""What commands print: data on standard output, everything else on standard error."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from codegen_eval.adjudication import Adjudications
from codegen_eval.comparison import Standing
from codegen_eval.errors import InputError
from codegen_eval.events import LogFormat, configure
from codegen_eval.render.cell import count
from codegen_eval.render.printable import printable
from codegen_eval.results import Results, RunRecord, Spending
from codegen_eval.scorecard import score
from codegen_eval.verdict import Verdict

if TYPE_CHECKING:
    from codegen_eval.evaluation.record import Evaluation

FORMATS = ("text", "markdown", "json")
_MOST_LINES = 20


def configure_log(log_format: str, *, verbose: bool) -> None:
    """Send events to standard error in the form asked for.

    Raises:
        InputError: an unknown form.
    """
    if log_format not in {form.value for form in LogFormat}:
        raise InputError(f"unknown log format `{log_format}`", hint="use auto, json or console")
    configure(LogFormat(log_format), verbosity=int(verbose), environ=os.environ)


def print_scorecard(
    results: Results,
    form: str,
    *,
    verbose: bool,
    standing: Standing | None = None,
    adjudications: Adjudications | None = None,
) -> None:
    """Print the scorecard of a run; as text, for the width of the terminal, `COLUMNS` or 80.

    Raises:
        InputError: an unknown form.
    """
    from codegen_eval import render

    scorecard = score(results, adjudications)
    _print(
        form,
        text=partial(render.render_text, scorecard, standing, verbose=verbose),
        markdown=partial(render.render_markdown, scorecard, standing),
        document=partial(render.render_json, scorecard, standing),
    )


def print_evaluation(found: Evaluation, form: str, *, verbose: bool, standing: Standing | None = None) -> None:
    """Print the summary of an evaluation, as a scorecard is printed; all its problems where verbose.

    Raises:
        InputError: an unknown form.
    """
    from codegen_eval.evaluation import render

    _print(
        form,
        text=partial(render.render_text, found, standing, verbose=verbose),
        markdown=partial(render.render_markdown, found, standing),
        document=partial(render.render_json, found, standing),
    )


class _AsText(Protocol):
    def __call__(self, *, colour: bool, width: int) -> str: ...


def _print(form: str, *, text: _AsText, markdown: Callable[[], str], document: Callable[[], str]) -> None:
    match form:
        case "json":
            said = document()
        case "markdown":
            said = markdown()
        case "text":
            colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
            said = text(colour=colour, width=shutil.get_terminal_size().columns)
        case _:
            raise InputError(f"unknown format `{form}`", hint=f"use {', '.join(FORMATS)}")
    sys.stdout.write(said if said.endswith("\n") else said + "\n")


def left_out_lines(left_out: Mapping[str, str], known_bad: Mapping[str, str] | None = None) -> str:
    """Return which problems of a set count nowhere, and which count and are known to be bad."""
    lines = [f"left out: {printable(name)}: {printable(why)}" for name, why in left_out.items()]
    lines += [f"known to be bad: {printable(name)}: {printable(why)}" for name, why in (known_bad or {}).items()]
    more = f"and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else None
    return "".join(f"{line}\n" for line in (*lines[:_MOST_LINES], *([more] if more else [])))


def error_lines(results: Results) -> str:
    """Return why layers could not say anything, each reason once with how often it was met."""
    met = Counter(
        (layer.layer, layer.reason or "no reason is known")
        for scored in (*results.solutions, *results.drafts)
        for layer in scored.layers
        if layer.verdict is Verdict.ERROR
    )
    lines = [
        f"no verdict of {name} on {count(n, 'solution')}: {printable(why)}" for (name, why), n in met.most_common()
    ]
    more = [f"and {len(lines) - _MOST_LINES} more reasons"] if len(lines) > _MOST_LINES else []
    return "".join(f"{line}\n" for line in (*lines[:_MOST_LINES], *more))


def spending_lines(record: RunRecord) -> str:
    """Return what a run of real models came to, in two sums; nothing for others."""
    if record.spent_now is None or record.from_scratch is None:
        return ""
    return f"spent now: {_spending(record.spent_now)}\ncost from scratch: {_spending(record.from_scratch)}\n"


def _spending(sums: Spending) -> str:
    unknown = f"at least ${sums.at_least_usd:.4f}" if sums.at_least_usd else "an unknown sum"
    usd = unknown if sums.usd is None else f"${sums.usd:.4f}"
    cached = f" + {sums.cached_tokens} cached" if sums.cached_tokens else ""
    tokens = f"{sums.input_tokens}{cached} tokens in, {sums.output_tokens} out"
    return f"{usd} for {count(sums.calls, 'call')} ({tokens}{', partly estimated' if sums.estimated else ''})"
