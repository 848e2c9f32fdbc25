"""A table in an order of its own: rows and levels sorted by what stands in them, not by how they came.

Random numbers are handed out by position. So that neither the order of the rows nor the names or the order of the
levels can change a result, positions are given by the values: a level is described by the rows that have it, a row by
its levels, and so on for a few rounds (colour refinement). Rows or levels that look the same after that have changed
places without any difference, but for tables made to deceive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset

_ROUNDS = 3
_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True, eq=False)
class CanonicalTable:
    """Codes in canonical order, observed levels first; the code after the last observed level is a gap."""

    codes: list[NDArray[np.uint32]]
    observed: list[int]  # per column the number of levels that occur
    rows: NDArray[np.intp]  # row i here is row `rows[i]` of the data
    levels: list[NDArray[np.intp]]  # per column: level i here is level `levels[i]` of the data

    @classmethod
    def of(cls, data: Dataset, ties: Sequence[NDArray[Any]] = ()) -> CanonicalTable:
        """Sort the rows and levels of data; rows that look the same by further values, if there are some."""
        counts = [np.bincount(c, minlength=k + 1) for c, k in zip(data.columns, data.cardinalities, strict=True)]
        level_signs = [_mixed(n.astype(np.uint64)) for n in counts]
        for _ in range(_ROUNDS):
            row_signs = np.zeros(data.n_rows, np.uint64)
            for v, codes in enumerate(data.columns):
                row_signs += _mixed(level_signs[v][codes] + np.uint64((v + 1) * _GOLDEN % 2**64))
            spread = _mixed(row_signs)
            for v, codes in enumerate(data.columns):
                met = np.zeros(len(level_signs[v]), np.uint64)
                np.add.at(met, codes, spread)
                level_signs[v] = _mixed(level_signs[v] + met)
        rows = np.lexsort((*ties, row_signs))
        columns, observed, orders = [], [], []
        for codes, k, n, signs in zip(data.columns, data.cardinalities, counts, level_signs, strict=True):
            # the frequent first, the unobserved last
            order = np.lexsort((signs[:k], -n[:k]))
            occurring = int(np.count_nonzero(n[:k]))
            place = np.empty(k + 1, np.uint32)
            place[order] = np.arange(k)
            place[k] = occurring
            columns.append(np.ascontiguousarray(place[codes][rows]))
            observed.append(occurring)
            orders.append(order)
        return cls(columns, observed, rows, orders)

    def restored(self, filled: NDArray[np.uint32], like: Dataset) -> list[NDArray[Any]]:
        """Give completed codes the order and the types of the data."""
        columns = []
        for codes, order, old in zip(filled, self.levels, like.columns, strict=True):
            fresh = np.empty(len(codes), old.dtype)
            fresh[self.rows] = order[codes]
            columns.append(fresh)
        return columns


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64 bits: the last steps of splitmix64."""
    values = values + np.uint64(_GOLDEN)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
