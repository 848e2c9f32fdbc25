"""The questions: one effect, all causes of an outcome, and what would happen if."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.data.discretize import are_intervals
from paucal.data.steps import NUMBER_STEPS, about_steps, in_steps, numbers_of
from paucal.effects.canonical import Canonical
from paucal.effects.causes import Paths
from paucal.effects.effect import Effect, Estimate, Ranking, scale_of
from paucal.effects.filling import filled
from paucal.effects.groups import compare
from paucal.effects.sampled import SampledNetworks
from paucal.errors import DataError, ParameterError
from paucal.inspection.beside import beside, by_definition, made_from_others, perhaps_by_definition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.effects.groups import Groups
    from paucal.effects.sampled import Parents
    from paucal.inspection.findings import Finding
    from paucal.networks.tables import FloatArray

LEVEL = 0.9


class Effects:
    """Effects under sampled graphs: what `result.effect`, `result.effects` and `result.what_if` ask.

    Parameters
    ----------
    names
        The columns that the graphs were learned from.
    dags
        The sampled graphs: of every column the numbers of its parents.
    data
        The data. Numbers are taken in three steps of equal shares; gaps are filled for every graph anew.
    seed
        Of the drawn parameters.
    cuts
        Of numbers that are taken in steps of their own, the cut points.
    frame_kind
        The library of frames to answer in.
    set_in
        Columns that were set from outside, each with the rows: these say nothing about what the column depends on.
    randomised
        Columns that chance decided about: their groups are compared first.
    dependent
        What was found that makes rows depend on each other, in words.
    likely
        How likely each arrow is, from row to column, if more is known than the share of these graphs.
    """

    def __init__(
        self,
        names: Sequence[str],
        dags: Sequence[Parents],
        data: Any,
        *,
        seed: int = 0,
        cuts: Mapping[str, Sequence[float]] | None = None,
        set_in: Mapping[str, NDArray[np.bool_]] | None = None,
        frame_kind: str | None = None,
        randomised: Sequence[str] = (),
        dependent: str | None = None,
        likely: FloatArray | None = None,
    ) -> None:
        own = Dataset.of(data)
        missing = [name for name in names if name not in own.names]
        if missing:
            raise DataError(
                f"The data have no column {missing[0]!r}, which the graphs were learned from.",
                hint="Give the data that the result was learned from.",
            )
        self._raw = own if own.names == tuple(names) else own.select(names)
        self._cuts = cuts or {}
        self._data = in_steps(self._raw, NUMBER_STEPS, self._cuts)
        self._paths = Paths(names, dags, likely)
        self._frame_kind = frame_kind
        self._randomised, self._dependent = randomised, dependent
        sorted_by_content = Canonical(self._data, dags)
        data, dags, self._place = sorted_by_content.data, sorted_by_content.dags, sorted_by_content.place
        each = filled(data, dags, seed=seed, set_in=set_in) if data.has_gaps else [data] * len(dags)
        self._networks = SampledNetworks(dags, each, seed=seed, set_in=set_in)

    def effect(self, x: str, y: str, *, level: float = LEVEL) -> Effect:
        """Say what happens to y when x is set."""
        data, level = self._data, checks.share("level", level)
        i, j = data.index(x), data.index(y)
        if i == j:
            raise ParameterError(f"{x!r} is both cause and effect.", hint="Name two columns.", parameter="y", value=y)
        draws = self._networks.under_do(x, y)
        distributions = draws.distributions[:, self._place[x]][:, :, self._place[y]]
        share = float(draws.causal.mean())
        k, m = data.cardinalities[i], data.cardinalities[j]
        counts = np.zeros((k + 1, m + 1))  # the last ones: missing
        np.add.at(counts, (data.columns[i], data.columns[j]), 1)
        rows = counts[:k].sum(axis=1)
        with np.errstate(invalid="ignore"):
            seen = counts[:k, :m] / counts[:k, :m].sum(axis=1, keepdims=True)
        scale = scale_of(data.levels[j], number=False)
        means = self._means(x, y) if scale is None else distributions @ scale
        steps = about_steps(self._raw, (x, y), self._cuts)
        return Effect(
            cause=x,
            effect=y,
            levels=tuple(map(str, data.levels[i])),
            outcomes=tuple(map(str, data.levels[j])),
            probability=share,
            draws=distributions,
            seen=seen,
            rows=tuple(rows.astype(int).tolist()),
            ordered=data.kinds[j] == "ordered" or are_intervals(data.levels[j]),
            level=level,
            means=means,
            reverse=self._share(j, i),
            frame_kind=self._frame_kind,
            claim=self._paths.claim(i, j, share, self._paths.from_(i)) if share else None,
            steps=(*steps, *([] if scale is None else [f"the mean of {y} takes its levels as numbers on a scale"])),
            groups=self._compared(x, y, level) if x in self._randomised else None,
            dependent=self._dependent,
            by_definition=self._copy_of(x, y),
            beside=tuple(self._copies_beside(x, y)),
        )

    @cached_property
    def _made(self) -> tuple[Finding, ...]:
        return made_from_others(self._raw)

    def _copy_of(self, x: str, y: str) -> str | None:
        """Say that two columns are one, or that one is made from the other."""
        if any(x in group and y in group for group in self._raw.copies):
            return f"{x} and {y} are the same except for their labels, so this is not an effect of one on the other"
        if x in self._randomised:  # chance decided about it: whatever tells its groups apart is what they did
            return None
        return by_definition(self._made, x, y) or perhaps_by_definition(self._raw, x, y)

    def _copies_beside(self, x: str, y: str) -> Iterator[str]:
        """Name columns that say the same as one of the two: an effect beside a copy is shared with it."""
        told: set[str] = set()
        for group in self._raw.copies:
            others = [name for name in group if name not in (x, y)]
            if others and len(others) < len(group):
                told.update(others)
                same = f"{' and '.join(others)} and {x if x in group else y} are the same except for their labels"
                yield f"{same}: keep one of them, and ask again"
        yield from beside([one for one in self._made if told.isdisjoint(one.columns)], x, y)

    def _compared(self, x: str, y: str, level: float) -> Groups:
        return compare(self._raw, x, y, level=level, cuts=self._cuts, dependent=self._dependent)

    def effects(self, y: str, *, level: float = LEVEL) -> Ranking:
        """List what every other column does to y: what was randomised, then the strongest first."""
        self._data.index(y)
        found = [self.effect(x, y, level=level) for x in self._data.names if x != y]

        def place(one: Effect) -> tuple[bool, float, float, int]:
            return one.groups is None, -one.strength, -one.probability, self._data.index(one.cause)

        return Ranking(sorted(found, key=place))

    def _means(self, x: str, y: str) -> FloatArray | None:
        """Give the means of y under do(x), if it is a number; rows that lack it say nothing about them."""
        raw = self._raw
        codes, levels = raw.columns[raw.index(y)], raw.levels[raw.index(y)]
        if raw.kinds[raw.index(y)] != "number" or scale_of(levels, number=True) is None:
            return None
        means = self._networks.means_under_do(x, y, np.append(numbers_of(y, levels), np.nan)[codes])
        return np.asarray(means[:, self._place[x]])

    def _share(self, i: int, j: int) -> float:
        """Give the share of the graphs in which one column causes another."""
        trees = self._paths.from_(i)
        return sum(j in came for came in trees) / len(trees)

    def what_if(
        self,
        y: str,
        *,
        do: Mapping[str, object] | None = None,
        given: Mapping[str, object] | None = None,
        level: float = LEVEL,
    ) -> dict[str, Estimate]:
        """Give the distribution of y if some columns are set, among the rows where others are seen."""
        data, level = self._data, checks.share("level", level)
        data.index(y)
        done, seen = (self._places(checks.settings(*said)) for said in (("do", do), ("given", given)))
        named = [y, *done, *seen]
        if len(set(named)) < len(named):
            raise ParameterError(f"A column is named twice in {named}.", hint="Name every column once.")
        draws = self._networks.what_if(y, done, seen)[:, self._place[y]]
        tail = (1 - level) / 2
        low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
        outcomes = map(str, data.levels[data.index(y)])
        parts: zip[tuple[Any, ...]] = zip(draws.mean(axis=0).tolist(), low.tolist(), high.tolist(), strict=True)
        return {outcome: Estimate(*part) for outcome, part in zip(outcomes, parts, strict=True)}

    def _places(self, said: Mapping[str, object]) -> dict[str, int]:
        found = {}
        for name, label in said.items():
            labels = [str(one) for one in self._data.levels[self._data.index(name)]]
            known = labels.index(checks.known(f"level of {name!r} called", str(label), labels))
            found[name] = int(self._place[name][known])
        return found
