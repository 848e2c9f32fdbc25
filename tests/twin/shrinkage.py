"""Information of shrunk shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twin.tables import Cells, Reading, against_chi2, strata_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def shrunk(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of a table, shrunk towards equality (Hausser and Strimmer 2009, equations 5 and 6)."""
    n, target = counts.sum(), 1 / counts.size
    share = counts / n
    above = (n - 1) * ((target - share) ** 2).sum()
    weight = 1.0 if above == 0 else min(1.0, (1 - (share**2).sum()) / above)
    return weight * target + (1 - weight) * share


def mi_sh(cells: Cells, *, alpha: float | str | Sequence[float] = 0.05, df: str = "adjusted") -> Reading:
    """Twice the samples times the information, over the strata with two rows and two columns."""
    value = 0.0
    for s in strata_of(cells):
        if min(len(s.rows), len(s.columns)) > 1:
            table = np.zeros((cells.kx, cells.ky))
            table[: len(s.rows), : len(s.columns)] = s.dense()
            p = shrunk(table)
            ratio = p / np.outer(p.sum(axis=1), p.sum(axis=0))
            value += 2 * s.total * float(np.sum(p * np.log(np.where(p > 0, ratio, 1.0))))
    return against_chi2(cells, max(0.0, value), alpha, df)
