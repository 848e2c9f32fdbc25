"""Rows that stand for many equal ones: a table of distinct rows with the number of times that each occurs.

Such a number is a count of rows, nothing else: the table says exactly what the same table with every row written out
says. Sampling weights of a survey are something else (how many people a respondent stands for), and are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from paucal import _kernel, checks
from paucal.errors import Argument, DataError

if TYPE_CHECKING:
    from paucal.data.encode import Codes
    from paucal.data.raw import RawTable

Weights: TypeAlias = npt.NDArray[np.uint32]

MOST_SAMPLES = 2**32 - 1
MOST_REPEATED = 50_000_000  # rows that are written out where something needs them one by one
_NOT_SURVEY = (
    "Counts of rows are whole numbers from 0 on. Weights that make a sample look like its population are something "
    "else: no test or score here knows what they do to its error, so leave such a column out"
)


class Repeated(Sequence["Codes"]):
    """The columns of a weighted table with every row written out, each made when it is asked for."""

    def __init__(self, distinct: tuple[Codes, ...], weights: Weights) -> None:
        self.distinct, self.weights = distinct, weights

    def __len__(self) -> int:
        return len(self.distinct)

    def __getitem__(self, i: int) -> Codes:  # type: ignore[override]
        n_rows = int(self.weights.sum(dtype=np.int64))
        if n_rows > MOST_REPEATED:
            raise DataError(
                f"This needs {n_rows:,} rows one by one; at most {MOST_REPEATED:,} are written out.",
                hint="Tests, searches on levels, posterior, bootstrap and inspect work on counted rows. For the rest "
                "take a sample: data.sample(1_000_000).",
            )
        codes = np.repeat(self.distinct[i], self.weights)
        codes.flags.writeable = False
        return codes


def checked_weights(weights: npt.ArrayLike, n_rows: int, name: str = "weights") -> Weights:
    """Take counts of rows; refuse what is none."""
    array = checks.array(name, weights, "a list of numbers of rows")
    if array.ndim != 1 or len(array) != n_rows:
        raise DataError(f"There are {array.size:,} weights for {n_rows:,} rows.", hint="Give one for each row.")
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all() or (array < 0).any() or (array % 1 != 0).any():
        wrong = next(
            (x for x in array.tolist() if not isinstance(x, int | float) or not x >= 0 or x % 1), array.tolist()[0]
        )
        raise DataError(f"{name!r} holds {wrong!r}, which is not a number of rows.", hint=_not_survey())
    total = int(array.sum(dtype=np.float64))
    if not 0 < total <= MOST_SAMPLES:
        hint = f"There may be 1 to {MOST_SAMPLES:,}."
        raise DataError(f"The weights stand for {total:,} rows.", hint=hint)
    return array.astype(np.uint32)


def _not_survey() -> tuple[str | Argument, ...]:
    return (_NOT_SURVEY, " (", Argument("leave_out", of="paucal.read"), ").")


def weighted(table: RawTable, name: str | None) -> RawTable:
    """Take one column of a raw table as the number of times that each row occurs; rows without any are dropped."""
    if name is None:
        return table
    checks.known("column", name, table.names)
    place = table.names.index(name)
    own = table.columns[place]
    if own.n_missing:
        raise DataError(
            f"{own.n_missing:,} rows have no value in {name!r}, which counts rows.", hint="Write 0 or more."
        )
    counts = np.array([_number(name, level) for level in own.levels] or [0.0])[own.codes]
    weights = checked_weights(counts, len(own.codes), name)
    there = weights > 0
    if table.columns[0].weights is not None:
        raise DataError("The rows are counted already.", hint=("Leave ", Argument("weights"), " out."))
    kept = [i for i in range(len(table.names)) if i != place]
    columns = [replace(table.columns[i].take(there), weights=weights[there]) for i in kept]
    if not there.all():  # a level that only rows of weight 0 had was never declared by anybody: it goes with them
        columns = [column if column.declared else column.without_unobserved() for column in columns]
    return replace(table, names=tuple(table.names[i] for i in kept), columns=columns)


def _number(name: str, level: object) -> float:
    if isinstance(level, bool) or not isinstance(level, Real):
        raise DataError(f"Column {name!r} holds {level!r}, which is not a number of rows.", hint=_not_survey())
    return float(level)


def merge_rows(columns: Sequence[Codes], weights: Weights | None = None) -> tuple[list[Codes], Weights]:
    """Give the distinct rows, in the order in which they appear first, and how often each occurs.

    >>> import numpy as np
    >>> merge_rows([np.array([1, 0, 1], np.uint8), np.array([0, 0, 0], np.uint8)])
    ([array([1, 0], dtype=uint8), array([0, 0], dtype=uint8)], array([2, 1], dtype=uint32))
    """
    rows, counts = _kernel.distinct_rows([np.ascontiguousarray(codes) for codes in columns], weights)
    return [codes[rows] for codes in columns], counts


def level_counts(codes: Codes, size: int, weights: Weights | None) -> npt.NDArray[np.int64]:
    """Count the rows of every code, and at least of those below `size`."""
    if weights is None and codes.dtype in (np.uint8, np.uint16, np.uint32):
        return _kernel.level_counts(np.ascontiguousarray(codes), size)
    # sums of weights are whole numbers below 2^53, which a float holds exactly
    return np.bincount(codes, weights, minlength=size).astype(np.int64, copy=False)


def n_marked(rows: npt.NDArray[np.bool_], weights: Weights | None) -> int:
    """Count the rows of a mask."""
    return int(np.count_nonzero(rows) if weights is None else weights[rows].sum(dtype=np.int64))
