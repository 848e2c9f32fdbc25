"""The order of levels: declared, or known from their words: answers on a scale, intervals, texts that count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from paucal.data.kinds import observed_counts, sort_of
from paucal.errors import Argument, DataError, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.encode import Column, Label

# from the least to the most; words of the same place stand together
_TEXT = """
strongly disagree<disagree<somewhat disagree|slightly disagree<neutral|neither|neither agree nor disagree|undecided\
<somewhat agree|slightly agree<agree<strongly agree
very dissatisfied<dissatisfied<somewhat dissatisfied<neutral|neither<somewhat satisfied<satisfied<very satisfied
never<almost never|hardly ever<rarely|seldom<sometimes|occasionally<often|frequently<usually|mostly\
<almost always<always
very poor<poor<fair<average<good<very good<excellent
very bad<bad<fair<average<good<very good<excellent
none|no<very low<low<medium|moderate|normal|average<high<very high
none|no|absent<very mild<mild<moderate<severe<very severe
very small<small<medium<large|big<very large
very unlikely<unlikely<neutral|neither<likely<very likely
not at all<a little|slightly<somewhat|moderately<very much|a lot<extremely
much worse<worse<same|no change|unchanged<better<much better
light<moderate|medium<heavy<very heavy
"""
_SCALES = [[place.split("|") for place in scale.split("<")] for scale in _TEXT.strip().splitlines()]
_RANKS = [{word: place for place, words in enumerate(scale) for word in words} for scale in _SCALES]
_SHOWN = 20  # levels that an error names
_NUMBER = r"[$€£]?\s*(\d[\d,. ]*)\s*[k%$€£]?"
_INTERVAL = re.compile(
    rf"(?:[\[(]?{_NUMBER}\s*(?:-|–|to|,|\.\.)\s*{_NUMBER}[\])]?|(?:<|<=|≤|under|below|less than|up to)\s*{_NUMBER}"
    rf"|(?:>|>=|≥|over|above|more than)\s*{_NUMBER}|{_NUMBER}\s*(?:\+|plus|and over|and more|or more|and older))"
    r"(?:\s*(?:years?|yrs?|y))?",
    re.IGNORECASE,
)


_COUNTED = re.compile(r"\D*?(\d+(?:[.,]\d+)?)\D*")


def known_order(name: str, column: Column) -> tuple[Label, ...]:
    """Give the levels of a column that somebody says is ordered in their order; an error if nothing tells it.

    Numbers, dates and truth values have an order, and so have levels that a file or a frame declares in another order
    than that of the alphabet; not those of an Arrow dictionary whose type does not say that it is ordered. Text has one
    if it is a scale, or if each level has one number: "stage 2", "10".

    >>> from paucal.data.encode import encode_objects
    >>> known_order("stage", encode_objects("stage", ["stage 10", "stage 9", "stage 1"]))
    ('stage 1', 'stage 9', 'stage 10')
    """
    levels = column.levels
    if len(levels) <= 2 or column.ordered:  # two levels have no order that matters
        return levels
    if sort_of(column) != "text":
        return tuple(sorted(levels)) if column.unordered else levels
    found = natural_order(column) or _by_number(levels)
    if found is not None:
        return (*found, *(level for level in levels if level not in found))
    by_alphabet = list(levels) in (sorted(levels), sorted(levels, key=str.casefold))
    if column.declared and not column.unordered and not by_alphabet:
        return levels
    shown = list(levels[:_SHOWN])
    more = f" and {len(levels) - _SHOWN:,} more" if len(levels) > _SHOWN else ""
    raise DataError(
        f"Column {name!r} is said to be ordered, but nothing gives the order of its levels: "
        f"{', '.join(short(level, 30) for level in shown)}{more}.",
        hint=("Say it, from the least to the most, as in ", Argument("order", {name: shown}), "."),
    )


def _by_number(levels: Sequence[Label]) -> tuple[Label, ...] | None:
    """Order texts by the one number that each of them has."""
    found = [_COUNTED.fullmatch(str(level).strip()) for level in levels]
    numbers = [float(match[1].replace(",", ".")) for match in found if match is not None]
    if len(set(numbers)) < len(levels):
        return None
    return tuple(level for _, level in sorted(zip(numbers, levels, strict=True)))


def natural_order(column: Column) -> tuple[Label, ...] | None:
    """Give the levels of text in their order, if they are a scale or intervals; at least three must occur.

    >>> from paucal.data.encode import encode_objects
    >>> natural_order(encode_objects("q", ["often", "never", "sometimes"]))
    ('never', 'sometimes', 'often')
    >>> natural_order(encode_objects("age", ["65+", "<18", "18-64"]))
    ('<18', '18-64', '65+')
    """
    counts = observed_counts(column)
    if not 3 <= np.count_nonzero(counts) <= 20 or sort_of(column) != "text":
        return None
    levels = [level for level, n in zip(column.levels, counts, strict=True) if n]
    plain = [" ".join(str(level).casefold().replace("_", " ").split()) for level in levels]
    for ranks in _RANKS:
        places = [ranks.get(word) for word in plain]
        found = [place for place in places if place is not None]
        if len(found) == len(levels) == len(set(found)):
            return tuple(level for _, level in sorted(zip(found, levels, strict=True)))
    ends = [_lower_end(str(level).strip()) for level in levels]
    known = [end for end in ends if end is not None]
    if len(known) == len(levels) == len(set(known)):
        return tuple(level for _, level in sorted(zip(known, levels, strict=True)))
    return None


def _lower_end(text: str) -> tuple[float, float] | None:
    """Give the lower end of an interval, and what tells "under 18" from "18 and over"."""
    match = _INTERVAL.fullmatch(text)
    if match is None:
        return None
    low, _, under, over, more = match.groups()
    word = next(part for part in (low, under, over, more) if part is not None)
    digits = re.sub(r"[^\d.]", "", word.replace(",", ""))
    try:
        end = float(digits)
    except ValueError:
        return None
    return (end, -1.0 if under is not None else 0.0 if over is None else 1.0)
