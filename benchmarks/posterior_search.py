"""Does the posterior find the summits, and do two seeds say the same? Prints Markdown.

    python benchmarks/posterior_search.py [--runs 1] [--seeds 1] [--only NAME...]

The truth is known, but no data set supports all of it. So arrows are taken out of the true DAG, each time the one whose
loss raises the score most, until none does: a part of the truth that the search could have found. If it scores better
than the best DAG that was met, the search has missed a summit; `missed` is the share of data sets, `behind` the largest
distance in units of the log score. With several seeds, `apart` is the largest difference of the probability that a pair
is joined, of pairs that no warning named, and `named` counts the data sets with a warning.

Bundled networks, tiled ones, and random networks of gates: AND, OR, thresholds of 1 to 7 columns, parities of 1 to 3,
whose parents often help only together. Networks with parities of up to 7 columns have a line of their own: which of
many columns make up a large parity is a hard problem for every method, as nothing less than all of them shows it.
Columns have random names. The default takes about four minutes of one CPU.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import paucal
from paucal.networks import BayesNet
from paucal.search.by_scores.scores import Scorer
from renaming import renamed, with_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paucal import Dataset, Graph, SearchResult

SEED = 1_414_213
ROWS = (100, 300, 1000)
BUNDLED = ("asia", "survey", "sachs", "child", "insurance", "alarm", "hailfinder")
TILED = ("child3", "child5")
GATES = (20, 25, 30, 40, 60, 100)  # columns of the random networks


class Case(NamedTuple):
    """A data set with the DAG behind it."""

    group: str
    name: str
    data: Dataset
    truth: Graph


def gate_network(columns: int, number: int, most_parity: int) -> BayesNet:
    """Make a network of noisy gates: a third of the columns are roots, the others have 1 to 7 parents before them."""
    rng = np.random.default_rng([SEED, columns, number])
    names = [f"g{i}" for i in range(columns)]
    parents: dict[str, list[str]] = {}
    tables = {}
    for i, name in enumerate(names):
        size = 0 if i < 3 or rng.random() < 1 / 3 else min(i, int(rng.integers(1, 8)))
        parents[name] = [names[j] for j in sorted(rng.choice(i, size, replace=False).tolist())]
        share = rng.uniform(0.25, 0.75)
        if size:
            noise = rng.uniform(0.02, 0.1)
            on = _gate(rng, size, most_parity)
            share = np.where(on, 1 - noise, noise)
        tables[name] = np.stack([1 - np.asarray(share), np.asarray(share)], axis=-1)
    return BayesNet({name: ["0", "1"] for name in names}, parents, tables, name=f"gates {columns}")


def _gate(rng: np.random.Generator, size: int, most_parity: int) -> np.ndarray:
    """Say for every configuration of the parents whether the gate is on."""
    ones = np.zeros((2,) * size, dtype=int)
    for configuration in itertools.product((0, 1), repeat=size):
        ones[configuration] = sum(configuration)
    kind = rng.choice(["and", "or", "xor", "threshold"] if size <= most_parity else ["and", "or", "threshold"])
    if kind == "and":
        return ones == size
    if kind == "or":
        return ones > 0
    return ones % 2 == 1 if kind == "xor" else ones >= (size + 1) // 2


def cases(runs: int, only: list[str]) -> Iterator[Case]:
    """Give all data sets, columns shuffled and renamed."""
    nets = [("bundled", name, lambda name=name: paucal.load_network(name)) for name in BUNDLED]
    nets += [("tiled", name, lambda name=name: paucal.load_network(name)) for name in TILED]
    nets += [
        (group, f"{group} {n}", lambda n=n, number=number, most=most: gate_network(n, number, most))
        for group, most, numbers in (("gates", 3, (0, 1)), ("parities", 7, (2,)))
        for n in GATES
        for number in numbers
    ]
    for number, (group, name, make) in enumerate(nets):
        if only and name not in only and group not in only:
            continue
        net = make()
        for rows, run in itertools.product(ROWS, range(runs)):
            rng = np.random.default_rng([SEED, number, rows, run])
            data = net.sample(rows, seed=int(rng.integers(2**62)))
            data, called = renamed(data, rng)
            yield Case(group, f"{name}, {rows} rows", data, with_names(net.graph, called))


def trimmed_truth(case: Case, result: SearchResult) -> float:
    """Score the true DAG without the arrows that do not pay, taken out one after the other."""
    scorer, penalty = Scorer(case.data, "eb"), result.evidence.penalty
    number = case.data.index
    total = 0.0
    for child in case.truth.nodes:  # the families are independent of each other
        parents = {number(parent) for parent in case.truth.parents(child)}

        def local(parents: set[int], child: int = number(child)) -> float:
            return scorer.local(child, parents) - penalty * len(parents)

        best = local(parents)
        while parents:
            gain, drop = max((local(parents - {parent}), parent) for parent in parents)
            if gain <= best:
                break
            best, parents = gain, parents - {drop}
        total += best
    return total


class Line(NamedTuple):
    """What one data set said."""

    behind: float
    apart: float
    named: bool
    seconds: float


def judge(case: Case, seeds: int) -> Line:
    """Learn with every seed; compare with the truth and with each other."""
    begin = time.process_time()
    found = [paucal.learn(case.data, "posterior", seed=seed) for seed in range(seeds)]
    seconds = (time.process_time() - begin) / seeds
    behind = trimmed_truth(case, found[0]) - min(one.details["score"] for one in found)
    joined = np.array([one.evidence.joined for one in found])
    apart = joined.max(axis=0) - joined.min(axis=0)
    named = False
    for one in found:
        for pair in one.details.get("unsettled", []):
            i, j = (one.evidence.names.index(pair[end]) for end in ("a", "b"))
            apart[i, j] = apart[j, i] = 0
            named = True
    return Line(behind, float(apart.max()), named, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1, help="samples of each network and number of rows")
    parser.add_argument("--seeds", type=int, default=1, help="seeds for each sample")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these groups or networks only")
    parser.add_argument("--each", action="store_true", help="a line for every data set")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # constant columns in small samples; chains that disagree are counted
    lines: dict[str, list[Line]] = {}
    for case in cases(options.runs, options.only):
        line = judge(case, options.seeds)
        lines.setdefault(case.group, []).append(line)
        if options.each:
            print(f"<!-- {case.name}: {'; '.join(f'{value:.2f}' for value in line)} -->", flush=True)
    lines["all"] = [line for group in list(lines.values()) for line in group]
    print("| networks | data sets | missed | behind | apart | named | CPU s |\n|---|---:|---:|---:|---:|---:|---:|")
    for group, its in lines.items():
        missed = np.mean([line.behind > 1e-6 for line in its])
        behind, apart = max(0.0, *(line.behind for line in its)), max(line.apart for line in its)
        cells = f"{missed:.0%} | {behind:.1f} | {apart:.2f} | {sum(line.named for line in its)}"
        print(f"| {group} | {len(its)} | {cells} | {np.mean([line.seconds for line in its]):.2f} |")


if __name__ == "__main__":
    main()
