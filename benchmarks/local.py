"""Blankets of all targets: tests per target and CPU time, beside the paper's numbers and beside one global run.

    python benchmarks/local.py [--accuracy]

Data are sampled anew (one sample per size), the level is 0.05, subsets have at most
3 members. Tests per target are means over all targets. Those of the reference, CMB as published, are counted as the
paper did, as if nothing were remembered between sub-searches; ours as asked, with the distinct ones in brackets.
The global run is one run of pc-stable with the same test, which finds all blankets at once. The last row of each size
of ALARM is the G test of Causal-Learner, which takes thin tables for dependent, as the paper's own baseline seems to
do. On HAILFINDER that takes minutes, and 15 million tests per target if nothing is remembered.

`--accuracy` asks instead how near both come to the truth: neighbours that are missing, too many or labelled wrongly
(parent, child, undetermined), per target, beside the equivalence class of the true graph, and distinct tests per
target. First on three samples of three networks, by the G test; then with a perfect test on random graphs of eight
nodes, of which .1 to .4 of the pairs are joined: the share of targets that come out exactly, and the arrows per target
that the class does not have. A quarter of a minute.
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import paucal
from paucal.graphs import Graph, dag_to_cpdag
from paucal.paper import published
from paucal.paper.variants.cmb import cmb

if TYPE_CHECKING:
    from collections.abc import Callable

    from paucal.search.local.result import BlanketResult

SEED = 1
JUDGED, JUDGED_ROWS, SAMPLES = ("child", "insurance", "alarm"), (100, 500, 5000), 3
RANDOM_GRAPHS, RANDOM_NODES = 300, 8


class Row(NamedTuple):
    """A test, its options, and the name of the paper's column."""

    title: str
    test: str
    options: dict[str, Any]
    printed: str


ROWS = [
    Row("mi-eb", "mi-eb", {}, "cmb-I^eB"),
    Row("bf-chi2", "bf-chi2", {}, "cmb-BF_chi2"),
    Row("g", "g", {}, "CMB"),
]
THIN = Row("g, thin = dependent", "g", {"convention": "causal-learner"}, "CMB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accuracy", action="store_true")
    if parser.parse_args().accuracy:
        judge_samples()
        judge_oracle()
    else:
        count_tests()


def count_tests() -> None:
    print(f"paucal {paucal.__version__}, Python {sys.version.split()[0]}, one thread\n")
    print(f"{'':<42}{'tests per target':^40}{'all targets, CPU':^22}{'pc-stable, once':^20}")
    print(
        f"{'network':<12}{'rows':>6}  {'test':<22}"
        f"{'paper':>10}{'reference':>12}{'repaired':>18}{'reference':>12}{'repaired':>10}{'tests':>10}{'CPU':>10}"
    )
    for network in ("alarm", "hailfinder"):
        net = paucal.load_network(network)
        for size in published.SIZES[network]:
            data = net.sample(size, seed=SEED)
            for row in [*ROWS, THIN] if network == "alarm" else ROWS:
                print(f"{network:<12}{size:>6}  {row.title:<22}{line(network, size, data, row)}", flush=True)


def line(network: str, size: int, data: paucal.Dataset, row: Row) -> str:
    printed = published.LOCAL.value("tests", network, size, row.printed)
    options: dict[str, Any] = {"test": row.test, "test_options": row.options}
    reference, reference_cpu = timed(
        lambda: [cmb(paucal.make_test(data, row.test, **row.options), target) for target in data.names]
    )
    repaired, repaired_cpu = timed(lambda: paucal.blankets(data, **options))
    whole, whole_cpu = timed(lambda: paucal.learn(data, "pc-stable", max_order=3, **options))
    as_in_paper = fmean(found.result.details["tests"] for found in reference)
    asked = fmean(found.ledger.n_calls for found in repaired.values())
    distinct = fmean(found.ledger.n_tests for found in repaired.values())
    return (
        f"{printed.mean if printed else float('nan'):>10,.0f}{as_in_paper:>12,.0f}"
        f"{f'{asked:,.0f} ({distinct:,.0f})':>18}{reference_cpu:>10.2f} s{repaired_cpu:>8.2f} s"
        f"{whole.ledger.n_calls:>10,}{whole_cpu:>8.3f} s"
    )


def judge_samples() -> None:
    print("| network | rows | repaired | tests | reference | tests |")
    print("|---|---|---|---|---|---|")
    for network in JUDGED:
        net = paucal.load_network(network)
        for rows in JUDGED_ROWS:
            repaired, reference = [], []
            for sample in range(SAMPLES):
                test = paucal.make_test(net.sample(rows, seed=SEED + sample), "g")
                found = paucal.blankets(test)
                for target in net.names:
                    for way, one in ((repaired, found[target]), (reference, cmb(test, target))):
                        way.append((wrong(one, net.cpdag()), one.ledger.n_tests))
            parts = [f"{np.mean(way, axis=0)[0]:.2f} | {np.mean(way, axis=0)[1]:,.0f}" for way in (repaired, reference)]
            print(f"| {network} | {rows:,} | {' | '.join(parts)} |", flush=True)


def judge_oracle() -> None:
    rng = np.random.default_rng(SEED)
    exact, false_arrows = [], []
    for _ in range(RANDOM_GRAPHS):
        nodes = [f"x{i}" for i in range(RANDOM_NODES)]
        joined = np.triu(rng.random((RANDOM_NODES, RANDOM_NODES)) < rng.uniform(0.1, 0.4), 1)
        dag = Graph.dag(nodes, [(nodes[i], nodes[j]) for i, j in np.argwhere(joined).tolist()])
        cpdag = dag_to_cpdag(dag)
        for target in nodes:
            found, true = labelled(cmb(paucal.Oracle(dag), target, max_order=None)), labels(cpdag, target)
            exact.append(found == true)
            arrows = {name: label for name, label in found.items() if label != "undetermined"}
            false_arrows.append(sum(true.get(name) != label for name, label in arrows.items()))
    print(
        f"\nreference with a perfect test: {np.mean(exact):.0%} of {len(exact):,} targets exact, "
        f"{np.mean(false_arrows):.2f} wrong arrows per target"
    )


def wrong(found: BlanketResult, cpdag: Graph) -> int:
    """Count neighbours that are missing, too many or labelled wrongly."""
    ours, true = labelled(found), labels(cpdag, found.target)
    return sum(ours.get(name) != true.get(name) for name in ours.keys() | true.keys())


def labels(cpdag: Graph, target: str) -> dict[str, str]:
    return {
        **dict.fromkeys(cpdag.parents(target), "parent"),
        **dict.fromkeys(cpdag.children(target), "child"),
        **dict.fromkeys(cpdag.neighbours(target), "undetermined"),
    }


def labelled(found: BlanketResult) -> dict[str, str]:
    return {
        **dict.fromkeys(found.parents, "parent"),
        **dict.fromkeys(found.children, "child"),
        **dict.fromkeys(found.undetermined, "undetermined"),
    }


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return call(), time.process_time() - start


if __name__ == "__main__":
    main()
