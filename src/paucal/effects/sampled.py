"""Distributions under intervention, one for each sampled DAG.

For every DAG the tables of its families are drawn as the data leave them possible (`networks.fitting.drawn`); then
P(y | do(x = a)) is computed exactly in the network in which x no longer listens to its parents. Graphs and parameters
are uncertain together, so the spread over the draws carries both doubts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal.errors import NetworkError
from paucal.networks.fitting import FamilyPosterior, MeanPosterior, family_counts, sizes_of
from paucal.networks.inference import ancestors, joint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.networks.tables import FloatArray

Parents = tuple[tuple[int, ...], ...]  # of every column, the numbers of its parents
_Key = tuple[int, str, tuple[str, ...]]  # a family on one data set
_MOST_NUMBERS = 2**22  # that are drawn at once


class Draws(NamedTuple):
    """P(y | do(x = a)) of every draw: draws by levels of x by levels of y; and which draws have a path from x to y."""

    distributions: FloatArray
    causal: np.ndarray[tuple[int], np.dtype[np.bool_]]


class SampledNetworks:
    """Sampled DAGs with drawn tables; tables are drawn once for a DAG, and those of a family counted once for all."""

    def __init__(
        self,
        dags: Sequence[Parents],
        data: Sequence[Dataset],
        *,
        seed: int = 0,
        set_in: Mapping[str, NDArray[np.bool_]] | None = None,
    ) -> None:
        """Take a data set for each DAG: the same one, or the one whose gaps were filled when the DAG was drawn.

        `set_in` says of columns that were set from outside in which rows: these say nothing about their tables.
        """
        self._set_in = set_in or {}
        self.names = data[0].names
        self._data = data
        self._seed = seed
        self._parents = [
            {name: tuple(self.names[p] for p in sorted(above)) for name, above in zip(self.names, dag, strict=True)}
            for dag in dags
        ]
        self._tables: list[dict[str, FloatArray]] = [{} for _ in dags]
        self._sizes = {id(one): sizes_of(one) for one in {id(one): one for one in data}.values()}
        self._sharing: dict[_Key, list[int]] = {}
        for s, (parents, table) in enumerate(zip(self._parents, data, strict=True)):
            for node, above in parents.items():
                self._sharing.setdefault((id(table), node, above), []).append(s)

    def __len__(self) -> int:
        return len(self._parents)

    def under_do(self, x: str, y: str) -> Draws:
        """Compute for every draw the distribution of y when x is set to each of its levels."""
        r = len(self._data[0].levels[self._data[0].index(x)])
        answers, causal = [], np.zeros(len(self), dtype=bool)
        for s, parents in enumerate(self._parents):
            causal[s] = x in ancestors([y], parents)
            if not causal[s]:
                answers.append(np.tile(joint([y], parents, self._drawn(s, [y], parents)), (r, 1)))
                continue
            cut = {**parents, x: ()}
            tables = self._drawn(s, [y], cut) | {x: np.full(r, 1 / r)}
            both = joint([x, y], cut, tables)
            answers.append(both / both.sum(axis=1, keepdims=True))
        return Draws(np.array(answers), causal)

    def means_under_do(self, x: str, y: str, values: FloatArray) -> FloatArray:
        """Compute for every draw the mean of a number y when x is set to each of its levels: draws by levels.

        The mean of y given its parents is drawn as the `values` of the rows leave it possible (`MeanPosterior`), NaN
        where there is none; what its parents are likely to be comes from the drawn tables.
        """
        levels = len(self._data[0].levels[self._data[0].index(x)])
        drawn: dict[_Key, list[FloatArray]] = {}
        found = []
        for s, parents in enumerate(self._parents):
            above = list(parents[y])
            key = (id(self._data[s]), y, parents[y])
            if key not in drawn:
                drawn[key] = self._drawn_means(s, y, values)
            means = drawn[key].pop()
            if x not in ancestors([y], parents):
                weights = joint(above, parents, self._drawn(s, above, parents)) if above else np.ones(())
                found.append(np.full(levels, (weights * means).sum()))
                continue
            cut = {**parents, x: ()}
            tables = self._drawn(s, above, cut) | {x: np.full(levels, 1 / levels)}
            others = [name for name in above if name != x]
            both = joint([x, *others], cut, tables)
            both = both.reshape(levels, -1) / both.reshape(levels, -1).sum(axis=1, keepdims=True)
            by_level = np.moveaxis(means, above.index(x), 0).reshape(levels, -1) if x in above else means.reshape(1, -1)
            found.append((both * by_level).sum(axis=1))
        return np.array(found)

    def _drawn_means(self, s: int, y: str, values: FloatArray) -> list[FloatArray]:
        """Draw the means of a number given its parents, for all DAGs in which it has these."""
        data, above = self._data[s], self._parents[s][y]
        rows = ~np.isnan(values)
        if y in self._set_in:
            rows &= ~self._set_in[y]
        codes = [data.columns[data.index(name)][rows] for name in above]
        shape = tuple(len(data.levels[data.index(name)]) for name in above)
        cells = np.ravel_multi_index(codes, shape) if above else np.zeros(int(rows.sum()), dtype=np.intp)
        sharing = self._sharing[id(data), y, above]
        rng = np.random.default_rng((self._seed, sharing[0], len(shape), *shape))
        family = MeanPosterior(values[rows], cells, shape, self._sizes[id(data)])
        return list(family.drawn(rng, len(sharing)))[::-1]

    def what_if(self, y: str, done: Mapping[str, int], seen: Mapping[str, int]) -> FloatArray:
        """Compute for every draw the distribution of y with some columns set and others seen; draws by levels."""
        answers = []
        for s, parents in enumerate(self._parents):
            cut = {name: () if name in done else above for name, above in parents.items()}
            tables = self._drawn(s, [y, *seen], cut)
            for name, place in done.items():
                if name in tables:
                    tables[name] = np.eye(tables[name].shape[-1])[place]
            part = joint([y], cut, tables, seen)
            if part.sum() == 0:
                raise NetworkError("No row like this can occur in one of the graphs.", hint="Say less about the group.")
            answers.append(part / part.sum())
        return np.array(answers)

    def _drawn(self, s: int, query: list[str], parents: Mapping[str, tuple[str, ...]]) -> dict[str, FloatArray]:
        """Give the tables of a DAG that a question needs."""
        tables = self._tables[s]
        for node in ancestors(query, parents):
            if node not in tables:
                self._draw(s, node)
        return dict(tables)

    def _draw(self, s: int, node: str) -> None:
        """Draw the table of a family for all DAGs that have it.

        Each family has random numbers of its own, so that it does not matter what was asked first.
        """
        data, above = self._data[s], self._parents[s][node]
        scope = (*above, node)
        rows = ~self._set_in[node] if node in self._set_in else slice(None)
        codes = {name: data.columns[data.index(name)][rows] for name in scope}
        levels = {name: data.levels[data.index(name)] for name in scope}
        counts = family_counts(node, above, codes, levels)
        family = FamilyPosterior(counts, self._sizes[id(data)])
        sharing = self._sharing[id(data), node, above]
        numbers = [self.names.index(name) for name in scope]
        rng = np.random.default_rng((self._seed, sharing[0], len(numbers), *numbers))
        at_once = max(1, _MOST_NUMBERS // counts.size)
        for start in range(0, len(sharing), at_once):
            part = sharing[start : start + at_once]
            for draw, table in zip(part, family.drawn(rng, len(part)), strict=True):
                self._tables[draw][node] = table
