"""Levels that nearly repeat another column: copies with gaps of their own, copies but for a few rows, rounded cuts.

Pairs of up to 100 columns of levels, and of these with up to 100 numbers, are looked at in up to 2,000 rows; what fits
there is checked in all rows. Chance is no explanation: see `_is_sure`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from paucal.data.kinds import observed_counts
from paucal.data.prepare import MANY_GAPS
from paucal.inspection.computed import unit_of, values_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import numpy.typing as npt

    from paucal.inspection.describe import Examined

How: TypeAlias = Literal["copy with gaps", "near copy", "near cut"]

MOST_COLUMNS = 100
_ROWS = 2000
_FEWEST_ROWS = 30
_MOST_EXCEPTIONS = 0.01
_MOST_AT_LIMITS = 0.03  # exceptions of a cut, all of which must have the number that is cut at
_MOST_LEVELS = 20
_FINE = 0.03  # of its spread is what a number may be rounded to: coarser ones are cuts by chance where much depends
_MOST_TIED = 0.05  # rows at one limit
_SURE = 0.02  # exceptions as a share of those that would be there if the other column were not known
_SURE_AT_LIMITS = 0.2


@dataclass(frozen=True, slots=True)
class Near:
    """The first column is what `how` says of the other, but in `exceptions` of the `rows` that have both."""

    how: How
    columns: tuple[str, str]
    exceptions: int
    rows: int


def near(columns: Sequence[Examined], known: Collection[frozenset[str]] = ()) -> Iterator[Near]:
    """Find them among columns that can enter a search; pairs in `known` are told already."""
    useful = [one for one in columns if one.taken.kind != "name" and _gaps(one) <= MANY_GAPS * len(one.clean.codes)]
    levels = [one for one in useful if one.taken.kind != "number" and 2 <= _n_seen(one) <= _MOST_LEVELS]
    numbers = [one for one in useful if one.taken.kind == "number" and _is_fine(one)]
    if not levels or len(levels) > MOST_COLUMNS or len(numbers) > MOST_COLUMNS:
        return
    n = len(levels[0].clean.codes)
    some = np.linspace(0, n - 1, min(n, _ROWS)).astype(np.intp)
    gone: set[str] = set()
    for y in levels:
        for x in numbers:
            if frozenset((x.name, y.name)) not in known and (found := _cut(y, x, some)) is not None:
                gone.add(y.name)
                yield found
                break
    for x, y in combinations([one for one in levels if one.name not in gone], 2):
        if not gone & {x.name, y.name} and frozenset((x.name, y.name)) not in known:
            more, fewer = (x, y) if _gaps(x) > _gaps(y) else (y, x)
            if (found := _copy(more, fewer, some)) is not None:
                gone.add(more.name)
                yield found


def _n_seen(one: Examined) -> int:
    return int(np.count_nonzero(observed_counts(one.clean)))


def _is_fine(one: Examined) -> bool:
    """Tell whether a number was rounded to little beside its spread."""
    levels = values_of(one.clean)
    if levels is None or _n_seen(one) <= _MOST_LEVELS:
        return False
    return unit_of(levels) <= _FINE * float(np.sqrt(np.cov(levels, fweights=observed_counts(one.clean))))


def _gaps(one: Examined) -> int:
    return int(np.count_nonzero(one.clean.codes == len(one.clean.levels)))


def _copy(y: Examined, x: Examined, some: npt.NDArray[np.intp]) -> Near | None:
    if abs(_n_seen(x) - _n_seen(y)) > 1:
        return None
    for rows in (some, np.arange(len(y.clean.codes))):
        a, b = _present(x, y, rows)
        size = len(y.clean.levels)
        cells = np.bincount(a.astype(np.intp) * size + b, minlength=len(x.clean.levels) * size).reshape(-1, size)
        exceptions = len(a) - int(min(cells.max(axis=1).sum(), cells.max(axis=0).sum()))
        margins = [cells.sum(axis=axis) for axis in (0, 1)]
        if not all(_is_sure(exceptions, margin, rows, _MOST_EXCEPTIONS, _SURE) for margin in margins):
            return None
    return Near("near copy" if exceptions else "copy with gaps", (y.name, x.name), exceptions, len(a))


def _cut(y: Examined, x: Examined, some: npt.NDArray[np.intp]) -> Near | None:
    """Tell whether the levels of y are pieces of x one after the other, but for a few rows at the limits."""
    exceptions = None
    for rows in (some, np.arange(len(y.clean.codes))):
        a, b = _present(x, y, rows)
        counts = np.bincount(b, minlength=len(y.clean.levels))
        exceptions = _beyond(a, b, counts)
        if exceptions is None or not _is_sure(exceptions, counts, rows, _MOST_AT_LIMITS, _SURE_AT_LIMITS):
            return None
    return None if exceptions is None else Near("near cut", (y.name, x.name), exceptions, len(b))


def _beyond(x: npt.NDArray[Any], y: npt.NDArray[Any], counts: npt.NDArray[np.intp]) -> int | None:
    """Count the rows on the wrong side of a limit; None if one of them is not at the limit, where rounding puts it."""
    low, high = np.full(len(counts), np.iinfo(np.intp).max), np.full(len(counts), -1)
    np.minimum.at(low, y, x)
    np.maximum.at(high, y, x)
    order = [i for i in np.argsort(low + high.astype(np.float64)).tolist() if counts[i]]
    wrong = 0
    for below, above in pairwise(order):
        if high[below] > low[above]:
            return None
        if high[below] == low[above]:
            if np.count_nonzero(x == low[above]) > _MOST_TIED * len(x):  # a heap, such as nothing spent, is no rounding
                return None
            wrong += min(int(np.count_nonzero(x[y == level] == low[above])) for level in (below, above))
    return wrong


def _present(x: Examined, y: Examined, rows: npt.NDArray[np.intp]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Give the codes of both where both have a value."""
    a, b = x.clean.codes[rows], y.clean.codes[rows]
    both = (a < len(x.clean.levels)) & (b < len(y.clean.levels))
    return a[both], b[both]


def _is_sure(exceptions: int, counts: npt.NDArray[Any], rows: npt.NDArray[np.intp], most: float, share: float) -> bool:
    """Tell whether so few exceptions are no chance: many rows confirm it that are not in the most frequent level."""
    n = int(counts.sum())
    by_chance = n - int(counts.max())
    enough = n >= max(_FEWEST_ROWS, len(rows) / 4) and by_chance >= _FEWEST_ROWS / 2
    return enough and exceptions <= min(most * n, share * by_chance)
