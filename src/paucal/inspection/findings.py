"""What stands in the way of discovery in a table: each finding with what it does, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paucal.data.prepare import MANY_GAPS
from paucal.errors import listing, short
from paucal.inspection.relations import MOST_COLUMNS, MOST_IN_TRIPLES, relations
from paucal.inspection.sums import MOST_COLUMNS as MOST_SUMMED
from paucal.inspection.sums import sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paucal.inspection.describe import ColumnSummary, Examined
    from paucal.inspection.relations import Relation

_MANY_LEVELS = 20
_MOST_NAMED = 6  # columns of which the same is told


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about columns.

    Attributes
    ----------
    kind
        A word for programs, such as "identifier" or "recoding".
    columns
        The columns it is about; the first is what the kind says of the others.
    what
        What was found.
    effect
        What it does to discovery.
    advice
        What to do about it.
    """

    kind: str
    columns: tuple[str, ...]
    what: str
    effect: str
    advice: str

    def __str__(self) -> str:
        return f"{self.what} {self.effect} {self.advice}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return told | {"columns": list(self.columns)}


def findings(examined: Sequence[Examined], summaries: Sequence[ColumnSummary]) -> tuple[Finding, ...]:
    """Look at every column, then at columns together."""
    n_rows = examined[0].column.n_rows if examined else 0
    alone = [finding for one in summaries for finding in _of_column(one, n_rows)]
    return (*alone, *_scales(summaries, n_rows), *_between(examined))


def grouped(found: Sequence[Finding]) -> list[str]:
    """Say what was found, and once what is the same of several columns.

    >>> two = [Finding("empty", (name,), f"{name}: no row has a value.", "Useless.", "It goes.") for name in "ab"]
    >>> grouped(two)
    ['a, b, each: no row has a value. Useless. It goes.']
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for i, one in enumerate(found):
        name = one.columns[0] if len(one.columns) == 1 else ""
        alike = name and one.what.startswith(f"{name}: ")
        key = (one.kind, one.what[len(name) :], one.effect, one.advice) if alike else (str(i),)
        groups.setdefault(key, []).append(one)
    return [str(same[0]) if len(same) == 1 else _of_several(same) for same in groups.values()]


def _of_several(same: Sequence[Finding]) -> str:
    first, names = same[0], [one.columns[0] for one in same]
    return f"{listing(names, _MOST_NAMED)}, each{first.what[len(names[0]) :]} {first.effect} {first.advice}"


def _of_column(one: ColumnSummary, n_rows: int) -> Iterator[Finding]:
    name = (one.name,)
    if one.kind in _USELESS:
        yield Finding(one.kind, name, _USELESS[one.kind][0].format(one=one), *_USELESS[one.kind][1:])
        return
    if one.no_answer:
        yield Finding(
            "no answer",
            name,
            f"{one.name}: {_values(one.no_answer)} {_stand(one.no_answer)} for no answer.",
            "Taken as an answer, it joins columns that the same people did not answer.",
            "It is made missing.",
        )
    if one.no_number:
        yield Finding(
            "no number",
            name,
            f"{one.name}: a number but for {listing(one.no_number, _MOST_NAMED)}.",
            "Each number would be a level of its own beside such entries.",
            "They are made missing; correct them in the file if they stand for a number, such as 0.",
        )
    if one.spelled:
        yield Finding(
            "spelling",
            name,
            f"{one.name}: levels are spelled in several ways: {listing(one.spelled, _MOST_NAMED)}.",
            "Spellings of one answer would be told apart.",
            "They are put together.",
        )
    if one.maybe_alike:
        yield Finding(
            "spelling?",
            name,
            f"{one.name}: {listing(one.maybe_alike, _MOST_NAMED)} differ in capital letters only.",
            "If they mean the same, one answer is told apart from itself.",
            "If so, put them together under [preparation.merge].",
        )
    if one.suspected:
        yield Finding(
            "no answer?",
            name,
            f"{one.name}: {_values(one.suspected)} may stand for no answer.",
            "If so, it distorts everything learned from the numbers.",
            f"If so, write {one.name} = [{', '.join(map(str, one.suspected))}] under [preparation.no_answer].",
        )
    if one.missing > MANY_GAPS * n_rows:
        share = one.missing / n_rows
        yield Finding(
            "gaps",
            name,
            f"{one.name}: {share:.0%} of the values are missing.",
            "Dropping these rows would leave little, and keeping them says who answered rather than what.",
            "It is left out; keep it if its gaps are what you study.",
        )
    if one.kind == "category" and one.observed > _MANY_LEVELS and one.rare:
        yield Finding(
            "rare levels",
            name,
            f"{one.name}: {len(one.rare)} of {one.observed} levels have fewer than 5 rows.",
            "Levels with so few rows spread the data thin and hide dependences.",
            "They are put together in one level.",
        )
    if one.kind == "ordered" and one.taken == "levels":
        yield Finding(
            "order",
            name,
            f"{one.name}: its levels have an order: {one.in_words}.",
            "Searches that know the order need fewer rows.",
            "If you agree, say that it is ordered (kinds=, --ordered).",
        )


def _scales(summaries: Sequence[ColumnSummary], n_rows: int) -> Iterator[Finding]:
    """Point out whole numbers that may be answers on a scale; the codes of unordered answers look the same."""
    full = [one for one in summaries if one.missing <= MANY_GAPS * n_rows]
    names = tuple(one.name for one in full if one.few_whole and one.taken == "levels")
    if names:
        yield Finding(
            "scale?",
            names,
            f"{listing(names, _MOST_NAMED)}: whole numbers with few values, taken as levels without an order.",
            "If larger means more, searches that know it need fewer rows.",
            "Declare those for which that holds (kinds=, --ordered).",
        )


_USELESS = {
    "empty": (
        "{one.name}: no row has a value.",
        "There is nothing to learn from it.",
        "It is left out.",
    ),
    "constant": (
        "{one.name}: all rows have the same value, {one.in_words}.",
        "A constant is independent of everything.",
        "It stays, isolated in every graph; leave it out if that is not wanted (leave_out=, --leave-out).",
    ),
    "identifier": (
        "{one.name}: names the rows ({one.why}).",
        "A score joins such columns to anything, from noise alone.",
        "It is left out.",
    ),
    "groups": (
        "{one.name}: names groups of rows ({one.why}).",
        "Rows of one group, such as visits of one person, depend on each other: everything looks too sure.",
        "It is left out; if these are repeated measurements, keep one row of each group.",
    ),
    "near-identifier": (
        "{one.name}: nearly names the rows ({one.why}).",
        "A score joins such columns to anything, from noise alone.",
        "It is left out; group its values, or say that they are levels, if it matters.",
    ),
    "free text": (
        "{one.name}: long text that hardly repeats ({one.why}).",
        "No two rows can be compared by it.",
        "It is left out; code the answers into a few categories if they matter.",
    ),
}


def _between(examined: Sequence[Examined]) -> Iterator[Finding]:
    for one in relations(examined):
        yield Finding(_KINDS[one.kind], one.columns, *_RELATIONS[one.kind](one))
    for total, parts in sums(examined):
        yield Finding(
            "sum",
            (total, *parts),
            f"{total} is the sum of {listing(parts)}.",
            "A total and its parts decide each other, and hide what else they depend on.",
            "Leave out the total or its parts (leave_out=, --leave-out).",
        )
    if len(examined) > MOST_COLUMNS:
        what = f"Relations are looked for among up to {MOST_COLUMNS} columns, and there are {len(examined):,}."
        yield Finding(
            "not looked at", (), what, "Copies and functions may be among them.", "Look at parts of the table."
        )
        return
    n_levels = sum(one.taken.kind in ("levels", "ordered") for one in examined)
    for n, most, of, sort in (
        (n_levels, MOST_IN_TRIPLES, "Functions of two columns", "levels"),
        (len(examined) - n_levels, MOST_SUMMED, "Sums", "numbers"),
    ):
        if n <= most:
            continue
        what = f"{of} are looked for among up to {most} columns of {sort}, and there are {n}."
        yield Finding("bound", (), what, "Such relations may exist all the same.", "Look at parts of the table.")


_KINDS = {
    "copy": "duplicate",
    "recoding": "recoding",
    "coarser copy": "coarser copy",
    "function": "function",
    "function of two": "function",
    "skip": "skip",
}


def _copy(one: Relation) -> tuple[str, str, str]:
    same, other = one.columns
    return (
        f"{same} is the same as {other}.",
        "Two copies explain each other and hide all other causes.",
        f"Only {other} is kept.",
    )


def _recoding(one: Relation) -> tuple[str, str, str]:
    same, other = one.columns
    return (
        f"{same} says the same as {other} in other words or units.",
        "Two copies explain each other and hide all other causes.",
        f"Only {other} is kept.",
    )


def _coarser(one: Relation) -> tuple[str, str, str]:
    copy, number = one.columns
    return (
        f"{copy} is {number} cut into groups: {one.detail}.",
        f"It says nothing that {number} does not say, and hides all other causes of both.",
        f"Only {number} is kept; leave out {number} instead if {copy} is what you ask about.",
    )


def _function(one: Relation) -> tuple[str, str, str]:
    result, *of = one.columns
    return (
        f"{result} is decided by {' and '.join(of)} in every row.",
        f"Given {' and '.join(of)}, nothing else can depend on {result}: its other edges are lost.",
        "Leave one of them out if it was computed from the others; keep all if that is how nature works.",
    )


def _skip(one: Relation) -> tuple[str, str, str]:
    skipped, asked = one.columns
    return (
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


def _stand(labels: Sequence[Any]) -> str:
    return "stand" if len(labels) > 1 else "stands"


def _values(labels: Sequence[Any]) -> str:
    return listing([short(label, 30) for label in labels], 6)
