"""Batches of solutions: cut to a bounded size, and halved until the guilty one is alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")

BATCH_ITEMS = 64
"""Solutions in one call of a tool."""
BATCH_CHARACTERS = 4 << 20
"""Source in one call of a tool. A larger solution goes alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintItem:
    """A solution as the lint layer sees it."""

    id: str
    source: str
    untrusted: frozenset[str] = frozenset()
    """Names of the parameters that come from outside."""


def batches(items: Sequence[LintItem]) -> Iterator[tuple[LintItem, ...]]:
    """Cut `items` into batches of bounded number and size, in order."""
    batch: list[LintItem] = []
    size = 0
    for item in items:
        if batch and (len(batch) == BATCH_ITEMS or size + len(item.source) > BATCH_CHARACTERS):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(item)
        size += len(item.source)
    if batch:
        yield tuple(batch)


def bisect(
    items: Sequence[LintItem], run: Callable[[Sequence[LintItem]], dict[str, Result] | None]
) -> tuple[dict[str, Result], tuple[str, ...]]:
    """Run batches, halving each one that fails as a whole (None); return the results and the ids that fail alone."""
    results: dict[str, Result] = {}
    guilty: list[str] = []
    stack: list[tuple[LintItem, ...]] = list(reversed(tuple(batches(items))))
    while stack:
        batch = stack.pop()
        found = run(batch)
        if found is not None:
            results |= found
        elif len(batch) == 1:
            guilty.append(batch[0].id)
        else:
            middle = len(batch) // 2
            stack += (batch[middle:], batch[:middle])
    return results, tuple(guilty)
