"""What missing values cost: the distance of learned graphs to the truth, by how the gaps are treated.

    python benchmarks/missing.py [--networks child insurance alarm] [--rows 300 500] [--kinds mcar mar mnar]
                                 [--shares 0.05 0.15 0.3] [--samples 5] [--ways keep level drop mode pc] [--csv FILE]
    python benchmarks/missing.py --calibration [--samples 5]

Samples of known networks lose some of their values:

    mcar  every value with the same chance
    mar   a quarter of the columns keeps all values; in every other column the chance depends on the level of one of
          those: in about half of the rows it is four times as large as in the others
    mnar  the same, but the level of the column itself decides

and a graph is learned from what is left:

    keep   missing="keep", the default search (the posterior, with the gaps filled again and again)
    level  missing="level", the default search
    drop   missing="drop", the default search; the empty graph if fewer than two rows are left
    mode   every gap filled with the most frequent level, the default search
    pc     missing="keep", PC-stable with chi2-perm: every test uses the rows that are complete for its question

Printed are mean SHD to the true CPDAG and CPU seconds. `--calibration` compares probabilities that a pair is joined
with how often it is.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np

import paucal
from paucal import Dataset, Graph
from paucal.errors import PaucalWarning

KINDS = ("mcar", "mar", "mnar")
WAYS = ("keep", "level", "drop", "mode", "pc")
RATIO = 4.0  # of the two chances to be missing
WITNESSES = 0.25  # share of the columns that "mar" leaves complete


def with_gaps(data: Dataset, kind: str, share: float, rng: np.random.Generator) -> Dataset:
    """Take away a share of all cells."""
    p = data.n_columns
    names = rng.permutation(p)
    complete = set(names[: max(1, round(WITNESSES * p))].tolist()) if kind == "mar" else set()
    losing = [v for v in range(p) if v not in complete]
    each = share * p / len(losing)
    columns = [codes.astype(np.int64) for codes in data.columns]
    gone = np.zeros((p, data.n_rows), bool)
    for v in losing:
        if kind == "mcar":
            chance = np.full(data.n_rows, each)
        else:
            decides = v if kind == "mnar" else int(rng.choice(sorted(complete)))
            chance = _chances(data.columns[decides], data.cardinalities[decides], each, rng)
        gone[v] = rng.random(data.n_rows) < chance
        if gone[v].all():
            gone[v, rng.integers(data.n_rows)] = False
    kept = ~gone.all(axis=0)
    filled = [np.where(gone[v], data.cardinalities[v], columns[v])[kept] for v in range(p)]
    return Dataset.from_codes(filled, data.names, data.levels, missing="keep")


def _chances(codes, levels: int, each: float, rng: np.random.Generator):
    """Give the rows of some levels, about half of all, RATIO times the chance of the others; `each` on average."""
    high, covered = set(), 0
    for level in rng.permutation(levels).tolist():
        if covered >= len(codes) / 2:
            break
        high.add(level)
        covered += int((codes == level).sum())
    often = np.isin(codes, sorted(high))
    low = each / (1 + (RATIO - 1) * often.mean())
    return np.minimum(np.where(often, RATIO * low, low), 0.95)


def as_level(data: Dataset) -> Dataset:
    """Make one more level of the gaps."""
    levels = [(*lv, None) if n else lv for lv, n in zip(data.levels, data.gap_counts, strict=True)]
    return Dataset.from_codes(data.columns, data.names, levels)


def with_modes(data: Dataset) -> Dataset:
    """Fill every gap with the most frequent level."""
    columns = []
    for codes, k in zip(data.columns, data.cardinalities, strict=True):
        mode = np.bincount(codes, minlength=k + 1)[:k].argmax()
        columns.append(np.where(codes == k, mode, codes))
    return Dataset.from_codes(columns, data.names, data.levels)


def learned(data: Dataset, way: str, seed: int) -> Graph:
    """Learn from data with gaps, treated this way."""
    if way == "keep":
        return paucal.learn(data, seed=seed).graph
    if way == "pc":
        return paucal.learn(data, "pc-stable", test="chi2-perm", colliders="majority", alpha="by-order").graph
    if way == "drop":
        rows = np.flatnonzero(~np.logical_or.reduce(data.gaps))
        if len(rows) < 2:
            return Graph.parse("; ".join(data.names), kind="cpdag")
        whole = data.take(rows)
        return paucal.learn(Dataset.from_codes(whole.columns, whole.names, whole.levels), seed=seed).graph
    return paucal.learn({"level": as_level, "mode": with_modes}[way](data), seed=seed).graph


def distances(options: argparse.Namespace) -> None:
    cells: dict[tuple[str, float, str], list[float]] = {}
    seconds: dict[tuple[str, str], list[float]] = {}
    file = None if options.csv is None else Path(options.csv)
    if file is not None:
        file.unlink(missing_ok=True)
    note(file, "network", "rows", "sample", "kind", "share", "way", "shd", "seconds")
    # sample by sample, so that a run that is cut short has all cells
    for sample, network, rows in product(range(options.samples), options.networks, options.rows):
        net = paucal.load_network(network)
        truth, data = net.cpdag(), net.sample(rows, seed=1000 * sample + rows)
        whole = paucal.shd(paucal.learn(data, seed=sample).graph, truth)
        note(file, network, rows, sample, "complete", 0, "complete", whole, "")
        cells.setdefault(("complete", 0.0, "complete"), []).append(whole)
        for kind, share in product(options.kinds, options.shares):
            rng = np.random.default_rng([rows, sample, KINDS.index(kind), round(1000 * share)])
            gappy = with_gaps(data, kind, share, rng)
            for way in options.ways:
                began = time.process_time()
                far = paucal.shd(learned(gappy, way, sample), truth)
                spent = time.process_time() - began
                cells.setdefault((kind, share, way), []).append(far)
                seconds.setdefault((network, way), []).append(spent)
                note(file, network, rows, sample, kind, share, way, far, f"{spent:.3f}")
    print("mean SHD to the true CPDAG; complete data:", _mean(cells["complete", 0.0, "complete"]))
    print("kind   share  " + "".join(f"{way:>8}" for way in options.ways))
    for kind in options.kinds:
        for share in options.shares:
            means = "".join(f"{_mean(cells[kind, share, way]):>8}" for way in options.ways)
            print(f"{kind:5}  {share:5.0%}  {means}")
    print("mean CPU seconds")
    for network in options.networks:
        print(f"{network:12} " + "".join(f"{way} {np.mean(seconds[network, way]):.2f}  " for way in options.ways))


def note(path: Path | None, *values: object) -> None:
    """Write a line at once, so that a run that is cut short has not been for nothing."""
    if path is not None:
        with path.open("a") as file:
            file.write(",".join(map(str, values)) + "\n")


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):.1f}"


def calibration(options: argparse.Namespace) -> None:
    edges = [0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0001]
    for kind in options.kinds:
        for share in options.shares:
            said, true = [], []
            for network in options.networks:
                net = paucal.load_network(network)
                for rows in options.rows:
                    for sample in range(options.samples):
                        data = net.sample(rows, seed=1000 * sample + rows)
                        rng = np.random.default_rng([rows, sample, KINDS.index(kind), round(1000 * share)])
                        result = paucal.learn(with_gaps(data, kind, share, rng), "posterior", seed=sample)
                        evidence = result.evidence
                        for i, a in enumerate(evidence.names):
                            for j in range(i):
                                said.append(evidence.joined[i, j])
                                true.append(net.graph.has_edge(a, evidence.names[j]))
            said_, true_ = np.array(said), np.array(true)
            place = np.digitize(said_, edges) - 1
            print(f"{kind}, {share:.0%} missing: said / true (pairs)")
            error = 0.0
            for b in range(len(edges) - 1):
                here = place == b
                if here.any():
                    error += here.sum() * abs(said_[here].mean() - true_[here].mean())
                    print(f"  {said_[here].mean():.3f} / {true_[here].mean():.3f}  ({here.sum():,})")
            print(f"  ECE {error / len(said_):.3f}, over {len(said_):,} pairs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=["child", "insurance", "alarm"])
    parser.add_argument("--rows", type=int, nargs="+", default=[300, 500])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["mcar", "mar"])
    parser.add_argument("--shares", type=float, nargs="+")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--csv", help="write every run")
    parser.add_argument("--calibration", action="store_true")
    options = parser.parse_args()
    options.shares = options.shares or ([0.1, 0.3] if options.calibration else [0.05, 0.15, 0.3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PaucalWarning)
        (calibration if options.calibration else distances)(options)


if __name__ == "__main__":
    main()
