"""Columns that are parts of a whole: 0/1 columns of which exactly one is 1 in each row, and shares of a constant sum.

Parts are looked for among 0/1 columns, and among other numbers, up to 50 of which stand beside each other. Sums are
first taken in 256 rows; only what is constant there is checked in all rows. Shares of 1 or 100 may be rounded.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal.data.kinds import observed_counts, sort_of
from paucal.data.prepare import MANY_GAPS
from paucal.inspection.computed import unit_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from paucal.data.encode import Column
    from paucal.inspection.describe import Examined

    Floats = npt.NDArray[np.float64]

_MOST_PARTS = 50
_SAMPLE = 256
_FEWEST_ROWS = 20
_EXACT = 1e-9
_ALL = slice(None)
_NATS = 20.0  # shuffling a column must bring the sum about with a probability below e^-20, as with other relations
_ROUNDED = (1.0, 100.0)  # sums of shares
_LITTLE = 0.2  # what rounding may blur, beside what the sum of independent columns would vary by
_COARSE = 0.05  # of the sum: shares that are rounded more are none


class Whole(NamedTuple):
    """Columns whose sum is the same in every row; `one_hot` if each is 0 or 1, and the sum 1."""

    columns: tuple[str, ...]
    total: float
    one_hot: bool
    rounded: bool = False


def wholes(columns: Sequence[Examined]) -> Iterator[Whole]:
    """Find them among columns that can enter a search; no column is part of two."""
    usable = [
        one for one in columns if one.taken.kind != "name" and one.clean.n_missing <= MANY_GAPS * one.clean.n_rows
    ]
    parts = [part for one in usable if (part := _Part.of(one)) is not None]
    for binary in (True, False):
        yield from _among([part for part in parts if part.binary is binary], one_hot=binary)


class _Part(NamedTuple):
    """A column of numbers: what it was rounded to, and the logarithm of the number of ways to arrange its values."""

    column: Examined
    levels: Floats  # the last is NaN, of rows that lack it
    unit: float
    ways: float
    binary: bool

    def values(self, rows: slice = _ALL) -> Floats:
        """Give the numbers of some rows."""
        return self.levels[self.column.clean.codes[rows]]

    @classmethod
    def of(cls, one: Examined) -> _Part | None:
        """Take a column that has more than one number, and nothing else."""
        levels, counts = _levels(one.clean), observed_counts(one.clean)
        seen = np.flatnonzero(counts)
        if levels is None or len(seen) < 2:
            return None
        ways = math.lgamma(int(counts.sum()) + 1) - sum(math.lgamma(n + 1) for n in counts[seen].tolist())
        binary = levels[seen].tolist() == [0, 1]
        return cls(one, np.append(levels, np.nan), unit_of(levels), ways, binary)


def _levels(column: Column) -> Floats | None:
    return np.array(column.levels, float) if sort_of(column) == "boolean" else values_of(column)


def _among(parts: Sequence[_Part], *, one_hot: bool) -> Iterator[Whole]:
    """Look at neighbours, few of them first: two wholes side by side are not one."""
    if len(parts) < 3:
        return
    few = slice(None, None, 1 + len(parts[0].column.clean.codes) // _SAMPLE)
    sample = np.array([part.values(few) for part in parts])
    missing = np.isnan(sample)
    totals, gaps = _running(np.where(missing, 0.0, sample)), _running(missing.astype(float))
    units = _running(np.array([[part.unit] for part in parts]))
    used: set[int] = set()
    for size in range(2, min(len(parts), _MOST_PARTS) + 1):
        sums, lacking = totals[size:] - totals[:-size], gaps[size:] > gaps[:-size]
        high, low = np.where(lacking, -np.inf, sums).max(axis=1), np.where(lacking, np.inf, sums).min(axis=1)
        blur = 0.0 if one_hot else (units[size:] - units[:-size])[:, 0]
        for start in np.flatnonzero(high - low <= blur + _EXACT * (1 + np.abs(totals).max())).tolist():
            run = range(start, start + size)
            found = _whole([parts[i] for i in run], one_hot=one_hot) if used.isdisjoint(run) else None
            if found is not None:
                used.update(run)
                if size > 2:  # of two, one says the same as the other: that is a relation of its own
                    yield found


def _running(values: Floats) -> Floats:
    """Give sums from the first column on, so that a difference is the sum of neighbours."""
    return np.vstack([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])


def _whole(parts: Sequence[_Part], *, one_hot: bool) -> Whole | None:
    """Tell whether a sum is constant in all rows that have every part, and not by chance."""
    values = np.array([part.values() for part in parts])
    values = values[:, ~np.isnan(values).any(axis=0)]
    if values.shape[1] < _FEWEST_ROWS or max(part.ways for part in parts) < _NATS + math.log(_MOST_PARTS * len(parts)):
        return None
    sums, names = values.sum(axis=0), tuple(part.column.name for part in parts)
    total = float(np.median(sums))
    if np.ptp(sums) <= _EXACT * (1 + np.abs(values).max()):
        return None if one_hot and total != 1 else Whole(names, float(f"{total:.9g}"), one_hot)
    blur = sum(part.unit for part in parts) / 2
    for share in () if one_hot else _ROUNDED:
        fine = max(part.unit for part in parts) <= _COARSE * share and min(part.unit for part in parts) > 0
        varied = blur <= _LITTLE * math.sqrt(float(values.var(axis=1).sum()))
        if fine and varied and np.abs(sums - share).max() <= 1.001 * blur:
            return Whole(names, share, one_hot, rounded=True)
    return None
