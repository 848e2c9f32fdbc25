"""Cut numbers into intervals: equal shares, equal widths, or given cut points.

All three end as increasing cut points c1 < c2 < ...; the intervals are closed on the left, so that a cut point at 18
separates 17.9 from 18: `< 18`, `[18, 40)`, `>= 40`. Only the distinct values and how often they occur are looked at.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paucal import checks
from paucal.data.encode import Column, code_type
from paucal.errors import Argument, DataError, DiscretizationWarning, ParameterError, Text, listing, short, warn

Rule: TypeAlias = str | Sequence[float]
Discretize: TypeAlias = str | Mapping[str, Rule] | None
Floats: TypeAlias = npt.NDArray[np.float64]

MOST_VALUES = 20  # numbers with more distinct values are hardly categories
MOST_INTERVALS = 1000

_ALLOWED = "a rule, quantile:N, width:N or a list of cut points; or rules by column"
_SHARES, _WIDTHS = Argument("discretize", "quantile:3"), Argument("discretize", "width:4")
_BY_COLUMN = Argument("discretize", {"age": [18, 40, 65], "income": "quantile:3"})
_EXAMPLES = ("Write ", _SHARES, ", ", _WIDTHS, " or ", _BY_COLUMN, ".")


def discretize_columns(names: Sequence[str], columns: Sequence[Column], how: Discretize) -> list[Column]:
    """Cut the columns that `how` names, or every one of many numbers if it is a single rule."""
    if how is None:
        return list(columns)
    fewer: list[str] = []
    if isinstance(how, str):
        rule = _parse(how)
        chosen = {i: rule for i, column in enumerate(columns) if is_continuous(column) or is_measured(column)}
    elif isinstance(how, Mapping):
        for name in how:
            checks.known("column", name, names)
        chosen = {names.index(name): _parse(rule) for name, rule in how.items()}
    else:
        raise _refused(how, " names no column.")
    result = list(columns)
    for i, (kind, argument) in chosen.items():
        cuts = _cut_points(names[i], columns[i], kind, argument)
        if cuts:
            result[i] = cut(columns[i], cuts)
        if kind != "cuts" and len(cuts) + 1 < argument:
            fewer.append(f"{names[i]!r} ({len(cuts) + 1} of {argument})")
    if fewer:
        problem = f"Equal values leave fewer intervals than asked for: {listing(fewer)}."
        warn(DiscretizationWarning(problem, hint="Ask for fewer, or give cut points."))
    return result


def is_continuous(column: Column) -> bool:
    """Tell whether a column has fractional numbers, or more floating-point values than a discrete one would."""
    if not column.floating:
        return False
    return len(column.levels) > MOST_VALUES or not all(isinstance(level, int) for level in column.levels)


def is_measured(column: Column) -> bool:
    """Tell whether a column has more whole numbers than there would be categories, and does not just name the rows."""
    values = [level for level in column.levels if level is not None]  # None: missing, the last level
    known = np.count_nonzero(column.codes < len(values))
    if column.floating or column.declared or not MOST_VALUES < len(values) < known:
        return False
    return all(isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool) for value in values)


def cut(column: Column, cuts: Sequence[float]) -> Column:
    """Recode a numeric column by the interval that each value falls into."""
    interval = np.searchsorted(cuts, [float(level) for level in column.levels], side="right")
    lookup = np.append(interval, len(cuts) + 1).astype(code_type(len(cuts) + 2))
    return Column(lookup[column.codes], interval_labels(cuts), declared=True)


def interval_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """Name the intervals between cut points."""
    words = [repr(int(c)) if c == c // 1 and abs(c) < 1e16 else repr(float(c)) for c in cuts]
    return (f"< {words[0]}", *(f"[{low}, {high})" for low, high in pairwise(words)), f">= {words[-1]}")


def _parse(rule: object) -> tuple[str, Any]:
    """Turn one rule into its kind and its argument."""
    if isinstance(rule, str):
        match = re.fullmatch(r"(quantile|width):([0-9]{1,9})", rule.strip())
        if match is None:
            raise _refused(rule, " is no rule.")
        if not 2 <= int(match[2]) <= MOST_INTERVALS:
            hint = f"Ask for 2 to {MOST_INTERVALS:,}."
            raise _refused(rule, f" asks for {int(match[2])} intervals.", hint)
        return match[1], int(match[2])
    try:
        cuts = [float(c) for c in rule]  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise _refused(rule, " is no rule.") from error
    if not cuts or not np.isfinite(cuts).all() or any(low >= high for low, high in pairwise(cuts)):
        raise _refused(rule, " are no cut points, which are finite numbers in increasing order.")
    return "cuts", cuts


def _refused(value: object, problem: str, hint: Text = _EXAMPLES) -> ParameterError:
    message = (Argument("discretize", value), problem)
    return ParameterError(message, hint=hint, parameter="discretize", value=value, allowed=_ALLOWED)


def _cut_points(name: str, column: Column, kind: str, argument: Any) -> list[float]:
    """Find the cut points of one column; none if all its values are equal."""
    values, weights = _numbers(name, column)
    if kind == "cuts":
        return list(argument)
    if len(values) < 2:
        return []
    if kind == "quantile":
        return equal_shares(values, weights, argument)
    if not np.isfinite(values).all():
        raise DataError(
            f"Column {name!r} has infinite values: no intervals of equal width cover them.",
            hint=("Use ", Argument("discretize", {name: f"quantile:{argument}"}), " or give cut points."),
        )
    return equal_widths(values, argument)


def _numbers(name: str, column: Column) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the observed values in increasing order and how often each occurs."""
    wrong = [x for x in column.levels if isinstance(x, bool) or not isinstance(x, numbers.Real | Decimal)]
    try:
        values = np.array([float(level) for level in column.levels if not wrong])
    except OverflowError:
        wrong = [max(column.levels, key=abs)]
    if wrong:
        raise DataError(
            f"Column {name!r} cannot be cut into intervals: {short(wrong[0])} is no number that can be.",
            hint=("Leave it out of ", Argument("discretize"), "."),
        )
    weights = np.bincount(column.codes, minlength=len(values) + 1)[: len(values)]
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    return values[order], weights[order]


def equal_shares(values: Floats, weights: npt.NDArray[np.intp], n_intervals: int) -> list[float]:
    """Cut, for each share i/n, between the two distinct values where the cumulative count comes nearest to it.

    Values are distinct and increase, two at least; `weights` are how often each occurs.
    """
    below = np.cumsum(weights)[:-1]  # rows below values[1], values[2], ...
    targets = weights.sum() * np.arange(1, n_intervals) / n_intervals
    right = np.clip(np.searchsorted(below, targets), 0, len(below) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(targets - below[left] <= below[right] - targets, left, right)
    return _rounded(values, values[np.unique(nearest) + 1], digits=1)


def equal_widths(values: Floats, n_intervals: int) -> list[float]:
    """Cut the range of finite values into equal parts."""
    # halves, because the difference of two finite numbers need not be finite
    inner = 2 * np.linspace(values[0] / 2, values[-1] / 2, n_intervals + 1)[1:-1]
    return _rounded(values, np.unique(inner[(inner > values[0]) & (inner <= values[-1])]), digits=3)


def widest_gaps(values: Floats, weights: npt.NDArray[np.intp], n_intervals: int) -> list[float]:
    """Cut half way in the widest gaps between neighbouring finite values, of equal ones in the lowest first.

    A gap is passed over if it would leave an interval of fewer than 3 rows, or than a fiftieth of them.
    """
    below = np.cumsum(weights)[:-1]
    least = max(3.0, weights.sum() / 50)
    ends = [0, int(weights.sum())]  # rows below each cut so far
    chosen: list[int] = []
    for gap in np.argsort(values[:-1] / 2 - values[1:] / 2, kind="stable").tolist():
        if len(chosen) == n_intervals - 1:
            break
        at = int(below[gap])
        if min(abs(at - end) for end in ends) >= least:
            chosen.append(gap)
            ends.append(at)
    middle = np.array([values[gap] / 2 + values[gap + 1] / 2 for gap in sorted(chosen)])
    return _rounded(values, middle, digits=1)


def _rounded(values: Floats, cuts: Floats, digits: int) -> list[float]:
    """Round each cut point, to `digits` significant digits or more, so that every value stays in its interval.

    Labels are then short, and exact, because the rounded points are the ones that cut.
    """
    rounded = []
    for i, point in enumerate(cuts.tolist()):
        right = int(np.searchsorted(values, point))
        # between the neighbouring values, and no further than half the way to the next cut point
        low = max(values[right - 1], cuts[i - 1] / 2 + point / 2 if i > 0 else -math.inf)
        high = min(values[right], cuts[i + 1] / 2 + point / 2 if i + 1 < len(cuts) else math.inf)
        rounded.append(_short_number(point, low, high, digits))
    return rounded


def _short_number(point: float, low: float, high: float, digits: int) -> float:
    """Find a number near `point` that is above `low`, not above `high`, and has few digits."""
    if not math.isfinite(point) or point == 0:
        return point
    exact = Decimal(repr(point))
    for n in range(digits, 17):
        unit = Decimal(1).scaleb(exact.adjusted() - n + 1)
        for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR):
            candidate = float(exact.quantize(unit, rounding))
            if low < candidate <= high:
                return candidate
    return point
