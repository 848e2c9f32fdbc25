"""What setting a column would change, with small pictures of the distributions.

The causes of the outcome, if one is known, else the effects of the surest arrows.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paucal.effects.effect import BY_GRAPHS, COVERAGE, TOO_SURE
from paucal.effects.groups import NARROW, TOGETHER
from paucal.errors import NetworkError
from paucal.report.behind import points, relatives
from paucal.report.text import Name, share, typeset

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
_MOST_COMPARED = 4  # groups of a trial
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
    coverage: str


def effects_part(search: SearchResult, shown: Graph, data: Dataset | None, behind: Behind) -> Effects | None:
    """Give the effects for a page, or None if there are none to tell of."""
    outcome, found = None, behind.effects
    known = () if search.knowledge is None else search.knowledge.outcome
    ranked = next((name for name in (search.recipe.target, *known) if name is not None and name in shown), None)
    sampled = bool(getattr(search.evidence, "sampled", ())) and search.graph.kind != "pag"
    if data is not None and ranked is not None and sampled and search.graph.n <= _MOST_RANKED:
        with contextlib.suppress(NetworkError):  # too dense for exact answers
            outcome, found = ranked, list(search.effects(ranked, data=data))
    told = [one for one in found if one.groups is not None or (one.probability >= _LEAST and one.contrast is not None)]
    seen = [one for one in told if one.groups is not None or one.strength >= _SEEN]
    return Effects(outcome, [_shown(one) for one in seen[:_MOST]], len(told) - len(seen), COVERAGE) if told else None


def _shown(effect: Effect) -> Shown:
    lines = [
        Line(
            level,
            _parts(effect, i),
            effect.rows[i],
            effect.rows[i] < 10,
            None if effect.means is None else str(effect.mean(level)),
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
    told += [] if effect.groups is None else [*compared(effect.groups), (f"{_capital(BY_GRAPHS)}:",)]
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
        told.append((*setting, f" would move {share(effect.strength)} of the rows, at most, to another level."))
    if effect.scored:
        told.append((f"Taken as a score, its mean would change by {typeset(effect.mean_difference(*found))}.",))
    if effect.dependent is not None:
        told.append((f"{_capital(TOO_SURE)}: {effect.dependent}.",))
    if effect.claim is not None:
        a, b = effect.claim.arrow
        likely = f", which is {share(effect.claim.direction)} likely."
        told.append((f"{_capital(effect.claim.by)} ", Name(a), " → ", Name(b), likely))
    return told


def compared(groups: Groups) -> list[Said]:
    """Say how the groups of a randomised column differ, what the intervals are, and when they are too narrow."""
    told: list[Said] = []
    for one in groups.compared[:_MOST_COMPARED]:
        what: Said = ("The mean of ", Name(groups.effect), " is ")
        if one.outcome is not None:
            what = (Name(groups.effect), " is ", Name(one.outcome), " in ")
        of = "in" if one.of == "mean" else "of"
        told.append(
            (
                *what,
                f"{typeset(one.value(0))} {of} {one.rows[0]:,} rows with ",
                *(Name(groups.cause), " = ", Name(one.to)),
                f" and {typeset(one.value(1))} {of} {one.rows[1]:,} rows with ",
                *(Name(groups.cause), " = ", Name(one.instead_of)),
                f": a difference of {typeset(one.change())}.",
            )
        )
    more = len(groups.compared) - _MOST_COMPARED
    rest = f" {more} more comparisons are in result.groups." if more > 0 else ""
    rows = f" was randomised, so its groups are compared directly, in {groups.used:,} of {groups.rows:,} rows."
    if not any(one.has_interval for one in groups.compared):
        return [*told, (Name(groups.cause), f"{rows}{rest}")]
    level = f" In brackets: {share(groups.level)} confidence intervals."
    if groups.together is not None:
        allowed = f"{level} They allow {TOGETHER} "
        return [*told, (Name(groups.cause), rows, allowed, Name(groups.together), f".{rest}")]
    if groups.dependent is None:
        if_so = " They hold if rows do not depend on each other."
        return [*told, (Name(groups.cause), f"{rows}{level}{if_so}{rest}")]
    narrow = f"{level} They are {NARROW}: "
    return [*told, (Name(groups.cause), f"{rows}{narrow}{groups.dependent}.{rest}")]


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _by(change: Estimate) -> str:
    return f" by {points(change.mean)} percentage points ({points(change.low)} to {points(change.high)})."
