"""How much rows in which columns were set tell: samples of networks with and without a look at what was set.

Run `python benchmarks/interventions.py`; it takes about a minute of CPU. A sample has 200 rows in which nothing was
set, and 40 rows for each of five columns, drawn at random, in which that column was set, to each of its levels equally
often. Columns are shuffled and named anew, as names and places must tell nothing. `posterior` learns from all rows,
once as if nobody had touched them and once with `interventions`. Printed are mean distances to the class of the true
graph under these interventions, and the share of right directions among the true edges found at a column that was
set (an undirected edge is half right).

A graph that was learned as if nobody had touched the rows claims fewer directions. Two further columns say how far it
is from what it claims: as it stands, from the CPDAG of the true graph; and its DAG, completed by the interventions,
from the class under them.
"""

from __future__ import annotations

import argparse
import time
import warnings
from statistics import fmean

import numpy as np

import paucal
from paucal.graphs import interventional_class

NETWORKS = ("sachs", "asia", "child", "insurance", "alarm")
ROWS, TARGETS, ROWS_EACH = 200, 5, 40
TELLER = "was set"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=20, help="of each network")
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--search", default="posterior")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{asked.search}, {ROWS} rows + {TARGETS} columns x {ROWS_EACH} rows, {asked.samples} samples\n")
    print(f"{'':<12}{'distance':^22}{'directions right':^22}{'CPU seconds':^22}{'ignored, distance':^22}")
    print(f"{'network':<12}" + f"{'ignored':>11}{'told':>11}" * 3 + f"{'to CPDAG':>11}{'completed':>11}")
    total = []
    for name in asked.networks:
        rows = [sampled(name, seed, asked.search) for seed in range(1, asked.samples + 1)]
        means = [fmean(row[i] for row in rows) for i in range(8)]
        total.append(means)
        print(line(name, means), flush=True)
    print(line("mean", [fmean(column) for column in zip(*total, strict=True)]))


def line(name: str, means: list[float]) -> str:
    formats = (".1f", ".1f", ".2f", ".2f", ".2f", ".2f", ".1f", ".1f")
    return f"{name:<12}" + "".join(f"{value:>11{form}}" for value, form in zip(means, formats, strict=True))


def sampled(network: str, seed: int, search: str) -> tuple[float, ...]:
    """Draw one sample and learn from it twice: distances, shares of right directions, CPU seconds; see above."""
    rng = np.random.default_rng([seed, 19])
    net = paucal.load_network(network)
    targets = rng.choice(net.names, TARGETS, replace=False).tolist()
    data, names = experiment(net, targets, rng)
    truth = interventional_class(net.graph, [[name] for name in targets]).rename(names)
    acted = {names[name] for name in targets}
    blind = {name: column for name, column in data.items() if name != TELLER}
    found, results = [], []
    for table, words in ((blind, {}), (data, {"interventions": TELLER})):
        began = time.process_time()
        result = paucal.learn(table, search, as_is=True, **words)
        seconds = time.process_time() - began
        graph = result.graph
        results.append(result)
        found.append((paucal.shd(graph, truth), right_directions(graph, truth, acted), seconds))
    ignored = results[0]
    completed = interventional_class(ignored.dag(), [[names[name]] for name in targets])
    further = (paucal.shd(ignored.graph, net.cpdag().rename(names)), paucal.shd(completed, truth))
    return (*(value for pair in zip(*found, strict=True) for value in pair), *further)


def experiment(net: paucal.BayesNet, targets: list[str], rng: np.random.Generator) -> tuple[dict, dict[str, str]]:
    """Draw the rows; give them with the columns shuffled and named anew, and the new names."""
    parts = [(net.sample(ROWS, rng), None)]
    for name in targets:
        levels = rng.permutation(np.arange(ROWS_EACH) % len(net.levels[name]))
        for code, count in zip(*np.unique(levels, return_counts=True), strict=True):
            parts.append((net.do({name: net.levels[name][code]}).sample(int(count), rng), name))
    order = rng.permutation(net.names).tolist()
    names = {name: f"v{i:02}" for i, name in enumerate(order)}
    frames = [(part.to_frame("dict"), name) for part, name in parts]
    data = {names[name]: [label for frame, _ in frames for label in frame[name]] for name in order}
    told = [None if name is None else names[name] for (part, name) in parts for _ in range(part.n_rows)]
    return data | {TELLER: told}, names


def right_directions(graph: paucal.Graph, truth: paucal.Graph, acted: set[str]) -> float:
    """The share of arrows at columns that were set, among those of true edges that were found."""
    right = []
    for a, b in truth.arcs():
        if (a in acted) != (b in acted) and graph.has_edge(a, b):
            right.append({"->": 1.0, "--": 0.5}.get(graph.edge(a, b).symbol, 0.0))
    return fmean(right) if right else 1.0


if __name__ == "__main__":
    main()
