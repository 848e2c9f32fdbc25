"""Change the levels of one column: answers that are none, levels that belong together, their order, what they are.

A value that a preparation names and the column does not have is no mistake: another sample may have it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paucal.data.encode import Column, code_type, column
from paucal.data.kinds import sort_of
from paucal.data.scales import known_order
from paucal.data.text import text_labels
from paucal.errors import Argument, DataError, listing, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paucal.data.encode import Label
    from paucal.data.kinds import Kind
    from paucal.data.preparation import Preparation


def recode_columns(names: Sequence[str], columns: Sequence[Column], how: Preparation) -> list[Column]:
    """Do what a preparation says about the levels of single columns, before anything is cut."""
    found = []
    for name, one in zip(names, columns, strict=True):
        changed = without_answers(one, how.no_answer.get(name, one.no_answer))
        if name in how.merge:
            changed = merged(name, changed, how.merge[name])
        kind = how.kinds.get(name)
        if name in how.order:
            _refuse_order_of_numbers(name, changed, kind)
            changed = in_order(name, changed, how.order[name])
        elif kind == "ordered":
            changed = in_order(name, changed, known_order(name, changed))
        if kind == "number":
            changed = as_numbers(name, changed)
        elif kind in ("levels", "ordered", "name") and changed.floating:
            changed = replace(changed, floating=False)  # somebody said that they are no measurements
        found.append(changed)
    return found


def _refuse_order_of_numbers(name: str, one: Column, kind: Kind | None) -> None:
    if kind == "number" or (kind is None and sort_of(one) == "fraction"):
        raise DataError(
            f"Column {name!r} is a number, and numbers stand in an order of their own.",
            hint=("Leave out its order, or take it as an ordered column: ", Argument("kinds", {name: "ordered"}), "."),
        )


def without_answers(one: Column, labels: Iterable[Label]) -> Column:
    """Make values missing that mean that there is no answer."""
    gone = _positions(one, labels)
    if not gone:
        return replace(one, no_answer=()) if one.no_answer else one
    target = [None if i in gone else level for i, level in enumerate(one.levels)]
    return _relabelled(one, [level for level in target if level is not None], target)


def merged(name: str, one: Column, groups: Mapping[str, Iterable[Label]]) -> Column:
    """Put levels together in new ones, which stand at the end; in a declared order, where the first of each stood."""
    if not groups:
        return one
    target: list[Label] = list(one.levels)
    texts = {str(level) for level in one.levels}
    for label, members in groups.items():
        places = _positions(one, members)
        if label in texts - {str(one.levels[i]) for i in places}:
            raise DataError(
                f"The levels of column {name!r} cannot be put together as {label!r}: there is such a level.",
                hint="Give the new level another name, or name the old one among its members.",
            )
        for i in places:
            target[i] = label
    if target == list(one.levels):
        return one
    new = [label for label in groups if label in target]
    kept = [level for level, after in zip(one.levels, target, strict=True) if level == after and level not in new]
    if any(not isinstance(level, str) for level in kept):  # a column has one kind of values
        kept, target = list(map(str, kept)), list(map(str, target))
    order = dict.fromkeys(level for level in target if level is not None) if one.ordered else [*kept, *new]
    return _relabelled(one, list(order), target)


def in_order(name: str, one: Column, order: Sequence[Label]) -> Column:
    """Put the levels in the order given; every level that occurs must be in it, and none twice."""
    words = [str(label) for label in order]
    if twice := [word for word in dict.fromkeys(words) if words.count(word) > 1]:
        raise DataError(f"The order of column {name!r} has {short(twice[0])} twice.", hint="Name every level once.")
    places = [place for label in order for place in sorted(_positions(one, [label]))]
    lacking = [repr(one.levels[i]) for i in range(len(one.levels)) if i not in set(places) and one.observed[i]]
    if lacking:
        raise DataError(
            f"The order of column {name!r} lacks {listing(lacking)}.", hint="Name every level that occurs in it."
        )
    levels = [one.levels[i] for i in dict.fromkeys(places)]
    known = set(levels)
    return _relabelled(one, levels, [level if level in known else None for level in one.levels])


def as_numbers(name: str, one: Column) -> Column:
    """Read a column as numbers, dates or times: text is taken at its word."""
    if sort_of(one) in ("whole", "fraction", "time"):
        return replace(one, declared=False)
    words = [str(level) for level in one.levels]
    labels = text_labels(words, ())
    read = column(name, one.codes, labels)
    if labels and sort_of(read) in ("whole", "fraction", "time"):
        return replace(read, title=one.title, weights=one.weights)
    wrong = next((word for word in words if isinstance(text_labels([word], ())[0], str)), words[0] if words else "")
    raise DataError(
        f"Column {name!r} cannot be numbers: {short(wrong)} is not one.",
        hint=("Make it missing with ", Argument("no_answer", {name: [wrong]}), ", or take the column as levels."),
    )


def _positions(one: Column, labels: Iterable[Label]) -> set[int]:
    """Find levels: the same value, or one that is written the same way; 7 and 7.0 are one number."""
    labels = list(labels)
    if not labels:
        return set()
    exact = {(type(level), level): i for i, level in enumerate(one.levels)}
    written = {str(level): i for i, level in enumerate(one.levels)}
    written |= {str(int(level)): i for i, level in enumerate(one.levels) if type(level) is float and level.is_integer()}
    found = (exact.get((type(label), label), written.get(str(label))) for label in labels)
    return {place for place in found if place is not None}


def _relabelled(one: Column, levels: list[Label], target: Sequence[Label]) -> Column:
    """Give every old level its new one, None for missing; the levels stand in the order given."""
    position = {level: i for i, level in enumerate(levels)}
    missing = len(levels)
    lookup = np.array([*(position.get(label, missing) for label in target), missing], code_type(missing + 1))
    return replace(one, codes=lookup[one.codes], levels=tuple(levels), no_answer=())
