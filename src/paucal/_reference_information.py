"""Readable twins of the kernel's information tests: estimates of mutual information and their thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal._reference_bayes import Stratum, alpha_star, alpha_star_pooled, polya, strata_of
from paucal._reference_tables import NAN, Cells, DofRule, Reading, dof_of, g_reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


class Conditional(Enum):
    """How an estimate becomes conditional."""

    stratum = "stratum"
    joint = "joint"
    pooled = "pooled"


# -- thresholds --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Threshold:
    """How much information counts as dependence."""

    of: Callable[[Cells], float]

    @staticmethod
    def fixed(value: float) -> Threshold:
        """Always the same number."""
        return Threshold(lambda _: value)

    @staticmethod
    def spec() -> Threshold:
        """A function of the samples per configuration of all variables."""
        return Threshold(
            lambda cells: 0.75 / (cells.n.sum() / (cells.kx * cells.ky * cells.configurations) + 1.2)
        )

    @staticmethod
    def calibrated(
        levels: NDArray[np.float64],
        first_ratio: float,
        step: float,
        mean: NDArray[np.float64],
        deviation: NDArray[np.float64],
        quantile: NDArray[np.float64],
        normal: NDArray[np.float64],
    ) -> Threshold:
        """Quantiles of simulated null distributions, interpolated, and added up over the strata.

        There is a table of quantiles for each number of conditioners; the last serves all larger ones.
        """
        nodes = first_ratio + step * np.arange(mean.shape[2])

        def look_up(table: NDArray[np.float64], kx: int, ky: int, n: int) -> float:
            def along_levels(k: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
                at = np.interp(math.log(k), np.log(levels), np.arange(len(levels)))
                low = min(int(at), len(levels) - 2)
                return np.asarray(values[low] + (at - low) * (values[low + 1] - values[low]))

            return float(
                np.interp(math.log2(n / (kx * ky)), nodes, along_levels(ky, along_levels(kx, table)))
            )

        def of(cells: Cells) -> float:
            totals = [s.total for s in strata_of(cells)]
            m, v, q = (
                np.array([look_up(table, cells.kx, cells.ky, n) for n in totals])
                for table in (mean, deviation, quantile[min(cells.order, len(quantile) - 1)])
            )
            z = float(normal[min(cells.order, len(normal) - 1)])
            ratio = np.log2(np.array(totals) / (cells.kx * cells.ky))
            smaller = np.exp2(np.minimum(ratio - first_ratio, 0))  # nearly empty tables
            m, v = m * smaller, v * smaller
            v = v**2
            dof, above = (cells.kx - 1) * (cells.ky - 1), 0.0
            if v.sum() > 0:
                strata = v.sum() ** 2 / np.sum(v**2)
                shape = z + (float(v @ q) / v.sum() - z) / math.sqrt(strata)
                above = math.sqrt(2 * dof * v.sum()) * shape
            return max(1e-9, float(dof * m.sum() + above) / (2 * sum(totals)))

        return Threshold(of)


# -- posterior means ---------------------------------------------------------------------------------------------


def _terms(n: NDArray[Any], cells: float, a: float) -> float:
    """Sum of m psi(m + 1) over all cells, m = n + a; only the positive counts are listed."""
    from scipy.special import digamma

    empty = (cells - len(n)) * a * float(digamma(a + 1))
    return float(np.sum((n + a) * digamma(n + a + 1))) + empty


def _all_terms(s: Stratum, kx: int, ky: int, a: float) -> float:
    rows, columns = _terms(s.rows, kx, a * ky), _terms(s.columns, ky, a * kx)
    return _terms(s.n, kx * ky, a) - rows - columns + _terms(np.array([s.total]), 1, a * kx * ky)


def posterior_mean(s: Stratum, kx: int, ky: int, a: float) -> float:
    """Hutter's posterior mean of the information in one stratum with `a` in advance for every cell."""
    return max(0.0, _all_terms(s, kx, ky, a) / (s.total + a * kx * ky))


def joint_mean(cells: Cells, a: float) -> float:
    """Posterior mean of the conditional information with one prior over the cells of all strata."""
    nothing = Stratum(*(np.zeros(0, dtype=np.int64),) * 5)
    total = sum(_all_terms(s, cells.kx, cells.ky, a) for s in strata_of(cells))
    total += (cells.configurations - cells.n_strata) * _all_terms(nothing, cells.kx, cells.ky, a)
    return max(0.0, total / (float(cells.n.sum()) + a * cells.kx * cells.ky * cells.configurations))


def _average_over_alpha(counts: NDArray[Any], cells: float, of_alpha: Callable[[float], float]) -> float:
    """Mean over the posterior of alpha, by many trapezoids in ln alpha."""
    from scipy.special import polygamma

    u = np.arange(-30, 50, 0.1)
    a = np.exp(u)
    prior = np.maximum(cells * polygamma(1, cells * a + 1) - polygamma(1, a + 1), 1e-300)
    log_weight = np.array([polya(counts, cells, x) for x in a]) + np.log(prior) + u
    weight = np.exp(log_weight - log_weight.max())
    kept = weight > 1e-15
    return float(weight[kept] @ np.array([of_alpha(x) for x in a[kept]]) / weight.sum())


def _inner(alpha: float) -> bool:
    return 0 < alpha < math.inf


# -- tests -------------------------------------------------------------------------------------------------------


def mi_reading(cells: Cells, threshold: Threshold) -> Reading:
    """Plug-in estimate: G / 2N."""
    g = g_reading(cells, 0.5, DofRule.adjusted).statistic
    return _compare(cells, g / (2 * float(cells.n.sum())), threshold)


def mi_eb_reading(cells: Cells, threshold: Threshold, conditional: Conditional) -> Reading:
    """The paper's estimate: the posterior mean at the prior that the data make most likely."""
    kx, ky = cells.kx, cells.ky
    if conditional is Conditional.joint:
        alpha = alpha_star(cells.n, kx * ky * cells.configurations)
        return _compare(cells, joint_mean(cells, alpha) if _inner(alpha) else 0.0, threshold)
    strata = list(strata_of(cells))
    if conditional is Conditional.pooled:
        alphas = [alpha_star_pooled([s.n for s in strata], kx * ky)] * len(strata)
    else:
        alphas = [alpha_star(s.n, kx * ky) for s in strata]
    values = [posterior_mean(s, kx, ky, a) if _inner(a) else 0.0 for s, a in zip(strata, alphas, strict=True)]
    return _compare(cells, _weighted(strata, values), threshold)


def mi_fixed_reading(
    cells: Cells, threshold: Threshold, conditional: Conditional, prior: float, *, shared: bool
) -> Reading:
    """Posterior mean with a prior chosen in advance."""
    kx, ky = cells.kx, cells.ky
    if conditional is Conditional.joint:
        a = prior / (kx * ky * cells.configurations) if shared else prior
        return _compare(cells, joint_mean(cells, a), threshold)
    a = prior / (kx * ky) if shared else prior
    strata = list(strata_of(cells))
    return _compare(cells, _weighted(strata, [posterior_mean(s, kx, ky, a) for s in strata]), threshold)


def mi_full_reading(cells: Cells, threshold: Threshold, conditional: Conditional) -> Reading:
    """Posterior mean over all priors."""
    kx, ky = cells.kx, cells.ky
    if conditional is Conditional.joint:
        k = kx * ky * cells.configurations
        return _compare(cells, _average_over_alpha(cells.n, k, lambda a: joint_mean(cells, a)), threshold)
    strata = list(strata_of(cells))
    values = [
        _average_over_alpha(s.n, kx * ky, lambda a, s=s: posterior_mean(s, kx, ky, a))  # type: ignore[misc]
        for s in strata
    ]
    return _compare(cells, _weighted(strata, values), threshold)


def mi_adaptive_reading(cells: Cells, threshold: Threshold, split: float, *, by_frequency: bool) -> Reading:
    """Recursive partition of each stratum."""
    strata = list(strata_of(cells))
    values = [_partition(s, split, by_frequency=by_frequency) for s in strata]
    return _compare(cells, _weighted(strata, values), threshold)


def _partition(s: Stratum, split: float, *, by_frequency: bool) -> float:
    dense = np.zeros((len(s.rows), len(s.columns)))
    dense[s.row, s.column] = s.n
    if by_frequency:
        dense = dense[np.argsort(-s.rows, kind="stable")][:, np.argsort(-s.columns, kind="stable")]
    p_row, p_column = dense.sum(1) / dense.sum(), dense.sum(0) / dense.sum()
    stack = [(np.arange(len(p_row)), np.arange(len(p_column)))]
    information = 0.0
    while stack:
        a, b = stack.pop()
        region = dense[np.ix_(a, b)]
        if region.sum() == 0:
            continue
        a, b = a[region.sum(1) > 0], b[region.sum(0) > 0]
        region = dense[np.ix_(a, b)]
        if len(a) > 1 and len(b) > 1:
            i, j = _cut(region.sum(1)), _cut(region.sum(0))
            quadrants = np.array(
                [[q.sum() for q in np.split(half, [j], axis=1)] for half in np.split(region, [i])]
            )
            margins = quadrants.sum(0).prod() * quadrants.sum(1).prod()
            if region.sum() * np.linalg.det(quadrants).round() ** 2 > split * margins:
                stack += [(half_a, half_b) for half_a in (a[:i], a[i:]) for half_b in (b[:j], b[j:])]
                continue
        p = region.sum() / dense.sum()
        information += p * math.log(p / (p_row[a].sum() * p_column[b].sum()))
    return max(0.0, information)


def _cut(margin: NDArray[np.float64]) -> int:
    """How many of the first levels come nearest to half of the samples."""
    return int(np.argmin(np.abs(2 * np.cumsum(margin)[:-1] - margin.sum()))) + 1


def _weighted(strata: Sequence[Stratum], values: Sequence[float]) -> float:
    return sum(s.total * v for s, v in zip(strata, values, strict=True)) / sum(s.total for s in strata)


def _compare(cells: Cells, information: float, threshold: Threshold) -> Reading:
    if cells.neutral:
        return Reading(0.0, NAN, NAN, NAN, 0.0, independent=True, informative=False)
    limit, informative = threshold.of(cells), dof_of(cells, DofRule.adjusted) > 0
    independent = not informative or information < limit
    return Reading(information, NAN, NAN, limit, -information, independent, informative)
