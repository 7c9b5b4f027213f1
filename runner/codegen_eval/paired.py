"""Answers to the same question, before and after, and what changed from the ones to the others. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from codegen_eval.stats import mean_interval, paired_difference, sign_test


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How one group of answers did in two runs. The pairs are answers to one task under one strategy."""

    model: str
    strategy: str | None
    """None: all of them."""
    layer: str | None
    """None: the whole battery."""
    pairs: int
    before: float
    """Mean pass rate of the pairs in the earlier run."""
    after: float
    better: int
    """Pairs whose pass rate rose; with one sample, those that failed before and pass now."""
    worse: int
    p_value: float
    """Of the exact sign test; McNemar's where there is one sample."""
    interval: tuple[float, float] | None
    """95 % interval of `difference`; None where the pairs can't tell."""

    @property
    def difference(self) -> float:
        """Pass rate now less pass rate before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The samples of one answer in both runs: which of those that were judged pass."""

    model: str
    strategy: str
    name: str
    before: tuple[bool, ...]
    after: tuple[bool, ...]

    @property
    def decided(self) -> bool:
        """Say whether there is something on both sides."""
        return bool(self.before and self.after)

    @property
    def difference(self) -> float:
        """Pass rate now less pass rate before; exactly 0 where they are equal."""
        return (sum(self.after) * len(self.before) - sum(self.before) * len(self.after)) / (
            len(self.before) * len(self.after)
        )


def change_of(pairs: Sequence[Pair], *, model: str, strategy: str | None = None, layer: str | None = None) -> Change:
    """Return what changed in a group of pairs, each of which has something on both sides."""
    total = len(pairs)
    better, worse = sum(p.difference > 0 for p in pairs), sum(p.difference < 0 for p in pairs)
    return Change(
        model=model,
        strategy=strategy,
        layer=layer,
        pairs=total,
        before=math.fsum(sum(p.before) / len(p.before) for p in pairs) / total if total else 0.0,
        after=math.fsum(sum(p.after) / len(p.after) for p in pairs) / total if total else 0.0,
        better=better,
        worse=worse,
        p_value=sign_test(better, worse),
        interval=_interval(pairs, better, worse),
    )


def _interval(pairs: Sequence[Pair], better: int, worse: int) -> tuple[float, float] | None:
    if all(len(p.before) == len(p.after) == 1 for p in pairs):
        both = sum(p.before == p.after == (True,) for p in pairs)
        return paired_difference(both, worse, better, len(pairs) - both - worse - better)
    return mean_interval([p.difference for p in pairs])
