"""Hidden common causes: how near learned PAGs come to the truth, and how often what they claim is right.

    python benchmarks/latent.py [--networks child insurance alarm] [--rows 300 500] [--samples 5]
                                [--ways posterior cfci-bf cfci fci cfci-deep cfci-five fci-five cfci-bf-five]

A tenth of the nodes of a network with known truth, drawn among those with two or more children, is hidden. Compared are

    posterior  search="posterior", latent=True
    cfci-bf    conservative FCI with the test bf-chi2
    cfci       conservative FCI with chi2-perm
    fci        FCI with majority colliders and chi2-perm
    cfci-deep  cfci without the limit of conditioners that follows the data
    cfci-five  cfci with the limit that leaves half of all questions with five rows per cell, instead of one;
               fci-five and cfci-bf-five likewise, if they are asked for

Printed are, by network and way, the mean distance of the PAG (`pag_shd`) and CPU seconds; the share of tests that were
unreliable; how many arrowheads ("b does not cause a") and tails with heads ("a causes b") were claimed a run, those of
the posterior with a share of .5 or more, and which share of them the true ancestors confirm; how many `<->` were
claimed and how many of them stand in the true PAG. Last, claims of the posterior by their share, said and true. Columns
have random names and order.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from collections import defaultdict

import numpy as np

import paucal
from paucal.graphs import dag_to_pag
from paucal.metrics import pag_shd
from paucal.search.by_tests.depth import bearable_order
from renaming import renamed, with_names

WAYS = {
    "posterior": {"search": "posterior", "latent": True},
    "cfci-bf": {"search": "cfci", "test": "bf-chi2"},
    "cfci": {"search": "cfci", "test": "chi2-perm"},
    "fci": {"search": "fci", "test": "chi2-perm", "colliders": "majority"},
    "cfci-deep": {"search": "cfci", "test": "chi2-perm", "max_order": 100},
    "cfci-five": {"search": "cfci", "test": "chi2-perm"},
    "fci-five": {"search": "fci", "test": "chi2-perm", "colliders": "majority"},
    "cfci-bf-five": {"search": "cfci", "test": "bf-chi2"},
}
USUAL = [way for way in WAYS if way not in ("fci-five", "cfci-bf-five")]
LEAST = 0.5  # share of a claim of the posterior
BINS = (0.7, 0.9)
HIDDEN = 0.1


def main() -> None:
    """Print a line for each network and way, then claims by their share; after every sample, as it takes long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=["child", "insurance", "alarm"])
    parser.add_argument("--rows", nargs="+", type=int, default=[300, 500])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=USUAL)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    said: dict[str, list[tuple[float, bool]]] = {"causes": [], "does not cause": []}
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    nets = {name: paucal.load_network(name) for name in given.networks}
    for sample in range(given.samples):
        for name, rows in itertools.product(given.networks, given.rows):
            for way, numbers in measured(nets[name], rows, sample, given.ways, said).items():
                for kind, value in numbers.items():
                    found[name, way][kind].append(value)
                    found["all", way][kind].append(value)
        print(f"-- {sample + 1} samples a cell")
        for (name, way), numbers in sorted(found.items()):
            print(f"{name}, {way}: {told(numbers)}", flush=True)
        show(said)


def show(said: dict[str, list[tuple[float, bool]]]) -> None:
    """Print how often claims of the posterior are right, by their share."""
    for claim, pairs in said.items():
        if pairs:
            shares, right = (np.array(part, dtype=float) for part in zip(*pairs, strict=True))
            bins = np.digitize(shares, BINS)
            listed = [
                f"{shares[bins == k].mean():.2f}/{right[bins == k].mean():.2f} ({np.sum(bins == k)})"
                for k in range(len(BINS) + 1)
                if (bins == k).any()
            ]
            print(f"posterior, '{claim}', said/true (claims): {', '.join(listed)}", flush=True)


def measured(
    net: paucal.BayesNet, rows: int, sample: int, ways: list[str], said: dict[str, list[tuple[float, bool]]]
) -> dict[str, dict[str, float]]:
    """Learn from one sample in every way."""
    rng = np.random.default_rng([733, rows, sample, len(net.names)])
    common = [name for name in net.names if len(net.graph.children(name)) > 1]
    hidden = rng.choice(common, size=min(len(common), max(1, round(HIDDEN * len(net.names)))), replace=False).tolist()
    seen = [name for name in net.names if name not in hidden]
    data, called = renamed(net.sample(rows, seed=int(rng.integers(2**62)), observed=seen), rng)
    truth = with_names(dag_to_pag(net.graph, hidden), called)
    causes = {called[a]: {called[b] for b in net.graph.descendants(a) if b in called and b != a} for a in seen}
    found = {}
    for way in ways:
        began = time.process_time()
        limit = {"max_order": bearable_order(paucal.make_test(data, "chi2-perm"), 5.0)} if way.endswith("-five") else {}
        result = paucal.learn(data, seed=sample, **WAYS[way], **limit)
        seconds = time.process_time() - began
        claims = claims_of(result)
        if way == "posterior":
            for claim, a, b, share in claims:
                said[claim].append((share, (b in causes[a]) == (claim == "causes")))
        heads = [b not in causes[a] for claim, a, b, _ in claims if claim != "causes"]
        tails = [b in causes[a] for claim, a, b, _ in claims if claim == "causes"]
        both = [truth.edge(e.a, e.b) for e in result.graph.edges() if e.symbol == "<->"]
        found[way] = {
            "distance": pag_shd(result.graph, truth),
            "seconds": seconds,
            "unreliable": result.ledger.n_unreliable,
            "tests": result.ledger.n_tests,
            "heads": len(heads),
            "heads right": sum(heads),
            "tails": len(tails),
            "tails right": sum(tails),
            "<->": len(both),
            "<-> right": sum(edge is not None and edge.symbol == "<->" for edge in both),
            "<-> true": sum(edge.symbol == "<->" for edge in truth.edges()),
        }
    return found


def claims_of(result: paucal.SearchResult) -> list[tuple[str, str, str, float]]:
    """List what a result claims of causes: by shares, or by the marks of its graph."""
    if result.search == "posterior":
        return [(one["claim"], one["a"], one["b"], one["probability"]) for one in result.claims(LEAST)]
    found = []
    for edge in result.graph.edges():
        for a, b, mark_a, mark_b in (
            (edge.a, edge.b, edge.mark_a, edge.mark_b),
            (edge.b, edge.a, edge.mark_b, edge.mark_a),
        ):
            if mark_b == paucal.graphs.Mark.ARROW:
                found.append(("does not cause", b, a, 1.0))
                if mark_a == paucal.graphs.Mark.TAIL:
                    found.append(("causes", a, b, 1.0))
    return found


def told(numbers: dict[str, list[float]]) -> str:
    """Put the numbers of some runs into a line."""
    mean = {kind: float(np.mean(values)) for kind, values in numbers.items()}
    total = {kind: float(np.sum(values)) for kind, values in numbers.items()}
    parts = [f"distance {mean['distance']:.1f}", f"{mean['seconds']:.2f} s"]
    if total["tests"]:
        parts.append(f"unreliable tests {total['unreliable'] / total['tests']:.0%}")
    for kind in ("heads", "tails"):
        right = f", {total[f'{kind} right'] / total[kind]:.3f} right" if total[kind] else ""
        parts.append(f"{kind} {mean[kind]:.1f}{right}")
    return "; ".join([*parts, f"<-> {total['<->']:.0f}, right {total['<-> right']:.0f}, true {total['<-> true']:.0f}"])


if __name__ == "__main__":
    main()
