"""Tables of counts, readings of them, and the two classical statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import chdtrc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paucal import Dataset

NAN = float("nan")
BY_ORDER = (0.01, 0.03, 0.09, 0.2)


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

    @property
    def n_strata(self) -> int:
        return int(self.stratum.max()) + 1

    @property
    def total(self) -> int:
        return int(self.n.sum())

    def margin(self, *keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per cell, the samples that agree with it in the keys."""
        group = number_rows(np.column_stack(keys))
        return np.bincount(group, weights=self.n).astype(np.int64)[group]

    def levels(self, of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per stratum, how many levels of a variable occur."""
        return np.bincount(np.unique(np.column_stack([self.stratum, of]), axis=0)[:, 0])


def cells_of(data: Dataset, x: int, y: int, given: Sequence[int] = ()) -> Cells:
    """Count column x against column y in every stratum of `given`."""
    stratum = np.zeros(data.n_rows, dtype=np.int64)
    if given:
        stratum = number_rows(np.column_stack([data.columns[v] for v in given]))
    rows = np.column_stack([stratum, data.columns[x], data.columns[y]]).astype(np.int64)
    cell, n = np.unique(rows, axis=0, return_counts=True)
    k = data.cardinalities
    return Cells(*cell.T, n, k[x], k[y], math.prod(k[v] for v in given), len(given))


def number_rows(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Number the distinct rows of a matrix."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


class Stratum(NamedTuple):
    """One stratum: its positive cells, with the numbers of their rows and columns, and its positive margins."""

    n: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]

    @property
    def total(self) -> int:
        return int(self.n.sum())

    def dense(self) -> NDArray[np.float64]:
        table = np.zeros((len(self.rows), len(self.columns)))
        table[self.row, self.column] = self.n
        return table


def strata_of(cells: Cells) -> Iterator[Stratum]:
    """Walk over the observed strata; rows and columns that a stratum does not have are not in it."""
    for s in range(cells.n_strata):
        here = cells.stratum == s
        n = cells.n[here]
        row, column = (np.unique(v[here], return_inverse=True)[1] for v in (cells.x, cells.y))
        rows, columns = (np.bincount(v, weights=n).astype(np.int64) for v in (row, column))
        yield Stratum(n, row, column, rows, columns)


# -- readings ---------------------------------------------------------------------------------------------------


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


def level_at(alpha: float | str | Sequence[float], order: int) -> float:
    """The level of a test with so many conditioners; the last of several serves all larger orders."""
    if isinstance(alpha, float):
        return alpha
    levels = BY_ORDER if isinstance(alpha, str) else alpha
    return levels[min(order, len(levels) - 1)]


def chi2_sf(statistic: float, dof: float) -> float:
    """Upper tail of the chi-square distribution."""
    return float(chdtrc(dof, statistic)) if statistic > 0 and dof > 0 else 1.0


def dof_of(cells: Cells, df: str) -> int:
    """Degrees of freedom; "adjusted" counts what the observed levels of each stratum leave."""
    per_stratum = (cells.kx - 1) * (cells.ky - 1)
    if df == "full":
        return per_stratum * cells.configurations
    if df == "nonempty":
        return per_stratum * cells.n_strata
    return int(np.sum((cells.levels(cells.x) - 1) * (cells.levels(cells.y) - 1)))


def informative(cells: Cells) -> bool:
    """Whether some stratum has two observed levels of both variables."""
    return dof_of(cells, "adjusted") > 0


def against_chi2(cells: Cells, statistic: float, alpha: float | str | Sequence[float], df: str) -> Reading:
    """Read a statistic that has a chi-square distribution under independence."""
    dof, level = dof_of(cells, df), level_at(alpha, cells.order)
    p = chi2_sf(statistic, dof)
    return Reading(statistic, dof, p, level, p, p > level, informative(cells))


# -- the classical statistics -------------------------------------------------------------------------------------


def g(cells: Cells, *, alpha: float | str | Sequence[float] = 0.05, df: str = "adjusted") -> Reading:
    """Likelihood ratio: twice the sum of n ln(n / expected)."""
    statistic = float(2 * np.sum(cells.n * np.log(cells.n / _expected(cells))))
    return against_chi2(cells, max(0.0, statistic), alpha, df)


def chi2(cells: Cells, *, alpha: float | str | Sequence[float] = 0.05, df: str = "adjusted") -> Reading:
    """Pearson's chi-square; an empty cell deviates by its whole expectation."""
    expected = _expected(cells)
    occupied = np.sum((cells.n - expected) ** 2 / expected)
    empty = cells.total - np.sum(expected)
    return against_chi2(cells, max(0.0, float(occupied + empty)), alpha, df)


def _expected(cells: Cells) -> NDArray[np.float64]:
    rows, columns = cells.margin(cells.stratum, cells.x), cells.margin(cells.stratum, cells.y)
    return rows * columns / cells.margin(cells.stratum)
