"""In which form the score `mixed` reads a column.

==========  =========================================================================================================
`levels`    as it is: one cell for each level
`line`      by its normal score: a straight line through the ranks
steps       cut into intervals, one cell for each; written as the list of cut points
==========  =========================================================================================================

A number is read as a line at first, and may become steps; an ordered column is read by its levels at first, and may
become a line. Every other column has its levels and nothing else; so have ordered columns of two levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from itertools import pairwise
from math import ceil, isfinite
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from paucal.data.discretize import equal_shares, equal_widths, interval_labels, widest_gaps
from paucal.data.steps import numbers_of
from paucal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset

Written: TypeAlias = 'Literal["levels", "line"] | list[float]'  # a form as settings and JSON have it

# steps on offer: how many of equal shares, of equal widths, and between the widest gaps
SHARES = (2, 3, 4, 5, 7)
WIDTHS = (2, 3, 4, 5, 6)
GAPS = (2, 3, 4, 5)
# Rows of a step: so many on average, and in each this share of all, or so many; in fewer some cut always fits noise.
_ROWS_A_STEP, _LEAST_SHARE, _LEAST_ROWS = 10, 0.02, 8
_FEW_VALUES = 12  # of a number with no more each may be a step


@dataclass(frozen=True)
class Form:
    """How a column is read: `"levels"`, `"line"`, or the cut points of its steps."""

    cuts: tuple[float, ...] = ()  # whole numbers if the column has no others
    line: bool = False

    @classmethod
    def of(cls, written: Written) -> Form:
        """Read a form as settings and JSON have it."""
        if written in ("levels", "line"):
            return cls(line=written == "line")
        cuts = tuple(written) if isinstance(written, list | tuple) else ()
        if not cuts or any(not isinstance(c, int | float) for c in cuts) or any(a >= b for a, b in pairwise(cuts)):
            raise ParameterError(
                f"{written!r} is not a form of a column.",
                hint='Give "levels", "line", or cut points that increase.',
                parameter="forms",
                value=written,
            )
        return cls(cuts=cuts)

    @property
    def written(self) -> Written:
        """The form as settings and JSON have it."""
        return list(self.cuts) if self.cuts else "line" if self.line else "levels"

    def __str__(self) -> str:
        return f"steps: {', '.join(interval_labels(self.cuts))}" if self.cuts else str(self.written)

    @property
    def words(self) -> str:
        """The form in words, to be read after the name of the column."""
        if not self.cuts:
            return "as a straight line" if self.line else "by its levels"
        whole = all(isinstance(c, int) for c in self.cuts)
        inner = [_whole(a, b) if whole else f"{a:g} to below {b:g}" for a, b in pairwise(self.cuts)]
        return f"in steps {', '.join([f'< {self.cuts[0]:g}', *inner, f'{self.cuts[-1]:g} and more'])}"


LEVELS, LINE = Form(), Form(line=True)


def told_forms(names: Iterable[str], forms: Mapping[str, Written]) -> dict[str, dict[str, str]]:
    """Give what the details of a result say about forms: nothing if all columns have their levels."""
    return {"forms": {name: str(Form.of(forms[name])) for name in names if name in forms}} if forms else {}


def may_have_forms(data: Dataset, column: int) -> bool:
    """Say whether a column is a number, or ordered with three levels or more: of two the order says nothing."""
    return data.kinds[column] == "number" or (data.kinds[column] == "ordered" and data.cardinalities[column] > 2)


def forms_on_offer(data: Dataset, column: int) -> tuple[Form, ...]:
    """List the forms a column may have, the one it starts with first; equal cuts once."""
    kind, levels = data.kinds[column], data.levels[column]
    counts = np.bincount(data.columns[column], minlength=len(levels))
    if not may_have_forms(data, column) or np.count_nonzero(counts) < 2:
        return (LEVELS,)
    if kind == "ordered":
        return (LEVELS, LINE)
    values = numbers_of(data.names[column], levels)
    if isinstance(levels[0], date | time | timedelta):
        return (LINE,)  # there are no short words for steps of time
    whole = all(isinstance(level, int) for level in levels)
    return (LINE, *(Form(cuts=cuts) for cuts in _steps(values[counts > 0], counts[counts > 0], whole=whole)))


def _steps(values: NDArray[np.float64], counts: NDArray[np.intp], *, whole: bool) -> list[tuple[float, ...]]:
    found = [equal_shares(values, counts, k) for k in SHARES]
    if np.isfinite(values).all():
        found += [equal_widths(values, k) for k in WIDTHS]
        found += [widest_gaps(values, counts, k) for k in GAPS]
    if len(values) <= _FEW_VALUES:
        found.append(values[1:].tolist())
    below, rows = np.append(0, np.cumsum(counts)), int(counts.sum())
    different: dict[bytes, tuple[float, ...]] = {}
    for cuts in found:
        kept = _with_rows(cuts, below[np.searchsorted(values, cuts)], rows)
        if kept and _ROWS_A_STEP * (len(kept) + 1) <= rows:
            written = tuple(ceil(c) for c in kept) if whole else tuple(map(float, kept))
            different.setdefault(np.searchsorted(values, kept).tobytes(), written)
    return list(different.values())


def _with_rows(cuts: Sequence[float], below: NDArray[np.intp], rows: int) -> list[float]:
    """Leave out cut points until every step has rows enough; `below` says how many rows lie below each."""
    least = max(_LEAST_ROWS, _LEAST_SHARE * rows)
    kept: list[float] = []
    last = 0
    for cut, at in zip(cuts, below.tolist(), strict=True):
        if at - last >= least and rows - at >= least and isfinite(cut):  # no cut below infinity can be written
            kept.append(cut)
            last = at
    return kept


def _whole(low: float, above: float) -> str:
    return f"{low:g}" if above - low == 1 else f"{low:g} to {above - 1:g}"
