"""Fitted networks: how far their distribution is from the truth, by prior.

    python benchmarks/fitting.py [--networks child insurance alarm] [--rows 100 300 1000] [--samples 5]

Samples of known networks are drawn; the tables of the true DAG, and of the consensus DAG of the posterior, are fitted
with each prior. Printed is the Kullback-Leibler divergence per row, estimated on 20,000 fresh rows: the mean logarithm
of the true probability of a row, less that of the fitted one. `averaged`: rows have the mean probability under 20 of
the sampled DAGs, fitted with the prior eb. Columns have random names and order.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections import defaultdict

import numpy as np

import paucal
from paucal import BayesNet, Dataset, Graph
from renaming import renamed

PRIORS = {
    "eb": {"prior": "eb"},
    "Laplace": {"prior": 1.0},
    "Jeffreys": {"prior": 0.5},
    "BDeu 1": {"prior": 1.0, "spread": "table"},
    "BDeu 10": {"prior": 10.0, "spread": "table"},
}
FRESH = 20_000
AVERAGED = 20


def main() -> None:
    """Print a line for each network and the means; after every sample, as it takes long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=["child", "insurance", "alarm"])
    parser.add_argument("--rows", nargs="+", type=int, default=[100, 300, 1000])
    parser.add_argument("--samples", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    nets = {name: paucal.load_network(name) for name in given.networks}
    for sample in range(given.samples):
        for name, rows in itertools.product(given.networks, given.rows):
            for kind, value in measured(nets[name], rows, sample).items():
                found[name][kind].append(value)
                found["all"][kind].append(value)
        print(f"-- {sample + 1} samples a cell")
        for name, numbers in found.items():
            print(f"{name}: {told(numbers)}", flush=True)


def measured(net: BayesNet, rows: int, sample: int) -> dict[str, float]:
    """Fit in every way to one sample."""
    rng = np.random.default_rng([977, rows, sample, len(net.names)])
    data, called = renamed(net.sample(rows, seed=int(rng.integers(2**62))), rng)
    own = {new: old for old, new in called.items()}
    fresh = net.sample(FRESH, seed=int(rng.integers(2**62)))
    truth = net.log_likelihood(fresh) / FRESH
    unseen = Dataset.from_codes(
        [fresh.columns[fresh.index(own[name])] for name in data.names],
        data.names,
        [fresh.levels[fresh.index(own[name])] for name in data.names],
    )
    result = paucal.learn(data, "posterior", seed=sample)
    arcs = [(called[a], called[b]) for a, b in net.graph.arcs()]
    dags = {"consensus": result.dag(), "true": Graph.dag(data.names, arcs)}
    found = {}
    for which, dag in dags.items():
        for prior, options in PRIORS.items():
            fitted = BayesNet.fit(dag, data, **options)
            found[f"{which} {prior}"] = truth - fitted.log_likelihood(unseen) / FRESH
    numbers = np.linspace(0, len(result.graphs) - 1, AVERAGED).astype(int).tolist()
    logs = np.array([log_rows(BayesNet.fit(result.dag(k), data), unseen) for k in numbers])
    highest = logs.max(axis=0)
    found["averaged"] = truth - float((highest + np.log(np.exp(logs - highest).mean(axis=0))).mean())
    return found


def log_rows(net: BayesNet, data: Dataset) -> np.ndarray:
    """Give the logarithm of the probability of every row; the data have the levels of the network in its order."""
    total = np.zeros(data.n_rows)
    for node in net.names:
        scope = (*net.parents(node), node)
        total += np.log(net.cpts[node][tuple(data.columns[data.index(name)] for name in scope)])
    return total


def told(found: dict[str, list[float]]) -> str:
    return ", ".join(f"{kind} {np.mean(values):.2f}" for kind, values in found.items())


if __name__ == "__main__":
    main()
