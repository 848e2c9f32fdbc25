"""What is missing: how many rows are left for a question, and whether it is chance that a value is missing.

Whether values of a column are missing is a column itself, of two levels. Against every other column it is tested by
`chi2-perm`, whose level holds in small tables too; the p-values are multiplied by the number of tests (Bonferroni), so
that on a table whose values are missing by chance alone anything is said in one of twenty cases at most. Dependence on
other columns is no harm by itself: searches allow for it. It tells that leaving out rows would not be harmless.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import _kernel
from paucal.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paucal.data import Dataset

MOST_COLUMNS = 300  # of larger tables those with most gaps are looked at: a pair costs a test and a pass over its rows
_LEVEL = 0.05
_TEST = "chi2-perm"
_SETS = 1000  # sets of columns that are looked at, drawn if there are more


@dataclass(frozen=True)
class Dependence:
    """A column that has values missing more often at some levels of another one."""

    column: str
    on: str  # the column that tells most about it
    p_value: float  # times the number of tests
    others: int  # further columns that it depends on


@dataclass(frozen=True)
class Missingness:
    """What is missing in a table.

    Attributes
    ----------
    cells, values, share
        Values that are missing, all values, and the share of the missing ones.
    columns
        By name how many, the most first.
    n_rows, complete_rows
        All rows, and those without a gap.
    median_rows, fewest_rows, fewest_pair
        Rows that have both values of a pair of columns: the median over the pairs, the fewest, and that pair.
    dependences
        Columns whose values are missing more often at some levels of another column.
    looked_at
        Columns among which that was looked for.
    """

    cells: int
    values: int
    share: float
    columns: dict[str, int]
    n_rows: int
    complete_rows: int
    median_rows: int
    fewest_rows: int
    fewest_pair: tuple[str, str] | None
    dependences: tuple[Dependence, ...]
    looked_at: int

    @classmethod
    def of(cls, data: Dataset) -> Missingness | None:
        """Describe what is missing in data; None if nothing is.

        >>> from paucal import Dataset
        >>> rows = {"a": [0, 1, None, 1] * 30, "b": [0, 1, 1, 1] * 30, "c": [0, 0, 1, 0] * 30}
        >>> data = Dataset.of(rows, missing="keep")
        >>> found = Missingness.of(data)
        >>> found.complete_rows, found.fewest_rows, found.dependences[0].on
        (90, 90, 'c')
        """
        if not data.has_gaps:
            return None
        counts = sorted(zip(data.names, data.gap_counts, strict=True), key=lambda one: -one[1])
        chosen = [name for name, _ in counts[:MOST_COLUMNS]]
        part = data if data.n_columns <= MOST_COLUMNS else data.select(chosen)
        median, fewest, pair = _rows_per_pair(part)
        cells, values = sum(data.gap_counts), data.n_rows * data.n_columns
        return cls(
            cells=cells,
            values=values,
            share=cells / values,
            columns={name: n for name, n in counts if n},
            n_rows=data.n_rows,
            complete_rows=data.n_complete,
            median_rows=median,
            fewest_rows=fewest,
            fewest_pair=pair,
            dependences=_dependences(part),
            looked_at=part.n_columns,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        pair = None if self.fewest_pair is None else list(self.fewest_pair)
        return {**vars(self), "fewest_pair": pair, "dependences": [vars(one) for one in self.dependences]}

    def lines(self) -> list[str]:
        """Say it in a few lines."""
        are = "is" if self.cells == 1 else "are"
        values = f"{self.cells:,} of {self.values:,} values {are} missing ({self.share:.1%})"
        told = [f"{values}; {self.complete_rows:,} of {self.n_rows:,} rows have none missing"]
        if self.fewest_pair is not None:
            fewest = f"the fewest, {self.fewest_rows:,}, for {' and '.join(self.fewest_pair)}"
            told.append(f"Rows with both values of a pair of columns: {self.median_rows:,} at the median; {fewest}")
        told += [
            f"{one.column} is missing more often at some levels of {one.on}"
            + (f" and of {counted(one.others, 'other column')}" if one.others else "")
            for one in self.dependences
        ]
        return told


def _rows_per_pair(data: Dataset) -> tuple[int, int, tuple[str, str] | None]:
    """Give the median and the smallest number of rows that have both values of a pair, and that pair."""
    if data.n_columns < 2:
        return data.n_complete, data.n_complete, None
    present = np.array([~gap for gap in data.gaps], dtype=np.float64)
    both = (present @ present.T)[np.triu_indices(data.n_columns, 1)]
    worst = int(both.argmin())
    i, j = (int(ends[worst]) for ends in np.triu_indices(data.n_columns, 1))
    return int(np.median(both)), int(both[worst]), (data.names[i], data.names[j])


def _dependences(data: Dataset) -> tuple[Dependence, ...]:
    """Test every indicator of what is missing against every other column."""
    gappy = [v for v, n in enumerate(data.gap_counts) if n]
    p = data.n_columns
    indicators = [data.gaps[v].astype(np.uint8) for v in gappy]
    columns = _kernel.Columns(
        [*data.columns, *indicators], [*data.cardinalities, *(2 for _ in gappy)], data.n_rows, gaps=True
    )
    pairs = np.array([(p + i, u) for i, v in enumerate(gappy) for u in range(p) if u != v], dtype=np.uint32)
    if not len(pairs):
        return ()
    tester = _kernel.Tester(columns, _kernel.statistic(_TEST, guard=True), criterion=_kernel.Level(_LEVEL))
    x, y = (np.ascontiguousarray(pairs[:, end]) for end in (0, 1))
    outcomes, _ = tester.ask_many(x, y, np.zeros((len(pairs), 0), np.uint32), 1)
    adjusted = np.minimum(1.0, outcomes[2] * len(pairs))
    found = []
    for i, v in enumerate(gappy):
        here = np.flatnonzero((pairs[:, 0] == p + i) & (adjusted < _LEVEL))
        if len(here):
            best = int(here[adjusted[here].argmin()])
            name = data.names[int(pairs[best, 1])]
            found.append(Dependence(data.names[v], name, float(adjusted[best]), len(here) - 1))
    return tuple(sorted(found, key=lambda one: one.p_value))


def rows_for(data: Dataset, size: int) -> int:
    """Give the rows that have all values of a set of so many columns: the median over all sets, or over some drawn.

    >>> from paucal import Dataset
    >>> rows_for(Dataset.of({"a": [0, 1, None, 1], "b": [0, None, 1, 1], "c": [0, 1, 0, 0]}, missing="keep"), 2)
    3
    """
    if not data.has_gaps:
        return data.n_rows
    gaps = np.packbits(np.array(data.gaps), axis=1)
    sets: Iterable[tuple[int, ...]] = combinations(range(data.n_columns), size)
    if math.comb(data.n_columns, size) > _SETS:
        rng = np.random.default_rng(0)
        sets = (tuple(rng.choice(data.n_columns, size, replace=False)) for _ in range(_SETS))
    ones = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)
    lost = [int(ones[np.bitwise_or.reduce(gaps[list(chosen)])].sum(dtype=np.int64)) for chosen in sets]
    return data.n_rows - int(np.median(lost))
