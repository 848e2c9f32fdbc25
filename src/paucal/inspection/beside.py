"""What was made from what, as far as a question about two columns is concerned: copies, cuts, sums, functions.

Between a column and its copy there is no effect, and a copy beside a column takes a part of its effects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.errors import listing
from paucal.inspection.intake import take_in
from paucal.inspection.relation_words import of_relation
from paucal.inspection.relations import same_in_a_pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data import Dataset
    from paucal.inspection.findings import Finding

_SURELY = ("duplicate", "recoding", "coarser copy", "same scale", "copy with gaps", "near cut")
_SAME = (*_SURELY, "near copy")  # the first column is made from the second
_PARTS = ("one-hot", "shares")  # together they are one answer, or a whole
_MADE = ("function", "sum", "computed")  # the first may be made from the others, or nature works so
_IF = ("it was computed so", "one was made from the other")
_NONE = "this is not an effect of one on the other"
_MOST_NAMED = 6


def made_from_others(data: Dataset) -> tuple[Finding, ...]:
    """Find columns that are made from others, or may be."""
    looked = take_in(data, {}).looked
    return () if looked is None else tuple(one for one in looked.findings if one.kind in (*_SAME, *_PARTS, *_MADE))


def by_definition(found: Sequence[Finding], x: str, y: str) -> str | None:
    """Say that one of two columns is made from the other, or both from a third; None if that is not so."""
    for one in found:
        if {x, y} <= set(one.columns):
            what = one.what.rstrip(".")
            surely = one.kind in (*_SURELY, *_PARTS)
            return f"{what}, so {_NONE}" if surely else f"{what}: if {_IF[one.kind in _SAME]}, {_NONE}"
    of = _origins(found)
    if x in of and of.get(x) == of.get(y):
        return f"{x} and {y} are both made from {of[x]}, so {_NONE}"
    return None


def perhaps_by_definition(data: Dataset, x: str, y: str) -> str | None:
    """Say that one of two columns looks like a copy or a cut of the other, where few rows may show it by chance."""
    looked = take_in(data.select([x, y]), {}).looked
    one = None if looked is None else same_in_a_pair(looked.examined)
    if one is None:
        return None
    return f"{of_relation(one).what.rstrip('.')}: if {_IF[True]}, {_NONE}; in so few rows it may be chance"


def beside(found: Sequence[Finding], x: str, y: str) -> list[str]:
    """Name the other columns that say the same as one of two, or were computed with it; each with what to do."""
    of = _origins(found)
    told: list[str] = []
    for asked in (x, y):
        origin = of.get(asked, asked)
        family = [one for one in found if one.kind in _SAME and of[one.columns[0]] == origin]
        others = dict.fromkeys(name for one in family for name in one.columns if name not in (x, y))
        if others:
            named = [one for one in family if not {x, y}.issuperset(one.columns)]
            what = listing([one.what.rstrip(".") for one in named], _MOST_NAMED)
            told.append(f"{what}: leave out {listing(others, _MOST_NAMED)}, and ask again")
    for one in found:
        others = dict.fromkeys(name for name in one.columns if name not in (x, y))
        if one.kind in ("sum", "computed", *_PARTS) and len(others) < len(one.columns):
            told.append(f"{one.what.rstrip('.')}: ask again without {listing(others, _MOST_NAMED)}")
    return list(dict.fromkeys(told))


def _origins(found: Sequence[Finding]) -> dict[str, str]:
    """Give for every copy or cut what it was made from in the end."""
    of = {one.columns[0]: one.columns[1] for one in found if one.kind in _SAME}

    def origin(name: str) -> str:
        seen = {name}
        while (before := of.get(name)) is not None and before not in seen:
            seen.add(before)
            name = before
        return name

    return {name: origin(name) for name in of}
