"""The values of numbers; and numbers in a few steps of equal shares, for whatever counts levels."""

from __future__ import annotations

import math
import numbers
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.discretize import equal_shares, interval_labels, measure
from paucal.data.encode import code_type
from paucal.data.weights import level_counts
from paucal.errors import Argument, DataError, PreparationWarning, listing, short, warn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.data.dataset import Dataset
    from paucal.data.encode import Codes


NUMBER_STEPS = 3  # of a number, where levels are counted: effects, fitted networks, planning
_MOST_GIVEN = 100  # steps of a number that is conditioned on
_FEW_GIVEN = 12  # values of one that has a step for each
_SHOWN = 5  # numbers of which the steps are told


def numbers_of(name: str, levels: Sequence[Any]) -> NDArray[np.float64]:
    """Give the levels of a number as numbers, in their order; dates as days."""
    fits = (numbers.Real, Decimal, date, time, timedelta)
    plain = set(map(type, levels)) <= {int, float}
    wrong = [] if plain else [x for x in levels if isinstance(x, bool) or not isinstance(x, fits)]
    try:
        values = np.array(levels if plain else [measure(x) for x in levels if not wrong], dtype=np.float64)
    except (TypeError, OverflowError):  # numbers that no float holds, or dates with and without a time zone
        wrong = [max(levels, key=str)]
    if wrong:
        raise DataError(
            f"Column {name!r} is said to be a number, and has the value {short(wrong[0])}.",
            hint="Name another kind for it, or drop these rows.",
        )
    if (np.diff(values) == 0).any():
        first = int(np.flatnonzero(np.diff(values) == 0)[0])
        raise DataError(
            f"Column {name!r} is said to be a number, and floating point cannot tell {short(levels[first])} from "
            f"{short(levels[first + 1])}.",
            hint="Take it as levels or as a name, or subtract what its values have in common.",
        )
    if np.isnan(values).any() or (np.diff(values) <= 0).any():
        raise DataError(
            f"Column {name!r} is a number, and its {len(levels)} levels do not increase.",
            hint="Sort the levels by value.",
        )
    return values


def steps_of(
    data: Dataset, column: int, n_steps: int, cuts: Sequence[float] | None = None
) -> tuple[Codes, tuple[str, ...]]:
    """Give a number in steps of equal shares, fewer if it has fewer values, or by cuts: codes (as kept) and labels."""
    codes, levels = data.distinct[column], data.levels[column]
    counts = level_counts(codes, len(levels), data.weights)[: len(levels)]
    values = numbers_of(data.names[column], levels)
    gap = codes == len(levels)  # stays one: the code after the last step
    if np.count_nonzero(counts) < 2:
        return gap.astype(np.uint8), (str(levels[int(counts.argmax())]),)
    if cuts is None:
        cuts = equal_shares(values[counts > 0], counts[counts > 0], n_steps)
    steps = [*np.searchsorted(cuts, values, side="right").tolist(), len(cuts) + 1]
    step = np.array(steps, dtype=code_type(len(cuts) + 1 + bool(gap.any())))
    points = (
        cuts if isinstance(levels[0], numbers.Real | Decimal) else [levels[i] for i in np.searchsorted(values, cuts)]
    )
    return step[codes], interval_labels(points)


def given_in_steps(data: Dataset, column: int) -> tuple[Codes, tuple[str, ...]]:
    """Give a number as it is conditioned on: half the square root of the rows as many steps of equal shares, 3 to 100.

    Within a step the number still varies, and what depends on it is not independent there. In three steps a test of two
    columns that only depend on the number rejects nearly always with 1,000 rows; in so many, about as often as it may.
    Two such numbers leave four rows in a cell. A number with few values, such as a dose, has a step for each.
    """
    codes, levels = data.distinct[column], data.levels[column]
    seen = level_counts(codes, len(levels), data.weights)[: len(levels)] > 0
    few = np.count_nonzero(seen) <= _FEW_GIVEN
    each = numbers_of(data.names[column], levels)[seen][1:].tolist() if few else None
    return steps_of(data, column, max(NUMBER_STEPS, min(round(math.sqrt(data.n_rows) / 2), _MOST_GIVEN)), each)


def counted_levels(data: Dataset) -> tuple[int, ...]:
    """Say how many levels of each column are counted where levels are: of a number its steps."""
    kinds = zip(data.cardinalities, data.kinds, strict=True)
    return tuple(min(k, NUMBER_STEPS) if kind == "number" else k for k, kind in kinds)


def in_steps(data: Dataset, n_steps: int, cuts: Mapping[str, Sequence[float]] | None = None) -> Dataset:
    """Give the data with every number cut into steps, which are ordered levels; some perhaps by cuts of their own."""
    if "number" not in data.kinds:
        return data
    columns, levels, own = list(data.distinct), list(data.levels), cuts or {}
    for v, (name, kind) in enumerate(zip(data.names, data.kinds, strict=True)):
        if kind == "number":
            columns[v], levels[v] = steps_of(data, v, n_steps, own.get(name))
    kinds = tuple("ordered" if kind == "number" else kind for kind in data.kinds)
    return replace(data, columns=tuple(columns), levels=tuple(levels), kinds=kinds)


def in_told_steps(data: Dataset, used: Collection[str], cuts: Mapping[str, Sequence[float]] | None = None) -> Dataset:
    """Give the data in the usual steps, and warn of those that are used: a network has levels instead of numbers."""
    found = in_steps(data, NUMBER_STEPS, cuts)
    numbers = [name for name, kind in zip(data.names, data.kinds, strict=True) if kind == "number" and name in used]
    if numbers:
        levels = dict(zip(found.names, found.levels, strict=True))
        told = [f"{name} into {', '.join(levels[name])} ({_whence(name, cuts)})" for name in numbers]
        problem = f"Numbers are cut into steps: {listing(told, _SHOWN)}."
        own = (Argument("discretize", {numbers[0]: "quantile:5"}), " where the data are read.")
        warn(PreparationWarning(problem, hint=("For other steps cut them yourself: ", *own)))
    return found


def about_steps(data: Dataset, columns: Iterable[str], cuts: Mapping[str, Sequence[float]]) -> list[str]:
    """Say of those columns that are numbers in which steps they are taken: a sentence for each kind of steps."""
    by_kind: dict[str, list[str]] = {}
    for name in columns:
        if data.kinds[data.index(name)] == "number":
            by_kind.setdefault(_whence(name, cuts), []).append(name)
    return [f"{' and '.join(names)} in {whence}" for whence, names in sorted(by_kind.items(), reverse=True)]


def _whence(name: str, cuts: Mapping[str, Sequence[float]] | None) -> str:
    own = name in (cuts or {})
    return "the steps in which the graphs were learned" if own else f"{NUMBER_STEPS} steps of equal shares"
