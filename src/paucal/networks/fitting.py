"""The tables of a graph from data: how many rows have each configuration, and what to make of those that few have.

With the prior "eb" the equivalent sample size is not one number but those that the score "eb" averages, each family
weighing them by its own counts: where parents matter the tables follow the data, where they do not the levels keep
together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from paucal.dirichlet import largest_size, size_weights, sizes_to
from paucal.errors import NetworkError
from paucal.networks.tables import MAX_CELLS, FloatArray, proportions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset


def family_counts(
    node: str, parents: Sequence[str], codes: Mapping[str, NDArray[np.integer]], levels: Mapping[str, Sequence[str]]
) -> FloatArray:
    """Count the rows of every configuration of the parents and level of the node, an axis each, the node last."""
    scope = (*parents, node)
    shape = [len(levels[v]) for v in scope]
    size = math.prod(shape)
    if size > MAX_CELLS:
        raise NetworkError(
            f"The table of {node!r} given {len(parents)} parents would have {size} cells.",
            hint="Remove parents or merge levels.",
        )
    cells = np.ravel_multi_index([codes[v] for v in scope], shape)
    return np.bincount(cells, minlength=size).astype(np.float64).reshape(shape)


def sizes_of(data: Dataset) -> list[float]:
    """List the equivalent sample sizes that "eb" averages on these data."""
    return sizes_to(largest_size(len(np.unique(codes)) for codes in data.columns))


class FamilyPosterior:
    """What the counts of a family leave possible for P(node | parents): sizes with their weights, Dirichlet rows."""

    def __init__(self, counts: FloatArray, sizes: Sequence[float]) -> None:
        self._shape = counts.shape
        self._table = counts.reshape(-1, counts.shape[-1])
        self._sizes = sizes
        self._weights = size_weights(self._table, sizes)

    def mean(self) -> FloatArray:
        """Give the expected table."""
        parts = (proportions(self._table + size / self._table.size) for size in self._sizes)
        theta = sum(w * part for w, part in zip(self._weights, parts, strict=True))
        return np.asarray(theta).reshape(self._shape)

    def drawn(self, rng: np.random.Generator) -> FloatArray:
        """Draw a table: an equivalent sample size by its weight, then every row by its Dirichlet law."""
        place = min(int(np.searchsorted(np.cumsum(self._weights), rng.random(), side="right")), len(self._sizes) - 1)
        gammas = rng.standard_gamma(self._table + self._sizes[place] / self._table.size)
        # a row of tiny parameters may come out as zeros only: then all its weight is on one level, drawn evenly
        empty = np.flatnonzero(gammas.sum(axis=1) == 0)
        if len(empty):
            gammas[empty, rng.integers(gammas.shape[1], size=len(empty))] = 1.0
        return np.asarray(gammas / gammas.sum(axis=1, keepdims=True)).reshape(self._shape)
