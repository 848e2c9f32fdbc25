"""Samples of small random networks, for searches that can be checked against all graphs."""

from __future__ import annotations

import numpy as np

from paucal import BayesNet, Dataset


def random_net(rng: np.random.Generator, nodes: int, density: float = 0.4) -> BayesNet:
    names = [f"v{i}" for i in range(nodes)]
    order = rng.permutation(nodes).tolist()
    levels = {name: [f"s{k}" for k in range(int(rng.integers(2, 4)))] for name in names}
    parents = {names[v]: [names[u] for u in order[:i] if rng.random() < density] for i, v in enumerate(order)}
    cpts = {
        name: rng.dirichlet(np.full(len(levels[name]), 0.7), size=tuple(len(levels[u]) for u in parents[name]))
        for name in names
    }
    return BayesNet(levels, parents, cpts, name="random")


def small_sample(seed: int, nodes: int = 5, rows: int = 120) -> Dataset:
    return random_net(np.random.default_rng(seed), nodes).sample(rows, seed=seed)
