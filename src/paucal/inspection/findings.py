"""What stands in the way of discovery in a table: each finding with what it does, and what to do about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paucal.data.kinds import observed_counts, sort_of
from paucal.data.prepare import MANY_GAPS
from paucal.errors import counted, listing, short
from paucal.inspection.computed import computed
from paucal.inspection.describe import LIMIT
from paucal.inspection.near import MOST_COLUMNS as MOST_NEAR
from paucal.inspection.near import near
from paucal.inspection.pasted import pasted_rows
from paucal.inspection.relation_words import (
    of_computed,
    of_follow_up,
    of_near,
    of_relation,
    of_row_counts,
    of_sum,
    of_survey_weight,
    of_whole,
)
from paucal.inspection.relations import MOST_COLUMNS, MOST_IN_TRIPLES, relations
from paucal.inspection.roles import follow_ups, row_counts, survey_weights
from paucal.inspection.sums import MOST_COLUMNS as MOST_SUMMED
from paucal.inspection.sums import sums
from paucal.inspection.wholes import wholes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paucal.inspection.describe import ColumnSummary, Examined

_MANY_LEVELS = 20
_FEWEST_ABOVE_LAST = 10
_TOTALS = {
    "total",
    "totals",
    "grand total",
    "sum",
    "all",
    "overall",
    "total:",
    "gesamt",
    "insgesamt",
    "summe",
    "totaal",
}
_MOST_NAMED = 6  # columns of which the same is told
_KINDS = {"copy": "duplicate", "function of two": "function"}  # words for programs that differ from a relation's own


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
    return (*alone, *_scales(summaries, n_rows), *_last_row(examined), *_pasted(examined, n_rows), *_between(examined))


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
            f"{one.name}: numbers, except for {listing(one.no_number, _MOST_NAMED)}.",
            "Each number would be a level of its own beside such entries.",
            f"They are made missing; {_IF_LIMITS if _limits(one.no_number) else _IF_ZERO}",
        )
    if one.spelled:
        yield Finding(
            "spelling",
            name,
            f"{one.name}: levels are spelled in several ways: {listing(one.spelled, _MOST_NAMED)}.",
            "Different spellings of one answer would count as different answers.",
            "They are put together.",
        )
    if one.maybe_alike:
        yield Finding(
            "spelling?",
            name,
            f"{one.name}: {listing(one.maybe_alike, _MOST_NAMED)} differ in capital letters only.",
            "If they mean the same, one answer counts as two.",
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
    infinite = [end for end in (one.low, one.high) if isinstance(end, float) and math.isinf(end)]
    if infinite:
        yield Finding(
            "infinite",
            name,
            f"{one.name}: {listing(map(str, infinite))} is no measurement; it may come from dividing by 0.",
            "It counts as beyond all others, and leaves the column without a mean.",
            "Correct it in the file, or make it missing under [preparation.no_answer].",
        )
    if one.missing > MANY_GAPS * n_rows:
        share = one.missing / n_rows
        yield Finding(
            "gaps",
            name,
            f"{one.name}: {share:.0%} of the values are missing.",
            "Dropping these rows would leave little, and keeping them says who answered rather than what.",
            "It is left out unless you say what it is (kinds=, --number, --levels).",
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


_IF_ZERO = "correct them in the file if they stand for a number, such as 0."
_IF_LIMITS = (
    "but they are known to be low or high, and not missing by chance: where they are many, write a number for them in "
    "the file, below or above all others (half the limit, say), as numbers are read by their ranks."
)


def _limits(words: Sequence[Any]) -> bool:
    """Tell whether entries are limits of what could be measured, such as <0.5, told with their rows."""
    return any(LIMIT.match(str(word).lstrip("'\"")) for word in words)


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


def _last_row(examined: Sequence[Examined]) -> Iterator[Finding]:
    """Point out a last row that sums the others up, or is a note below the table, as tables for readers have it."""
    if not examined or examined[0].clean.weights is not None or len(examined[0].column.codes) < _FEWEST_ABOVE_LAST:
        return
    filled = [one for one in examined if _in_last_row(one) is not None]
    for one in filled:
        label = str(_in_last_row(one)).strip()
        if observed_counts(one.column)[int(one.column.codes[-1])] != 1:
            continue
        if label.casefold() in _TOTALS:
            yield Finding(
                "total row?",
                (one.name,),
                f"{one.name}: only the last row is called {short(label, 30)}.",
                "If it sums the others up, it is not a row like the others, and distorts all numbers.",
                "If so, delete it from the file.",
            )
        elif len(filled) == 1 and len(examined) > 2 and " " in label:
            yield Finding(
                "note row?",
                (one.name,),
                f"{one.name}: the last row has no other value than {short(label, 50)}.",
                "If that is a note below the table, it is not a row like the others.",
                "If so, delete it from the file.",
            )


def _pasted(examined: Sequence[Examined], n_rows: int) -> Iterator[Finding]:
    """Point out rows that stand in the table twice."""
    if copies := pasted_rows(examined):
        yield Finding(
            "repeated rows?",
            (),
            f"{counted(copies, 'row')} of {n_rows:,} {'is' if copies == 1 else 'are'} equal to an earlier row in every "
            "column, measurements among them.",
            "If these are the same people or things again, all looks more certain than it is.",
            "If so, delete them from the file.",
        )


def _in_last_row(one: Examined) -> Any:
    """Give the value of the last row, None if it is missing."""
    code = int(one.column.codes[-1])
    return one.column.levels[code] if code < len(one.column.levels) else None


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
        "Rows of one group, such as visits of one person, depend on each other: all looks more certain than it is.",
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
    exact = relations(examined)
    copies = {one.columns[0] for one in exact if one.kind in ("copy", "recoding", "coarser copy")}
    found_wholes = list(wholes([one for one in examined if one.name not in copies]))
    for one in exact:  # of three columns of which one is 1, two decide the third: that is told once
        if one.kind != "function of two" or not any(set(one.columns) <= set(whole.columns) for whole in found_wholes):
            yield Finding(_KINDS.get(one.kind, one.kind), one.columns, *of_relation(one))
    for whole in found_wholes:
        yield Finding("one-hot" if whole.one_hot else "shares", whole.columns, *of_whole(whole))
    totals = list(sums(examined))
    for total, parts in totals:
        yield Finding("sum", (total, *parts), *of_sum(total, parts))
    weights = survey_weights(examined)
    for name in weights:
        yield Finding("survey weight", (name,), *of_survey_weight(name))
    if counts := row_counts(examined):
        yield Finding("row counts?", counts, *of_row_counts(counts))
    for columns in follow_ups(examined):
        yield Finding("follow-up", columns, *of_follow_up(columns))
    gone = (
        copies
        | {total for total, _ in totals}
        | set(weights)
        | {one.columns[-1] for one in found_wholes if not one.one_hot}
    )
    rest = [one for one in examined if one.name not in gone]
    for result in computed(rest):
        yield Finding("computed" if result.formula else "same scale", result.columns, *of_computed(result))
    for like in near(rest, {frozenset(one.columns) for one in exact}):
        yield Finding(like.how, like.columns, *of_near(like))
    if len(examined) > MOST_COLUMNS:
        what = f"Relations are looked for among up to {MOST_COLUMNS} columns, and there are {len(examined):,}."
        yield Finding(
            "not looked at", (), what, "Copies and functions may be among them.", "Look at parts of the table."
        )
        return
    n_levels = sum(one.taken.kind in ("levels", "ordered") for one in examined)
    n_numbers = sum(one.taken.kind != "name" and sort_of(one.clean) in ("whole", "fraction") for one in examined)
    for n, most, of, sort in (
        (n_levels, MOST_IN_TRIPLES, "Functions of two columns", "levels"),
        (n_levels, MOST_NEAR, "Copies with gaps or a few exceptions", "levels"),
        (n_numbers, MOST_SUMMED, "Sums and other formulas", "numbers"),
    ):
        if n <= most:
            continue
        what = f"{of} are looked for among up to {most} columns of {sort}, and there are {n}."
        yield Finding("bound", (), what, "Such relations may go unnoticed.", "Look at parts of the table.")


def _stand(labels: Sequence[Any]) -> str:
    return "stand" if len(labels) > 1 else "stands"


def _values(labels: Sequence[Any]) -> str:
    return listing([short(label, 30) for label in labels], 6)
