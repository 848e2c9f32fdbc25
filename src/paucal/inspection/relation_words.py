"""What relations between columns are, do to discovery, and ask for, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paucal.errors import listing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paucal.inspection.computed import Computed
    from paucal.inspection.near import Near
    from paucal.inspection.relations import Relation
    from paucal.inspection.wholes import Whole

_MOST_NAMED = 6
_KEEP = "unless you say what it is (kinds=, --number, --levels)"


class Told(NamedTuple):
    """What was found, what it does, what to do about it."""

    what: str
    effect: str
    advice: str


def of_relation(one: Relation) -> Told:
    """Word a relation that is exact."""
    return _RELATIONS[one.kind](one)


def of_sum(total: str, parts: Sequence[str]) -> Told:
    """Word a total and its parts."""
    return _result(f"{total} is the sum of {listing(parts)}.", total)


def of_whole(one: Whole) -> Told:
    """Word columns that are parts of a whole."""
    named, last = listing(one.columns, _MOST_NAMED), one.columns[-1]
    if one.one_hot:
        return Told(
            f"{named}: exactly one of these {len(one.columns)} columns is 1 in each row; they are one answer.",
            "Each decides the others: they seem to cause each other, and hide what else they depend on.",
            "Put them into one column that says which of them is 1.",
        )
    return Told(
        f"{named}: these {len(one.columns)} columns add up to {one.total:g} in each row"
        f"{', but for rounding' if one.rounded else ''}.",
        "Where one of them is larger, others must be smaller: they seem to cause each other.",
        f"{last} is left out {_KEEP}; leave out the others that you do not ask about.",
    )


def of_computed(one: Computed) -> Told:
    """Word a number that was computed from others."""
    result, *of = one.columns
    if not one.formula:
        return Told(
            f"{result} says the same as {of[0]} on another scale, but for rounding.",
            "Two copies explain each other and hide all other causes.",
            f"{result} is left out {_KEEP}; then leave out {of[0]}.",
        )
    return _result(f"{result} is computed from {listing(of)}: {one.formula}, up to a constant and rounding.", result)


def _result(what: str, result: str) -> Told:
    return Told(
        what,
        "A result and what it was computed from determine each other, and hide what else they depend on.",
        f"{result} is left out {_KEEP}; then leave out what it was computed from.",
    )


def of_near(one: Near) -> Told:
    """Word levels that nearly repeat another column."""
    return _NEAR[one.how](one)


def _with_gaps(one: Near) -> Told:
    copy, other = one.columns
    return Told(
        f"{copy} says the same as {other} in all {one.rows:,} rows that have both.",
        "Two copies explain each other and hide all other causes.",
        f"{copy} is left out {_KEEP}; then leave out {other}.",
    )


def _near_copy(one: Near) -> Told:
    copy, other = one.columns
    return Told(
        f"{copy} says the same as {other} in all but {one.exceptions:,} of {one.rows:,} rows.",
        "If one was made from the other, they explain each other and hide all other causes.",
        "If so, leave out one of them (leave_out=, --leave-out).",
    )


def _near_cut(one: Near) -> Told:
    cut, number = one.columns
    return Told(
        f"{cut} is {number} cut into groups, in all but {one.exceptions:,} of {one.rows:,} rows.",
        f"It says nearly nothing that {number} does not say, and hides all other causes of both.",
        f"{cut} is left out {_KEEP}; then leave out {number}.",
    )


_NEAR: Mapping[str, Callable[[Near], Told]] = {
    "copy with gaps": _with_gaps,
    "near copy": _near_copy,
    "near cut": _near_cut,
}


def of_survey_weight(name: str) -> Told:
    """Word the weights of a survey."""
    return Told(
        f"{name}: looks like the weights of a survey.",
        "They say how a sample was drawn, not what anybody is like, and no search takes them into account.",
        "It is left out unless you say that it was measured (kinds=, --number).",
    )


def of_row_counts(columns: Sequence[str]) -> Told:
    """Word the counts of equal rows."""
    count, *others = columns
    return Told(
        f"{count} seems to say how many rows each row stands for: every combination of {listing(others)} occurs once.",
        "Taken as a measurement, every row counts the same, and nothing depends on anything.",
        f"If so, say it (weights=, --weights {count}).",
    )


def of_follow_up(columns: Sequence[str]) -> Told:
    """Word the time and the events of a follow-up."""
    time, *events = columns
    return Told(
        f"{time} and {listing(events)} look like a follow-up: how long, and whether something happened.",
        "For those to whom nothing happened, the time only says when they were last seen: that needs methods for "
        "survival times, which are not here.",
        f"{time} is left out unless you say what it is (kinds=, --number), and {listing(events)} taken as if everybody "
        "had been followed equally long.",
    )


def _copy(one: Relation) -> Told:
    same, other = one.columns
    return Told(
        f"{same} is the same as {other}.",
        "Two copies explain each other and hide all other causes.",
        f"Only {other} is kept.",
    )


def _recoding(one: Relation) -> Told:
    same, other = one.columns
    return Told(
        f"{same} says the same as {other} in other words or units.",
        "Two copies explain each other and hide all other causes.",
        f"Only {other} is kept.",
    )


def _coarser(one: Relation) -> Told:
    copy, number = one.columns
    return Told(
        f"{copy} is {number} cut into groups: {one.detail}.",
        f"It says nothing that {number} does not say, and hides all other causes of both.",
        f"Only {number} is kept; leave out {number} instead if {copy} is what you ask about.",
    )


def _function(one: Relation) -> Told:
    result, *of = one.columns
    return Told(
        f"{result} is determined by {' and '.join(of)} in every row.",
        f"Given {' and '.join(of)}, nothing else can depend on {result}: its other edges are lost.",
        "Leave one of them out if it was computed from the others; keep all if that is how nature works.",
    )


def _skip(one: Relation) -> Told:
    skipped, asked = one.columns
    return Told(
        f"{skipped} is missing exactly where {asked} is {one.detail}: a question that was skipped.",
        "These values are not unknown: dropping the rows without them drops everybody with that answer.",
        f"Leave out {skipped}, or study only rows where {asked} is something else.",
    )


_RELATIONS = {
    "copy": _copy,
    "recoding": _recoding,
    "coarser copy": _coarser,
    "function": _function,
    "function of two": _function,
    "skip": _skip,
}
