"""What happens to one column when another is set: the summary of many possible answers, in numbers and in words."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import checks
from paucal.data.discretize import are_intervals, with_value
from paucal.data.frames import framed
from paucal.errors import QuestionError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paucal.effects.causes import Cause
    from paucal.effects.groups import Groups
    from paucal.networks.tables import FloatArray

FEWEST_ROWS = 10  # a level of the cause with fewer rows is shown with them, and ranks nothing
# `python benchmarks/effects.py`, the table in docs/effects.md
COVERAGE = "where the truth was known, such intervals contained it for 96% of all pairs and for 78% of true causes"
TOO_SURE = "intervals over graphs are too narrow, as rows of one person or place are not independent"
BY_GRAPHS = "averaged over the sampled graphs, some of which may lack a weak effect"
_YES = ("yes", "true", "1", "present", "positive")  # a level that one speaks of rather than of its opposite
_CONTROL = re.compile(  # the group that others are compared with, and short forms of its name
    r"(?:control|placebo|untreated|sham)s?(?:[^a-z].*)?|cont|ctrl|ctl|none|no treatment|never"
    r"|(?:usual|standard)(?: of)?(?: care| treatment)?"
)
_ROUNDING = 0.005  # differences that are written alike
_SHOWN = 10  # causes in a printed ranking, differences of levels in a printed effect
_OPEN = 0.9  # a direction that is less sure than this is worth a hint


class Estimate(NamedTuple):
    """A mean over the draws, and the interval that contains the middle share of them."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{number_text(self.mean)} ({number_text(self.low)} to {number_text(self.high)})"


class Contrast(NamedTuple):
    """Two levels of the cause that are compared: one instead of the other."""

    to: str
    instead_of: str


@dataclass(frozen=True, eq=False)
class Effect:
    """What happens to one column when another is set; `result.effect(x, y, data=data)` makes one.

    Attributes
    ----------
    cause, effect
        The two columns.
    levels, outcomes
        Their levels, as text.
    probability
        Share of the sampled graphs in which the first causes the second, directly or through others. Where it does
        not, setting it changes nothing, and that is part of the averages.
    draws
        P(outcome | do(cause = level)) of every draw: draws by levels by outcomes.
    means
        The mean of the second column under do(cause = level) of every draw, draws by levels, if it is a number, or has
        more than two levels and all are numbers.
    seen
        Shares of the outcomes among the rows of each level, without any intervention; NaN where there are no rows.
    rows
        Number of rows of each level of the cause.
    ordered
        Whether the outcomes have an order, so that "higher" means something.
    level
        Share of the draws that an interval contains.
    claim
        What the claim of a cause hangs on; None if no graph has one.
    reverse
        Share of the sampled graphs in which the second causes the first.
    frame_kind
        The library of frames in which `distribution` answers.
    steps
        In words: of numbers, in which steps they are taken; of levels that are numbers, that they have a mean.
    groups
        If the first column was randomised, the comparison of its groups: the first answer then.
    dependent
        In words, what makes rows depend on each other, so that all intervals over graphs are too narrow.
    by_definition
        In words, that one of the two is a copy of the other, or made from it: then there is no effect to ask for.
    beside
        In words, which other columns say the same as one of the two, and would take a part of its effects.
    """

    cause: str
    effect: str
    levels: tuple[str, ...]
    outcomes: tuple[str, ...]
    probability: float
    draws: FloatArray = field(repr=False)
    seen: FloatArray = field(repr=False)
    rows: tuple[int, ...]
    ordered: bool
    level: float
    claim: Cause | None = None
    means: FloatArray | None = field(default=None, repr=False)
    reverse: float = 0.0
    frame_kind: str | None = None
    steps: tuple[str, ...] = ()
    groups: Groups | None = field(default=None, repr=False)
    dependent: str | None = field(default=None, repr=False)
    by_definition: str | None = field(default=None, repr=False)
    beside: tuple[str, ...] = field(default=(), repr=False)

    # ---- numbers

    def do(self, level: object, outcome: object) -> Estimate:
        """Give P(outcome | do(cause = level))."""
        return self._estimate(self.draws[:, self._level(level), self._outcome(outcome)])

    def difference(self, to: object, instead_of: object, *, outcome: object = None) -> Estimate:
        """Give by how much P(outcome) changes when the cause is set to one level instead of another.

        Without an outcome it is the one of two that says yes, or the last, or the change in the chance of a higher
        outcome where outcomes have an order: P(higher with `to`) - P(lower with `to`).
        """
        one, other = self.draws[:, self._level(to)], self.draws[:, self._level(instead_of)]
        if outcome is not None or len(self.outcomes) == 2:
            k = self._outcome(self.spoken if outcome is None else outcome)
            return self._estimate(one[:, k] - other[:, k])
        if not self.ordered:
            raise unknown_name("outcome", outcome, self.outcomes)
        below = np.cumsum(other, axis=1) - other
        above = 1 - np.cumsum(other, axis=1)
        return self._estimate((one * (below - above)).sum(axis=1))

    def mean(self, level: object) -> Estimate:
        """Give the mean of the effect under do(cause = level), in its own unit; it must be a number."""
        return self._estimate(self._means()[:, self._level(level)])

    def mean_difference(self, to: object, instead_of: object) -> Estimate:
        """Give by how much the mean changes when the cause is set to one level instead of another."""
        means = self._means()
        return self._estimate(means[:, self._level(to)] - means[:, self._level(instead_of)])

    @property
    def strength(self) -> float:
        """How far apart the outcomes are under two levels of the cause: total variation distance, mean over draws.

        The largest over pairs of levels that have at least 10 rows each; 0 if there are not two such levels.
        """
        usable = self._usable
        if len(usable) < 2:
            return 0.0
        some = self.draws[:, usable]
        apart = np.abs(some[:, :, None] - some[:, None, :]).sum(axis=-1) / 2
        return float(apart.max(axis=(1, 2)).mean())

    @property
    def contrast(self) -> Contrast | None:
        """The two levels between which the outcomes differ most, the later one (or yes) instead of the other.

        None if there are not two levels with 10 rows each.
        """
        pairs = list(combinations(self._usable, 2))
        if not pairs:
            return None
        apart = [float(np.abs(self.draws[:, a] - self.draws[:, b]).sum(axis=-1).mean()) for a, b in pairs]
        b, a = _turned(self.levels, *pairs[int(np.argmax(apart))])
        return Contrast(self.levels[b], self.levels[a])

    @property
    def spoken(self) -> str:
        """The outcome that sentences are about, of two: the one that says yes, or the last."""
        return spoken_of(self.outcomes)

    @property
    def direction(self) -> str | None:
        """`"up"` or `"down"`, whichever way a higher level of the cause moves an ordered outcome; None if neither."""
        found = self.contrast
        if found is None or not (self.ordered or len(self.outcomes) == 2):
            return None
        moved = self.difference(found.to, found.instead_of)
        return "up" if moved.low > 0 else "down" if moved.high < 0 else None

    @property
    def distribution(self) -> Any:
        """One record for each level and outcome: mean, low, high, what is seen, rows; a frame if data came in one."""
        return framed(self.frame_kind, self._records(), ("do", "outcome", "mean", "low", "high", "seen", "rows"))

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "do": level,
                "outcome": outcome,
                **self._estimate(self.draws[:, i, k])._asdict(),
                "seen": None if np.isnan(self.seen[i, k]) else float(self.seen[i, k]),
                "rows": self.rows[i],
            }
            for i, level in enumerate(self.levels)
            for k, outcome in enumerate(self.outcomes)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        claim = None if self.claim is None else {"arrow": list(self.claim.arrow), "direction": self.claim.direction}
        found = self.contrast
        change = None
        if found is not None:
            outcomes = {one: self.difference(*found, outcome=one)._asdict() for one in self.outcomes}
            change = {**found._asdict(), "outcomes": outcomes}
            if self.ordered and len(self.outcomes) > 2:
                change["higher"] = self.difference(*found)._asdict()
            if self.means is not None:
                change["mean"] = self.mean_difference(*found)._asdict()
        return {
            "cause": self.cause,
            "effect": self.effect,
            "groups": None if self.groups is None else self.groups.to_dict(),
            "probability": self.probability,
            "reverse": self.reverse,
            "draws": len(self.draws),
            "level": self.level,
            "steps": list(self.steps),
            "dependent": self.dependent,
            "by_definition": self.by_definition,
            "beside": list(self.beside),
            "strength": self.strength,
            "hangs_on": claim,
            "difference": change,
            "distribution": self._records(),
            "means": [] if self.means is None else [{"do": one, **self.mean(one)._asdict()} for one in self.levels],
            "coverage": COVERAGE,
        }

    @property
    def scored(self) -> bool:
        """Whether the outcomes are levels without a known order that may be scores: their mean comes first then."""
        return self.means is not None and not self.ordered

    # ---- words

    def __str__(self) -> str:
        parts = [self.headline(), *self._distributions(), *self._changes(), *self._hangs(), *self.steps, *self.beside]
        first = [] if self.by_definition is None else [self.by_definition]
        first += [] if self.groups is None else [*self.groups.lines(), f"{BY_GRAPHS}:"]
        parts += [] if self.dependent is None else [f"{TOO_SURE}: {self.dependent}"]
        return "\n".join([*first, *parts, self._coverage()])

    def headline(self) -> str:
        """Say in how many graphs there is an effect at all."""
        graphs = f"{round(self.probability * len(self.draws))} of {len(self.draws)} graphs"
        return f"{self.cause} causes {self.effect} in {graphs}"

    def _with(self, outcome: str) -> str:
        colon = ":" if are_intervals(self.outcomes) else ""  # a number beside those of an interval
        return f"{with_value(self.effect, outcome, self.outcomes)}{colon}"

    def _distributions(self) -> Iterator[str]:
        shown = self._shown()
        heads = [f"do({with_value(self.cause, level, self.levels)})" for level in self.levels]
        width = max(map(len, heads))
        for i, level in enumerate(self.levels):
            parts = [f"{self._with(outcome)} {self.do(level, outcome)}" for outcome in shown]
            few = ", too few to compare" if self.rows[i] < FEWEST_ROWS else ""
            if self.means is not None:
                mean = f"mean {self.mean(level)}"
                parts = [mean, *parts] if self.scored else [*parts, mean]
            yield f"{heads[i]:<{width}}: {'; '.join(parts)}   {self.rows[i]:,} rows{few}"

    def _changes(self) -> Iterator[str]:
        found = self.contrast
        if found is None:
            yield "no two levels of the cause have 10 rows each, so nothing is compared"
            return
        said = f"{found.to} instead of {found.instead_of}"
        if self.scored:
            yield f"difference in the mean of {self.effect}, {said}: {self.mean_difference(*found)}"
        if len(self.outcomes) == 2:
            yield f"difference, {said}: {self.difference(*found)}"
        elif self.ordered:
            yield f"difference in the chance of a higher {self.effect}, {said}: {self.difference(*found)}"
        else:
            for outcome in self.outcomes[:_SHOWN]:
                yield f"difference in {self.effect} = {outcome}, {said}: {self.difference(*found, outcome=outcome)}"
            if len(self.outcomes) > _SHOWN:
                yield f"and {len(self.outcomes) - _SHOWN} more levels of {self.effect}"
        if self.means is not None and not self.scored:
            yield f"difference in the mean of {self.effect}, {said}: {self.mean_difference(*found)}"
        if self._off_interval(found):
            graphs = f"{round(self.probability * len(self.draws))} of {len(self.draws)} graphs"
            yield f"a mean lies outside its interval: only {graphs} have an effect; the interval is that of the others"
        i, j = self.levels.index(found.instead_of), self.levels.index(found.to)
        parts = []
        for outcome in self._shown():
            k = self.outcomes.index(outcome)
            parts.append(f"{self._with(outcome)} {number_text(self.seen[i, k])} and {number_text(self.seen[j, k])}")
        yield f"seen without intervention: {'; '.join(parts)} ({found.instead_of}, {found.to})"

    def _off_interval(self, found: Contrast) -> bool:
        """Say whether the few graphs with an effect move a mean out of the interval of all the others."""
        shown = [None] if len(self.outcomes) == 2 or self.ordered else list(self.outcomes)
        told = [self.difference(*found, outcome=one) for one in shown]
        told += [] if self.means is None else [self.mean_difference(*found)]
        return any(not one.low - _ROUNDING <= one.mean <= one.high + _ROUNDING for one in told)

    def _hangs(self) -> Iterator[str]:
        if self.claim is not None:
            a, b = self.claim.arrow
            yield f"{self.claim.by} {a} -> {b}, which is {self.claim.direction:.0%} likely"
        if self.reverse and self.probability < _OPEN:
            graphs = f"{round(self.reverse * len(self.draws))} of {len(self.draws)} graphs"
            yield (
                f"in {graphs} it is {self.effect} that causes {self.cause}; if you know that it cannot, say so (as the "
                "outcome, as randomised, or by the order in time), and ask again"
            )

    def _coverage(self) -> str:
        return f"intervals contain {self.level:.0%} of the draws; {COVERAGE} (docs/effects.md)"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    # ---- small steps

    @property
    def _usable(self) -> list[int]:
        return [k for k, n in enumerate(self.rows) if n >= FEWEST_ROWS]

    def _shown(self) -> tuple[str, ...]:
        return (self.spoken,) if len(self.outcomes) == 2 else self.outcomes

    def _means(self) -> FloatArray:
        if self.means is None:
            raise QuestionError(f"{self.effect!r} is not a number, so it has no mean.", hint="Ask for a difference.")
        return self.means

    def _estimate(self, values: FloatArray) -> Estimate:
        tail = (1 - self.level) / 2
        low, high = np.quantile(values, [tail, 1 - tail])
        return Estimate(float(values.mean()), float(low), float(high))

    def _level(self, level: object) -> int:
        return self.levels.index(checks.known(f"level of {self.cause!r} called", str(level), self.levels))

    def _outcome(self, outcome: object) -> int:
        return self.outcomes.index(checks.known(f"level of {self.effect!r} called", str(outcome), self.outcomes))


class Ranking(tuple[Effect, ...]):
    """What all other columns do to one, the strongest first; `result.effects(y, data=data)` makes one, `print` it."""

    __slots__ = ()

    def frame(self) -> Any:
        """Give a line for each cause: probability, strength, what is compared, the change; a frame if data came in one.

        `difference` is the change in the chance of one of two outcomes (yes, or the last), or of a higher outcome where
        outcomes have an order; of others there is none, as no single number says it. `mean` is the change of a number.
        """
        records = [_line(one) for one in self]
        return framed(self[0].frame_kind if self else None, records, _RANKED)

    def __str__(self) -> str:
        lines = []
        for one in self[:_SHOWN]:
            moved = f"setting it moves up to {one.strength:.0%} of the rows to another level"
            if one.contrast is None:
                moved = "no two levels have the 10 rows that it takes to compare them"
            if one.groups is not None and one.groups.compared:
                moved = f"it was randomised, and comparing its groups gives {one.groups.first()}"
            elif one.means is not None and one.ordered and one.contrast is not None:
                change = one.mean_difference(*one.contrast)
                moved = f"{one.contrast.to} instead of {one.contrast.instead_of} changes the mean by {change}"
            elif one.contrast is not None and (one.ordered or len(one.outcomes) == 2):
                yes = with_value(one.effect, one.spoken, one.outcomes)
                what = yes if len(one.outcomes) == 2 else f"a higher {one.effect}"
                change = one.difference(*one.contrast)
                said = f"{one.contrast.to} instead of {one.contrast.instead_of}"
                moved = f"{said} changes the chance of {what} by {change}"
            if one.by_definition is not None:
                moved = one.by_definition
            elif one.scored and one.contrast is not None and one.groups is None:
                said = f"{one.contrast.to} instead of {one.contrast.instead_of}"
                moved += f"; as a score, its mean changes by {one.mean_difference(*one.contrast)}, {said}"
            lines.append(f"{one.cause} causes {one.effect} in {one.probability:.0%} of the graphs; {moved}")
        if len(self) > _SHOWN:
            lines.append(f"and {len(self) - _SHOWN} weaker ones")
        if any(one.steps for one in self):
            lines.append("numbers are taken in steps; each effect in full says in which")
        lines += dict.fromkeys(f"{TOO_SURE}: {one.dependent}" for one in self if one.dependent is not None)
        return "\n".join([*lines, *([f"intervals: {COVERAGE} (docs/effects.md)"] if lines else [])])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def spoken_of(outcomes: Sequence[str]) -> str:
    """Give the outcome that sentences are about, of two: the one that says yes, or the last."""
    yes = [one for one in outcomes if one.lower() in _YES]
    return yes[0] if len(yes) == 1 else outcomes[-1]


def to_instead_of(levels: Sequence[str], there: Sequence[int]) -> list[tuple[int, int]]:
    """Say which groups are compared: each with the control group, if one is called so, or with the first."""
    control = [k for k in there if _is_control(levels[k])]
    if len(there) == 2 and len(control) != 1:
        return [_turned(levels, there[0], there[1])]
    against = control[0] if len(control) == 1 else next(iter(there), 0)
    return [(k, against) for k in there if k != against]


def _turned(levels: Sequence[str], a: int, b: int) -> tuple[int, int]:
    """Put two levels as one instead of the other: the later, unless the first says yes or the later is a control."""
    yes = levels[a].lower() in _YES and (levels[a] != "1" or levels[b] == "0")  # 1, 2, 3 is a scale
    control = _is_control(levels[b]) and not _is_control(levels[a])
    return (a, b) if yes or control else (b, a)


def _is_control(level: str) -> bool:
    return _CONTROL.fullmatch(level.strip().lower()) is not None


def scale_of(levels: Sequence[Any], *, number: bool) -> FloatArray | None:
    """Give levels as numbers if these have a mean: those of a number, or more than two levels that are numbers."""
    if not all(isinstance(one, int | float | Decimal) and not isinstance(one, bool) for one in levels):
        return None  # dates have no mean that anybody asks for
    scale = np.array([float(one) for one in levels])
    return scale if (number or len(levels) > 2) and np.isfinite(scale).all() else None


_RANKED = ("cause", "effect", "probability", "strength", "to", "instead_of", "difference", "low", "high", "mean")


def _line(effect: Effect) -> dict[str, Any]:
    told: dict[str, Any] = dict.fromkeys(_RANKED)
    told |= {"cause": effect.cause, "effect": effect.effect}
    told |= {"probability": effect.probability, "strength": effect.strength}
    found = effect.contrast
    if found is None:
        return told
    told |= found._asdict()
    if effect.ordered or len(effect.outcomes) == 2:
        change = effect.difference(*found)
        told |= {"difference": change.mean, "low": change.low, "high": change.high}
    if effect.means is not None:
        told["mean"] = effect.mean_difference(*found).mean
    return told


def number_text(value: float) -> str:
    """Write a share, a mean or a difference."""
    if np.isnan(value):
        return "-"
    written = f"{value:.2f}" if abs(value) < 100 else f"{value:.4g}"
    return written.replace("-0.00", "0.00")
