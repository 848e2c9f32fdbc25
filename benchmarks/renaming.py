"""Columns in another order and with random names, so that no search profits from either."""

from __future__ import annotations

from typing import TYPE_CHECKING

import paucal

if TYPE_CHECKING:
    import numpy as np


def renamed(data: paucal.Dataset, rng: np.random.Generator) -> tuple[paucal.Dataset, dict[str, str]]:
    """Shuffle the columns and name them at random; give the new names by the old ones."""
    numbers = rng.permutation(len(data.names)).tolist()
    called = {name: f"c{number:04d}" for name, number in zip(data.names, numbers, strict=True)}
    order = rng.permutation(len(data.names)).tolist()
    columns, levels = ([part[i] for i in order] for part in (data.columns, data.levels))
    return paucal.Dataset.from_codes(columns, [called[data.names[i]] for i in order], levels), called


def with_names(graph: paucal.Graph, called: dict[str, str]) -> paucal.Graph:
    """Give a graph with its nodes renamed."""
    nodes = [called[name] for name in graph.nodes]
    triples = [(called[edge.a], edge.symbol, called[edge.b]) for edge in graph.edges()]
    return paucal.Graph.from_triples(nodes, triples, kind=graph.kind)
