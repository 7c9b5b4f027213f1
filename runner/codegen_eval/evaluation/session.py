"""One evaluation from its options to its files."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from codegen_eval import __version__
from codegen_eval.battery import plugin_names
from codegen_eval.datasets import Dataset
from codegen_eval.errors import EnvironmentFaultError, InputError, InterruptedRunError, LedgerError
from codegen_eval.json_file import check_writable, dump_json, refuse_overwriting, write_atomic
from codegen_eval.ledger import Ledger, ledger_path
from codegen_eval.progress import Progress
from codegen_eval.resources import user_cache
from codegen_eval.results import Fact, RunRecord, SandboxRecord
from codegen_eval.run_record import versions
from codegen_eval.samples import AssemblyRule

from .evaluate import Evaluator, Found, Request
from .lines import LineFile
from .published import published_paths, write_published
from .record import Evaluation
from .source import Own

_LAYERS = ("unit", "props", "mutation", "lint")
_DEFAULT = ("unit", "lint")
_MAX_K = 100_000


def choose_layers(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the layers in their order; unit is always among them, since it decides.

    Raises:
        InputError: there is no such layer, or it can't judge imported problems.
    """
    known = (*_LAYERS, *plugin_names())
    for name in wanted:
        if name not in known:
            raise InputError(f"no layer `{name}` for imported problems", hint=f"there are {', '.join(known)}")
    chosen = set(wanted) or set(_DEFAULT)
    return tuple(name for name in known if name in chosen | {"unit"})


def choose_source(samples: Path | None, *, references: bool, buggy: bool) -> Path | Own:
    """Return what is to be judged.

    Raises:
        InputError: not one of the three is given.
    """
    given: list[Path | Own] = [] if samples is None else [samples]
    given += [own for own, wanted in ((Own.REFERENCES, references), (Own.BUGGY, buggy)) if wanted]
    if len(given) != 1:
        raise InputError("one of `--samples`, `--references` and `--buggy` says what is judged")
    return given[0]


def choose_rule(name: str | None) -> AssemblyRule | None:
    """Return the rule of that name.

    Raises:
        InputError: there is none.
    """
    if name is None:
        return None
    try:
        return AssemblyRule(name)
    except ValueError:
        raise InputError(f"no rule `{name}`", hint=f"there are {', '.join(AssemblyRule)}") from None


def numbers(words: Sequence[str]) -> tuple[int, ...]:
    """Return the values of k.

    Raises:
        InputError: one is no number from 1.
    """
    for word in words:
        if not word.isascii() or not word.isdigit() or not 1 <= int(word[:9]) <= _MAX_K:
            raise InputError(f"`--k {word}` is no number from 1 to {_MAX_K}")
    return tuple(sorted({int(word) for word in words}))


def lines_path(out: Path) -> Path:
    """Return where the lines of the samples are: `evaluated.samples.jsonl` beside `evaluated.json`."""
    return out.with_name(out.name.removesuffix(".json") + ".samples.jsonl")


def run_session(
    request: Request, dataset: Dataset, out: Path, *, resume: bool, progress: Callable[[str], Progress]
) -> Evaluation:
    """Evaluate, and write the summary and what stands beside it.

    Raises:
        InputError: nothing to evaluate, or not what the ledger was begun with.
        EnvironmentFaultError, InterruptedRunError: saying how to go on.
    """
    check_writable(out)
    given = [dataset.spec.path, *([] if isinstance(request.samples, Own) else [request.samples])]
    refuse_overwriting([out, lines_path(out), _record_path(out), ledger_path(out), *published_paths(out)], given)
    started = datetime.now(UTC)
    parameters: dict[str, JsonValue] = {
        "kind": "evaluation",
        "version": __version__,
        "set": dataset.spec.name,
        "dataset": dataset.digest,
        "timeout_seconds": request.timeout_seconds,
        "memory_mib": request.memory_mib,
        "seed": request.seed,
        "max_mutants": request.max_mutants,
    }
    with _open_ledger(out, parameters, resume=resume) as ledger:
        evaluator = Evaluator(request, dataset, ledger, progress)
        coverage, faults = evaluator.survey()
        if not coverage.samples:
            shown = "".join(f"\n  {fault}" for fault in faults.kept[:3])
            what = f"`{request.samples}` has no sample of a problem of `{dataset.spec.name}`{shown}"
            if isinstance(request.samples, Own):
                what = f"the problems of `{dataset.spec.name}` come without {request.samples} programs"
            raise InputError(what)
        go_on = f"the same command with `--resume` goes on (`--out {shlex.quote(str(out))}`)"
        try:
            with LineFile(lines_path(out)) as lines:
                found = evaluator.run(coverage, faults, lines, user_cache() / "expected")
                lines.finish()
            write_published(request, dataset, evaluator.samples, lines_path(out), out, date=started)
            write_atomic(out, dump_json(found.evaluation))
            write_atomic(_record_path(out), dump_json(_record(request, dataset, found, started)))
        except KeyboardInterrupt as exc:
            raise InterruptedRunError("interrupted", hint=go_on) from exc
        except EnvironmentFaultError as exc:
            exc.hint = f"{exc.hint}; {go_on}" if exc.hint else go_on
            raise
        ledger.finish()
    return found.evaluation


def _open_ledger(out: Path, parameters: Mapping[str, JsonValue], *, resume: bool) -> Ledger:
    if not resume:
        return Ledger.open(ledger_path(out), parameters=parameters)
    ledger = Ledger.resume(ledger_path(out))
    if ledger.parameters != parameters:
        ledger.close()
        raise LedgerError(
            f"`{ledger_path(out)}` is of an evaluation with another problem set or other limits",
            hint="give the options that it was begun with, or another `--out`",
        )
    return ledger


def _record_path(out: Path) -> Path:
    return out.with_name(out.name.removesuffix(".json") + ".run.json")


def _record(request: Request, dataset: Dataset, found: Found, started: datetime) -> RunRecord:
    parameters = {
        "samples": str(request.samples),
        "layers": ",".join(request.layers),
        "rule": request.rule or "",
        "jobs": str(request.jobs),
        "timeout_seconds": str(request.timeout_seconds),
        "memory_mib": str(request.memory_mib),
    }
    return RunRecord(
        started=started,
        finished=datetime.now(UTC),
        versions=tuple(Fact(name=name, value=value) for name, value in sorted(versions().items())),
        sandbox=SandboxRecord.of(found.facts),
        attestation=found.attestation,
        parameters=tuple(Fact(name=name, value=value) for name, value in sorted(parameters.items())),
        datasets=(Fact(name=dataset.spec.name, value=dataset.digest),),
        leftovers=found.leftovers,
    )
