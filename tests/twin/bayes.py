"""Bayes factors, and what they stand on: the Polya likelihood, alpha*, theta~."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import digamma, gammaln

from twin.tables import NAN, Cells, Reading, against_chi2, informative, strata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

TIE = 1e-9
PRIORS = {"jeffreys": 0.5, "uniform": 1.0}


# -- Dirichlet ---------------------------------------------------------------------------------------------------


def reach(counts: NDArray[Any]) -> NDArray[np.float64]:
    """For j = 0, 1, ...: how many cells have more than j samples."""
    return np.cumsum(np.bincount(np.asarray(counts, dtype=np.int64))[:0:-1])[::-1].astype(np.float64)


def polya(counts: NDArray[Any], cells: float, alpha: float) -> float:
    """Log-likelihood of an ordered sample under a symmetric Dirichlet prior on all cells, the empty ones too."""
    c, j = reach(counts), np.arange(counts.sum())
    return float(c @ np.log(alpha + j[: len(c)]) - np.sum(np.log(cells * alpha + j)))


def alpha_star(counts: NDArray[Any], cells: float) -> float:
    """Maximise the Polya likelihood of the positive counts by bisection."""
    n = np.asarray(counts, dtype=np.float64)
    total = float(n.sum())
    excess = float(np.sum(n * (n - 1)) - total * (total - 1) / cells)
    if total <= 1:
        return NAN
    if len(n) == 1:
        return 0.0
    if excess <= 0:
        return math.inf
    c, j = reach(n), np.arange(total)
    i = j[: len(c)]

    def slope(a: float) -> float:
        # the derivative of the likelihood, times something positive; the second form does not cancel
        if a < 1:
            return float(np.sum(c / (a + i)) - np.sum(cells / (cells * a + j)))
        return float(np.sum(c * i**2 / (a + i)) - np.sum(j**2 / (cells * a + j)) / cells - excess / 2)

    return _bisect(slope, -700.0, 100.0)


def alpha_star_pooled(tables: list[NDArray[Any]], cells: float) -> float:
    """Maximise the product of the likelihoods of several tables: the best point of a grid, then bisection."""
    if max(t.sum() for t in tables) <= 1:
        return NAN
    if all(len(t) == 1 for t in tables):
        return 0.0
    grid = np.arange(-18, 18.01, 0.25)
    values = [sum(polya(t, cells, math.exp(u)) for t in tables) for u in grid]
    best = int(np.argmax(values))
    limit = -sum(t.sum() for t in tables) * math.log(cells)
    if values[best] <= limit * (1 - 1e-12):  # more than rounding has to exceed it
        return math.inf

    def slope(a: float) -> float:
        parts = [(reach(t), np.arange(t.sum())) for t in tables]
        return float(sum(np.sum(c / (a + j[: len(c)])) - np.sum(cells / (cells * a + j)) for c, j in parts))

    return _bisect(slope, float(grid[best]) - 0.25, float(grid[best]) + 0.25)


def _bisect(slope: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(math.exp(middle)) > 0 else (low, middle)
    return math.exp((low + high) / 2)


def minka_fixed_point(counts: Sequence[int], *, tolerance: float = 1e-14) -> float:
    """Maximise the Polya likelihood by Minka's iteration: monotone and slow; a finite maximum must exist."""
    n = np.array(counts)
    k, alpha, before = len(n), 1.0, 0.0
    while abs(alpha - before) > tolerance * before:
        cells = np.sum(digamma(alpha + n) - digamma(alpha))
        whole = k * (digamma(k * alpha + n.sum()) - digamma(k * alpha))
        before, alpha = alpha, alpha * float(cells / whole)
    return alpha


def t_function(n: NDArray[Any], alpha: float, zero: str) -> NDArray[np.float64]:
    """The paper's t(n, alpha): the n-th root of Gamma(n + alpha) / Gamma(alpha)."""
    positive = np.exp((gammaln(n + alpha) - gammaln(alpha)) / np.maximum(n, 1))
    at_zero = math.exp(float(digamma(alpha))) if zero == "limit" else 0.0
    return np.where(n > 0, positive, at_zero)


def line(counts: NDArray[Any], cells: int, alpha: float, zero: str) -> tuple[float, float]:
    """Slope and constant of the least-squares line through (n, t(n)); `cells` counts the empty ones too."""
    n = np.concatenate([counts, np.zeros(0 if zero == "drop" else cells - len(counts))])
    if np.all(n == n[0]):  # one equation for two unknowns: the solution (a, b) of least norm
        scale = t_function(n[:1], alpha, zero)[0] / (n[0] ** 2 + alpha**2)
        return float(scale * n[0]), float(scale * alpha**2)
    a, b = np.linalg.lstsq(np.column_stack([n, np.full(len(n), alpha)]), t_function(n, alpha, zero), rcond=None)[0]
    return (float(a), float(b) * alpha) if b >= 0 else (1.0, 0.0)  # pseudo-counts are not negative


def theta_tilde(counts: NDArray[Any], cells: int, alpha: float, zero: str) -> NDArray[np.float64]:
    """Modified parameters of the positive counts."""
    slope, constant = line(counts, cells, alpha, zero)
    return (slope * counts + constant) / (slope * counts.sum() + constant * cells)


# -- statistics --------------------------------------------------------------------------------------------------


def bf(
    cells: Cells, *, eta: float = 1.0, prior: float | str = 0.5, bf_style: str = "full", strata: str = "together"
) -> Reading:
    """Log Bayes factor of independence, summed over the strata, or the least of them."""
    a, limit, values = PRIORS.get(prior, prior), math.log(eta), []
    for s in strata_of(cells):
        kx, ky = (len(s.rows), len(s.columns)) if "stripped" in bf_style else (cells.kx, cells.ky)
        values.append(polya(s.rows, kx, a) + polya(s.columns, ky, a) - polya(s.n, kx * ky, a))
    value = min(values) if strata == "each" else math.fsum(values)
    independent = value > limit + TIE if "strict" in bf_style else value >= limit - TIE
    return Reading(value, NAN, NAN, limit, value, independent, informative(cells))


def bf_chi2(
    cells: Cells,
    *,
    alpha: float | str | Sequence[float] = 0.05,
    prior: float | str = 0.5,
    tables: str = "reduced",
    zero: str = "limit",
    df: str | None = None,
) -> Reading:
    """Twice the sum of n ln(theta_xy / (theta_x theta_y)) over the strata."""
    a, value = PRIORS.get(prior, prior), 0.0
    for s in strata_of(cells):
        if tables == "reduced" and min(len(s.rows), len(s.columns)) == 1:
            continue
        kx, ky = (len(s.rows), len(s.columns)) if tables == "reduced" else (cells.kx, cells.ky)
        x, y = theta_tilde(s.rows, kx, a, zero)[s.row], theta_tilde(s.columns, ky, a, zero)[s.column]
        value += 2 * float(s.n @ np.log(theta_tilde(s.n, kx * ky, a, zero) / (x * y)))
    return against_chi2(cells, value, alpha, df or ("adjusted" if tables == "reduced" else "full"))
