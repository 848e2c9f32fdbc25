"""Readable twins of the kernel's Bayes factors, and of what they stand on: Polya likelihood, alpha*, theta~."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal._reference_tables import NAN, Cells, DofRule, Reading, chi2_sf, dof_of, level_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

TIE = 1e-9


class ZeroRule(Enum):
    """What t(0) is: its limit, left out of the fit, or 0."""

    limit = "limit"
    drop = "drop"
    nought = "nought"


class Stratum(NamedTuple):
    """One stratum: its positive cells, with the numbers of their rows and columns, and its positive margins."""

    n: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Samples in the stratum."""
        return int(self.n.sum())


def strata_of(cells: Cells) -> Iterator[Stratum]:
    """Walk over the observed strata; rows and columns that a stratum does not have are not in it."""
    for s in range(cells.n_strata):
        here = cells.stratum == s
        n = cells.n[here]
        row = np.unique(cells.x[here], return_inverse=True)[1]
        column = np.unique(cells.y[here], return_inverse=True)[1]
        rows, columns = (np.bincount(v, weights=n).astype(np.int64) for v in (row, column))
        yield Stratum(n, row, column, rows, columns)


# -- Dirichlet ---------------------------------------------------------------------------------------------------


def reach(counts: NDArray[Any]) -> NDArray[np.float64]:
    """For j = 0, 1, ...: how many cells have more than j samples."""
    return np.cumsum(np.bincount(np.asarray(counts, dtype=np.int64))[:0:-1])[::-1].astype(np.float64)


def polya(counts: NDArray[Any], cells: float, alpha: float) -> float:
    """Log-likelihood of an ordered sample under a symmetric Dirichlet prior on all cells, the empty ones too."""
    c, j = reach(counts), np.arange(counts.sum())
    return float(c @ np.log(alpha + j[: len(c)]) - np.sum(np.log(cells * alpha + j)))


def alpha_star(counts: NDArray[Any], cells: float) -> float:
    """Maximise the Polya likelihood of the positive counts by bisection; boundary cases as in the kernel."""
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

    def slope(
        a: float,
    ) -> float:  # of the likelihood, times something positive; the second form does not cancel
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


def t_function(n: NDArray[Any], alpha: float, zero: ZeroRule) -> NDArray[np.float64]:
    """The paper's t(n, alpha): the n-th root of Gamma(n + alpha) / Gamma(alpha)."""
    from scipy.special import digamma, gammaln

    positive = np.exp((gammaln(n + alpha) - gammaln(alpha)) / np.maximum(n, 1))
    at_zero = math.exp(float(digamma(alpha))) if zero is ZeroRule.limit else 0.0
    return np.asarray(np.where(n > 0, positive, at_zero), dtype=np.float64)


def line(counts: NDArray[Any], cells: int, alpha: float, zero: ZeroRule) -> tuple[float, float]:
    """Slope and constant of the least-squares line through (n, t(n)); `cells` counts the empty ones too."""
    n = np.concatenate([counts, np.zeros(0 if zero is ZeroRule.drop else cells - len(counts))])
    if np.all(n == n[0]):  # one equation for two unknowns: the solution (a, b) of least norm
        scale = t_function(n[:1], alpha, zero)[0] / (n[0] ** 2 + alpha**2)
        return float(scale * n[0]), float(scale * alpha**2)
    a, b = np.linalg.lstsq(
        np.column_stack([n, np.full(len(n), alpha)]), t_function(n, alpha, zero), rcond=None
    )[0]
    return (float(a), float(b) * alpha) if b >= 0 else (1.0, 0.0)  # pseudo-counts are not negative


def theta_tilde(counts: NDArray[Any], cells: int, alpha: float, zero: ZeroRule) -> NDArray[np.float64]:
    """Modified parameters of the positive counts."""
    slope, constant = line(counts, cells, alpha, zero)
    return np.asarray((slope * counts + constant) / (slope * counts.sum() + constant * cells))


# -- tests -------------------------------------------------------------------------------------------------------


def bf_reading(cells: Cells, prior: float, log_eta: float, *, stripped: bool, strict: bool) -> Reading:
    """Log Bayes factor of independence, summed over the strata."""
    value = 0.0
    for s in strata_of(cells):
        kx, ky = (len(s.rows), len(s.columns)) if stripped else (cells.kx, cells.ky)
        value += polya(s.rows, kx, prior) + polya(s.columns, ky, prior) - polya(s.n, kx * ky, prior)
    independent = value > log_eta + TIE if strict else value >= log_eta - TIE
    return Reading(value, NAN, NAN, log_eta, value, independent, dof_of(cells, DofRule.adjusted) > 0)


def bf_chi2_reading(
    cells: Cells, alpha: float | Sequence[float], prior: float, zero: ZeroRule, df: DofRule, *, reduced: bool
) -> Reading:
    """Twice the sum of n ln(theta_xy / (theta_x theta_y)) over the strata."""
    value = 0.0
    for s in strata_of(cells):
        if reduced and min(len(s.rows), len(s.columns)) == 1:
            continue
        kx, ky = (len(s.rows), len(s.columns)) if reduced else (cells.kx, cells.ky)
        x, y = theta_tilde(s.rows, kx, prior, zero)[s.row], theta_tilde(s.columns, ky, prior, zero)[s.column]
        value += 2 * float(s.n @ np.log(theta_tilde(s.n, kx * ky, prior, zero) / (x * y)))
    dof, level = dof_of(cells, df), level_at(alpha, cells.order)
    p = chi2_sf(value, dof)
    return Reading(value, dof, p, level, p, p > level, dof_of(cells, DofRule.adjusted) > 0)
