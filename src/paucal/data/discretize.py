"""Cut numbers into intervals: equal shares, equal widths, or given cut points.

All three end as increasing cut points c1 < c2 < ...; the intervals are closed on the left, so that a cut point at 18
separates 17.9 from 18: `< 18`, `[18, 40)`, `>= 40`. Only the distinct values and how often they occur are looked at.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paucal import checks
from paucal.data.encode import Column, code_type
from paucal.data.kinds import MOST_VALUES, Kind, sort_of
from paucal.errors import Argument, DataError, DiscretizationWarning, ParameterError, Text, listing, short, warn

Point: TypeAlias = float | date | datetime | time | timedelta
Rule: TypeAlias = str | Sequence[Point]
Discretize: TypeAlias = str | Mapping[str, Rule] | None
Floats: TypeAlias = npt.NDArray[np.float64]

MOST_INTERVALS = 1000
_GAP_DIGITS = 9  # of the widest gap, or of the range: what differs by less is equal but for rounding

_ALLOWED = "a rule, quantile:N, width:N or a list of cut points; or rules by column"
_SHARES, _WIDTHS = Argument("discretize", "quantile:3"), Argument("discretize", "width:4")
_BY_COLUMN = Argument("discretize", {"age": [18, 40, 65], "income": "quantile:3"})
_EXAMPLES = ("Write ", _SHARES, ", ", _WIDTHS, " or ", _BY_COLUMN, ".")


def discretize_columns(
    names: Sequence[str], columns: Sequence[Column], how: Discretize, kinds: Mapping[str, Kind] = MappingProxyType({})
) -> list[Column]:
    """Cut the columns that `how` names, or every one of many numbers if it is a single rule.

    A single rule goes by `kinds` where they say of a column whether it is a number.
    """
    if how is None:
        return list(columns)
    fewer: list[str] = []
    if isinstance(how, str):
        rule = _parse(how)
        looks = [is_continuous(column) or is_measured(column) for column in columns]
        is_number = {name: kind == "number" for name, kind in kinds.items()}
        chosen = {i: rule for i, name in enumerate(names) if is_number.get(name, looks[i])}
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


def check_rules(how: Discretize) -> None:
    """Refuse what is no rule, whatever the data are."""
    if isinstance(how, Mapping):
        for rule in how.values():
            _parse(rule)
    elif isinstance(how, str):
        _parse(how)
    elif how is not None:
        raise _refused(how, " names no column.")


def is_continuous(column: Column) -> bool:
    """Tell whether a column has fractional numbers, or more floating-point values than a discrete one would."""
    if not column.floating:
        return False
    return len(column.levels) > MOST_VALUES or not all(isinstance(level, int) for level in column.levels)


def is_measured(column: Column) -> bool:
    """Tell whether a column has more whole numbers than there would be categories, and does not just name the rows."""
    values = [level for level in column.levels if level is not None]  # None: missing, the last level
    known = int(column.counts[: len(values)].sum())
    if column.floating or column.declared or not MOST_VALUES < len(values) < known:
        return False
    return all(isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool) for value in values)


def cut(column: Column, cuts: Sequence[Point]) -> Column:
    """Recode a column of numbers or times by the interval that each value falls into."""
    interval = np.searchsorted([measure(c) for c in cuts], [measure(level) for level in column.levels], side="right")
    lookup = np.append(interval, len(cuts) + 1).astype(code_type(len(cuts) + 2))
    codes, labels = lookup[column.codes], interval_labels(cuts)
    return Column(codes, labels, declared=True, title=column.title, weights=column.weights)


def interval_labels(cuts: Sequence[Point]) -> tuple[str, ...]:
    """Name the intervals between cut points.

    >>> interval_labels([18, 40.5])
    ('< 18', '[18, 40.5)', '>= 40.5')
    """
    words = [_point_text(c) for c in cuts]
    return (f"< {words[0]}", *(f"[{low}, {high})" for low, high in pairwise(words)), f">= {words[-1]}")


def are_intervals(labels: Sequence[object]) -> bool:
    """Say whether labels name intervals in their order, as `interval_labels` writes them.

    >>> are_intervals(["< 18", "[18, 40.5)", ">= 40.5"]), are_intervals(["no", "yes"])
    (True, False)
    """
    words = [str(label) for label in labels]
    if len(words) < 2 or not words[0].startswith("< ") or not words[-1].startswith(">= "):
        return False
    return all(word.startswith("[") and word.endswith(")") and ", " in word for word in words[1:-1])


def with_value(name: str, label: str, labels: Sequence[object]) -> str:
    """Say that a column has a value: intervals need no equals sign.

    >>> cut = ["< 18", "[18, 40.5)", ">= 40.5"]
    >>> with_value("age", "< 18", cut), with_value("age", "[18, 40.5)", cut), with_value("smoke", "no", ["no", "yes"])
    ('age < 18', 'age in [18, 40.5)', 'smoke = no')
    """
    return f"{name} {relation(label, labels)}{label}"


def relation(label: str, labels: Sequence[object]) -> str:
    """Give what belongs between a column and one of its labels: "< 30" and "[30, 45)" need no equals sign."""
    if not are_intervals(labels):
        return "= "
    return "in " if label.startswith("[") else ""


def _point_text(point: Point) -> str:
    if not isinstance(point, numbers.Real):
        return str(point)
    return repr(int(point)) if point == point // 1 and abs(point) < 1e16 else repr(float(point))


def measure(value: Any) -> float:
    """Give a number, a date (in days), a time of day or a duration (in seconds) as a number."""
    if isinstance(value, datetime):
        zone = None if value.tzinfo is None else UTC
        return (value - datetime(1, 1, 1, tzinfo=zone)) / timedelta(days=1) + 1
    if isinstance(value, date):
        return float(value.toordinal())
    if isinstance(value, time):
        return value.hour * 3600.0 + value.minute * 60 + value.second + value.microsecond / 1e6
    return value.total_seconds() if isinstance(value, timedelta) else float(value)


def _parse(rule: object) -> tuple[str, Any]:
    """Turn one rule into its kind and its argument."""
    if isinstance(rule, str):
        match = re.fullmatch(r"(quantile|width):([0-9]{1,9})", rule.strip())
        if match is None:
            raise _refused(rule, " is not a rule.")
        if not 2 <= int(match[2]) <= MOST_INTERVALS:
            hint = f"Ask for 2 to {MOST_INTERVALS:,}."
            raise _refused(rule, f" asks for {int(match[2])} intervals.", hint)
        return match[1], int(match[2])
    try:
        cuts = [_point(c) for c in rule]  # type: ignore[attr-defined]
        along = [measure(c) for c in cuts]
    except (TypeError, ValueError) as error:
        raise _refused(rule, " is not a rule.") from error
    if not cuts or not np.isfinite(along).all() or any(low >= high for low, high in pairwise(along)):
        raise _refused(rule, " are not cut points, which must be finite numbers in increasing order.")
    return "cuts", cuts


def _point(value: Any) -> Point:
    """Read one cut point: a number, a date or a time; the last two also as text."""
    if isinstance(value, str):
        for kind in (date, datetime, time):
            with suppress(ValueError):
                return kind.fromisoformat(value)
    return value if isinstance(value, date | time | timedelta) else float(value)


def _refused(value: object, problem: str, hint: Text = _EXAMPLES) -> ParameterError:
    message = (Argument("discretize", value), problem)
    return ParameterError(message, hint=hint, parameter="discretize", value=value, allowed=_ALLOWED)


def cut_points(name: str, column: Column, rule: Rule) -> list[Point]:
    """Find where a rule cuts a column; nowhere if all its values are equal."""
    return _cut_points(name, column, *_parse(rule))


def _cut_points(name: str, column: Column, kind: str, argument: Any) -> list[Point]:
    values, weights = _numbers(name, column)
    if kind == "cuts":
        _refuse_other_sort(name, column, argument)
        return list(argument)
    if len(values) < 2:
        return []
    if sort_of(column) == "time":
        cuts = _equal_shares(values, weights, argument) if kind == "quantile" else _inner(values, argument)
        return _times_at(column, cuts)
    if kind == "quantile":
        return [*equal_shares(values, weights, argument)]
    if not np.isfinite(values).all():
        raise DataError(
            f"Column {name!r} has infinite values: no intervals of equal width cover them.",
            hint=("Use ", Argument("discretize", {name: f"quantile:{argument}"}), " or give cut points."),
        )
    return [*equal_widths(values, argument)]


def _inner(values: Floats, n_intervals: int) -> Floats:
    """Give the inner ends of intervals of equal width."""
    # halves, because the difference of two finite numbers need not be finite
    inner = 2 * np.linspace(values[0] / 2, values[-1] / 2, n_intervals + 1)[1:-1]
    # where a value is meant, rounding must not put the cut just above it
    meant = values[np.clip(np.searchsorted(values, inner), 1, len(values) - 1) - 1]
    inner = np.where(inner / 2 - meant / 2 < 10**-_GAP_DIGITS * (values[-1] / 2 - values[0] / 2), meant, inner)
    return np.unique(inner[(inner > values[0]) & (inner <= values[-1])])


def _times_at(column: Column, cuts: Floats) -> list[Point]:
    """Give for each cut the first date or time that is not before it."""
    levels = sorted(column.levels, key=measure)
    places = np.searchsorted([measure(level) for level in levels], cuts)
    return [levels[place] for place in dict.fromkeys(places.tolist())]


def _refuse_other_sort(name: str, column: Column, cuts: Sequence[Point]) -> None:
    """Refuse numbers as cut points of dates, and dates as those of numbers."""
    timed = sort_of(column) == "time"
    for point in cuts:
        if isinstance(point, numbers.Real) == timed:
            holds = "dates or times" if timed else "numbers"
            raise DataError(
                f"Column {name!r} holds {holds} and cannot be cut at {short(point)}.", hint=f"Cut it at {holds}."
            )


def _numbers(name: str, column: Column) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the observed values in increasing order and how often each occurs."""
    kinds = (numbers.Real, Decimal, date, time, timedelta)
    wrong = [x for x in column.levels if isinstance(x, bool) or not isinstance(x, kinds)]
    try:
        values = np.array([measure(level) for level in column.levels if not wrong])
    except OverflowError:
        wrong = [max(column.levels, key=abs)]
    if wrong:
        raise DataError(
            f"Column {name!r} cannot be cut into intervals: {short(wrong[0])} is not a number that can be cut.",
            hint=("Leave it out of ", Argument("discretize"), "."),
        )
    weights = column.counts[: len(values)]
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    return values[order], weights[order]


def equal_shares(values: Floats, weights: npt.NDArray[np.intp], n_intervals: int) -> list[float]:
    """Cut into equal shares at short numbers; values are distinct and increase, `weights` are how often each occurs."""
    return _rounded(values, _equal_shares(values, weights, n_intervals), digits=1)


def equal_widths(values: Floats, n_intervals: int) -> list[float]:
    """Cut the range of finite values into equal parts, at short numbers."""
    return _rounded(values, _inner(values, n_intervals), digits=3)


def _equal_shares(values: Floats, weights: npt.NDArray[np.intp], n_intervals: int) -> Floats:
    """Cut, for each share i/n, between the two distinct values where the cumulative count comes nearest to it."""
    below = np.cumsum(weights)[:-1]  # rows below values[1], values[2], ...
    targets = weights.sum() * np.arange(1, n_intervals) / n_intervals
    right = np.clip(np.searchsorted(below, targets), 0, len(below) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(targets - below[left] <= below[right] - targets, left, right)
    cuts: Floats = values[np.unique(nearest) + 1]
    return cuts


def widest_gaps(values: Floats, weights: npt.NDArray[np.intp], n_intervals: int) -> list[float]:
    """Cut half way in the widest gaps between neighbouring finite values, of equal ones in the lowest first.

    A gap is passed over if it would leave an interval of fewer than 3 rows, or than a fiftieth of them.
    """
    below = np.cumsum(weights)[:-1]
    least = max(3.0, weights.sum() / 50)
    ends = [0, int(weights.sum())]  # rows below each cut so far
    chosen: list[int] = []
    width = values[1:] / 2 - values[:-1] / 2
    # in tenths equal gaps differ in their last bits, which must not choose among them
    widest = float(width.max()) or 1.0  # halves of the smallest numbers are 0
    for gap in np.argsort(-np.round(width / widest, _GAP_DIGITS), kind="stable").tolist():
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
        rounded.append(short_number(point, low, high, digits))
    return rounded


def short_number(point: float, low: float, high: float, digits: int) -> float:
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
