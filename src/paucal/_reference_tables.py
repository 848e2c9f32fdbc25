"""Tables and readings of the kernel's twin, and the two classical statistics.

A statistic is a function from `Cells` to a `Reading`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NAN = float("nan")


def level_at(alpha: float | Sequence[float], order: int) -> float:
    """The level of a test with so many conditioners; the last of several serves all larger orders."""
    return alpha if isinstance(alpha, float) else alpha[min(order, len(alpha) - 1)]


def chi2_sf(statistic: float, dof: float) -> float:
    """Upper tail of the chi-square distribution."""
    from scipy.special import chdtrc

    return float(chdtrc(dof, statistic)) if statistic > 0 and dof > 0 else 1.0


class DofRule(Enum):
    """How degrees of freedom are counted."""

    full = "full"
    nonempty = "nonempty"
    adjusted = "adjusted"


# -- tables -----------------------------------------------------------------------------------------------------


class Cells(NamedTuple):
    """The positive cells of a table: stratum, levels and count, one entry each."""

    stratum: NDArray[np.int64]
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    n: NDArray[np.int64]
    kx: int
    ky: int
    configurations: int
    order: int = 0

    def margin(self, *keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per cell, the samples that agree with it in the keys."""
        group = number_rows(np.column_stack(keys))
        return np.bincount(group, weights=self.n).astype(np.int64)[group]

    def levels(self, of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per stratum, how many levels of a variable occur."""
        pairs = np.unique(np.column_stack([self.stratum, of]), axis=0)
        return np.bincount(pairs[:, 0])

    @property
    def neutral(self) -> bool:
        """Whether these cells stand for a constant column, which is decided before any formula."""
        return self.kx == self.ky == 1

    @property
    def n_strata(self) -> int:
        """Observed strata."""
        return int(self.stratum.max()) + 1


def number_rows(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Number the distinct rows of a matrix."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


# -- statistics ------------------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """What a statistic says of one table."""

    statistic: float
    dof: float
    p_value: float
    threshold: float
    nearness: float
    independent: bool
    informative: bool = True
    powerless: bool = False
    undecided: bool = False


NEUTRAL = Cells(
    *(np.zeros(1, dtype=np.int64),) * 3, np.ones(1, dtype=np.int64), 1, 1, 1
)  # says nothing at all


def g_reading(cells: Cells, alpha: float | Sequence[float], df: DofRule) -> Reading:
    """Likelihood ratio: twice the sum of n ln(n / expected)."""
    return _classical(cells, float(2 * np.sum(cells.n * np.log(cells.n / _expected(cells)))), alpha, df)


def chi2_reading(cells: Cells, alpha: float | Sequence[float], df: DofRule) -> Reading:
    """Pearson's chi-square; an empty cell deviates by its whole expectation."""
    expected = _expected(cells)
    occupied = np.sum((cells.n - expected) ** 2 / expected)
    empty = cells.n.sum() - np.sum(expected)
    return _classical(cells, float(occupied + empty), alpha, df)


def _expected(cells: Cells) -> NDArray[np.float64]:
    rows, columns = cells.margin(cells.stratum, cells.x), cells.margin(cells.stratum, cells.y)
    return rows * columns / cells.margin(cells.stratum)


def _classical(cells: Cells, statistic: float, alpha: float | Sequence[float], df: DofRule) -> Reading:
    dof, level = dof_of(cells, df), level_at(alpha, cells.order)
    statistic = max(0.0, statistic)
    p = chi2_sf(statistic, dof)
    return Reading(statistic, dof, p, level, p, p > level, dof_of(cells, DofRule.adjusted) > 0)


def dof_of(cells: Cells, df: DofRule) -> int:
    """Degrees of freedom; "adjusted" counts what the observed levels of each stratum leave."""
    per_stratum = (cells.kx - 1) * (cells.ky - 1)
    if df is DofRule.full:
        return per_stratum * cells.configurations
    if df is DofRule.nonempty:
        return per_stratum * cells.n_strata
    return int(np.sum((cells.levels(cells.x) - 1) * (cells.levels(cells.y) - 1)))
