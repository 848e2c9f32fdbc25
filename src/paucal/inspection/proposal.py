"""From findings to a preparation: what is done to a raw table unless somebody says otherwise.

The rules, each in one place:

* what names the rows, is empty or mostly missing, repeats another column, is a number cut or computed from others, or
  no measurement (weights of a survey, times of a follow-up), is left out, unless somebody says what it is
  (`_left_out`); a constant stays, isolated in every graph;
* values that mean "no answer" become missing; numbers are cut as `paucal.data.kinds.CUT` says (`_cuts`);
* rare levels of a category with more than 20 levels are put together (`_merged`);
* missing values: `_gaps`.

A table of plain categories passes through untouched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.discretize import cut_points, interval_labels
from paucal.data.kinds import CUT, CUT_WITH_GAPS, observed_counts, sort_of
from paucal.data.prepare import MANY_GAPS
from paucal.data.weights import n_marked
from paucal.errors import Argument, DataError, counted, listing
from paucal.inspection.describe import ColumnSummary, Examined, examine, summarise
from paucal.inspection.findings import Finding, findings
from paucal.inspection.groups import group_sizes, with_groups

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from paucal.data.discretize import Point
    from paucal.data.kinds import Kind
    from paucal.data.preparation import Missing, Preparation
    from paucal.data.raw import RawTable

_MANY_LEVELS = 20
_FEW_VALUES = 5  # numbers with no more values are levels as they are
_RARE = 5
_SURVIVAL = "it needs methods for survival times; what happened is taken as if all had been followed equally long"
_REPLACED = ("duplicate", "recoding", "coarser copy", "same scale", "copy with gaps", "near cut")
_RESULTS = ("computed", "sum")
_NO_MEASUREMENT = {
    "survey weight": "looks like the weights of a survey",
    "follow-up": "how long somebody was followed, which needs methods for survival times",
}
_IF_ONE = "they seem to cause each other until you put them into one column"
_IF_COMPUTED = "they hide what else these depend on, so leave out what you do not ask about"


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """A raw table with all that was found in it."""

    table: RawTable
    examined: tuple[Examined, ...]
    columns: tuple[ColumnSummary, ...]
    findings: tuple[Finding, ...]


def look(table: RawTable, said: Preparation | None = None) -> Looked:
    """Describe the columns of a table, and look for what is between them; what tells about the rows is none."""
    kinds = {} if said is None else said.kinds
    pairs = [pair for pair in zip(table.names, table.columns, strict=True) if not pair[1].tells]
    examined = tuple(examine(name, column, said=kinds.get(name)) for name, column in pairs)
    examined = with_groups(examined, tuple(kinds))
    columns = tuple(map(summarise, examined))
    return Looked(table, examined, columns, findings(examined, columns))


def propose(
    looked: Looked,
    own: Preparation,
    named: Collection[str] = (),
    keep: Collection[str] = (),
    *,
    settle_gaps: bool = True,
) -> Preparation:
    """Propose a preparation; what somebody said comes first.

    Columns to keep are never left out; neither are those that a question names, which are levels in any case.
    """
    out = dict(own.leave_out) | _left_out(looked, {*named, *keep, *own.kinds})
    kept = [one for one in looked.examined if one.name not in out]
    if not kept:
        reasons = listing(f"{name!r} ({why})" for name, why in out.items())
        hint = (
            "If one of them is more than that, say what it is: ",
            Argument("kinds", {next(iter(out)): "levels"}),
            ".",
        )
        raise DataError(f"No column is left to learn from: {reasons}.", hint=hint)
    groups = row_groups(looked.examined, out)
    counted_rows = own.weights is not None or looked.examined[0].clean.weights is not None
    missing, lost = _gaps(kept) if settle_gaps else (own.missing, "")
    cuts, cut_reasons = _cuts(kept, own, missing)
    proposal = replace(
        own,
        missing=missing,
        columns=None if own.columns is None else tuple(one.name for one in kept),
        leave_out={} if own.columns is not None and not out else out,
        no_answer={one.name: one.no_answer for one in kept if one.no_answer} | dict(own.no_answer),
        merge={name: groups for one in kept for name, groups in _merged(one, own).items()} | dict(own.merge),
        order={one.name: one.order for one in kept if one.order and one.order != one.clean.levels} | dict(own.order),
        kinds=_kinds(kept, named, cuts) | dict(own.kinds),
        discretize=cuts or None,
        repeats=own.repeats if own.repeats is not None or counted_rows else getattr(groups, "name", None),
    )
    return replace(proposal, why=_reasons(looked, proposal, kept, cut_reasons, lost))


def row_groups(examined: Sequence[Examined], out: Collection[str]) -> Examined | None:
    """Give the column whose equal values mark rows that belong together, if one was found and is left out."""
    again = [one for one in examined if one.name in out and one.groups]
    # people, not their schools
    return max(again, key=lambda one: np.count_nonzero(observed_counts(one.clean))) if again else None


def _kinds(kept: Sequence[Examined], named: Collection[str], cuts: Collection[str]) -> dict[str, Kind]:
    """Say what columns are that are no plain levels; whoever is named explicitly is no mere name."""
    found: dict[str, Kind] = {one.name: one.taken.kind for one in kept if one.taken.kind != "levels"}
    if CUT is not None:  # a number of so few values that nobody cuts it
        found |= {name: "levels" for name, kind in found.items() if kind == "number" and name not in cuts}
    return found | {one.name: "levels" for one in kept if one.name in named and one.taken.kind == "name"}


def _left_out(looked: Looked, spared: Collection[str]) -> dict[str, str]:
    """Say which columns are left out, and why."""
    n_rows = looked.table.n_rows
    out: dict[str, str] = {}
    for one in looked.columns:
        if one.name in spared:
            continue
        if one.kind in _REASONS:
            out[one.name] = _REASONS[one.kind].format(one=one)
        elif one.missing > MANY_GAPS * n_rows:
            out[one.name] = f"{one.missing / n_rows:.0%} of the values are missing"
    useless = set(out)
    replaced = [finding for finding in looked.findings if finding.kind in _REPLACED]
    asked: set[str] = set()  # what is left out because a copy or a cut of it is asked about
    for finding in replaced:
        copy, other = finding.columns
        if copy in spared and other not in spared and other not in asked:
            asked.add(other)
            out[other] = finding.what.rstrip(".")
    for finding in replaced:
        copy, other = finding.columns
        if copy not in spared and other not in useless:
            out[copy] = finding.what.removeprefix(f"{copy} ").rstrip(".")
    for finding in looked.findings:
        if finding.kind in _NO_MEASUREMENT and finding.columns[0] not in spared:
            out.setdefault(finding.columns[0], _NO_MEASUREMENT[finding.kind])
        elif finding.kind in _RESULTS:
            result, *parts = finding.columns
            if result not in spared and out.keys().isdisjoint(parts):
                out.setdefault(result, finding.what.removeprefix(f"{result} ").rstrip("."))
        elif finding.kind == "shares" and out.keys().isdisjoint(finding.columns):
            out |= {name: finding.what.rstrip(".") for name in finding.columns[-1:] if name not in spared}
    return out


_REASONS = {
    "empty": "no row has a value",
    "identifier": "names the rows: {one.why}",
    "groups": "names groups of rows: {one.why}",
    "near-identifier": "nearly names the rows: {one.why}",
    "free text": "long text that hardly repeats: {one.why}",
}


def _merged(one: Examined, own: Preparation) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Put levels together that are spelled in several ways, and rare levels of a category with many levels."""
    alike: dict[str, tuple[Any, ...]] = dict(one.spellings.merge)
    for label, rare in _rare(one, own).items():
        alike = {word: levels for word, levels in alike.items() if word not in rare} | {
            label: tuple(level for word in rare for level in one.spellings.merge.get(word, (word,)))
        }
    return {one.name: alike} if alike else {}


def _rare(one: Examined, own: Preparation) -> dict[str, tuple[Any, ...]]:
    column = one.clean
    counts = observed_counts(column)
    if one.taken.kind != "levels" or one.name in own.kinds or np.count_nonzero(counts) <= _MANY_LEVELS:
        return {}
    if column.declared or sort_of(column) != "text":
        return {}
    rare = [column.levels[i] for i in np.flatnonzero((counts > 0) & (counts < _RARE)).tolist()]
    if len(rare) < 2:
        return {}
    label = next(word for word in ("other", "all others", "the others, put together") if word not in column.levels)
    return {label: tuple(rare)}


def _cuts(kept: Sequence[Examined], own: Preparation, missing: Missing) -> tuple[dict[str, Any], dict[str, str]]:
    """Cut the numbers, if they are to be cut, or have gaps; say into what."""
    usual = own.discretize if isinstance(own.discretize, str) else CUT
    cuts: dict[str, Any] = dict(own.discretize) if isinstance(own.discretize, dict) else {}
    reasons: dict[str, str] = {}
    for one in kept:
        gaps = missing == "level" and one.clean.n_missing > 0
        rule = CUT_WITH_GAPS if usual is None and gaps else usual
        if one.taken.kind != "number" or one.name in cuts or rule is None:
            continue
        if np.count_nonzero(observed_counts(one.clean)) <= _FEW_VALUES and not isinstance(own.discretize, str):
            continue
        points: list[Point] = cut_points(one.name, one.clean, rule)
        if points:
            cuts[one.name] = [int(c) if isinstance(c, float) and c.is_integer() else c for c in points]
            reasons[one.name] = ", ".join(interval_labels(points))
    return cuts, reasons


def _gaps(kept: Sequence[Examined]) -> tuple[Missing, str]:
    """Decide what is done about missing values, and say it: the one place that does.

    They are kept, and searches allow for them; columns that are mostly gaps were left out before.
    """
    n_rows, lost = kept[0].clean.n_rows, rows_with_gaps(kept)
    if not lost:
        return "error", ""
    cells = sum(one.clean.n_missing for one in kept)
    gappy = listing((one.name for one in sorted(kept, key=lambda one: -one.clean.n_missing) if one.clean.n_missing), 3)
    where = f"in {lost:,} of {n_rows:,} rows, most in {gappy}"
    are = "is" if cells == 1 else "are"
    return "keep", f"{cells:,} of {n_rows * len(kept):,} values {are} missing, {where}; searches allow for them"


def rows_with_gaps(kept: Sequence[Examined]) -> int:
    """Count the rows that have a missing value in any of the columns."""
    complete = np.ones(len(kept[0].clean.codes), bool)
    for one in kept:
        complete &= one.clean.codes < len(one.clean.levels)
    return n_marked(~complete, kept[0].clean.weights)


_SEVERAL = 2  # rows that can belong together
_MANY_WHOLE = 8  # values of a whole number, from which on one may doubt that they are codes of answers
_IF_MORE = "if larger means more, declare them as ordered or as numbers, and fewer relations are missed"
_IF_REPEATED = "if these are repeated measurements of one person, keep one of them: otherwise all looks too certain"
_ONLY_GROUPS = "only comparisons of randomised groups allow for that: all else looks too certain unless you keep one"


def repeated_rows(one: Examined) -> str:
    """Say what follows from a column that was found to name groups of rows."""
    return f"each value of {one.name} occurs in {group_sizes(one.clean)}; {_IF_REPEATED}"


def _said_to_repeat(name: str, table: RawTable) -> dict[str, str]:
    """Say what follows from rows that somebody says belong together."""
    column = table.columns[table.names.index(name)]
    if observed_counts(column).max(initial=0) < _SEVERAL:
        return {"alone": f"no value of {name} occurs in more than one row, so no rows belong together"}
    return {"rows": f"each value of {name} occurs in {group_sizes(column)}; {_ONLY_GROUPS}"}


def _reasons(
    looked: Looked, how: Preparation, kept: Sequence[Examined], cuts: Mapping[str, str], lost: str
) -> dict[str, str]:
    """Give the reasons in words, by entry."""
    n_rows = looked.table.n_rows
    dropped = rows_with_gaps(kept) if how.missing == "drop" else 0
    if dropped and not lost:
        lost = f"{dropped:,} of {n_rows:,} rows have a missing value; they are left out"
    n_columns = len(kept) + len(how.leave_out)
    table = (
        f"{counted(n_rows, 'row')} and {counted(n_columns, 'column')} read, "
        f"{counted(n_rows - dropped, 'row')} and {counted(len(kept), 'column')} used."
    )
    why = {"table": table} | ({"missing": lost} if lost else {})
    maybe = {one.name for one in looked.columns if one.few_whole and one.observed >= _MANY_WHOLE}
    whole = [one.name for one in kept if one.name in maybe and how.kinds.get(one.name, "levels") == "levels"]
    if whole:
        why["levels"] = f"whole numbers taken as levels without an order: {listing(whole, 6)}; {_IF_MORE}"
    for one in looked.findings:
        if one.kind == "row counts?":
            why["counts"] = f"maybe counts of rows: {one.what.rstrip('.')}; if so, give it as weights"
        if one.kind == "follow-up" and one.columns[0] in how.leave_out:
            time, *events = one.columns
            said = f"{time} says how long, {listing(events)} whether something happened"
            why["follow-up"] = f"maybe a follow-up: {said}; {time} is left out, since {_SURVIVAL}"
        if one.kind == "total row?":
            why["total"] = (
                f"maybe a row of totals: {one.what.rstrip('.')}; if it sums the others up, delete it from the file"
            )
        if one.kind == "repeated rows?":
            why["pasted"] = f"maybe rows that were pasted twice: {one.what.rstrip('.')}; if so, delete them"
        if one.kind == "note row?":
            why["note"] = f"maybe a note below the table: {one.what.rstrip('.')}; if so, delete it from the file"
    used = {one.name for one in kept}
    answers = [
        listing(one.columns, 6) for one in looked.findings if one.kind == "one-hot" and used.issuperset(one.columns)
    ]
    if answers:
        why["one-hot"] = (
            f"one answer in several columns, of which one is 1 in each row: {'; '.join(answers)}; {_IF_ONE}"
        )
    results = [one for one in looked.findings if one.kind in (*_RESULTS, "near copy") and used.issuperset(one.columns)]
    if results:
        told = listing((f"{one.columns[0]} ({listing(one.columns[1:], 3)})" for one in results), 6)
        why["computed"] = f"computed from other columns, or nearly copies of them: {told}; {_IF_COMPUTED}"
    if (again := row_groups(looked.examined, how.leave_out)) is not None:
        why["rows"] = repeated_rows(again)
    elif how.repeats is not None:
        why |= _said_to_repeat(how.repeats, looked.table)
    if how.repeats is not None:
        why["repeats"] = "rows with the same value belong together; it is not used as data unless you delete this line"
    odd = {one.name: one.no_number for one in looked.columns if one.no_number and one.name in how.no_answer}
    why |= {f"no_answer.{name}": f"no numbers: {listing(words, 6)}" for name, words in odd.items()}
    why |= {f"kinds.{one.name}": one.taken.why for one in kept if one.name in how.kinds}
    why |= {f"discretize.{name}": text for name, text in cuts.items() if name in (how.discretize or {})}
    return why
