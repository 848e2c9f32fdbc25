"""Completed tables for sampled graphs: where values are missing, every graph gets a table that was filled for it.

Given a graph, its tables and the gaps are drawn in turn: tables of probabilities from the completed data, then every
gap as its parents and children in the row make it likely. One graph begins where the one before it ended, so that a few
turns each are enough; the first has more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paucal.networks.fitting import FamilyPosterior, family_counts, sizes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.effects.sampled import Parents
    from paucal.networks.tables import FloatArray

_FIRST, _TURNS = 20, 4  # turns for the first graph, and for each of the others
_SWEEPS = 2  # over the gaps, with the same tables


def filled(data: Dataset, dags: Sequence[Parents], *, seed: int = 0) -> list[Dataset]:
    """Fill the gaps of data once for every graph, given by the parents of each column."""
    rng = np.random.default_rng((seed, len(dags)))
    codes = [np.array(column, dtype=np.intp) for column in data.columns]
    gaps = {v: np.flatnonzero(codes[v] == k) for v, k in enumerate(data.cardinalities) if data.gap_counts[v]}
    for v, rows in gaps.items():  # values of other rows, to begin with
        codes[v][rows] = rng.choice(np.delete(codes[v], rows), size=len(rows))
    completed, sizes = [], sizes_of(replace(data, columns=tuple(column.copy() for column in codes)))
    for s, dag in enumerate(dags):
        for _ in range(_TURNS if s else _FIRST):
            _turn(data, dag, codes, gaps, sizes, rng)
        columns = zip(data.columns, codes, strict=True)
        kept = (own if v not in gaps else new.astype(own.dtype) for v, (own, new) in enumerate(columns))
        completed.append(replace(data, columns=tuple(kept)))
    return completed


def _turn(
    data: Dataset,
    dag: Parents,
    codes: list[NDArray[np.intp]],
    gaps: dict[int, NDArray[np.intp]],
    sizes: Sequence[float],
    rng: np.random.Generator,
) -> None:
    """Draw the tables that have to do with gaps, and then the gaps, in place."""
    by_name = dict(zip(data.names, codes, strict=True))
    levels = dict(zip(data.names, data.levels, strict=True))
    children = {v: [c for c, above in enumerate(dag) if v in above] for v in gaps}
    tables: dict[int, FloatArray] = {}
    for node in sorted({*gaps, *(c for below in children.values() for c in below)}):
        above = [data.names[p] for p in dag[node]]
        counts = family_counts(data.names[node], above, by_name, levels)
        tables[node] = FamilyPosterior(counts, sizes).drawn(rng)[0]
    for _ in range(_SWEEPS):
        for v, rows in gaps.items():
            chances = tables[v][tuple(codes[p][rows] for p in dag[v])] * np.ones((len(rows), 1))
            for c in children[v]:
                scope = (*dag[c], c)
                turned = np.moveaxis(tables[c], scope.index(v), -1)
                chances *= turned[tuple(codes[u][rows] for u in scope if u != v)]
            total = chances.cumsum(axis=1)
            drawn = rng.random(len(rows)) * total[:, -1]
            codes[v][rows] = np.minimum((drawn[:, None] >= total).sum(axis=1), chances.shape[1] - 1)
