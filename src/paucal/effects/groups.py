"""The groups of a randomised treatment, compared as they are: differences in shares and means, with intervals.

Chance decided who got what, so the plain difference between the groups is the effect, whatever the graph looks like.

Shares: Newcombe (1998), method 10, from the score intervals of Wilson. Means: Welch (1947). Both allow groups of
different sizes, and means also groups that vary differently. tests/test_groups.py has how often they hold the truth.
Where it is known which rows belong together, both take that into account (`clustered.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from paucal.data.steps import NUMBER_STEPS, in_steps
from paucal.effects.clustered import correlation, covariance, effective_rows, freedom, sums
from paucal.effects.effect import scale_of, spoken_of, to_instead_of
from paucal.errors import counted
from paucal.notebook import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.networks.tables import FloatArray

TOGETHER = "for dependence between rows with the same"
NARROW = "too narrow, as rows of one person or place are not independent"
NOTHING_COMPARED = "nothing is compared: that takes two groups with rows, and an outcome with shares or a mean"
Allow = Callable[[Any, tuple[int, int], Literal["share", "mean"]], "tuple[float, float] | tuple[None, None]"]
_METHODS = {"share": "Newcombe", "mean": "Welch"}
_FEWEST_ROWS = 4  # of a group: fewer say next to nothing about how much it varies
_NOTHING = dict.fromkeys(("outcome", "low", "high"))  # is not written
_MOST_TOLD = 8  # comparisons in words
_NEARLY_NORMAL, _ANGLES = 10_000, 20_001  # quantiles of Student's law to four digits and more


class Compared(NamedTuple):
    """Two groups: the share with an outcome, or the mean, in each, and the difference with its interval.

    `low` and `high` are None if the values do not vary within the groups, a group is one person or place, or has fewer
    than four rows.
    """

    of: Literal["share", "mean"]
    outcome: str | None
    to: str
    instead_of: str
    values: tuple[float, float]
    rows: tuple[int, int]
    difference: float
    low: float | None
    high: float | None

    @property
    def has_interval(self) -> bool:
        """Whether anything tells how much the difference varies."""
        return self.low is not None

    def value(self, group: int) -> str:
        """Write the share or the mean of one of the two groups."""
        return f"{self.values[group]:.1%}" if self.of == "share" else f"{self.values[group]:.4g}"

    def change(self) -> str:
        """Write the difference and its interval; of shares in percentage points."""
        unit = " percentage points" if self.of == "share" else ""
        if self.low is None or self.high is None:
            few = f"a group has fewer than {_FEWEST_ROWS} rows"
            why = few if min(self.rows) < _FEWEST_ROWS else "nothing shows how much the groups vary"
            return f"{self._amount(self.difference)}{unit}, without an interval, as {why}"
        return f"{self._amount(self.difference)}{unit} ({self._amount(self.low)} to {self._amount(self.high)})"

    def _amount(self, difference: float) -> str:
        written = f"{100 * difference:.1f}" if self.of == "share" else f"{difference:.3g}"
        return "0.0" if written == "-0.0" else written


@dataclass(frozen=True)
class Groups(Shown):
    """What a randomised column does to another, by comparing its groups.

    Attributes
    ----------
    cause, effect
        The two columns.
    level
        The level of the confidence intervals.
    compared
        Every group with the one it is compared to.
    used, rows
        Rows that have both values, and all rows.
    dependent
        What was found that makes rows depend on each other, in words; then the intervals are too narrow.
    together
        The column whose equal values mark rows that belong together, if the intervals take it into account.
    """

    cause: str
    effect: str
    level: float
    compared: tuple[Compared, ...]
    used: int
    rows: int
    dependent: str | None = None
    together: str | None = None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Say it in words."""
        if not self.compared:
            return [f"{self.cause} was randomised, but {NOTHING_COMPARED}"]
        found = [f"{self.cause} was randomised, so its groups are compared directly:"]
        found += [f"  {self._line(one)}" for one in self.compared[:_MOST_TOLD]]
        if len(self.compared) > _MOST_TOLD:
            found.append(f"  and {len(self.compared) - _MOST_TOLD} more comparisons, in result.groups and the JSON")
        rows = f"{self.used:,} of {self.rows:,} rows used"
        lost = "" if self.used == self.rows else f"; the others lack {self.cause} or {self.effect}"
        with_interval = [one for one in self.compared if one.has_interval]
        if not with_interval:
            return [*found, f"  {rows}{lost}"]
        methods = " and ".join(_METHODS[of] for of in dict.fromkeys(one.of for one in with_interval))
        each = "" if len(with_interval) == 1 else ", each for itself"
        interval = f"{self.level:.0%} confidence interval{'' if len(with_interval) == 1 else 's'} ({methods}){each}"
        if self.together is not None:
            return [*found, f"  {interval}, allowing {TOGETHER} {self.together}; {rows}{lost}"]
        if self.dependent is None:
            return [*found, f"  {interval}, if rows do not depend on each other; {rows}{lost}"]
        return [*found, f"  {interval}, {NARROW}: {self.dependent}; {rows}{lost}"]

    def first(self) -> str:
        """Say the first comparison in words, with its level."""
        level = f" ({self.level:.0%} confidence interval)" if self.compared[0].has_interval else ""
        return f"{self._line(self.compared[0])}{level}"

    def _line(self, one: Compared) -> str:
        to, instead = (f"{self.cause} = {level}" for level in (one.to, one.instead_of))
        of = "in" if one.of == "mean" else "of"
        here, there = (f"{one.value(k)} {of} {counted(n, 'row')}" for k, n in enumerate(one.rows))
        what = f"mean of {self.effect}" if one.outcome is None else f"{self.effect} = {one.outcome}"
        return f"{what}: {here} with {to}, {there} with {instead}; difference {one.change()}"

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {
            "cause": self.cause,
            "effect": self.effect,
            "level": self.level,
            "compared": [one._asdict() | {"values": list(one.values), "rows": list(one.rows)} for one in self.compared],
            "rows_used": self.used,
            "rows": self.rows,
            "dependent": self.dependent,
            "together": self.together,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        compared = tuple(
            Compared(**_NOTHING | one | {"values": tuple(one["values"]), "rows": tuple(one["rows"])})
            for one in content["compared"]
        )
        about: dict[str, Any] = {name: content[name] for name in ("cause", "effect", "level", "rows")}
        notes: dict[str, Any] = {name: content.get(name) for name in ("dependent", "together")}
        return cls(**about, compared=compared, used=content["rows_used"], **notes)


def repeats_in(data: Dataset) -> str | None:
    """Give what is known to make rows depend on each other, in words, or None."""
    if data.units is not None:
        counts = np.bincount(data.units)
        rows = f"{counts.min():,} to {counts.max():,} rows" if counts.min() < counts.max() else f"{counts[0]:,} rows"
        return f"each value of {data.preparation.repeats} occurs in {rows}" if counts.max() > 1 else None
    return data.preparation.why.get("rows", "").partition(";")[0] or None


def compare(
    data: Dataset,
    x: str,
    y: str,
    *,
    level: float,
    cuts: Mapping[str, Sequence[float]] | None = None,
    dependent: str | None = None,
) -> Groups:
    """Compare the groups of x, a randomised column, in y. Numbers in x are taken in steps.

    `dependent` says in words what makes rows depend on each other; if the data know which ones, it is allowed for.
    """
    pair = data.select([x, y])
    steps = in_steps(pair, NUMBER_STEPS, cuts)
    groups, names = steps.distinct[0].astype(np.intp), list(map(str, steps.levels[0]))
    codes, outcomes = pair.distinct[1].astype(np.intp), pair.levels[1]
    k, m = len(names), len(outcomes)
    counts = np.zeros((k + 1, m + 1))  # the last ones: missing
    np.add.at(counts, (groups, codes), 1 if pair.weights is None else pair.weights)
    counts = counts[:k, :m]
    n = counts.sum(axis=1)
    there = [g for g in range(k) if n[g]]
    pairs = to_instead_of(names, there)
    number, found = pair.kinds[1] == "number", []
    units = pair.units if pair.units is not None and np.bincount(pair.units).max() > 1 else None
    allow = None if units is None else partial(_allowed_for, groups, codes, units, level=level)
    scale = scale_of(outcomes, number=number)
    if scale is not None:
        found += [_means(names, counts, scale, a, b, level, allow) for a, b in pairs]
    if not number:
        labels = list(map(str, outcomes))
        told = [labels.index(spoken_of(labels))] if m == 2 else range(m)
        found += [_shares(names, counts, labels[j], j, a, b, level, allow) for a, b in pairs for j in told]
    together = None if units is None else data.preparation.repeats
    notes = (dependent, None) if together is None else (None, together)
    return Groups(x, y, level, tuple(found), int(n.sum()), data.n_rows, *notes)


def _allowed_for(
    groups: NDArray[np.intp],
    codes: NDArray[np.intp],
    units: NDArray[np.intp],
    scale: FloatArray,
    pair: tuple[int, int],
    of: Literal["share", "mean"],
    *,
    level: float,
) -> tuple[float, float] | tuple[None, None]:
    """Give the interval of a difference between two groups, allowing for rows that belong together."""
    places = [np.flatnonzero((groups == g) & (codes < len(scale))) for g in pair]
    one, other = (sums(scale[codes[rows]], units[rows], int(units.max()) + 1) for rows in places)
    if one is None or other is None or min(one.freedom, other.freedom) < 1:
        return None, None
    difference, p = one.mean - other.mean, (1 + level) / 2
    if of == "mean":
        variance = one.variance + other.variance - 2 * covariance(one, other)
        if variance <= 0:
            return None, None
        half = t_quantile(p, freedom(one, other)) * math.sqrt(variance)
        return difference - half, difference + half
    ends = [
        _wilson(part.mean, effective_rows(part, len(rows)), t_quantile(p, part.freedom))
        for part, rows in zip((one, other), places, strict=True)
    ]
    return _of_two((one.mean, other.mean), ends, correlation(one, other))


def _shares(
    names: Sequence[str], counts: FloatArray, outcome: str, j: int, a: int, b: int, level: float, allow: Allow | None
) -> Compared:
    hits, rows = (int(counts[a, j]), int(counts[b, j])), (int(counts[a].sum()), int(counts[b].sum()))
    ends: tuple[float, float] | tuple[None, None] = (None, None)
    if min(rows) >= _FEWEST_ROWS:
        scale = (np.arange(counts.shape[1]) == j).astype(float)
        ends = newcombe(hits[0], rows[0], hits[1], rows[1], level) if allow is None else allow(scale, (a, b), "share")
    values = (hits[0] / rows[0], hits[1] / rows[1])
    return Compared("share", outcome, names[a], names[b], values, rows, values[0] - values[1], *ends)


def _means(
    names: Sequence[str],
    counts: FloatArray,
    scale: FloatArray,
    a: int,
    b: int,
    level: float,
    allow: Allow | None,
) -> Compared:
    rows = (int(counts[a].sum()), int(counts[b].sum()))
    means = [float(counts[g] @ scale / counts[g].sum()) for g in (a, b)]
    ends: tuple[float, float] | tuple[None, None] = (None, None)
    if min(rows) >= _FEWEST_ROWS:
        squares = [float(counts[g] @ (scale - mean) ** 2) for g, mean in zip((a, b), means, strict=True)]
        variances = [square / (n - 1) for square, n in zip(squares, rows, strict=True)]
        ends = welch(means, variances, rows, level) if allow is None else allow(scale, (a, b), "mean")
    return Compared("mean", None, names[a], names[b], (means[0], means[1]), rows, means[0] - means[1], *ends)


def newcombe(hits: int, n: int, other_hits: int, other_n: int, level: float) -> tuple[float, float]:
    """Give the interval of a difference of two shares, the first minus the second."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    shares = hits / n, other_hits / other_n
    return _of_two(shares, (_wilson(shares[0], n, z), _wilson(shares[1], other_n, z)))


def _of_two(
    shares: tuple[float, float], ends: Sequence[tuple[float, float]], correlated: float = 0.0
) -> tuple[float, float]:
    """Put the intervals of two shares together into that of their difference."""
    (p, q), ((p_low, p_high), (q_low, q_high)) = shares, ends

    def far(a: float, b: float) -> float:
        return math.sqrt(max(0.0, a * a - 2 * correlated * a * b + b * b))

    return max(p - q - far(p - p_low, q_high - q), -1.0), min(p - q + far(p_high - p, q - q_low), 1.0)


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, (centre - half) / (1 + z * z / n)), min(1.0, (centre + half) / (1 + z * z / n))


def welch(
    means: Sequence[float], variances: Sequence[float], rows: Sequence[int], level: float
) -> tuple[float, float] | tuple[None, None]:
    """Give the interval of a difference of two means, the first minus the second; None where nothing varies."""
    parts = [variance / n for variance, n in zip(variances, rows, strict=True)]
    if sum(parts) <= 0:
        return None, None
    freedom = sum(parts) ** 2 / sum(part**2 / (n - 1) for part, n in zip(parts, rows, strict=True))
    half = t_quantile((1 + level) / 2, freedom) * math.sqrt(sum(parts))
    return means[0] - means[1] - half, means[0] - means[1] + half


def t_quantile(p: float, freedom: float) -> float:
    """Give the quantile of Student's t law for p of at least one half.

    t is the tangent of an angle, times the root of the degrees of freedom, and the angle's density a power of its
    cosine: that is summed by trapezoids. From 10,000 degrees of freedom on the law is the normal one, corrected once.
    """
    if freedom > _NEARLY_NORMAL:
        z = NormalDist().inv_cdf(p)
        return z + (z**3 + z) / (4 * freedom)
    angle = np.linspace(0.0, math.pi / 2, _ANGLES)
    density = np.maximum(np.cos(angle), 0.0) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return math.sqrt(freedom) * math.tan(float(np.interp((2 * p - 1) * below[-1], below, angle)))
