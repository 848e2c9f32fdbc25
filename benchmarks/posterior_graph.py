"""Does another seed draw another graph? And is the drawn graph known to be the nearest? Prints two lines.

    python benchmarks/posterior_graph.py [--seeds 4]

Samples of six networks are learned with several seeds. Of every two runs whose probabilities, of every kind of edge of
every pair, agree within 0.05: how often is the graph the same, and how often is each graph drawn or named as nearly as
good (`result.details["nearly"]`) by the other run?
"""

from __future__ import annotations

import argparse
import warnings
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

import paucal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paucal import SearchResult

NETWORKS = ("asia", "child", "insurance", "sachs", "survey", "cancer")
ROWS = (150, 500)
SAMPLES = (1, 2)
NEAR = 0.05

Drawn = dict[frozenset[str], str]  # pair -> "--", or the column that an arrow points at


def drawn(result: SearchResult) -> Drawn:
    return told([edge.a, edge.symbol, edge.b] for edge in result.graph.edges())


def told(edges: Iterable[Sequence[str]]) -> Drawn:
    return {frozenset((a, b)): b if kind == "->" else kind for a, kind, b in edges}


def named(result: SearchResult) -> list[Drawn]:
    """Give the drawn graph, and those that are nearly as near."""
    here = drawn(result)
    return [here, *(changed(here, one["differs"]) for one in result.details["nearly"])]


def changed(graph: Drawn, differs: list[Any]) -> Drawn:
    other = graph | told(differs)
    return {pair: kind for pair, kind in other.items() if kind != "absent"}


def apart(one: SearchResult, other: SearchResult) -> float:
    """Give the largest difference in a probability of any kind of edge."""
    return max(float(np.abs(one.evidence.shares[kind] - other.evidence.shares[kind]).max()) for kind in ("->", "--"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=4)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # copies in small samples
    runs = proven = near = same = either = 0
    for network, rows, sample in product(NETWORKS, ROWS, SAMPLES):
        data = paucal.load_network(network).sample(rows, seed=sample)
        results = [paucal.learn(data, "posterior", seed=seed) for seed in range(options.seeds)]
        runs += len(results)
        proven += sum(result.details["nearest"] for result in results)
        for one, other in combinations(results, 2):
            if apart(one, other) <= NEAR:
                near += 1
                same += one.graph == other.graph
                either += drawn(one) in named(other) and drawn(other) in named(one)
    print(f"{proven} of {runs} graphs are known to be the nearest.")
    print(f"{near} pairs of runs agree within {NEAR}: {same} have the same graph, {either} name each other's.")


if __name__ == "__main__":
    main()
