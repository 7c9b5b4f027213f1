"""In what two runs differ beside their answers: what may explain a change. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codegen_eval.results import Fact, Results, RunRecord

_PARAMETERS = {
    "mode": "provider",
    "temperature": "temperature",
    "max_tokens": "most tokens of a reply",
    "samples": "samples",
    "dataset_sha256": "file of the problem set",
    "reviewer": "reviewer",
    "reviewer_temperature": "temperature of the reviewer",
    "review_policy": "review policy",
    "timeout_seconds": "time limit",
    "memory_mib": "memory limit",
}
"""What of a run's parameters tells on its answers or verdicts, in words."""
_SHOWN = 80


def find_differences(
    before: Results, after: Results, records: tuple[RunRecord | None, RunRecord | None] = (None, None)
) -> tuple[str, ...]:
    """Say in what an earlier run and this one differ; of what only records tell, nothing where one is missing."""
    return tuple(f"{name}: {old} before, {new} now" for name, old, new in _differing(before, after, records))


def _differing(
    before: Results, after: Results, records: tuple[RunRecord | None, RunRecord | None]
) -> Iterator[tuple[str, str, str]]:
    known = (
        ("model", _models(before), _models(after)),
        ("layers", " ".join(before.layers), " ".join(after.layers)),
        ("seed", str(before.seed), str(after.seed)),
        ("most mutants", str(before.max_mutants), str(after.max_mutants)),
    )
    yield from ((name, old or "none", new or "none") for name, old, new in known if old != new)
    old_record, new_record = records
    if old_record is None or new_record is None:
        return
    old_values, new_values = _values(old_record.parameters), _values(new_record.parameters)
    for parameter, name in _PARAMETERS.items():
        old, new = old_values.get(parameter, ""), new_values.get(parameter, "")
        if old != new:
            yield name, _short(old), _short(new)
    old, new = (_values(record.versions).get("codegen-eval", "") for record in (old_record, new_record))
    if old != new:
        yield "version of codegen-eval", _short(old), _short(new)


def _models(results: Results) -> str:
    return " ".join(sorted({scored.solution.model for scored in results.solutions}))


def _values(facts: tuple[Fact, ...]) -> Mapping[str, str]:
    return {fact.name: fact.value for fact in facts}


def _short(value: str) -> str:
    if value in {"", "None"}:
        return "none"
    return value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
