"""What goes beside the results of a run: versions, means, times, and what it cost."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec

from codegen_eval import __version__
from codegen_eval.results import Fact, Measure, Results, Spending
from codegen_eval.run_request import Means, Request
from codegen_eval.run_session import Session


def facts_of(values: Mapping[str, str]) -> tuple[Fact, ...]:
    """Return names and values, sorted by name."""
    return tuple(Fact(name=name, value=value) for name, value in sorted(values.items()))


def values_of(facts: tuple[Fact, ...]) -> dict[str, str]:
    """Return facts by name."""
    return {fact.name: fact.value for fact in facts}


def datasets_of(request: Request, corpus: str | None) -> tuple[Fact, ...]:
    """Return the digests of all that was run: of each task, of the corpus, of the file of a problem set."""
    found = dict(request.digests)
    if corpus is not None:
        found["corpus"] = corpus
    if request.dataset is not None and request.dataset_sha256 is not None:
        found[request.dataset.partition("=")[0]] = request.dataset_sha256
    return facts_of(found)


def measures_of(values: Mapping[str, float]) -> tuple[Measure, ...]:
    """Return names and figures, sorted by name."""
    return tuple(Measure(name=name, value=value) for name, value in sorted(values.items()))


def parameters_of(request: Request, means: Means, session: Session, warning: str | None) -> tuple[Fact, ...]:
    """Return what the run was asked for, and with what it was done."""
    dumped = request.model_dump(mode="json", exclude={"digests", "version", "prices"})
    values = {name: _words(value) for name, value in dumped.items()}
    values |= {"sandbox": means.sandbox, "runtime": means.runtime or "", "jobs": str(means.jobs)}
    if request.pays:
        prices = request.price_table()
        values |= {"concurrency": str(means.concurrency), "prices": f"{prices.as_of} {prices.source}".strip()}
        bound = session.model_dump(mode="json", exclude={"hidden"}, exclude_none=True)
        values |= {name: str(value) for name, value in bound.items()}
    return facts_of(values | ({"warning": warning} if warning else {}))


def resources_of(wall_seconds: float) -> tuple[Measure, ...]:
    """Return what this process and its children have used so far."""
    usage, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    values = {
        "wall_seconds": round(wall_seconds, 3),
        "own_cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "children_cpu_seconds": round(children.ru_utime + children.ru_stime, 3),
        "peak_memory_mib": round(peak, 1),
    }
    return measures_of(values)


def cost_from_scratch(results: Results) -> Spending:
    """Return what all the calls that these results rest on cost, whoever paid for them and when.

    The canned corpus costs nothing, whatever a model would take for it.
    """
    total = Spending()
    for scored in (*results.solutions, *results.drafts):
        own = scored.solution.calls if results.corpus is None else ()
        for call in (*own, *(call for layer in scored.layers for call in layer.calls)):
            total += Spending.of(call, call.usd)
    return total


def versions() -> dict[str, str]:
    """Return the versions of this program, of Python and of the tools that layers use."""
    names = ["bandit", "docker", "hypothesis", "ruff"]
    names += [name for name in ("anthropic", "boto3", "openai") if find_spec(name) is not None]
    python = ".".join(map(str, sys.version_info[:3]))
    return {"codegen-eval": __version__, "python": python} | {name: version(name) for name in names}


def _words(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
