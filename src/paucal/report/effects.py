"""What setting a column would change, with small pictures of the distributions.

The causes of the outcome, if one is known, else the effects of the surest arrows. What was randomised is answered by
its groups instead: an average over graphs, some of which overlook it, would only contradict them.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paucal.effects.effect import COVERAGE, TOO_SURE
from paucal.effects.groups import NARROW, NOTHING_COMPARED, TOGETHER
from paucal.errors import NetworkError
from paucal.report.behind import points, relatives
from paucal.report.text import Cell, Name, Table, counted, named, share, typeset, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data import Dataset
    from paucal.effects.effect import Effect, Estimate
    from paucal.effects.groups import Groups
    from paucal.graphs.graph import Graph
    from paucal.report.behind import Behind
    from paucal.report.text import Said
    from paucal.search.result import SearchResult

_MOST = 12  # effects on a page
_MOST_RANKED = 60  # columns; the causes of an outcome among more take too long for a page
_MOST_LEVELS = 8  # of a column in a picture: as many as there are colours
_MOST_COMPARED = 40  # comparisons of the groups of a trial, in a table
_LEAST = 0.05  # share of the graphs in which there is an effect at all
_SEEN = 0.01  # share of the rows that an effect moves to another level; what is less is counted, not shown


@dataclass(frozen=True)
class Part:
    """One outcome in a picture: its name and colour, where it begins and how wide it is, in percent; its share."""

    outcome: str
    colour: int
    start: float
    width: float
    share: str


@dataclass(frozen=True)
class Line:
    """One level of the cause: the distribution of the effect when it is set, and the rows that have it."""

    level: str
    parts: Sequence[Part]
    rows: int
    few: bool
    mean: str | None


@dataclass(frozen=True)
class Shown:
    """One effect: what is said about it, a picture for each level, and the names of the colours."""

    sentences: Sequence[Said]
    lines: Sequence[Line]
    key: Sequence[tuple[int, str]]
    more: int  # levels that are not shown


@dataclass(frozen=True)
class Effects:
    """The effects on a page, what they are about, and how far their intervals can be trusted."""

    about: str | None
    shown: Sequence[Shown]
    unseen: int  # effects that move fewer rows than one in a hundred
    notes: Sequence[str]


@dataclass(frozen=True)
class Trial:
    """A randomised column and an outcome: every comparison of its groups, and what that rests on, if not told yet."""

    cause: str
    effect: str
    table: Table
    closing: Said


def effects_part(
    search: SearchResult, shown: Graph, data: Dataset | None, behind: Behind
) -> tuple[Effects | None, list[Trial]]:
    """Give the effects for a page, or None if there are none to tell of; and the trials that the answer does not tell.

    The answer tells of a trial whose groups are compared only once.
    """
    outcome, found = None, behind.effects
    known = () if search.knowledge is None else search.knowledge.outcome
    ranked = next((name for name in (search.recipe.target, *known) if name is not None and name in shown), None)
    sampled = bool(getattr(search.evidence, "sampled", ())) and search.graph.kind != "pag"
    if data is not None and ranked is not None and sampled and search.graph.n <= _MOST_RANKED:
        with contextlib.suppress(NetworkError):  # too dense for exact answers
            outcome, found = ranked, list(search.effects(ranked, data=data))
    answered = {(one.cause, one.effect) for one in search.groups}
    trials = [_trial(one, ()) for one in search.groups if len(one.compared) > 1]
    others = [one.groups for one in found if one.groups and (one.cause, one.effect) not in answered]
    trials += [_trial(one, _closing(one)) for one in others if one.compared]
    told = [one for one in found if one.groups is None and one.probability >= _LEAST and one.contrast is not None]
    seen = [one for one in told if one.strength >= _SEEN]
    notes = [f"{_capital(COVERAGE)}."]
    notes += dict.fromkeys(f"{_capital(TOO_SURE)}: {one.dependent}." for one in seen if one.dependent is not None)
    shown_ones = [_shown(one) for one in seen[:_MOST]]
    effects = Effects(outcome, shown_ones, len(told) - len(seen), [typeset(note) for note in notes]) if told else None
    return effects, trials


def _shown(effect: Effect) -> Shown:
    lines = [
        Line(
            level,
            _parts(effect, i),
            effect.rows[i],
            effect.rows[i] < 10,
            None if effect.means is None else typeset(effect.mean(level)),
        )
        for i, level in enumerate(effect.levels[:_MOST_LEVELS])
    ]
    key = [(k % _MOST_LEVELS, outcome) for k, outcome in enumerate(effect.outcomes)]
    return Shown(list(_sentences(effect)), lines, key, max(0, len(effect.levels) - _MOST_LEVELS))


def _parts(effect: Effect, level: int) -> list[Part]:
    shares = effect.draws[:, level].mean(axis=0).tolist()
    starts = [100 * sum(shares[:k]) for k in range(len(shares))]
    return [
        Part(outcome, k % _MOST_LEVELS, start, 100 * width, share(width))
        for k, (outcome, start, width) in enumerate(zip(effect.outcomes, starts, shares, strict=True))
    ]


def _sentences(effect: Effect) -> list[Said]:
    """Say in how many graphs there is an effect, how large it is, and what that rests on."""
    cause, outcome = Name(effect.cause), Name(effect.effect)
    graphs = f" in {round(effect.probability * len(effect.draws))} of {len(effect.draws)} graphs."
    told: list[Said] = [(f"{note}.",) for note in relatives(effect)]
    told.append((cause, " causes ", outcome, graphs))
    found = effect.contrast
    if found is None:
        return told
    setting: Said = ("Setting ", cause, " to ", Name(found.to), " instead of ", Name(found.instead_of))
    if effect.means is not None and effect.ordered:
        told.append(
            (*setting, " would change the mean of ", outcome, f" by {typeset(effect.mean_difference(*found))}.")
        )
    elif len(effect.outcomes) == 2:
        what: Said = (" would change the chance of ", outcome, " = ", Name(effect.spoken))
        told.append((*setting, *what, _by(effect.difference(*found))))
    elif effect.ordered:
        what = (" would change the chance of a higher level of ", outcome)
        told.append((*setting, *what, _by(effect.difference(*found))))
    else:
        here, there = (effect.draws[:, effect.levels.index(level)] for level in found)
        moved = float(abs(here - there).sum(axis=-1).mean() / 2)
        told.append((*setting, f" would move {share(moved)} of the rows to another level."))
    if effect.scored:
        told.append((f"Taken as a score, its mean would change by {typeset(effect.mean_difference(*found))}.",))
    if effect.claim is not None:
        a, b = effect.claim.arrow
        likely = f", which is {share(effect.claim.direction)} likely."
        told.append((f"{_capital(effect.claim.by)} ", Name(a), " → ", Name(b), likely))
    return told


def compared(groups: Groups) -> Said:
    """Say how the first groups of a randomised column differ, what the interval is, and when it is too narrow."""
    if not groups.compared:
        return Name(groups.cause), f" was randomised, but {NOTHING_COMPARED}."
    one, more = groups.compared[0], len(groups.compared) - 1
    what: Said = ("The mean of ", Name(groups.effect), " is ")
    if one.outcome is not None:
        what = (Name(groups.effect), " is ", Name(one.outcome), " in ")
    of = "in" if one.of == "mean" else "of"
    again = "" if one.of == "mean" else "in "
    rest = "" if not more else f" {more} more comparison{' follows' if more == 1 else 's follow'} below the edges."
    return (
        *what,
        f"{typeset(one.value(0))} {of} {one.rows[0]:,} rows with ",
        *(Name(groups.cause), " = ", Name(one.to)),
        f" and {again}{typeset(one.value(1))} {of} {one.rows[1]:,} rows with ",
        *(Name(groups.cause), " = ", Name(one.instead_of)),
        f": a difference of {typeset(one.change())}. ",
        *_closing(groups),
        rest,
    )


def _closing(groups: Groups) -> Said:
    """Say why groups are compared, in which rows, and how far their intervals can be trusted."""
    rows = f" was randomised, so its groups are compared directly, in {groups.used:,} of {groups.rows:,} rows."
    if not any(one.has_interval for one in groups.compared):
        return Name(groups.cause), rows
    level = f" In brackets: {share(groups.level)} confidence intervals."
    if groups.together is not None:
        return Name(groups.cause), rows, f"{level} They allow {TOGETHER} ", Name(groups.together), "."
    if groups.dependent is None:
        return Name(groups.cause), f"{rows}{level} They hold if rows do not depend on each other."
    return Name(groups.cause), f"{rows}{level} They are {NARROW}: {groups.dependent}."


def _trial(groups: Groups, closing: Said) -> Trial:
    """Put every comparison of groups into a table."""
    rows = [
        [
            worded("mean") if one.outcome is None else named(one.outcome),
            *(named(one.to), Cell((typeset(one.value(0)),), one.values[0]), counted(one.rows[0])),
            *(named(one.instead_of), Cell((typeset(one.value(1)),), one.values[1]), counted(one.rows[1])),
            Cell((typeset(one.change()),), one.difference),
        ]
        for one in groups.compared[:_MOST_COMPARED]
    ]
    interval = f"Difference ({share(groups.level)} confidence interval)"
    heads = [groups.effect, groups.cause, "Share or mean", "Rows", "Compared with", "Share or mean", "Rows", interval]
    more = len(groups.compared) - len(rows)
    rest = (f" {more} more comparisons are in result.groups.",) if more else ()
    return Trial(groups.cause, groups.effect, Table(heads, rows, words=(0, 1, 4)), (*closing, *rest))


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _by(change: Estimate) -> str:
    return f" by {points(change.mean)} percentage points ({points(change.low)} to {points(change.high)})."
