"""The smoothed chi-square, with the cumulants it has when labels are permuted.

The cumulants stand here as they are printed in the literature (Kazi-Aoual and others 1995), which cancels digits in
wide tables; the kernel centres first.
"""

from __future__ import annotations

import math
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincc

from twin.tables import NAN, Cells, Reading, level_at, strata_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_SUBSETS = 8
MOST_CELLS = 2**14
SMALL_SKEWNESS = 1e-4
TIE = 1e-9


def chi2_perm(
    cells: Cells,
    *,
    alpha: float | str | Sequence[float] = 0.05,
    guard: bool = False,
    undecidable: str = "report",
) -> Reading:
    """The smoothed chi-square against the cumulants of its permutation distribution."""
    strata = [s for s in strata_of(cells) if not says_nothing(s.rows, s.columns)]
    statistic = sum(smoothed_chi2(s.dense()) for s in strata)
    p = 1.0
    if strata:
        p = pearson3_sf(statistic, *np.sum([cumulants(s.rows, s.columns) for s in strata], axis=0))
    if strata and guard:
        p = max(p, math.exp(sum(_log_chance(s.dense()) for s in strata)))
    reachable = chi2_perm_smallest(cells, guard=guard)
    return by_permutation(statistic, NAN, p, level_at(alpha, cells.order), reachable, bool(strata), undecidable)


def chi2_perm_smallest(cells: Cells, *, guard: bool = False) -> float:
    """A p-value that no table with these margins goes below."""
    strata = [s for s in strata_of(cells) if not says_nothing(s.rows, s.columns)]
    if not strata:
        return 1.0
    most = sum(reach_at_most(s.rows, s.columns) for s in strata)
    p = pearson3_sf(most, *np.sum([cumulants(s.rows, s.columns) for s in strata], axis=0))
    rarest = math.exp(sum(log_rarest_table(s.rows, s.columns) for s in strata))
    return max(p, rarest) if guard else p


def by_permutation(
    statistic: float,
    dof: float,
    p: float,
    level: float,
    reachable: float,
    informative: bool,
    undecidable: str,
) -> Reading:
    """Read a p-value that needs no rule for thin tables; `reachable` is the smallest that the margins allow."""
    powerless = p > level and reachable > level * (1 + TIE)
    undecided = powerless and undecidable == "act"
    return Reading(statistic, dof, p, level, p, p > level, informative, powerless, undecided)


# -- the statistic -----------------------------------------------------------------------------------------------


def smoothed_chi2(table: NDArray[Any]) -> float:
    """The statistic of one table without empty rows and columns."""
    n, rows, columns = table.sum(), table.sum(1), table.sum(0)
    beta = math.sqrt(n / 10)
    deviation = table - np.outer(rows, columns) / n
    return float(n * np.sum(deviation**2 / np.outer(rows + beta, columns + beta)))


def says_nothing(rows: NDArray[Any], columns: NDArray[Any]) -> bool:
    """Whether all tables with these margins have the same statistic."""
    for a, b in ((rows, columns), (columns, rows)):
        if len(a) < 2 or a.max() == 1 or (len(a) == 2 and a.min() == 1 and b.min() == b.max()):
            return True
    return False


def pearson3_sf(statistic: float, mean: float, variance: float, third: float) -> float:
    """Upper tail of the shifted gamma distribution with these cumulants."""
    z, skewness = (statistic - mean) / math.sqrt(variance), third / variance**1.5
    if abs(skewness) < SMALL_SKEWNESS:
        return math.erfc(z / math.sqrt(2)) / 2
    shape = 4 / skewness**2
    shift = z * math.sqrt(shape)
    if skewness > 0:
        return float(gammaincc(shape, max(shape + shift, 0.0)))
    return float(gammainc(shape, max(shape - shift, 0.0)))


# -- cumulants ---------------------------------------------------------------------------------------------------


def permutation_cumulants(table: NDArray[Any]) -> tuple[float, float, float, float]:
    """Give the statistic of one stratum, and its mean, variance and third cumulant under permutation."""
    counts = table[table.any(axis=1)][:, table.any(axis=0)].astype(np.int64)
    rows, columns = counts.sum(1), counts.sum(0)
    if says_nothing(rows, columns):
        return 0.0, 0.0, 0.0, 0.0
    return smoothed_chi2(counts), *cumulants(rows, columns)


def cumulants(rows: NDArray[Any], columns: NDArray[Any]) -> tuple[float, float, float]:
    """Mean, variance and third cumulant of the statistic when labels are permuted."""
    n = int(rows.sum())
    if n <= 5:
        return _enumerated(rows, columns)
    beta = np.sqrt(np.longdouble(n) / 10)
    sums = (level_sums(margin.astype(np.longdouble), n, beta) for margin in (rows, columns))
    mean, variance, third = closed_form(n, *sums)
    return float(n * mean), float(n**2 * variance), float(n**3 * third)


def _enumerated(rows: NDArray[Any], columns: NDArray[Any]) -> tuple[float, float, float]:
    x, y = (np.repeat(np.arange(len(m)), m) for m in (rows, columns))
    values = []
    for labels in permutations(y):
        table = np.zeros((len(rows), len(columns)))
        np.add.at(table, (x, labels), 1)
        values.append(smoothed_chi2(table))
    deviation = np.array(values) - np.mean(values)
    return float(np.mean(values)), float(np.mean(deviation**2)), float(np.mean(deviation**3))


class Sums(NamedTuple):
    """Sums over the levels of one variable, named as in the formulas; the last three are C, D and P."""

    trace: Any
    t2: Any
    t3: Any
    s2: Any
    s3: Any
    r: Any
    u: Any
    b: Any
    cube: Any
    double: Any
    product: Any


def level_sums(a: NDArray[Any], n: int, beta: Any) -> Sums:
    """Sums over the levels of one variable, in whatever kind of number the margin comes as."""
    g = a / (a + beta)
    s1, s2, s3 = (np.sum(a * g**k) for k in (1, 2, 3))
    sigma = s1 / n
    c, q1, q2, q3 = sigma / n, s1 / n, s2 / n**2, s3 / n**3
    u, q = g / a, g / n
    o, x = c - 2 * q, c - q
    d = u + o
    t = np.sum(g) - sigma
    t2 = np.sum(g**2) - 2 * s2 / n + sigma**2
    t3 = np.sum(g**3) - 3 * s3 / n + 3 * sigma * s2 / n - sigma**3
    diagonal2 = np.sum(a * d**2)
    return Sums(
        trace=t,
        t2=t2,
        t3=t3,
        s2=diagonal2,
        s3=np.sum(a * d**3),
        r=np.sum(a * d * (n * x**2 - 2 * x * q1 + q2 + a * (d**2 - o**2))),
        u=np.sum(a * (n * x**3 - 3 * x**2 * q1 + 3 * x * q2 - q3 + a * (d**3 - o**3))),
        b=np.sum((a * d) ** 2 * u) + c * t**2 - 2 * t * np.sum(a * d * q),
        cube=t**3,
        double=t * t2,
        product=t * diagonal2,
    )


def closed_form(n: int, rows: Sums, columns: Sums) -> tuple[Any, Any, Any]:
    """Mean, variance and third cumulant of the statistic divided by n, for n from 6 on."""
    T, T2, T3, S2, S3, R, U, B, C, D, P = rows  # the letters of the formulas
    t, t2, t3, s2, s3, r, u, b, c, d, p = columns
    mean = T * t / (n - 1)
    variance = 2 * ((n - 1) * T2 - T**2) * ((n - 1) * t2 - t**2) / ((n - 1) ** 2 * (n + 1) * (n - 2)) + (
        n * (n + 1) * S2 - (n - 1) * (T**2 + 2 * T2)
    ) * (n * (n + 1) * s2 - (n - 1) * (t**2 + 2 * t2)) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    third_moment = (
        n**2 * (n + 1) * (n**2 + 15 * n - 4) * S3 * s3
        + 4 * (n**4 - 8 * n**3 + 19 * n**2 - 4 * n - 16) * U * u
        + 24 * (n**2 - n - 4) * (U * b + B * u)
        + 6 * (n**4 - 8 * n**3 + 21 * n**2 - 6 * n - 24) * B * b
        + 12 * (n**4 - n**3 - 8 * n**2 + 36 * n - 48) * R * r
        + 12 * (n**3 - 2 * n**2 + 9 * n - 12) * (P * r + R * p)
        + 3 * (n**4 - 4 * n**3 - 2 * n**2 + 9 * n - 12) * P * p
        + 24 * (n**3 - 3 * n**2 - 2 * n + 8) * (R * u + U * r)
        + 24 * (n**3 - 2 * n**2 - 3 * n + 12) * (R * b + B * r)
        + 12 * (n**2 - n + 4) * (P * u + U * p)
        + 6 * (2 * n**3 - 7 * n**2 - 3 * n + 12) * (P * b + B * p)
        - 2 * n * (n - 1) * (n**2 - n + 4) * ((2 * U + 3 * B) * s3 + (2 * u + 3 * b) * S3)
        - 3 * n * (n - 1) ** 2 * (n + 4) * ((P + 4 * R) * s3 + (p + 4 * r) * S3)
        + 2 * n * (n - 1) * (n - 2) * ((C + 6 * D + 8 * T3) * s3 + (c + 6 * d + 8 * t3) * S3)
        + C * ((n**3 - 9 * n**2 + 23 * n - 14) * c + 6 * (n - 4) * d + 8 * t3)
        + 6 * D * ((n - 4) * c + (n**3 - 9 * n**2 + 24 * n - 14) * d + 4 * (n - 3) * t3)
        + 8 * T3 * (c + 3 * (n - 3) * d + (n**3 - 9 * n**2 + 26 * n - 22) * t3)
        - 16 * (C * u + U * c)
        - 6 * (D * u + U * d) * (2 * n**2 - 10 * n + 16)
        - 8 * (T3 * u + U * t3) * (3 * n**2 - 15 * n + 16)
        - (C * b + B * c) * (6 * n**2 - 30 * n + 24)
        - 6 * (D * b + B * d) * (4 * n**2 - 20 * n + 24)
        - 8 * (T3 * b + B * t3) * (3 * n**2 - 15 * n + 24)
        - (n - 2)
        * (
            24 * (C * r + R * c)
            + 6 * (D * r + R * d) * (2 * n**2 - 10 * n + 24)
            + 8 * (T3 * r + R * t3) * (3 * n**2 - 15 * n + 24)
            + (3 * n**2 - 15 * n + 6) * (C * p + P * c)
            + 6 * (D * p + P * d) * (n**2 - 5 * n + 6)
            + 48 * (T3 * p + P * t3)
        )
    ) / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5))
    return mean, variance, third_moment - 3 * mean * variance - mean**3


# -- what margins allow ------------------------------------------------------------------------------------------


def reach_at_most(rows: NDArray[Any], columns: NDArray[Any]) -> float:
    """A value that the statistic of no table with these margins exceeds."""
    n = rows.sum()
    beta = math.sqrt(n / 10)
    largest = [float(np.max(m / (m + beta))) for m in (rows, columns)]
    traces = [float(np.sum(m / (m + beta) * (1 - m / n))) for m in (rows, columns)]
    bounds = [largest[0] * traces[1], largest[1] * traces[0]]
    if len(rows) * len(columns) <= MOST_CELLS:
        bounds += [_bound_by_rows(rows, columns, beta), _bound_by_rows(columns, rows, beta)]
    return float(n * min(bounds))


def _bound_by_rows(rows: NDArray[Any], columns: NDArray[Any], beta: float) -> float:
    w = 1 / (rows + beta)
    if len(rows) > 2:
        return float(sum(weight * _bound_of_row(int(a), columns, beta) for a, weight in zip(rows, w, strict=True)))
    if len(columns) <= MOST_SUBSETS:
        return float(w.sum() * _largest_row(int(rows[0]), columns, beta))
    return float(w.sum() * min(_bound_of_row(int(a), columns, beta) for a in rows))


def _largest_row(a: int, columns: NDArray[Any], beta: float) -> float:
    """All columns but one are full or empty in the most extreme row."""
    best, k = 0.0, len(columns)
    for size in range(k):
        for full in combinations(range(k), size):
            rest = a - sum(int(columns[j]) for j in full)
            for j in set(range(k)) - set(full):
                if 0 <= rest <= columns[j]:
                    row = np.zeros(k)
                    row[list(full)] = columns[list(full)]
                    row[j] = rest
                    deviation = row - a * columns / columns.sum()
                    best = max(best, float(np.sum(deviation**2 / (columns + beta))))
    return best


def _bound_of_row(a: int, columns: NDArray[Any], beta: float) -> float:
    """Chords instead of parabolas, the steepest filled first."""
    most, expected = np.minimum(a, columns), a * columns / columns.sum()
    slope = (most - 2 * expected) / (columns + beta)
    total, rest = float(np.sum(expected**2 / (columns + beta))), float(a)
    for j in np.argsort(-slope):
        taken = min(rest, float(most[j]))
        total += float(slope[j]) * taken
        rest -= taken
    return total


def log_rarest_table(rows: NDArray[Any], columns: NDArray[Any]) -> float:
    """Logarithm of a chance that no table with these margins goes below."""
    return max(_log_factorials(rows), _log_factorials(columns)) - math.lgamma(rows.sum() + 1)


def _log_factorials(counts: NDArray[Any]) -> float:
    return sum(math.lgamma(int(n) + 1) for n in counts)


def _log_chance(table: NDArray[Any]) -> float:
    """Logarithm of the chance of a table among all with its margins."""
    margins = _log_factorials(table.sum(0)) + _log_factorials(table.sum(1))
    return margins - _log_factorials(table.ravel()) - math.lgamma(table.sum() + 1)
