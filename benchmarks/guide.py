"""The measurements of the guide: how tests, searches, levels and rules for thin tables do as the samples grow.

    python benchmarks/guide.py [--runs 20] [--jobs 2]

Prints Markdown. Every number is a mean over samples with seeds 0, 1, ... of each network: the structural Hamming
distance to the true CPDAG, or what else the heading says. The last line gives the largest standard error of a distance.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import joblib

import paucal

if TYPE_CHECKING:
    from collections.abc import Callable

NETWORKS = ("child", "insurance", "alarm")
ROWS = (100, 300, 1000, 3000)
WAYS: dict[str, Callable[[paucal.Dataset], paucal.SearchResult]] = {
    "default": paucal.learn,
    "pc-stable chi2-perm": lambda d: paucal.learn(d, "pc-stable", test="chi2-perm", alpha="by-order"),
    **{
        f"pc-stable {t}": lambda d, t=t: paucal.learn(d, "pc-stable", test=t)
        for t in ("g", "chi2", "bf", "bf-chi2", "mi-eb")
    },
    "rai bf-chi2": lambda d: paucal.learn(d, "rai", test="bf-chi2"),
    "mmhc bf-chi2": lambda d: paucal.learn(d, "mmhc", test="bf-chi2"),
    **{f"climb {s}": lambda d, s=s: paucal.hill_climb(d, score=s) for s in ("bdeu", "eb", "qnml", "bic")},
    **{f"alpha {a}": lambda d, a=a: paucal.learn(d, "pc-stable", test="g", alpha=a) for a in (0.2, 0.01, 0.001)},
    **{
        f"sparse {rule}": lambda d, rule=rule: paucal.learn(d, "pc-stable", test="g", test_options={"sparse": rule})
        for rule in ("independent", "undecidable")
    },
    "colliders standard": lambda d: paucal.learn(d, "pc-stable", test="g", colliders="standard"),
    "max_order 1": lambda d: paucal.learn(d, "pc-stable", test="g", max_order=1),
}


class Outcome(NamedTuple):
    """What one run gave."""

    shd: float
    precision: float
    recall: float
    tests: float
    milliseconds: float
    unreliable: float


def measure(network: str, rows: int, way: str, seed: int) -> Outcome:
    net = paucal.load_network(network)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paucal.errors.PaucalWarning)  # constant columns in small samples
        data = net.sample(rows, seed=seed)
        begin = time.process_time()
        result = WAYS[way](data)
        seconds = time.process_time() - begin
    found = paucal.skeleton_scores(result.graph, net.graph)
    ledger = result.ledger
    share = 100 * ledger.n_unreliable / max(ledger.n_tests, 1)
    shd = paucal.shd(result.graph, net.cpdag())
    return Outcome(shd, found.precision, found.recall, ledger.n_tests, 1000 * seconds, share)


def table(title: str, columns: dict[str, str], number: Callable[[str, int, str], str]) -> None:
    print(f"\n### {title}\n")
    print(f"| network | rows | {' | '.join(columns)} |")
    print(f"|---|---:|{'---:|' * len(columns)}")
    for network, rows in product(NETWORKS, ROWS):
        print(f"| {network} | {rows:,} | {' | '.join(number(network, rows, way) for way in columns.values())} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    grid = list(product(NETWORKS, ROWS, WAYS))
    calls = [(*cell, seed) for cell in grid for seed in range(options.runs)]
    outcomes = joblib.Parallel(options.jobs)(joblib.delayed(measure)(*call) for call in calls)
    runs = {cell: outcomes[i * options.runs : (i + 1) * options.runs] for i, cell in enumerate(grid)}

    def mean(field: str, digits: int = 1) -> Callable[[str, int, str], str]:
        def number(network: str, rows: int, way: str) -> str:
            return f"{statistics.fmean(getattr(o, field) for o in runs[network, rows, way]):,.{digits}f}"

        return number

    tests = {f"`{t}`": f"pc-stable {t}" for t in ("g", "chi2", "bf", "bf-chi2", "mi-eb")}
    table("Tests: SHD of PC-stable", tests, mean("shd"))
    table("Tests: precision of the skeleton", tests, mean("precision", 2))
    table("Tests: recall of the skeleton", tests, mean("recall", 2))
    searches = {
        "default": "default",
        "PC-stable, `chi2-perm`": "pc-stable chi2-perm",
        "PC-stable, `g`": "pc-stable g",
        "RAI, `bf-chi2`": "rai bf-chi2",
        "MMHC, `bf-chi2`": "mmhc bf-chi2",
        **{f"climbing, `{s}`": f"climb {s}" for s in ("bdeu", "eb", "qnml", "bic")},
    }
    table("Searches: SHD", searches, mean("shd"))
    table("Searches: precision of the skeleton", searches, mean("precision", 2))
    table("Searches: recall of the skeleton", searches, mean("recall", 2))
    constraint = dict(list(searches.items())[1:5])
    table("Searches: tests made", constraint, mean("tests", 0))
    table("Searches: CPU milliseconds", searches, mean("milliseconds", 0))
    levels = {"0.2": "alpha 0.2", "0.05": "pc-stable g", "0.01": "alpha 0.01", "0.001": "alpha 0.001"}
    table("Levels: SHD of PC-stable with `g`", levels, mean("shd"))
    rules = {"test": "pc-stable g", "independent": "sparse independent", "undecidable": "sparse undecidable"}
    table("Thin tables: SHD of PC-stable with `g`", rules, mean("shd"))
    table("Thin tables: share of unreliable tests, %", {"test": "pc-stable g"}, mean("unreliable", 0))
    other = {
        "majority": "pc-stable g",
        "standard colliders": "colliders standard",
        "at most 1 conditioning column": "max_order 1",
    }
    table("Colliders and order: SHD of PC-stable with `g`", other, mean("shd"))
    worst = max(statistics.stdev(o.shd for o in cell) / len(cell) ** 0.5 for cell in runs.values())
    print(f"\nLargest standard error of a distance: {worst:.2f}; {options.runs} runs.")


if __name__ == "__main__":
    main()
