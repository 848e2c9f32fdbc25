"""Contingency tables as values, and the data they are counted from.

A table keeps the cells that occur and nothing else, so its size is bounded by the rows whatever the number of levels
and conditioning columns.
"""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import _kernel, checks
from paucal.data import Dataset
from paucal.data.steps import given_in_steps
from paucal.errors import DataError, ParameterError, not_allowed, short
from paucal.notebook import html_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from paucal.data.kinds import Kind

_MANY_ROWS = 20_000  # fewer are counted as they are
_TIMES = 12  # that a row must occur on average, so that counting distinct rows is faster than counting bits; measured
MOST_ROWS = 10**7  # samples of a bare table that is tested; they are written out one by one
MOST_DENSE_CELLS = 2**27  # a gigabyte of counts; beyond, asking for a dense array is a mistake
MOST_CONFIGURATIONS = 2**20  # of the conditioning columns, as levels of one column
_MOST_MARGINS = 1_000_000  # levels times strata
_MOST_SHOWN = 400  # cells that a notebook shows
_CELLS = "a list of whole numbers from 0 on, one for each cell and each below the number of levels or strata"


@dataclass(frozen=True, eq=False)
class Table:
    """Counts of x against y in every observed stratum of the conditioning columns.

    Cells are listed once, positive only, ascending by stratum, x and y.

    Attributes
    ----------
    stratum, x, y, n
        Per cell: number of its stratum, levels of the two columns, count.
    kx, ky
        Numbers of levels, observed or not.
    configurations
        Number of configurations of the conditioning columns, observed or not; it may exceed every machine integer.
    strata
        Per observed stratum, the levels of the conditioning columns.
    """

    stratum: NDArray[np.int64]
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    n: NDArray[np.int64]
    kx: int
    ky: int
    configurations: int
    strata: NDArray[np.int64]

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("kx", "ky", "configurations"):
            put(self, name, checks.whole_number(name, getattr(self, name), 1))
        for name in ("n", "stratum", "x", "y", "strata"):
            part = checks.array(name, getattr(self, name), _CELLS)
            if part.ndim != 1 + (name == "strata") or (part.size and part.dtype.kind not in "iu"):
                raise not_allowed(name, getattr(self, name), _CELLS)
            put(self, name, part)
        sizes = {"n": None, "stratum": len(self.strata), "x": self.kx, "y": self.ky}
        for name, size in sizes.items():
            part = getattr(self, name)
            if len(part) != len(self.n) or (
                part.size and (part.min() < 0 or (size is not None and part.max() >= size))
            ):
                raise not_allowed(name, part, _CELLS)

    @classmethod
    def from_dense(cls, counts: ArrayLike) -> Table:
        """Make a table from an array of shape (kx, ky) or (strata, kx, ky); empty strata are configurations too.

        >>> Table.from_dense([[10, 2], [3, 9]]).total
        24
        """
        try:
            dense = np.asarray(counts)
            numbers = dense.dtype.kind in "iufb"
        except ValueError:  # rows of different lengths
            dense, numbers = np.empty(0), False
        if not numbers:
            raise ParameterError(
                f"A table is an array of counts, not {short(counts)}.", hint="Write [[10, 5], [0, 15]]."
            )
        if dense.ndim == 2:
            dense = dense[None]
        if dense.ndim != 3 or 0 in dense.shape:
            raise ParameterError(
                f"A table has the shape (kx, ky) or (strata, kx, ky), not {np.shape(counts)}.",
                hint="Give it at least one row and one column.",
            )
        whole = dense.astype(np.int64)
        if (whole != dense).any() or (whole < 0).any():
            raise ParameterError("Counts are whole numbers from 0 on.", hint="Give counts, not shares.")
        n_strata, kx, ky = whole.shape
        s, x, y = np.nonzero(whole)
        strata, stratum = np.unique(s, return_inverse=True)
        return cls(stratum, x, y, whole[s, x, y], kx, ky, n_strata, strata[:, None])

    @property
    def total(self) -> int:
        """Number of samples."""
        return int(self.n.sum())

    @property
    def n_strata(self) -> int:
        """Number of observed strata."""
        return len(self.strata)

    def dense(self) -> NDArray[np.int64]:
        """The observed strata as an array of shape (strata, kx, ky)."""
        size = self.n_strata * self.kx * self.ky
        if size > MOST_DENSE_CELLS:
            raise DataError(
                f"A dense table would have {size:,} cells for {self.total:,} samples.",
                hint="Use the listed cells (table.stratum, table.x, table.y, table.n).",
            )
        out = np.zeros((self.n_strata, self.kx, self.ky), dtype=np.int64)
        out[self.stratum, self.x, self.y] = self.n
        return out

    def margins(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Counts of the levels of x and of y per stratum, without levels that nobody has; None if they are too many."""
        margins = []
        for levels in (self.x, self.y):
            known, level = np.unique(levels, return_inverse=True)
            if self.n_strata * len(known) > _MOST_MARGINS:
                return None
            margin = np.zeros((self.n_strata, len(known)), dtype=np.int64)
            np.add.at(margin, (self.stratum, level.reshape(-1)), self.n)
            margins.append(margin)
        return margins[0], margins[1]

    def dataset(self, x: str = "x", y: str = "y", *, ordered: bool = False) -> Dataset:
        """The samples one by one; of several configurations, the column `stratum` has a level for each.

        `ordered` says that the levels of x and y stand in an order that means something.

        >>> Table.from_dense([[[3, 1], [0, 2]], [[1, 0], [0, 5]]]).dataset()
        Dataset: 12 rows, 3 columns
          x        2 levels: 0, 1
          y        2 levels: 0, 1
          stratum  2 levels: 0, 1
        """
        if max(self.kx, self.ky, self.configurations) > MOST_CONFIGURATIONS:
            most = max(self.kx, self.ky, self.configurations)
            found = f"{most:,} are too many levels for one column."
            raise DataError(found, hint="Ask the data that were counted.")
        if not 0 < self.total <= MOST_ROWS:
            found = f"A table of {self.total:,} samples cannot be tested: it has 1 to {MOST_ROWS:,}."
            raise DataError(found, hint="Ask the data that were counted.")
        n_columns = 2 if self.configurations == 1 else 3
        codes = [np.repeat(cells, self.n) for cells in (self.x, self.y, self.stratum)[:n_columns]]
        levels = [range(k) for k in (self.kx, self.ky, self.configurations)[:n_columns]]
        ends: Kind = "ordered" if checks.flag("ordered", ordered) else "levels"
        kinds: tuple[Kind, ...] = (ends, ends, "levels")
        return Dataset.from_codes(codes, (x, y, "stratum")[:n_columns], levels, kinds=kinds[:n_columns])

    def _repr_html_(self) -> str:
        if self.n_strata * self.kx * self.ky > _MOST_SHOWN:
            return f"<pre>{self!r}</pre>"
        rows = [(s, x, *line) for s, part in enumerate(self.dense()) for x, line in enumerate(part)]
        return html_table(repr(self), ("stratum", "x", *(f"y = {y}" for y in range(self.ky))), rows)

    def __repr__(self) -> str:
        return (
            f"Table({self.kx} x {self.ky}, {self.n_strata} of {self.configurations} strata observed, "
            f"{self.total} samples)"
        )


class MemoryCounts:
    """Counts of a data set in memory, by the kernel; numbers that are conditioned on are in steps."""

    def __init__(self, data: Dataset) -> None:
        data = in_few_rows(data)
        self.names = data.names
        self.cardinalities = data.cardinalities
        self.n_rows = data.n_rows
        self.kept_tests: dict[Any, Any] = {}  # that were made for single questions, by their settings
        self._codes = data.distinct
        self.numbers = frozenset(v for v, kind in enumerate(data.kinds) if kind == "number")
        self.has_order = data.among_ordered or any(kind in ("number", "ordered") for kind in data.kinds)
        self.ordinal = frozenset(v for v in range(data.n_columns) if self.has_order and _has_order(data, v))
        steps = {v: given_in_steps(data, v) for v in sorted(self.numbers)}
        self.steps = {data.names[v]: labels for v, (_, labels) in steps.items()}  # of numbers that are conditioned on
        self._given = tuple(steps[v][0] if v in steps else codes for v, codes in enumerate(data.distinct))
        self.given_cardinalities = tuple(
            len(steps[v][1]) if v in steps else k for v, k in enumerate(data.cardinalities)
        )
        self.columns = _kernel.Columns(
            list(data.distinct),
            list(data.cardinalities),
            len(data.distinct[0]),
            ordinal=sorted(self.ordinal),
            steps=[(v, codes, len(labels)) for v, (codes, labels) in steps.items()],
            gaps=data.has_gaps,
            weights=data.weights,
        )

    def is_binary(self, column: int) -> bool:
        """Say whether a column has two levels at most, which stand in an order in any case."""
        return self.observed[column] <= 2

    @cached_property
    def observed(self) -> tuple[int, ...]:
        """How many levels of each column occur."""
        levels = zip(self._codes, self.cardinalities, strict=True)
        return tuple(int(np.count_nonzero(np.bincount(codes, minlength=k)[:k])) for codes, k in levels)

    def table(self, x: int, y: int, given: Sequence[int] = ()) -> Table:
        """Count column x against column y in every stratum of `given`, over the rows that have all these values."""
        given = tuple(given)
        met, level_x, level_y, n, first_row = self.columns.count(x, y, given)
        levels = np.array([self._given[v][first_row] for v in given], dtype=np.int64)
        strata = levels.reshape(len(given), len(first_row)).T
        # The kernel numbers strata as it meets them; a value should not depend on the order of the rows.
        order = np.lexsort(strata.T[::-1]) if given else np.zeros(1, dtype=np.int64)
        stratum = np.argsort(order)[met]
        cells = np.lexsort((level_y, level_x, stratum))
        return Table(
            stratum[cells],
            level_x[cells].astype(np.int64),
            level_y[cells].astype(np.int64),
            n[cells].astype(np.int64),
            self.cardinalities[x],
            self.cardinalities[y],
            math.prod(self.given_cardinalities[v] for v in given),
            strata[order],
        )


def in_few_rows(data: Dataset) -> Dataset:
    """Give distinct rows with weights where rows repeat so often that these are counted faster, else the data."""
    if data.weights is not None or data.n_rows <= _MANY_ROWS:
        return data
    # an eighth of so repetitive a table repeats nearly half of its rows, even if all rows are equally frequent; some of
    # its rows show up twice already among a few thousand
    for size, least in ((4096, 0.0), (data.n_rows // 8, 0.45)):
        step = data.n_rows // size
        first, _ = _kernel.distinct_rows([np.ascontiguousarray(codes[: size * step : step]) for codes in data.columns])
        if size - len(first) <= least * size:
            return data
    counted = data.counted()
    return counted if _TIMES * len(counted.distinct[0]) <= data.n_rows else data


def _has_order(data: Dataset, v: int) -> bool:
    """Say whether the levels of a column stand in an order that means something: two of them always do."""
    if data.kinds[v] in ("number", "ordered"):
        return None not in data.levels[v]  # a level of missing values has no place in the order
    codes, k = data.distinct[v], data.cardinalities[v]  # a missing value is no level
    return int(np.count_nonzero(np.bincount(codes, minlength=k)[:k])) <= 2


_CACHE: dict[int, tuple[weakref.ref[Any], MemoryCounts]] = {}


def counts_of(data: Dataset) -> MemoryCounts:
    """Counts of a data set; packed once, however many tests are run on it."""
    known = _CACHE.get(id(data))
    if known is not None and known[0]() is data:
        return known[1]
    counts, key = MemoryCounts(data), id(data)
    _CACHE[key] = (weakref.ref(data, lambda _: _CACHE.pop(key, None)), counts)
    return counts
