"""One column of values -> codes and levels.

Every source ends in `column`: distinct values in any order, and for each row the position of its value. There the
one rule for the order of levels is applied: declared levels keep their order; numbers, booleans, dates and times are
sorted by value; text is sorted by code point. So the result depends neither on the order of the rows nor on where they
came from.
"""

from __future__ import annotations

import numbers
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from paucal.data.weights import Weights, level_counts
from paucal.errors import DataError, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Label = Any
Codes = npt.NDArray[Any]

_ONE_VALUE = "Every cell must be one value: a text, a number, a boolean or a date."
HALF_HINT = "Was a file read in the wrong encoding, or with errors='surrogateescape'? Read it again."
_HALF = re.compile("[\ud800-\udfff]")
_EXACT_FLOATS = 2**53  # whole floats below it are exactly one integer


@dataclass(frozen=True)
class Column:
    """Codes 0..K-1 into K levels; the code K stands for a missing value."""

    codes: Codes
    levels: tuple[Label, ...]
    declared: bool = False  # the levels stand even where no row has them
    floating: bool = False  # the values came as floating-point numbers
    title: str = ""  # what the file itself says the column is about
    ordered: bool = False  # the file or the frame declares an order of the levels
    unordered: bool = False  # the frame declares that the order of the levels means nothing
    number: bool = False  # the file declares a measurement
    no_answer: tuple[Label, ...] = ()  # levels that the file declares to mean that there is no answer
    tells: bool = False  # about the rows, such as what was set in them: nothing to learn from, and taken as it is
    weights: Weights | None = None  # how many equal rows each stands for, the same in all columns of a table

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes) if self.weights is None else int(self.weights.sum(dtype=np.int64))

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return int(self.counts[len(self.levels)])

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of rows of every level, and at the end of those without a value; read-only."""
        counts = level_counts(self.codes, len(self.levels) + 1, self.weights)
        counts.flags.writeable = False
        return counts

    def take(self, rows: npt.NDArray[np.bool_]) -> Column:
        """Keep the rows of a mask."""
        return replace(self, codes=self.codes[rows], weights=None if self.weights is None else self.weights[rows])

    @property
    def observed(self) -> npt.NDArray[np.bool_]:
        """Which levels at least one row has."""
        return self.counts[: len(self.levels)] > 0

    def telling(self) -> Column:
        """Take it as a column that tells about the rows: levels as text, and one more for rows without a value."""
        levels = tuple(map(str, self.levels))
        labels = (*levels, None) if self.n_missing else levels
        return Column(self.codes, labels, declared=True, tells=True, weights=self.weights)

    def without_unobserved(self) -> Column:
        """Leave out the levels that no row has."""
        keep = self.observed
        if keep.all():
            return self
        levels = tuple(level for level, kept in zip(self.levels, keep, strict=True) if kept)
        lookup = np.append(np.cumsum(keep) - 1, len(levels)).astype(code_type(len(levels) + 1))
        return replace(self, codes=lookup[self.codes], levels=levels)

    def narrowed(self) -> Column:
        """Give the codes their final type, with room for a missing code only where one occurs."""
        room = len(self.levels) + (self.n_missing > 0)
        return replace(self, codes=self.codes.astype(code_type(room), copy=False))


def code_type(n_values: int) -> npt.DTypeLike:
    """Return the narrowest unsigned type that holds 0..n_values-1."""
    if n_values <= 1 << 8:
        return np.uint8
    return np.uint16 if n_values <= 1 << 16 else np.uint32


def column(name: str, codes: Codes, values: Iterable[Any], *, declared: bool = False) -> Column:
    """Order the levels and recode the rows.

    `codes` has for each row the position of its value in `values`; -1 or the number of values is missing. Values may be
    equal, or missing (None, NaN, NaT). Declared ones are kept as levels, in their order, observed or not.
    """
    labels = _plain_labels(values)
    levels = list(dict.fromkeys(label for label in labels if label is not None))
    if (half := half_character(label for label in levels if isinstance(label, str))) is not None:
        raise DataError(f"Column {name!r} holds {half!a}, in which half a character stands alone.", hint=HALF_HINT)
    floating = False
    if not declared:
        levels, floating = _order(name, levels)
    position = {level: code for code, level in enumerate(levels)}
    missing = len(levels)
    # the extra entry at the end is what a missing row finds
    lookup = np.array([*(position.get(label, missing) for label in labels), missing], code_type(missing + 1))
    return Column(lookup[codes], tuple(levels), declared, floating)


def half_character(texts: Iterable[str]) -> str | None:
    """Find a text with half of a surrogate pair, which no file can hold."""
    return next((text for text in texts if not text.isascii() and _HALF.search(text)), None)


def encode_array(name: str, array: npt.NDArray[Any]) -> Column:
    """Encode a one-dimensional NumPy array of any type."""
    if isinstance(array, np.ma.MaskedArray):
        present = ~np.ma.getmaskarray(array)
        return spread(encode_array(name, np.asarray(array[present])), present)
    if array.dtype.kind in "OUSV":
        return encode_objects(name, array.tolist())
    distinct, codes = np.unique(array, return_inverse=True)
    return column(name, codes, _times(distinct) if array.dtype.kind in "mM" else distinct.tolist())


def encode_objects(name: str, values: Sequence[Any]) -> Column:
    """Encode Python objects, which must all be of one kind."""
    codes, distinct = number(name, values)
    for kind in set(map(type, distinct)):
        if kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__:  # type: ignore[comparison-overlap]
            # its text would be an address in memory, another one in every run
            problem = f"Column {name!r} holds objects of type {kind.__name__} that have no text."
            raise DataError(problem, hint=_ONE_VALUE)
    if {"boolean", "number"} <= {_kind(kind) for kind in set(map(type, values))}:
        # True == 1 == 1.0 for Python: look at every value, since equal ones share a code from here on
        example = next((v for v in values if _kind(type(v)) == "number" and plain_label(v) is not None), None)
        if example is not None:
            raise _mixed(name, {"boolean": True, "number": example})
    return column(name, codes, distinct)


def number(name: str, values: Sequence[Any]) -> tuple[Codes, list[Any]]:
    """Number the distinct values in order of appearance; return the number of each row's value, and the values."""
    positions: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(positions.__getitem__, values), np.intp, count=len(values))
    except TypeError as error:
        nested = next((value for value in values if _unhashable(value)), None)
        problem = f"Column {name!r} holds values of type {type(nested).__name__}, such as {short(nested)}."
        raise DataError(problem, hint=_ONE_VALUE) from error
    return codes, list(positions)


def spread(part: Column, present: npt.NDArray[np.bool_]) -> Column:
    """Put the rows of `part` where `present` is true and a missing value elsewhere."""
    codes = np.full(len(present), len(part.levels), part.codes.dtype)
    codes[present] = part.codes
    return replace(part, codes=codes)


def in_universal_time(name: str, times: Column) -> Column:
    """Give the labels of a column, which are in universal time, their time zone back."""
    if not all(isinstance(label, datetime) for label in times.levels):  # too fine or too far: they are text
        return times
    return column(name, times.codes, [label.replace(tzinfo=UTC) for label in times.levels])


def _order(name: str, levels: list[Label]) -> tuple[list[Label], bool]:
    """Sort levels that nobody declared; say whether they are floating-point numbers."""
    by_type = {type(level): level for level in reversed(levels)}
    examples = {_kind(kind) or "": level for kind, level in by_type.items()}
    if len(examples) > 1:
        raise _mixed(name, examples)
    floating = any(issubclass(kind, float | Decimal) for kind in by_type)
    if floating and all(abs(level) < _EXACT_FLOATS and level == level // 1 for level in levels):
        levels = [int(level) for level in levels]
    elif {type(level) for level in levels} == {int, float}:
        levels = [float(level) if abs(level) < _EXACT_FLOATS else level for level in levels]
    try:
        return sorted(levels), floating
    except TypeError as error:  # times with and without time zone, Decimal beside Fraction
        raise DataError(
            f"The values of column {name!r} cannot be put in order: {error}.",
            hint="Make them one type, for example all text.",
        ) from error


def _mixed(name: str, examples: dict[str, Any]) -> DataError:
    found = " and ".join(f"{kind} ({short(value)})" for kind, value in examples.items())
    return DataError(
        f"Column {name!r} mixes kinds of values: {found}.",
        hint=f"Make them one kind, for example all text: df[{name!r}].map(str, na_action='ignore') in pandas.",
    )


# the order matters: a boolean is a number and a date with time is a date, for Python
_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool, np.bool_), "boolean"),
    ((numbers.Real, Decimal), "number"),
    ((str,), "text"),
    ((bytes,), "bytes"),
    ((datetime,), "date and time"),
    ((date,), "date"),
    ((time,), "time"),
    ((timedelta,), "duration"),
)


def _kind(kind: type) -> str | None:
    return next((word for types, word in _KINDS if issubclass(kind, types)), None)


def _plain_labels(values: Iterable[Any]) -> list[Label]:
    """Turn values into plain Python scalars, and whatever is missing into None."""
    labels = list(values)
    kinds = {*map(type, labels)}
    if kinds <= {str, int, bool, type(None)}:
        return labels
    if kinds <= {float, int, type(None)}:
        return [None if label != label else label for label in labels]  # noqa: PLR0124 - only NaN differs from itself
    return [plain_label(value) for value in labels]


def plain_label(value: Any) -> Label:
    """Turn a value into a plain Python scalar, and what is missing into None."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _times(np.array([value]))[0]
    if isinstance(value, np.generic):
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    if isinstance(value, numbers.Complex) and value != value:  # noqa: PLR0124 - only NaN differs from itself
        return None
    if isinstance(value, datetime | timedelta):
        return _plain_time(value)
    return value if _kind(type(value)) else str(value)


def _plain_time(value: Any) -> Label:
    """Turn pandas' Timestamp and Timedelta into Python's types, unless they are finer than these."""
    if hasattr(value, "to_pydatetime") and not value.nanosecond:
        return value.to_pydatetime()
    if hasattr(value, "to_pytimedelta") and not value.nanoseconds:
        return value.to_pytimedelta()
    return value


def _times(distinct: npt.NDArray[Any]) -> list[Label]:
    """Turn NumPy times into Python's; into text where Python's are too coarse or too narrow."""
    unit = np.datetime_data(distinct.dtype)[0]
    fine = distinct if unit in "YMWD" else distinct.astype(f"{distinct.dtype.kind}8[us]")
    labels: list[Label] = fine.tolist()
    known = {type(label) for label in labels if label is not None} <= {date, datetime, timedelta}
    exact = np.array_equal(fine.astype(distinct.dtype)[~np.isnat(distinct)], distinct[~np.isnat(distinct)])
    if known and exact:
        return labels
    return [None if np.isnat(value) else str(value) for value in distinct]


def _unhashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False
