"""How near estimated effects are to the truth, and how often their intervals hold it.

    python benchmarks/effects.py [--networks asia child alarm] [--rows 300 500] [--samples 5]
    python benchmarks/effects.py --time [--networks alarm] [--rows 500]

For every ordered pair of columns of a network with known tables: the distance in total variation between the true
P(y | do(x)) and three estimates, the mean over the levels of x with 10 or more rows. `effect` is `result.effect`;
`seen` are the shares in the data without any intervention; `one graph` is the effect in `result.network(data)`.
`held`: the share of differences between two levels of x, for every level of y, that lie in their 90 % interval (with a
tolerance of .005 for rounding), and `within .05`: that lie in it or miss it by at most .05. Both for all pairs and for
pairs in which x causes y. `said` and `true`: how often a claim "x causes y" holds, by its probability. Columns have
random names and order. `--time` prints CPU seconds instead: of one effect, and of the ranking of all causes of a
column, each the mean over five columns, and asked of a result that has not answered anything before.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

import paucal
from paucal.effects.ask import Effects
from paucal.effects.effect import FEWEST_ROWS
from renaming import renamed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paucal import BayesNet, Dataset

BINS = (0.1, 0.3, 0.5, 0.7, 0.9, 0.97)
LOW, HIGH = "all pairs", "true causes"


def main() -> None:
    """Print what was measured, network by network."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=["asia", "child", "alarm"])
    parser.add_argument("--rows", nargs="+", type=int, default=[300, 500])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--time", action="store_true", help="only how long answers take")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in given.networks:
        if given.time:
            show_times(name, given.rows[-1])
            continue
        claims: list[tuple[float, bool]] = []
        net = paucal.load_network(name)
        found: dict[str, dict[str, list[float]]] = {LOW: defaultdict(list), HIGH: defaultdict(list)}
        for rows, sample in itertools.product(given.rows, range(given.samples)):
            for part, numbers in measured(net, rows, sample, claims):
                for kind, value in numbers.items():
                    found[part][kind].append(value)
        for part, numbers in found.items():
            shown = ", ".join(f"{kind} {np.mean(values):.3f}" for kind, values in numbers.items())
            print(f"{name}, {part}: {shown}", flush=True)
        show_claims(claims)


def show_times(name: str, rows: int) -> None:
    """Print how long one effect and one ranking take."""
    data = paucal.load_network(name).sample(rows, seed=1)
    learned = paucal.learn(data, "posterior").to_json()
    one, ranking = [], []
    for x, y in itertools.pairwise(data.names[:6]):
        for ask, seconds in (
            (lambda result, x=x, y=y: result.effect(x, y, data=data), one),
            (lambda result, y=y: result.effects(y, data=data), ranking),
        ):
            fresh = paucal.SearchResult.from_json(learned)
            start = time.process_time()
            ask(fresh)
            seconds.append(time.process_time() - start)
    print(f"{name}, {rows} rows: one effect {np.mean(one):.2f} s, a ranking {np.mean(ranking):.2f} s", flush=True)


def measured(
    net: BayesNet, rows: int, sample: int, claims: list[tuple[float, bool]]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Compare all effects of one sample with the truth."""
    rng = np.random.default_rng([577, rows, sample, len(net.names)])
    data, called = renamed(net.sample(rows, seed=int(rng.integers(2**62))), rng)
    own = {new: old for old, new in called.items()}
    result = paucal.learn(data, search="posterior", seed=sample)
    asked = Effects(result.evidence.names, result.evidence.sampled, data)
    fitted = result.network(data)
    reached = {(one["cause"], one["effect"]): one["probability"] for one in result.causes()}
    below = {x: set(net.graph.descendants(x)) - {x} for x in net.names}
    for x in data.names:
        usable = enough(data, x)
        true_nets = [net.do({own[x]: data.levels[data.index(x)][k]}) for k in usable]
        drawn_nets = [fitted.do({x: data.levels[data.index(x)][k]}) for k in usable]
        for y in data.names:
            if x == y:
                continue
            causal = own[y] in below[own[x]]
            claims.append((reached.get((x, y), 0.0), causal))
            if len(usable) < 2:
                continue
            effect = asked.effect(x, y)
            truth = np.array([one.marginal(own[y]) for one in true_nets])
            numbers = {
                "effect": distance(effect.draws.mean(axis=0)[usable], truth),
                "seen": distance(effect.seen[usable], truth),
                "one graph": distance(np.array([one.marginal(y) for one in drawn_nets]), truth),
                **coverage(effect.draws[:, usable], truth),
            }
            yield LOW, numbers
            if causal:
                yield HIGH, numbers


def enough(data: Dataset, x: str) -> list[int]:
    """Give the levels of a column that have enough rows."""
    counts = np.bincount(data.columns[data.index(x)], minlength=len(data.levels[data.index(x)]))
    return np.flatnonzero(counts >= FEWEST_ROWS).tolist()


def distance(estimate: np.ndarray, truth: np.ndarray) -> float:
    """Total variation, mean over the levels of the cause."""
    return float(np.abs(estimate - truth).sum(axis=1).mean() / 2)


def coverage(draws: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Share of differences between two levels of the cause that lie in their 90 % interval."""
    pairs = list(itertools.combinations(range(len(truth)), 2))
    changes = np.array([draws[:, a] - draws[:, b] for a, b in pairs])
    exact = np.array([truth[a] - truth[b] for a, b in pairs])
    low, high = np.quantile(changes, [0.05, 0.95], axis=1)
    held = {slack: ((low - slack <= exact) & (exact <= high + slack)).mean() for slack in (0.005, 0.05)}
    return {"held": float(held[0.005]), "within .05": float(held[0.05])}


def show_claims(claims: list[tuple[float, bool]]) -> None:
    """Print how often claims of a cause hold, by their probability."""
    said, true = (np.array(part, dtype=float) for part in zip(*claims, strict=True))
    bins = np.digitize(said, BINS)
    parts = [bins == k for k in range(len(BINS) + 1) if (bins == k).any()]
    listed = [f"{said[part].mean():.2f}/{true[part].mean():.2f} ({part.sum()})" for part in parts]
    error = sum(part.sum() * abs(said[part].mean() - true[part].mean()) for part in parts) / len(said)
    print(f"  causes, said/true (pairs): {', '.join(listed)}; calibration error {error:.3f}", flush=True)


if __name__ == "__main__":
    main()
