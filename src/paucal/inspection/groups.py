"""Columns that name groups of rows: people with several visits, firms with several years, pupils of one school.

Two things give such a column away, whatever the order of the rows, and however often each group occurs:

* other columns never differ within a group, such as the sex of a person, and do not follow from the numbers by limits;
* together with a second column, such as the year, it tells all rows apart, where chance would repeat many pairs.

Chance would bring either about with a probability below e^-20. Besides, a column that is called an id is taken at its
name if it has many values, or if it is called the id of people and has five, most of them in several rows: that is all
that a small table can tell. Years are never groups: they are when something was measured.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.kinds import ENOUGH_ROWS, MOST_VALUES, Taken, are_years, observed_counts, sort_of
from paucal.data.weights import merge_rows
from paucal.errors import counted
from paucal.inspection.relations import MOST_COLUMNS, decides

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from paucal.data.encode import Column
    from paucal.inspection.describe import Examined

_FEWEST_GROUPS = 10  # that a second column can tell from each other
_MOST_TIMES = 100  # different values of that column
_NATS = 20.0
_FIRST = 512  # rows that are looked at before all are
_ID = re.compile(r"(?:.*[^a-zA-Z])?(?:id|(?:case|person|patient|subj|subject|study|record|hh|p|u|s)id|id(?:no|num|nr))")
_CAMEL = re.compile(r".*[a-z](?:ID|Id)")
_PERSON = re.compile(
    r"(?:subj|subject|patient|person|participant|respondent|proband|individual)(?:[ _.-]?(?:id|no|nr|num|number))?"
    r"|[psu]?[ _.-]?id"
)
_FEWEST_PEOPLE = 5


def with_groups(examined: Sequence[Examined], said: Sequence[str] = ()) -> tuple[Examined, ...]:
    """Take columns that name groups of rows as names; not those of which somebody said what they are."""
    if not examined or len(examined) > MOST_COLUMNS:
        return tuple(examined)
    few = examined[0].clean.n_rows < ENOUGH_ROWS
    sides = {one.name: one for one in examined if len(_seen(one)) > 1}
    candidates = [one for one in sides.values() if one.name not in said and _may_be_groups(one)]
    why: dict[str, str] = {}
    for one in sorted(candidates, key=lambda one: (_by_name(one) is None, -len(_seen(one)))):
        if any(_is_of_members(one, sides[known]) for known in why):
            continue
        if (reason := _by_name(one) or (None if few else _by_constants(one, list(sides.values())))) is not None:
            why[one.name] = reason
    for one in [] if few else candidates:
        if one.name in why or any(_is_of_members(one, sides[known]) for known in why):
            continue
        if reason := _by_key(one, [side for side in sides.values() if side.name not in why]):
            why[one.name] = reason
    return tuple(
        replace(
            one,
            taken=Taken("name", f"{len(_seen(one)):,} groups of {group_sizes(one.clean)}, {why[one.name]}"),
            groups=True,
        )
        if one.name in why
        else one
        for one in examined
    )


def _may_be_groups(one: Examined) -> bool:
    """Tell whether its values can be names at all: text or whole numbers, several of them, most in several rows."""
    seen, sort = _seen(one), sort_of(one.clean)
    counts = observed_counts(one.clean)
    if one.groups or one.clean.ordered or 2 * counts[counts > 1].sum() < counts.sum():
        return False
    if not _names_people(one) and (one.order is not None or len(seen) < _FEWEST_GROUPS):
        return False
    return sort == "text" or (sort == "whole" and not are_years(one.clean))


def group_sizes(column: Column) -> str:
    """Say how many rows the groups have."""
    counts = observed_counts(column)
    low, high = int(counts[counts > 0].min()), int(counts.max())
    return f"{low:,} to {high:,} rows" if low < high else counted(low, "row")


def _is_of_members(one: Examined, known: Examined) -> bool:
    """Tell whether a column is a measurement of the members of known groups that nearly tells these apart."""
    if 2 * len(_seen(one)) < len(_seen(known)):
        return False
    return decides(known.clean.codes, one.clean.codes, len(known.clean.levels) + 1)


def _by_name(one: Examined) -> str | None:
    named = _ID.fullmatch(one.name.casefold().strip()) or _CAMEL.fullmatch(one.name)
    return "and called an id" if (named and len(_seen(one)) > MOST_VALUES) or _names_people(one) else None


def _names_people(one: Examined) -> bool:
    """Tell whether a column is called the id of people, and has numbers for more people than each has rows."""
    seen = _seen(one)
    if not _PERSON.fullmatch(one.name.casefold().strip()) or len(seen) < _FEWEST_PEOPLE:
        return False
    numbered = all(any(map(str.isdecimal, str(one.clean.levels[i]))) for i in seen[:_FIRST].tolist())
    return numbered and sort_of(one.clean) in ("text", "whole") and one.clean.n_rows <= len(seen) ** 2


def _by_constants(one: Examined, others: Sequence[Examined]) -> str | None:
    """Find columns that never differ within its groups; levels need two, since a town decides its region."""
    if len(_seen(one)) <= MOST_VALUES:
        return None
    found: dict[bytes, str] = {}
    for other in _constant_within(one, others):
        first = np.zeros(len(other.clean.levels) + 1, np.uint32)
        rows = np.arange(len(other.clean.codes), dtype=np.uint32)
        first[other.clean.codes[::-1]] = rows[::-1]
        found.setdefault(first[other.clean.codes].tobytes(), other.name)  # copies are one piece of evidence
        if len(found) == 2:
            break
    names = list(found.values())
    only_numbers = all(next(o for o in others if o.name == name).taken.kind == "number" for name in names)
    place = sort_of(one.clean) == "text" and one.taken.kind != "name"
    if not names or (len(names) == 1 and (place or only_numbers)):
        return None
    return f"within which {' and '.join(names)} never {'differs' if len(names) == 1 else 'differ'}"


def _constant_within(one: Examined, others: Sequence[Examined]) -> Iterator[Examined]:
    codes, size = one.clean.codes, len(one.clean.levels) + 1
    order = np.argsort(codes, kind="stable")
    n_repeats = one.clean.n_rows - len(_seen(one))
    for other in others:
        if other is one or len(_seen(other)) >= len(_seen(one)) or n_repeats * _agreement(other) < _NATS:
            continue
        y = other.clean.codes
        if not decides(codes[order[:_FIRST]], y[order[:_FIRST]], size) or not decides(codes, y, size):
            continue
        if not _by_limits(codes[order], y[order], size - 1, other):
            yield other


def _by_limits(x: npt.NDArray[Any], y: npt.NDArray[Any], missing: int, other: Examined) -> bool:
    """Tell whether y follows from the order of x: a number by rising or falling, levels by lying in intervals."""
    y = y[x < missing].astype(np.int64)
    steps = np.diff(y)
    steps = steps[steps != 0]
    if other.taken.kind == "number":
        return bool((steps > 0).all() or (steps < 0).all())
    return len(steps) < 2 * len(_seen(other))


def _by_key(one: Examined, others: Sequence[Examined]) -> str | None:
    """Find a second column that tells the rows of each group apart."""
    present = one.clean.codes < len(one.clean.levels)
    for other in others:
        if other is one or not _tells_times(other, one):
            continue
        rows = present & (other.clean.codes < len(other.clean.levels))
        counts = np.bincount(one.clean.codes[rows]).astype(float)
        shares = np.bincount(other.clean.codes[rows]) / max(1, int(np.count_nonzero(rows)))
        expected = float((counts * (counts - 1)).sum() / 2 * (shares**2).sum())
        if expected < _NATS:
            continue
        times = merge_rows([one.clean.codes[rows], other.clean.codes[rows]])[1].astype(float)
        if float((times * (times - 1)).sum() / 2) <= expected / 50:
            return f"whose rows {other.name} tells apart"
    return None


def _tells_times(other: Examined, one: Examined) -> bool:
    """Tell whether a column can be the occasions within the groups of another one."""
    if one.clean.weights is not None or other.taken.kind == "name":
        return False
    n_other, n_one = len(_seen(other)), len(_seen(one))
    if n_other > _MOST_TIMES or sort_of(other.clean) not in ("whole", "text", "time"):
        return False
    if sort_of(one.clean) == "text" and sort_of(other.clean) != "text":
        return True
    return n_other < n_one and (sort_of(one.clean) == "text" or sort_of(other.clean) != "text")


def _agreement(one: Examined) -> float:
    """Give the logarithm of the probability that two random rows agree, as a positive number."""
    shares = one.clean.counts / one.clean.n_rows
    return -math.log(float((shares**2).sum()))


def _seen(one: Examined) -> npt.NDArray[np.intp]:
    return np.flatnonzero(observed_counts(one.clean))
