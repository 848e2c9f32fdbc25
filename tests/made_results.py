"""Results that nobody learned, of any size: graphs with made-up probabilities, for pages that have to show them."""

from __future__ import annotations

import numpy as np

import paucal
from paucal import Graph
from paucal.search.by_scores.scores import ScoreSettings
from paucal.search.evidence.graphs import Graphs
from paucal.search.recipe import Recipe
from paucal.search.result import SearchResult

WORDS = ("Age", "Income", "Smoking", "Pressure", "Cholesterol", "Sleep", "Diabetes", "Exercise", "Alcohol", "Weight")


def made(n: int, n_edges: int, *, seed: int = 0, **known) -> tuple[paucal.Dataset, SearchResult]:
    """A result with n columns: arrows and lines of every certainty, and pairs that nearly made it."""
    rng = np.random.default_rng(seed)
    names = [f"{WORDS[i % len(WORDS)]}{'' if i < len(WORDS) else i // len(WORDS)}" for i in range(n)]
    pairs = rng.permutation([(i, j) for i in range(n) for j in range(i + 1, n)])[: n_edges + 8].tolist()
    graph = paucal.dag_to_cpdag(Graph.dag(names, [(names[i], names[j]) for i, j in pairs[:n_edges]]))
    arrow, line = np.zeros((n, n)), np.zeros((n, n))
    for k, (i, j) in enumerate(pairs):
        joined = rng.uniform(0.55, 1.0) if k < n_edges else rng.uniform(0.32, 0.48)
        way = rng.uniform(0.3, 1.0) if names[j] in graph.children(names[i]) else rng.uniform(0.0, 0.4)
        arrow[i, j] = joined * way
        line[i, j] = line[j, i] = joined * (1 - way)
    columns = {name: rng.integers(0, 2, 60).tolist() for name in names}
    data = paucal.Dataset.of(columns, kinds=dict.fromkeys(names, "levels"))
    evidence = Graphs(
        names=tuple(names),
        n_samples=60,
        cardinalities=(2,) * n,
        means=ScoreSettings("eb", largest_ess=1.0),
        shares={"->": arrow, "--": line},
        blanket=np.zeros((n, n)),
        source="posterior",
        n_graphs=1000,
        difference=0.05,
    )
    knowledge = paucal.Knowledge(**known) if known else None
    recipe = Recipe(search="posterior", knowledge=knowledge, seed=0)
    return data, SearchResult(graph=graph, evidence=evidence, recipe=recipe)
