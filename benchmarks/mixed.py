"""Tables with numbers and ordered columns: how near learned graphs come to the truth, by score, test and library.

    python benchmarks/mixed.py [--samples 5] [--quick]

Three kinds of tables, columns shuffled and with random names:

* mixed models of 14 columns, half of them numbers, the others of two or three levels; effects are straight lines of
  ranks (`monotone`), or also U-shapes, products and noise whose spread depends on a parent (`hostile`)
* networks in which half of the columns show a number inside their level instead of the level: the level is a cut of it
  that nobody tells the search
* ordered answers: five levels cut from normal models (`Likert`), and networks whose columns of three and more levels
  are declared ordered

Columns of the page: `cut` is what had to be done without the score: numbers in three parts of equal shares, orders
forgotten. `mixed` is the posterior with that score. `auto` is PC-stable with that test. `levels known` has the levels
instead of the numbers, where there are some. Beside them causal-learn's PC with Fisher's z and BOSS with BIC, both on
normal scores of all columns. Numbers are structural Hamming distances of the equivalence classes, means over samples;
CPU seconds are those of the posterior. About twelve CPU minutes; `--quick` has one sample of the smaller cells, half a
minute.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import paucal
from paucal import Dataset, Graph
from paucal.search.by_scores.design import normal_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 14_142_135
COLUMNS = 14


@dataclass(frozen=True)
class Sample:
    """Values by column, what they are, the true DAG, and the levels behind numbers that hide some."""

    columns: dict[str, np.ndarray]
    kinds: dict[str, str]
    truth: Graph
    levels: dict[str, np.ndarray] | None = None


# -- models ----------------------------------------------------------------------------------------------------------


def model(rows: int, rng: np.random.Generator, *, hostile: bool = False, likert: bool = False) -> Sample:
    """Draw a random DAG and data of it: normal noise, columns shown as numbers, levels or ordered answers."""
    order = rng.permutation(COLUMNS)
    parents = {
        int(v): rng.choice(order[:i], size=min(i, rng.poisson(1.4)), replace=False).tolist()
        for i, v in enumerate(order)
    }
    hidden: dict[int, np.ndarray] = {}
    columns, kinds = {}, {}
    for v in order.tolist():
        mean, spread = np.zeros(rows), np.ones(rows)
        for p in parents[v]:
            x = _standard(hidden[p])
            shape = rng.integers(3) if hostile else 0
            effect = [x, _standard(x**2), x * (hidden[parents[v][0]] > 0)][shape]
            mean += rng.choice([-1, 1]) * rng.uniform(0.5, 1.0) * effect
            if hostile and rng.random() < 0.3:
                spread = np.exp(0.4 * x)
        hidden[v] = mean + spread * rng.normal(size=rows)
        name = f"v{v}"
        if likert:
            cuts = np.quantile(hidden[v], np.sort(rng.uniform(0.08, 0.92, size=4)))
            columns[name], kinds[name] = np.searchsorted(cuts, hidden[v]), "ordered"
        elif rng.random() < 0.5:
            shown = np.exp(hidden[v]) if rng.random() < 0.3 else hidden[v]
            columns[name], kinds[name] = np.round(shown, int(rng.integers(1, 4))), "number"
        else:
            cuts = np.quantile(hidden[v], [[0.5], [0.33, 0.67]][rng.integers(2)])
            columns[name] = np.searchsorted(cuts, hidden[v])
            hidden[v] = columns[name].astype(float)  # what follows sees the levels
    arrows = [(f"v{p}", f"v{v}") for v in parents for p in parents[v]]
    return Sample(columns, kinds, dag(list(columns), arrows))


def _standard(values: np.ndarray) -> np.ndarray:
    spread = values.std()
    return (values - values.mean()) / (spread if spread > 0 else 1)


def network(name: str, rows: int, rng: np.random.Generator, *, hide: bool) -> Sample:
    """Draw from a known network: half of its columns as numbers inside their level, or longer ones declared ordered."""
    net = paucal.load_network(name)
    data = net.sample(rows, seed=int(rng.integers(2**31)))
    columns = {n: c.astype(np.int64) for n, c in zip(data.names, data.columns, strict=True)}
    levels, kinds = dict(columns), {}
    for n, of_level in levels.items():
        if hide and rng.random() < 0.5:
            columns[n], kinds[n] = np.round(of_level + rng.random(rows), 3), "number"
        elif not hide and len(np.unique(of_level)) > 2:
            kinds[n] = "ordered"
    return Sample(columns, kinds, net.graph, levels if hide else None)


def dag(names: list[str], arrows: list[tuple[str, str]]) -> Graph:
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    for a, b in arrows:
        matrix[names.index(a), names.index(b)] = 1
    return Graph.from_pdag_matrix(tuple(names), matrix, "dag")


def renamed(sample: Sample, rng: np.random.Generator) -> Sample:
    """Give random names in a random order, so that no search profits from either."""
    names = rng.permutation(list(sample.columns)).tolist()
    words = dict(zip(names, (f"c{i:04d}" for i in rng.permutation(9000)[: len(names)]), strict=True))
    arrows = [(words[a], words[b]) for a, b in sample.truth.arcs()]
    return Sample(
        {words[n]: sample.columns[n] for n in names},
        {words[n]: kind for n, kind in sample.kinds.items()},
        dag([words[n] for n in names], arrows),
        None if sample.levels is None else {words[n]: sample.levels[n] for n in names},
    )


# -- methods ---------------------------------------------------------------------------------------------------------


def coded(columns: dict[str, np.ndarray], kinds: dict[str, str]) -> Dataset:
    parts = [np.unique(values, return_inverse=True) for values in columns.values()]
    return Dataset.from_codes(
        [codes.reshape(-1) for _, codes in parts],
        list(columns),
        [levels.tolist() for levels, _ in parts],
        kinds=[kinds.get(name, "levels") for name in columns],
    )


def cut(sample: Sample) -> Graph:
    numbers = dict.fromkeys((n for n, kind in sample.kinds.items() if kind == "number"), "quantile:3")
    return paucal.learn(Dataset.from_columns(sample.columns, discretize=numbers or None), "posterior").graph


def mixed(sample: Sample) -> Graph:
    return paucal.learn(coded(sample.columns, sample.kinds), "posterior").graph


def levels_known(sample: Sample) -> Graph:
    return paucal.learn(coded(sample.levels or {}, {}), "posterior").graph


def auto(sample: Sample) -> Graph:
    return paucal.learn(coded(sample.columns, sample.kinds), "pc-stable", alpha="by-order", colliders="majority").graph


def scores(sample: Sample) -> np.ndarray:
    """Normal scores of all columns, the levels of text in the order of their codes."""
    data = coded(sample.columns, sample.kinds)
    rng = np.random.default_rng(0)  # constant columns would stop the others: they get noise
    return np.column_stack([
        normal_scores(c)[0] if c.max() > 0 else rng.normal(size=data.n_rows) for c in data.columns
    ])  # fmt: skip


def fisher_z(sample: Sample) -> Graph:
    from causallearn.search.ConstraintBased.PC import pc

    found = pc(scores(sample), alpha=0.05, indep_test="fisherz", stable=True, show_progress=False)
    return of_causallearn(found.G.graph, tuple(sample.columns))


def boss_bic(sample: Sample) -> Graph:
    from causallearn.search.PermutationBased.BOSS import boss

    found = boss(scores(sample), score_func="local_score_BIC_from_cov", verbose=False)
    return of_causallearn(found.graph, tuple(sample.columns))


def of_causallearn(ends: np.ndarray, names: tuple[str, ...]) -> Graph:
    """Read its matrix: -1 at [i, j] and 1 at [j, i] is i -> j; equal ends are i -- j."""
    pdag = np.zeros(ends.shape, dtype=np.int8)
    for i, j in np.argwhere(np.triu(ends != 0, 1)).tolist():
        pdag[i, j] = ends[i, j] == ends[j, i] or ends[i, j] == -1
        pdag[j, i] = ends[i, j] == ends[j, i] or ends[i, j] == 1
    return Graph.from_pdag_matrix(names, pdag, "pdag", check=False)


METHODS: dict[str, Callable[[Sample], Graph]] = {
    "cut": cut,
    "mixed": mixed,
    "auto": auto,
    "levels known": levels_known,
    "PC, Fisher's z": fisher_z,
    "BOSS, BIC": boss_bic,
}


OURS = ("cut", "mixed", "auto", "levels known")


# -- the page --------------------------------------------------------------------------------------------------------


def cells(*, quick: bool) -> Iterator[tuple[str, Callable[[np.random.Generator], Sample]]]:
    for rows in (200, 500) if quick else (200, 500, 1000):
        yield f"monotone, {rows}", lambda rng, n=rows: model(n, rng)
    for rows in (300,) if quick else (300, 1000):
        yield f"hostile, {rows}", lambda rng, n=rows: model(n, rng, hostile=True)
    for rows in (200, 500):
        yield f"Likert, {rows}", lambda rng, n=rows: model(n, rng, likert=True)
    for name, rows in (("child", 400), ("sachs", 500)) if quick else (
        ("child", 400), ("sachs", 500), ("insurance", 400), ("alarm", 300), ("alarm", 500),
    ):  # fmt: skip
        yield f"{name}, {rows}, numbers", lambda rng, a=name, n=rows: network(a, n, rng, hide=True)
    for name, rows in (("child", 300),) if quick else (("alarm", 500), ("insurance", 300), ("hailfinder", 500)):
        yield f"{name}, {rows}, ordered", lambda rng, a=name, n=rows: network(a, n, rng, hide=False)


def measure(samples: int, *, quick: bool) -> None:
    peers = importlib.util.find_spec("causallearn") is not None
    methods = [name for name in METHODS if peers or "," not in name]
    print("| table | " + " | ".join(methods) + " | CPU s, cut | CPU s, mixed |")
    print("|---" * (len(methods) + 3) + "|")
    for number, (label, make) in enumerate(cells(quick=quick)):
        shd: dict[str, list[float]] = {name: [] for name in methods}
        cpu: dict[str, list[float]] = {name: [] for name in methods}
        for run in range(samples):
            rng = np.random.default_rng([SEED, number, run])
            sample = renamed(make(rng), rng)
            for name in methods:
                if name == "levels known" and sample.levels is None:
                    continue
                begin = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        graph = METHODS[name](sample)
                    except ValueError:  # copies of a column: Fisher's z has no inverse then
                        if name in OURS:
                            raise
                        continue
                cpu[name].append(time.process_time() - begin)
                shd[name].append(paucal.shd(sample.truth, graph))
        told = " | ".join(_mean(shd[name], 1) for name in methods)
        print(f"| {label} | {told} | {_mean(cpu['cut'], 2)} | {_mean(cpu['mixed'], 2)} |", flush=True)


def _mean(values: list[float], digits: int) -> str:
    return f"{np.mean(values):.{digits}f}" if values else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5, help="samples a cell")
    parser.add_argument("--quick", action="store_true", help="one sample of the smaller cells")
    given = parser.parse_args()
    measure(1 if given.quick else given.samples, quick=given.quick)


if __name__ == "__main__":
    main()
