"""What a column is: the word that decides how a search reads it."""

from __future__ import annotations

import numbers
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from paucal.errors import DataError, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Kind: TypeAlias = Literal["levels", "ordered", "number", "name"]
"""`levels` have no order, `ordered` levels have one, a `number` is measured, a `name` only tells the rows apart.

Codes mean the same for all: positions in the column's levels. The levels of a number are its distinct values, sorted,
and those of an ordered column stand in their order; so ranks come from codes and counts alone.
"""


def numbers_of(name: str, levels: Sequence[Any]) -> NDArray[np.float64]:
    """Give the levels of a number as numbers, in their order; dates as days."""
    try:
        plain = set(map(type, levels)) <= {int, float}
        values = np.array(levels if plain else [_number(level) for level in levels], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        wrong = next((level for level in levels if not isinstance(level, numbers.Real | Decimal)), levels[-1])
        raise DataError(
            f"Column {name!r} is said to be a number, and has the value {short(wrong)}.",
            hint="Name another kind for it, or drop these rows.",
        ) from None
    if np.isnan(values).any() or (np.diff(values) <= 0).any():
        raise DataError(
            f"Column {name!r} is a number, and its {len(levels)} levels do not increase.",
            hint="Sort the levels by value.",
        )
    return values


def _number(level: Any) -> float:
    if isinstance(level, datetime):
        return level.toordinal() + (level - level.replace(hour=0, minute=0, second=0, microsecond=0)) / timedelta(1)
    if isinstance(level, date):
        return float(level.toordinal())
    if isinstance(level, timedelta):
        return level / timedelta(1)
    if isinstance(level, bool | str):
        raise TypeError(level)
    return float(level)
