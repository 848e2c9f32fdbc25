"""Estimates of mutual information, and the thresholds they are compared with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import digamma, ndtri, polygamma

from paucal.independence.thresholds import calibration
from twin.bayes import alpha_star, alpha_star_pooled, polya
from twin.tables import NAN, Cells, Reading, Stratum, g, informative, level_at, strata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

PRIORS = {"haldane": 0.0, "perks": 1.0, "jeffreys": 0.5, "uniform": 1.0}


# -- statistics --------------------------------------------------------------------------------------------------


def mi(
    cells: Cells,
    *,
    threshold: str | float = "calibrated",
    alpha: float | str | Sequence[float] = 0.05,
) -> Reading:
    """Plug-in estimate: G / 2N."""
    return _compare(cells, g(cells).statistic / (2 * cells.total), threshold, alpha, "mi")


def mi_eb(
    cells: Cells,
    *,
    threshold: str | float = "calibrated",
    alpha: float | str | Sequence[float] = 0.05,
    conditional: str = "stratum",
) -> Reading:
    """The paper's estimate: the posterior mean at the prior that the data make most likely."""
    kx, ky, strata = cells.kx, cells.ky, list(strata_of(cells))
    if conditional == "joint":
        a = alpha_star(cells.n, kx * ky * cells.configurations)
        value = joint_mean(cells, a) if 0 < a < math.inf else 0.0
    else:
        best = [alpha_star(s.n, kx * ky) for s in strata]
        if conditional == "pooled":
            best = [alpha_star_pooled([s.n for s in strata], kx * ky)] * len(strata)
        means = (posterior_mean(s, kx, ky, a) if 0 < a < math.inf else 0.0 for s, a in zip(strata, best, strict=True))
        value = _weighted(strata, means)
    return _compare(cells, value, threshold, alpha, "mi-eb")


def mi_fixed(
    cells: Cells,
    *,
    threshold: str | float = "calibrated",
    alpha: float | str | Sequence[float] = 0.05,
    prior: float | str = 0.5,
    conditional: str = "stratum",
) -> Reading:
    """Posterior mean with a prior chosen in advance; "perks" shares one sample among all cells."""
    kx, ky, strata = cells.kx, cells.ky, list(strata_of(cells))
    a = PRIORS.get(prior, prior)
    estimate = f"mi-fixed-{a:g}"
    if prior == "perks":
        a /= kx * ky * (cells.configurations if conditional == "joint" else 1)
    if conditional == "joint":
        value = joint_mean(cells, a)
    else:
        value = _weighted(strata, [posterior_mean(s, kx, ky, a) for s in strata])
    return _compare(cells, value, threshold, alpha, estimate)


def mi_full(
    cells: Cells,
    *,
    threshold: str | float = "calibrated",
    alpha: float | str | Sequence[float] = 0.05,
    conditional: str = "stratum",
) -> Reading:
    """Posterior mean over all priors."""
    kx, ky, strata = cells.kx, cells.ky, list(strata_of(cells))
    if conditional == "joint":
        value = _over_priors(cells.n, kx * ky * cells.configurations, lambda a: joint_mean(cells, a))
    else:
        value = _weighted(
            strata, [_over_priors(s.n, kx * ky, lambda a, s=s: posterior_mean(s, kx, ky, a)) for s in strata]
        )
    return _compare(cells, value, threshold, alpha, "mi-full")


def mi_adaptive(
    cells: Cells, *, threshold: str | float = "spec", arrange: str = "frequency", split: float = 3.841
) -> Reading:
    """Recursive partition of each stratum."""
    strata = list(strata_of(cells))
    return _compare(cells, _weighted(strata, [_partition(s, split, arrange) for s in strata]), threshold, 0.05, "")


def _weighted(strata: Sequence[Stratum], values: Sequence[float]) -> float:
    return sum(s.total * v for s, v in zip(strata, values, strict=True)) / sum(s.total for s in strata)


def _compare(
    cells: Cells,
    information: float,
    threshold: str | float,
    alpha: float | str | Sequence[float],
    estimate: str,
) -> Reading:
    if cells.kx == cells.ky == 1:  # a constant column, decided before any formula
        return Reading(0.0, NAN, NAN, NAN, 0.0, independent=True, informative=False)
    limit = float(threshold) if not isinstance(threshold, str) else NAN
    if threshold == "spec":
        limit = 0.75 / (cells.total / (cells.kx * cells.ky * cells.configurations) + 1.2)
    elif threshold == "calibrated":
        limit = calibrated_limit(cells, alpha, estimate)
    independent = not informative(cells) or information < limit
    return Reading(information, NAN, NAN, limit, -information, independent, informative(cells))


# -- posterior means ---------------------------------------------------------------------------------------------


def posterior_mean(s: Stratum, kx: int, ky: int, a: float) -> float:
    """Hutter's posterior mean of the information in one stratum with `a` in advance for every cell."""
    return max(0.0, _all_terms(s, kx, ky, a) / (s.total + a * kx * ky))


def joint_mean(cells: Cells, a: float) -> float:
    """Posterior mean of the conditional information with one prior over the cells of all strata."""
    nothing = Stratum(*(np.zeros(0, dtype=np.int64),) * 5)
    total = sum(_all_terms(s, cells.kx, cells.ky, a) for s in strata_of(cells))
    total += (cells.configurations - cells.n_strata) * _all_terms(nothing, cells.kx, cells.ky, a)
    return max(0.0, total / (cells.total + a * cells.kx * cells.ky * cells.configurations))


def _all_terms(s: Stratum, kx: int, ky: int, a: float) -> float:
    rows, columns = _terms(s.rows, kx, a * ky), _terms(s.columns, ky, a * kx)
    return _terms(s.n, kx * ky, a) - rows - columns + _terms(np.array([s.total]), 1, a * kx * ky)


def _terms(n: NDArray[Any], cells: float, a: float) -> float:
    """Sum of m psi(m + 1) over all cells, m = n + a; only the positive counts are listed."""
    empty = (cells - len(n)) * a * float(digamma(a + 1))
    return float(np.sum((n + a) * digamma(n + a + 1))) + empty


def _over_priors(counts: NDArray[Any], cells: float, of_alpha: Callable[[float], float]) -> float:
    """Mean over the posterior of alpha, by many trapezoids in ln alpha."""
    u = np.arange(-30, 50, 0.1)
    a = np.exp(u)
    prior = np.maximum(cells * polygamma(1, cells * a + 1) - polygamma(1, a + 1), 1e-300)
    log_weight = np.array([polya(counts, cells, x) for x in a]) + np.log(prior) + u
    weight = np.exp(log_weight - log_weight.max())
    kept = weight > 1e-15
    return float(weight[kept] @ np.array([of_alpha(x) for x in a[kept]]) / weight.sum())


# -- adaptive partitions -----------------------------------------------------------------------------------------


def _partition(s: Stratum, split: float, arrange: str) -> float:
    dense = s.dense()
    if arrange == "frequency":
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
            quadrants = np.array([[q.sum() for q in np.split(half, [j], axis=1)] for half in np.split(region, [i])])
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


# -- the calibrated threshold ------------------------------------------------------------------------------------


def calibrated_limit(cells: Cells, alpha: float | str | Sequence[float], estimate: str) -> float:
    """The quantile of simulated null distributions, interpolated, and added up over the strata."""
    known = calibration()
    first = float(known["first_ratio"])
    z = -float(ndtri(level_at(alpha, cells.order)))
    mean, deviation, quantiles = (
        known[f"{estimate}/{key}"].astype(np.float64) for key in ("mean", "deviation", "quantile")
    )
    quantile = _between(z, -ndtri(known["alphas"]), quantiles)
    ratios = [math.log2(s.total / (cells.kx * cells.ky)) for s in strata_of(cells)]
    m, v, q = (
        np.array([_look_up(table, cells.kx, cells.ky, ratio, known) for ratio in ratios])
        for table in (mean, deviation, quantile)
    )
    smaller = np.exp2(np.minimum(np.array(ratios) - first, 0))  # nearly empty tables
    m, v = m * smaller, (v * smaller) ** 2
    dof, above = (cells.kx - 1) * (cells.ky - 1), 0.0
    if v.sum() > 0:
        strata = v.sum() ** 2 / np.sum(v**2)
        shape = z + (float(v @ q) / v.sum() - z) / math.sqrt(strata)
        above = math.sqrt(2 * dof * v.sum()) * shape
    return max(1e-9, float(dof * m.sum() + above) / (2 * cells.total))


def _look_up(table: NDArray[np.float64], kx: int, ky: int, ratio: float, known: dict[str, NDArray[Any]]) -> float:
    logs = np.log(known["levels"].astype(np.float64))
    ends = logs[0], logs[-1]
    along = _between(float(np.clip(math.log(kx), *ends)), logs, table)
    along = _between(float(np.clip(math.log(ky), *ends)), logs, along)
    nodes = float(known["first_ratio"]) + float(known["step"]) * np.arange(len(along))
    return float(np.interp(ratio, nodes, along))


def _between(at: float, nodes: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A straight line between the two nodes around `at`, along the first axis."""
    low = int(np.clip(np.searchsorted(nodes, at) - 1, 0, len(nodes) - 2))
    share = (at - nodes[low]) / (nodes[low + 1] - nodes[low])
    return (1 - share) * values[low] + share * values[low + 1]
