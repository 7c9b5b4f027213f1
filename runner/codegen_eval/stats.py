"""The little statistics that a scorecard needs."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: a two-sided interval of 95 %."""


def wilson(hits: int, total: int, *, z: float = Z_95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a proportion; None for no trials.

    With p = hits / total and n = total:
    (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n). From E. B. Wilson, "Probable inference, the law of succession,
    and statistical inference", Journal of the American Statistical Association 22 (1927), 209-212. It stays within 0
    and 1, and is honest for few trials and for rates near 0 or 1.

    Raises:
        ValueError: not 0 <= hits <= total.
    """
    if not 0 <= hits <= total:
        raise ValueError(f"{hits} of {total} is no proportion")
    if total == 0:
        return None
    rate = hits / total
    square = z * z / total
    centre = (rate + square / 2) / (1 + square)
    half = math.sqrt(square * rate * (1 - rate) + square * square / 4) / (1 + square)
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == total else min(1.0, centre + half)
    return low, high
