"""pass@k: how likely one of k answers is right, from n answers of which c are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import Field

from codegen_eval.frozen import Frozen
from codegen_eval.stats import mean_of_rates


class PassAtK(Frozen):
    """An estimate over problems."""

    k: int = Field(ge=1)
    problems: int = Field(ge=1)
    """Problems with k answers or more: the others can't say anything of k."""
    estimate: float = Field(ge=0, le=1)
    low: float = Field(ge=0, le=1)
    high: float = Field(ge=0, le=1)
    """Bounds of a 95 % interval."""


def pass_at_k(answers: int, right: int, k: int) -> float:
    """Return the unbiased estimate of pass@k for one problem.

    1 - C(n-c, k) / C(n, k), the share of the k-subsets of the n answers that hold a right one: M. Chen et al.,
    "Evaluating Large Language Models Trained on Code" (2021), arXiv:2107.03374, equation 1.

    Raises:
        ValueError: not 0 <= right <= answers, or not 1 <= k <= answers.
    """
    if not 0 <= right <= answers or not 1 <= k <= answers:
        raise ValueError(f"pass@{k} of {right} right ones among {answers}")
    if answers - right < k:
        return 1.0
    return 1.0 - math.comb(answers - right, k) / math.comb(answers, k)


def estimate(counts: Sequence[tuple[int, int]], k: int) -> PassAtK | None:
    """Return the mean over problems, each given as (answers, right ones); None where no problem has k answers.

    The interval is that of `stats.mean_of_rates`: it tells how much the mean depends on which problems the set happens
    to have and on which answers were drawn. The n answers to a problem hold n // k independent draws of k. A bootstrap
    over problems says of 20 right answers to 20 problems that it can't be otherwise; this doesn't.
    """
    enough = [(answers, right) for answers, right in counts if answers >= k]
    values = [pass_at_k(answers, right, k) for answers, right in enough]
    interval = mean_of_rates(values, draws=sum(answers // k for answers, _ in enough))
    if interval is None:
        return None
    low, high = interval
    return PassAtK(k=k, problems=len(values), estimate=math.fsum(values) / len(values), low=low, high=high)
