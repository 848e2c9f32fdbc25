"""What a column is: the word that decides how a search reads it, and why it was taken for that."""

from __future__ import annotations

import numbers
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from paucal.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from paucal.data.encode import Column, Label

Kind: TypeAlias = Literal["levels", "ordered", "number", "name"]
"""`levels` have no order, `ordered` levels have one, a `number` is measured, a `name` only tells the rows apart.

Codes mean the same for all: positions in the column's levels. The levels of a number are its distinct values, sorted,
and those of an ordered column stand in their order; so ranks come from codes and counts alone.
"""

CUT: Final[str | None] = None
"""How numbers are cut where nobody says how. None leaves them whole: score `mixed` and test `auto` take numbers."""
CUT_WITH_GAPS: Final = "quantile:3"
"""How a number is cut whose gaps become a level: what is missing has no place among the values."""

MOST_VALUES = 20  # whole numbers with more distinct values are hardly categories
FEWEST_ROWS = 10  # below that, a column that differs in every row is no surprise
ALONE = 4  # a column names the rows if more than a fourth of them are alone in their level
_FEW_STEPS = 5  # declared measurements with no more values are taken as levels
ENOUGH_ROWS = 50  # to tell by the holes between values whether they were counted or measured
_SURELY_REPEATED = 4.6  # expected repeats; without any, chance has a probability below one in a hundred
_CODE_DIGITS = 5  # whole numbers that all have so many digits or more, and hardly repeat, are codes
_YEARS = (1500, 2100)
_EXACT_FLOATS = 2**53  # whole numbers up to it are floats of their own


class Taken(NamedTuple):
    """What a column was taken for, and why in plain words."""

    kind: Kind
    why: str


def rows_alone(column: Column) -> int:
    """Count the rows that are alone in their level, if there are so many that the column tells rows apart; else 0."""
    counts = observed_counts(column)
    alone, present = int(np.count_nonzero(counts == 1)), int(counts.sum())
    return alone if present >= FEWEST_ROWS and ALONE * alone > present else 0


def decide(column: Column) -> Taken:
    """Tell what a column is from its values alone; neither its name nor the order of the rows matters.

    >>> from paucal.data.encode import encode_objects
    >>> decide(encode_objects("age", [18 + i % 25 for i in range(60)]))
    Taken(kind='number', why='25 different whole numbers in 60 rows')
    >>> decide(encode_objects("id", [f"p{i}" for i in range(60)])).kind
    'name'
    """
    counts = observed_counts(column)
    present, different = int(counts.sum()), int(np.count_nonzero(counts))
    sort = sort_of(column)
    rows = counted(present, "row")
    if sort in ("whole", "fraction") and not column.declared and _too_close(column.levels):
        kind: Kind = "name" if different > MOST_VALUES else "levels"
        return Taken(kind, f"{different:,} different numbers in {rows}, too long for measurements, like codes")
    if sort == "fraction":
        return Taken("number", f"{different:,} different fractional numbers in {rows}")
    if sort == "time":
        return Taken("number", f"{different:,} different dates or times in {rows}")
    hardly_repeats = rows_alone(column)
    if sort == "whole" and not column.declared:
        if hardly_repeats and _is_code(column, counts):
            return Taken("name", f"{different:,} different whole numbers in {rows}, like row numbers or codes")
        if different > MOST_VALUES or hardly_repeats or (column.number and different > _FEW_STEPS):
            return Taken("number", f"{different:,} different whole numbers in {rows}")
    if hardly_repeats:
        return Taken("name", f"{hardly_repeats:,} of {rows} have a value that no other row has")
    if column.ordered and different > 2:  # two levels have no order that matters
        return Taken("ordered", f"{different:,} levels with a declared order")
    return Taken("levels", f"{counted(different, 'different value')} in {rows}")


def observed_counts(column: Column) -> npt.NDArray[np.int64]:
    """Count the rows of every level; the missing ones are left out."""
    return column.counts[: len(column.levels)]


Sort: TypeAlias = Literal["fraction", "whole", "boolean", "time", "text", "mixed"]


def sort_of(column: Column) -> Sort:
    """Tell what the levels of a column are."""
    kinds = set(map(type, column.levels)) - {type(None)}
    if not kinds:
        return "text"
    found = {_sort(kind) for kind in kinds}
    if found <= {"whole", "fraction"}:
        if found == {"whole"}:
            return "whole"
        return "fraction" if not all(map(_is_whole, column.levels)) else "whole"
    return found.pop() if len(found) == 1 else "mixed"


def _sort(kind: type) -> Sort:
    if issubclass(kind, bool):
        return "boolean"
    if issubclass(kind, int):
        return "whole"
    if issubclass(kind, numbers.Real | Decimal):
        return "fraction"
    return "time" if issubclass(kind, date | datetime | time | timedelta) else "text"


def _is_whole(level: Label) -> bool:
    return level is None or bool(
        level == level.to_integral_value() if isinstance(level, Decimal) else level == level // 1
    )


def _too_close(levels: Sequence[Label]) -> bool:
    """Tell whether numbers have more digits than floats, so that different ones are one float."""
    if all(type(level) is float or (type(level) is int and abs(level) <= _EXACT_FLOATS) for level in levels):
        return False
    try:
        return len(set(map(float, levels))) < len(levels)
    except OverflowError:
        return True


def are_years(column: Column) -> bool:
    """Tell whether whole numbers can all be years, which say when something was measured."""
    seen = np.flatnonzero(observed_counts(column))
    return len(seen) > 0 and _YEARS[0] <= column.levels[seen[0]] <= column.levels[seen[-1]] <= _YEARS[1]


def _is_code(column: Column, counts: npt.NDArray[np.intp]) -> bool:
    """Tell codes of whole numbers that hardly repeat from measurements.

    Codes count the rows without many holes; or they repeat less often than numbers drawn at random from their range
    would, and those would repeat least of all measurements; or all of them have the same many digits, and are not round
    as amounts of money are.
    """
    values = [level for level, count in zip(column.levels, counts, strict=True) if count]
    n_rows, span = int(counts.sum()), values[-1] - values[0] + 1
    if len(values) == n_rows and span <= len(values) * 5 / 4:
        return True
    repeats, expected = float((counts * (counts - 1)).sum() / 2), n_rows * (n_rows - 1) / (2 * span)
    if repeats < expected - 3 * expected**0.5 or (repeats == 0 and expected > _SURELY_REPEATED):
        return True
    if 2 * sum(value % 10 == 0 for value in values) > len(values):
        return False
    digits = {len(str(value)) for value in values}
    return n_rows >= ENOUGH_ROWS and values[0] >= 0 and len(digits) == 1 and digits.pop() >= _CODE_DIGITS
