"""What happens to one column when another is set: the summary of many possible answers, in numbers and in words."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import checks
from paucal.errors import unknown_name

if TYPE_CHECKING:
    from paucal.effects.causes import Cause
    from paucal.networks.tables import FloatArray

FEWEST_ROWS = 10  # a level of the cause with fewer rows is shown with them, and ranks nothing


class Estimate(NamedTuple):
    """A mean over the draws, and the interval that holds the middle share of them."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{_number(self.mean)} ({_number(self.low)} to {_number(self.high)})"


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
    seen
        Shares of the outcomes among the rows of each level, without any intervention; NaN where there are no rows.
    rows
        Number of rows of each level of the cause.
    ordered
        Whether the outcomes have an order, so that "higher" means something.
    level
        Share of the draws that an interval holds.
    claim
        What the claim of a cause hangs on; None if no graph has one.
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
    notes: tuple[str, ...] = ()

    def do(self, level: object, outcome: object) -> Estimate:
        """Give P(outcome | do(cause = level))."""
        return self._estimate(self.draws[:, self._level(level), self._outcome(outcome)])

    def difference(self, to: object, instead_of: object, *, outcome: object = None) -> Estimate:
        """Give by how much P(outcome) changes when the cause is set to one level instead of another.

        Without an outcome it is the last one of two, or the change in the chance of a higher outcome where outcomes
        have an order: P(higher with `to`) - P(lower with `to`).
        """
        one, other = self.draws[:, self._level(to)], self.draws[:, self._level(instead_of)]
        if outcome is not None or len(self.outcomes) == 2:
            k = self._outcome(self.outcomes[-1] if outcome is None else outcome)
            return self._estimate(one[:, k] - other[:, k])
        if not self.ordered:
            raise unknown_name("outcome", outcome, self.outcomes)
        below = np.cumsum(other, axis=1) - other
        above = 1 - np.cumsum(other, axis=1)
        return self._estimate((one * (below - above)).sum(axis=1))

    @property
    def strength(self) -> float:
        """How far apart the outcomes are under two levels of the cause: total variation distance, mean over draws.

        The largest over pairs of levels that have at least 10 rows each; 0 if there are not two such levels.
        """
        usable = [k for k, n in enumerate(self.rows) if n >= FEWEST_ROWS]
        if len(usable) < 2:
            return 0.0
        some = self.draws[:, usable]
        apart = np.abs(some[:, :, None] - some[:, None, :]).sum(axis=-1) / 2
        return float(apart.max(axis=(1, 2)).mean())

    @property
    def distribution(self) -> list[dict[str, Any]]:
        """One record for each level and outcome: mean, low, high, what is seen, rows."""
        return [
            {
                self.cause: level,
                self.effect: outcome,
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
        return {
            "cause": self.cause,
            "effect": self.effect,
            "probability": self.probability,
            "draws": len(self.draws),
            "level": self.level,
            "strength": self.strength,
            "hangs_on": claim,
            "distribution": self.distribution,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        graphs = f"{round(self.probability * len(self.draws))} of {len(self.draws)} graphs"
        lines = [f"{self.cause} causes {self.effect} in {graphs}"]
        shown = (self.outcomes[-1],) if len(self.outcomes) == 2 else self.outcomes
        width = max(len(f"do({self.cause} = {level})") for level in self.levels)
        for i, level in enumerate(self.levels):
            parts = [f"{self.effect} = {outcome} {self.do(level, outcome)}" for outcome in shown]
            few = ", too few to compare" if self.rows[i] < FEWEST_ROWS else ""
            lines.append(f"{f'do({self.cause} = {level})':<{width}}: {'; '.join(parts)}   {self.rows[i]:,} rows{few}")
        if len(self.levels) == 2:
            lines += self._compared(shown)
        if self.claim is not None:
            a, b = self.claim.arrow
            lines.append(f"this hangs on {a} -> {b}, whose direction has {self.claim.direction:.0%}")
        lines.append(
            f"intervals hold {self.level:.0%} of the draws; for true causes they are too narrow: docs/effects.md"
        )
        return "\n".join([*lines, *self.notes])

    def _compared(self, shown: tuple[str, ...]) -> list[str]:
        one, other = self.levels
        if len(shown) == 1 or self.ordered:
            what = "" if len(shown) == 1 else f" in the chance of a higher {self.effect}"
            lines = [f"difference{what}, {other} instead of {one}: {self.difference(other, one)}"]
        else:
            lines = []
        for outcome in shown:
            k = self.outcomes.index(outcome)
            seen = " and ".join(_number(self.seen[i, k]) for i in range(2))
            lines.append(f"seen without intervention: {self.effect} = {outcome} {seen} ({one}, {other})")
        return lines

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def _estimate(self, values: FloatArray) -> Estimate:
        tail = (1 - self.level) / 2
        low, high = np.quantile(values, [tail, 1 - tail])
        return Estimate(float(values.mean()), float(low), float(high))

    def _level(self, level: object) -> int:
        return self.levels.index(checks.known(f"level of {self.cause!r}", str(level), self.levels))

    def _outcome(self, outcome: object) -> int:
        return self.outcomes.index(checks.known(f"level of {self.effect!r}", str(outcome), self.outcomes))


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00")
