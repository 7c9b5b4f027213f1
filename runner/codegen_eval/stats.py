"""The little statistics that a scorecard needs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: a two-sided interval of 95 %."""
_TAIL = 0.025
_FEW = 50
"""Up to so many trials are drawn one by one, more as a normal deviate."""
_FEWEST = 2
"""Values that can vary at all."""


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
    return _wilson(hits / total, total, z)


def _wilson(rate: float, total: float, z: float) -> tuple[float, float]:
    square = z * z / total
    centre = (rate + square / 2) / (1 + square)
    half = math.sqrt(square * rate * (1 - rate) + square * square / 4) / (1 + square)
    low = 0.0 if rate == 0 else max(0.0, centre - half)
    high = 1.0 if rate == 1 else min(1.0, centre + half)
    return low, high


def clustered_wilson(groups: Sequence[tuple[int, int]], *, z: float = Z_95) -> tuple[float, float] | None:
    """Return an interval of the rate of all trials together, where those of one group are alike; None for no trials.

    A group is hits and trials, as of one task that was answered several times. Wilson's interval for the effective
    number of trials n / deff, with the design effect from the variance between groups (a ratio estimator) and at least
    1: L. Kish, "Survey Sampling" (1965), 5.4 and 8.2; C. Franco, R. Little, T. Louis and E. Slud, "Comparative study of
    confidence intervals for proportions in complex sample surveys", Journal of Survey Statistics and Methodology 7
    (2019), 334-364. Where no variance shows (one group, or a rate of 0 or 1), each group counts as one trial.
    Groups of one trial each give Wilson's interval itself.
    """
    groups = [(hits, trials) for hits, trials in groups if trials]
    hits, total, number = sum(h for h, _ in groups), sum(n for _, n in groups), len(groups)
    if total == number:
        return wilson(hits, total, z=z)
    rate = hits / total
    if number == 1 or hits in {0, total}:
        return _wilson(rate, number, z)
    between = math.fsum((h - n * rate) ** 2 for h, n in groups) / total**2 * number / (number - 1)
    effect = max(1.0, between / (rate * (1 - rate) / total))
    return _wilson(rate, total / effect, z)


def mean_of_rates(rates: Sequence[float], *, draws: int, z: float = Z_95) -> tuple[float, float] | None:
    """Return an interval of the mean of rates from 0 to 1, one of each problem; None for no rates.

    Wilson's interval for the effective number of trials n p (1-p) / s², with p the mean and s² the variance of the n
    rates (as in `clustered_wilson`): at least n, since no rates vary more than ones and zeros do, and at most `draws`,
    the number of independent yeses and noes that all the rates come from. Where no variance can show (one rate, or a
    mean of 0 or 1) each rate counts as one trial. Rates of 0 and 1 give Wilson's interval itself.
    """
    number = len(rates)
    if not number:
        return None
    mean = math.fsum(rates) / number
    if number == 1 or mean in {0.0, 1.0}:
        return _wilson(mean, number, z)
    spread = math.fsum((rate - mean) ** 2 for rate in rates)
    most = max(draws, number)
    shown = mean * (1 - mean) * number * (number - 1) / spread if spread else most
    return _wilson(mean, min(max(shown, number), most), z)


def sign_test(better: int, worse: int) -> float:
    """Return the two-sided p-value of an exact sign test: how likely so uneven a split is where both are as likely.

    On pairs of yes or no this is McNemar's test in its exact form: Q. McNemar, "Note on the sampling error of the
    difference between correlated proportions", Psychometrika 12 (1947), 153-157; W. J. Dixon and A. M. Mood, "The
    statistical sign test", Journal of the American Statistical Association 41 (1946), 557-566. Ties count for nothing.

    Raises:
        ValueError: a negative number.
    """
    if better < 0 or worse < 0:
        raise ValueError(f"{better} better and {worse} worse are no counts")
    total = better + worse
    whole = math.lgamma(total + 1) - total * math.log(2)
    tail = math.fsum(
        math.exp(whole - math.lgamma(i + 1) - math.lgamma(total - i + 1)) for i in range(min(better, worse) + 1)
    )
    return min(1.0, 2 * tail)


def paired_difference(both: int, first: int, second: int, neither: int) -> tuple[float, float] | None:
    """Return the 95 % interval of the second of two paired proportions less the first; None for no pairs.

    The pairs are those with both, only the first, only the second, and neither. Method 10 of R. G. Newcombe,
    "Improved confidence intervals for the difference between binomial proportions based on paired data", Statistics
    in Medicine 17 (1998), 2635-2650: Wilson's intervals of the two, joined by their correlation.
    """
    total = both + first + second + neither
    one, two = wilson(both + first, total), wilson(both + second, total)
    if one is None or two is None:
        return None
    p, q = (both + first) / total, (both + second) / total
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    product = both * neither - first * second
    corrected = max(product - total / 2, 0) if product > 0 else product
    phi = corrected / math.sqrt(margins) if margins else 0.0
    low = _joined(q - two[0], one[1] - p, phi)
    high = _joined(two[1] - q, p - one[0], phi)
    return q - p - low, q - p + high


def _joined(a: float, b: float, phi: float) -> float:
    return math.sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the normal 95 % interval of the mean of independent values; None where they don't vary, or are few.

    For rates of tasks that were answered several times, each task one value: E. Miller, "Adding error bars to evals"
    (2024), arXiv:2411.00640.
    """
    total = len(values)
    if total < _FEWEST or len(set(values)) == 1:
        return None
    mean = math.fsum(values) / total
    error = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (total - 1) / total)
    return mean - Z_95 * error, mean + Z_95 * error


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Part of a population, of which some members were looked at."""

    size: int
    ruled: int
    """Looked at: drawn at random, or all."""
    true: int
    """Of these, those that have what is looked for."""

    @property
    def is_represented(self) -> bool:
        """Say whether anything can be said of it."""
        return self.ruled > 0 or self.size == 0

    @property
    def estimate(self) -> float:
        """Expected number of members that have it."""
        return self.size * self.true / self.ruled if self.ruled else 0.0


def share(part: Stratum, rest: Sequence[Stratum]) -> float | None:
    """Return the estimated share of one stratum in all members that have what is looked for; None: it can't be told."""
    if not all(h.is_represented for h in (part, *rest)):
        return None
    whole = math.fsum(h.estimate for h in (part, *rest))
    return part.estimate / whole if whole else None


def share_interval(part: Stratum, rest: Sequence[Stratum], *, draws: int = 2000) -> tuple[float, float] | None:
    """Return the 95 % interval of that share; None where the share can't be told.

    Each stratum has its true ones that were seen, and of its unseen members a number from the beta-binomial
    distribution that follows from the seen ones and half a member of either kind more; the quantiles are those of
    `draws` such populations, drawn with a fixed seed: W. Webber, "Approximate recall confidence intervals", ACM
    Transactions on Information Systems 31 (2013), 2:1-33. Where all members were looked at nothing is left to chance.
    """
    if share(part, rest) is None:
        return None
    source = random.Random(0)  # noqa: S311 - draws, not secrets
    found: list[float] = []
    for _ in range(draws):
        own, *others = (h.true + _unseen(h, source) for h in (part, *rest))
        if own + sum(others):
            found.append(own / (own + sum(others)))
    found.sort()
    return found[int(_TAIL * len(found))], found[min(int((1 - _TAIL) * len(found)), len(found) - 1)]


def _unseen(stratum: Stratum, source: random.Random) -> int:
    left = stratum.size - stratum.ruled
    if not left:
        return 0
    rate = source.betavariate(stratum.true + 0.5, stratum.ruled - stratum.true + 0.5)
    if left <= _FEW:
        return sum(source.random() < rate for _ in range(left))
    drawn = source.gauss(left * rate, math.sqrt(left * rate * (1 - rate)))
    return min(max(round(drawn), 0), left)
