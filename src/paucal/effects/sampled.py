"""Distributions under intervention, one for each sampled DAG.

For every DAG the tables of its families are drawn as the data leave them possible (`networks.fitting.drawn`); then
P(y | do(x = a)) is computed exactly in the network in which x no longer listens to its parents. Graphs and parameters
are uncertain together, so the spread over the draws carries both doubts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal.errors import NetworkError
from paucal.networks.fitting import FamilyPosterior, family_counts, sizes_of
from paucal.networks.inference import ancestors, joint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.networks.tables import FloatArray

Parents = tuple[tuple[int, ...], ...]  # of every column, the numbers of its parents


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
        self._families: dict[tuple[int, str, tuple[str, ...]], FamilyPosterior] = {}
        self._tables: list[dict[str, FloatArray]] = [{} for _ in dags]
        self._sizes = {id(one): sizes_of(one) for one in {id(one): one for one in data}.values()}

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
        """Draw the tables that a question needs, each with random numbers of its own: their order does not matter."""
        tables = self._tables[s]
        for node in ancestors(query, parents):
            if node not in tables:
                family = self._family(s, node)
                tables[node] = family.drawn(np.random.default_rng((self._seed, s, self.names.index(node))))
        return dict(tables)

    def _family(self, s: int, node: str) -> FamilyPosterior:
        data, above = self._data[s], self._parents[s][node]
        key = (id(data), node, above)
        if key not in self._families:
            scope = (*above, node)
            rows = ~self._set_in[node] if node in self._set_in else slice(None)
            codes = {name: data.columns[data.index(name)][rows] for name in scope}
            levels = {name: data.levels[data.index(name)] for name in scope}
            self._families[key] = FamilyPosterior(family_counts(node, above, codes, levels), self._sizes[id(data)])
        return self._families[key]
