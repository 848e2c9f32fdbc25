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

    def drawn(self, rng: np.random.Generator, times: int = 1) -> FloatArray:
        """Draw tables: an equivalent sample size by its weight, then every row by its Dirichlet law."""
        place = np.searchsorted(np.cumsum(self._weights), rng.random(times), side="right")
        sizes = np.asarray(self._sizes)[np.minimum(place, len(self._sizes) - 1)]
        gammas = rng.standard_gamma(self._table + (sizes / self._table.size)[:, None, None])
        totals = gammas.sum(axis=-1, keepdims=True)
        if not totals.all():  # a row of tiny parameters may come out as zeros only: all its weight is on one level then
            draw, row = np.nonzero(totals[..., 0] == 0)
            gammas[draw, row, rng.integers(gammas.shape[-1], size=len(row))] = 1.0
            totals[draw, row] = 1.0
        return np.asarray(gammas / totals).reshape(times, *self._shape)


class MeanPosterior:
    """What rows leave possible for the mean of a number given its parents: normal, around the mean of all rows.

    A cell with n rows is worth n rows and, at the overall mean, as many more as an equivalent sample size gives each of
    the cells; the sizes are weighed by how likely they make the means of the cells, as in `FamilyPosterior`.
    """

    def __init__(
        self, values: FloatArray, cells: NDArray[np.integer], shape: tuple[int, ...], sizes: Sequence[float]
    ) -> None:
        q = math.prod(shape)
        self._shape = shape
        self._n: FloatArray = np.bincount(cells, minlength=q).astype(np.float64)
        sums = np.bincount(cells, weights=values, minlength=q)
        self._overall = float(values.mean())
        self._mean = np.where(self._n > 0, sums / np.maximum(self._n, 1), self._overall)
        within = float(((values - self._mean[cells]) ** 2).sum())
        self._variance = within / max(1, len(values) - int(np.count_nonzero(self._n)))
        self._each = np.asarray(sizes) / q
        there = self._n > 0
        spread = self._variance * (1 / self._n[there] + 1 / self._each[:, None])
        if self._variance == 0:
            self._weights = np.full(len(self._each), 1 / len(self._each))
        else:
            logs = -0.5 * (np.log(spread) + (self._mean[there] - self._overall) ** 2 / spread).sum(axis=1)
            weights = np.exp(logs - logs.max())
            self._weights = weights / weights.sum()

    def drawn(self, rng: np.random.Generator, times: int = 1) -> FloatArray:
        """Draw the means of all cells: an equivalent sample size by its weight, then each cell by its normal law."""
        place = np.searchsorted(np.cumsum(self._weights), rng.random(times), side="right")
        each = self._each[np.minimum(place, len(self._each) - 1)][:, None]
        rows = self._n + each
        centre = (self._n * self._mean + each * self._overall) / rows
        drawn = centre + rng.standard_normal(centre.shape) * np.sqrt(self._variance / rows)
        return np.asarray(drawn).reshape(times, *self._shape)
