"""Are the probabilities of the posterior right? Reliability of edges and of directions; prints Markdown.

    python benchmarks/posterior_calibration.py [--runs 3] [--bif FILE...]
    python benchmarks/posterior_calibration.py --noise 10

Without BIF files that is about ten minutes of one CPU, with `--runs 1` a third of it. Columns are shuffled and have
random names.

Pairs of columns of many samples are put together by the probability that the posterior gave them; beside it stands the
share that is joined in the truth. Directions are judged where the truth has an edge and the posterior joins the pair
with probability .5 or more: the likeliest of ->, <- and --, given that the pair is joined, against the edge in the true
CPDAG.

Nothing about the posterior was chosen by looking at the networks that are judged: the small ones of the catalogue,
random ones, and BIF files that are named. Directions are judged twice: as they are said, and as they were sampled.

With --noise the columns are independent of each other: what is said of pairs that have nothing to do with each other?
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import paucal
from paucal.networks import BayesNet
from renaming import renamed, with_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SEED = 2_718_281
ROWS = (100, 300, 1000)
DEVELOPMENT = ("child", "insurance", "alarm", "hailfinder", "child3")
SMALL = ("asia", "cancer", "earthquake", "sachs", "survey")
KINDS = ("->", "<-", "--")
EDGES_OF_BINS = (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1)
DIRECTION_BINS = (0.33, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1)


def random_network(number: int) -> BayesNet:
    """Make 20 to 40 columns of 2 to 4 levels, 1 or 1.6 parents on average, tables even or lopsided."""
    rng = np.random.default_rng([SEED, number])
    n = int(rng.integers(20, 41))
    names = [f"v{i}" for i in range(n)]
    mean, spread = (1.0, 1.6)[number % 2], (1.0, 0.3)[number // 2 % 2]
    levels = {name: [str(k) for k in range(rng.integers(2, 5))] for name in names}
    parents = {}
    for i, name in enumerate(names):
        size = min(i, 4, int(rng.poisson(mean)))
        parents[name] = [names[j] for j in sorted(rng.choice(i, size, replace=False).tolist())] if size else []
    tables = {
        name: rng.dirichlet(np.full(len(levels[name]), spread), [len(levels[p]) for p in parents[name]])
        for name in names
    }
    return BayesNet(levels, parents, tables, name=f"random {number}")


def pairs_of(name: str, net: BayesNet, rows: int, run: int) -> NDArray[np.float64]:
    """Give per pair the probabilities of ->, <- and --, the number of the true kind, or -1, and the sampled shares."""
    seed = np.random.SeedSequence([SEED, *name.encode(), rows, run])
    rng = np.random.default_rng(seed)
    data, called = renamed(net.sample(rows, seed=int(rng.integers(2**62))), rng)
    result = paucal.learn(data, "posterior")
    sure = result.evidence
    drawn = {(one["a"], one["b"]): [one[kind] for kind in KINDS] for one in result.details["sampled"]}
    drawn |= {(b, a): [left, right, line] for (a, b), (right, left, line) in drawn.items()}
    truth = with_names(net.cpdag(), called)
    arrow, line = sure.shares["->"], sure.shares["--"]
    found = []
    for i, a in enumerate(sure.names):
        for j in range(i + 1, len(sure.names)):
            edge = truth.edge(a, sure.names[j])
            kind = -1 if edge is None else KINDS.index(edge.symbol)
            shares = drawn.get((a, sure.names[j]), [0.0] * 3)
            found.append((arrow[i, j], arrow[j, i], line[i, j], kind, *shares))
    return np.array(found, dtype=float)


def gathered(nets: dict[str, BayesNet], runs: int) -> dict[str, NDArray[np.float64]]:
    found = {}
    for name, net in nets.items():
        found[name] = np.concatenate([pairs_of(name, net, rows, run) for rows in ROWS for run in range(runs)])
        print(f"<!-- {name}: {len(found[name]):,} pairs -->", flush=True)
    return found


# -- what is counted ---------------------------------------------------------------------------------------------


def joined(pairs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Probability that a pair is joined, and whether it is."""
    return np.minimum(pairs[:, :3].sum(1), 1), pairs[:, 3] >= 0


def directed(pairs: NDArray[np.float64], *, sampled: bool = False) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Probabilities of the three kinds given that the pair is joined, said or sampled, and the true kind."""
    total = pairs[:, :3].sum(1)
    fair = (total >= 0.5) & (pairs[:, 3] >= 0)
    kinds = pairs[:, 4:] if sampled else pairs[:, :3]
    return kinds[fair] / total[fair, None], pairs[fair, 3].astype(int)


def brier(kinds: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    return float(((kinds - np.eye(3)[truth]) ** 2).sum(1).mean())


def log_loss(kinds: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    return float(-np.log(np.maximum(kinds[np.arange(len(truth)), truth], 1e-3)).mean())


def error_of(said: NDArray[np.float64], true: NDArray[np.bool_], bins: tuple[float, ...]) -> float:
    """Expected calibration error: mean distance of what is said and what is true, over the bins."""
    return sum(count * abs(mean - share) for _, _, count, mean, share in reliability(said, true, bins)) / max(
        1, len(said)
    )


def reliability(
    said: NDArray[np.float64], true: NDArray[np.bool_], bins: tuple[float, ...]
) -> Iterator[tuple[float, float, int, float, float]]:
    place = np.clip(np.searchsorted(bins, said, side="right") - 1, 0, len(bins) - 2)
    for k in range(len(bins) - 1):
        here = place == k
        if here.any():
            yield bins[k], bins[k + 1], int(here.sum()), float(said[here].mean()), float(true[here].mean())


# -- what is printed ---------------------------------------------------------------------------------------------


def table(said: NDArray[np.float64], true: NDArray[np.bool_], bins: tuple[float, ...], what: str) -> None:
    print(f"\n| probability | {what} | stated | true |\n|---|---:|---:|---:|")
    for low, high, count, mean, share in reliability(said, true, bins):
        print(f"| {low:g} to {high:g} | {count:,} | {mean:.3f} | {share:.3f} |")


def likeliest(kinds: NDArray[np.float64], truth: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    return kinds.max(1), kinds.argmax(1) == truth


def one_line(label: str, pairs: NDArray[np.float64]) -> str:
    said, true = joined(pairs)
    kinds, truth = directed(pairs)
    cells = [
        f"{((said - true) ** 2).mean():.4f}",
        f"{error_of(said, true, EDGES_OF_BINS):.4f}",
        f"{len(truth):,}",
    ]
    if len(truth):
        cells.append(f"{likeliest(kinds, truth)[1].mean():.2f}")
        for version in (kinds, directed(pairs, sampled=True)[0]):
            sure, right = likeliest(version, truth)
            ece = error_of(sure, right, DIRECTION_BINS)
            numbers = f"{brier(version, truth):.3f} / {log_loss(version, truth):.2f} / {ece:.3f}"
            cells += [f"{sure.mean():.2f}", numbers]
    else:
        cells += 5 * [""]
    return f"| {label} | " + " | ".join(cells) + " |"


def noise(runs: int) -> None:
    """Tell how probable edges are between independent columns, with levels equally frequent or not."""
    print("| columns | rows | equal levels: joined | edges in the graph | unequal: joined | edges in the graph |")
    print("|---:|---:|---:|---:|---:|---:|")
    for columns in (2, 5, 10, 30):
        for rows in ROWS:
            cells = []
            for number, spread in enumerate((np.inf, 1.0)):
                rng = np.random.default_rng([SEED, columns, rows, number])
                found = [paucal.learn(_independent(rng, columns, rows, spread), "posterior") for _ in range(runs)]
                said = [1 - pair["absent"] for one in found for pair in one.probabilities(0)]
                edges = np.mean([one.graph.n_edges for one in found])
                cells += [f"{np.mean(said):.2f} (95 % below {np.quantile(said, 0.95):.2f})", f"{edges:.1f}"]
            print(f"| {columns} | {rows:,} | " + " | ".join(cells) + " |", flush=True)


def _independent(rng: np.random.Generator, columns: int, rows: int, spread: float) -> dict[str, NDArray[np.int64]]:
    """Draw columns of 2 to 4 levels, equally frequent for an infinite spread, with random names."""
    data = {}
    for i in rng.permutation(columns).tolist():
        n_levels = int(rng.integers(2, 5))
        shares = np.full(n_levels, 1 / n_levels)
        if np.isfinite(spread):
            shares = rng.dirichlet(np.full(n_levels, spread))
        data[f"v{i}"] = rng.choice(n_levels, rows, p=shares)
    return data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="samples of each network and number of rows")
    parser.add_argument("--random", type=int, default=12, help="random networks")
    parser.add_argument("--bif", nargs="*", default=[], type=Path, help="further networks")
    parser.add_argument("--noise", type=int, metavar="RUNS", help="samples of independent columns instead")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # constant columns in small samples
    if options.noise:
        noise(options.noise)
        return
    development = gathered({name: paucal.load_network(name) for name in DEVELOPMENT}, options.runs)
    groups = {
        "small networks": {name: paucal.load_network(name) for name in SMALL},
        "random networks": {f"random {number}": random_network(number) for number in range(options.random)},
    }
    judged = {}
    for label, nets in groups.items():
        judged[label] = np.concatenate(list(gathered(nets, options.runs).values()))
    judged |= gathered({path.name.partition(".")[0]: paucal.read_bif(path) for path in options.bif}, options.runs)
    everything = np.concatenate(list(judged.values()))
    print(f"\nRows {ROWS}, {options.runs} samples each. Development: {', '.join(DEVELOPMENT)}.")
    print("\n### Edges, all networks that are judged")
    table(*joined(everything), EDGES_OF_BINS, "pairs")
    print("\n### Directions, all networks that are judged")
    table(*likeliest(*directed(everything)), DIRECTION_BINS, "edges")
    print("\n### Directions as they were sampled")
    table(*likeliest(*directed(everything, sampled=True)), DIRECTION_BINS, "edges")
    print("\n### By network\n")
    heads = "networks | edges: Brier | ECE | to direct | right | stated | Brier / log loss / ECE | sampled | the same"
    print(f"| {heads} |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for label, pairs in judged.items():
        print(one_line(label, pairs))
    print(one_line("all of these", everything))
    print(one_line("development", np.concatenate(list(development.values()))))


if __name__ == "__main__":
    main()
