"""Numbers that are the sum of others: of any two columns, or of several that stand beside each other.

Candidates are recognised by their values in 32 rows, so that all pairs of up to 100 columns cost one pass each over 32
numbers; only what fits there is checked in all rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.kinds import observed_counts
from paucal.inspection.computed import values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from paucal.inspection.describe import Examined

MOST_COLUMNS = 100
_SAMPLE = 32
_FEWEST_ROWS = 20
_FEWEST_VALUES = 5


def sums(columns: Sequence[Examined]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Find totals and their parts."""
    numeric = [one for one in columns if one.taken.kind != "name" and _is_numeric(one)]
    if not 3 <= len(numeric) <= MOST_COLUMNS:
        return
    complete = np.ones(len(numeric[0].clean.codes), bool)
    for one in numeric:
        complete &= one.clean.codes < len(one.clean.levels)
    rows = np.flatnonzero(complete)
    if len(rows) < _FEWEST_ROWS:
        return
    sample = rows[np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE)).astype(np.intp)]
    near = np.array([_values(one)[one.clean.codes[sample]] for one in numeric])
    totals: dict[bytes, int] = {}
    for i, one in enumerate(numeric):
        if np.count_nonzero(observed_counts(one.clean)) >= _FEWEST_VALUES:
            totals.setdefault(_key(near[i]), i)
    told: set[int] = set()
    for parts in _candidates(len(numeric)):
        total = totals.get(_key(near[list(parts)].sum(axis=0)))
        if total is None or total in told or total in parts:
            continue
        whole = sum(_values(numeric[i])[numeric[i].clean.codes[rows]] for i in parts)
        if np.allclose(whole, _values(numeric[total])[numeric[total].clean.codes[rows]], rtol=1e-9, atol=1e-9):
            told.add(total)
            yield numeric[total].name, tuple(numeric[i].name for i in parts)


def _candidates(n: int) -> Iterator[tuple[int, ...]]:
    """All pairs; then neighbours, more of them first, so that a total is told with all its parts."""
    yield from combinations(range(n), 2)
    for size in range(n - 1, 2, -1):
        for start in range(n - size + 1):
            yield tuple(range(start, start + size))


def _is_numeric(one: Examined) -> bool:
    """Tell whether the levels are numbers that differ."""
    return values_of(one.clean) is not None and int(np.count_nonzero(observed_counts(one.clean))) > 1


def _values(one: Examined) -> npt.NDArray[np.float64]:
    return np.array([*map(float, one.clean.levels), np.nan])


def _key(values: npt.NDArray[Any]) -> bytes:
    return (np.round(values, 6) + 0.0).tobytes()
