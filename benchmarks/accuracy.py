"""How far learned graphs are from the truth: our searches and other libraries; writes docs/accuracy.md.

    python benchmarks/accuracy.py [--runs 10] [--patience 20] [--only NAME...] [--again] [--page]

Every number goes into docs/accuracy.csv as soon as it is known; what stands there is not computed again, so the command
can be stopped, and asked for more runs. `--again` measures anew what is there, of the searches that can be run here, on
the same samples. `--page` writes the page from what is there. Libraries that are not installed are left out. If a run
of another library takes more CPU than the patience, its cell stays empty. All searches see the same samples, which have
seeds of their own; the columns are shuffled and have random names, so that no search profits from either.

A short look, in about a quarter of an hour of CPU: `--runs 3 --patience 3`.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import os
import signal
import sys
import time
import warnings
from collections import defaultdict
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import paucal
from paucal.graphs.equivalence import dag_to_cpdag_matrix
from paucal.search.by_scores.consensus import consensus
from paucal.search.by_tests.limits import Limits
from renaming import renamed, with_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paucal import Dataset, Graph, SearchResult

SEED = 6_180_339
CELLS = {
    "child": (100, 300, 500),
    "insurance": (100, 300, 500),
    "alarm": (100, 300, 500),
    "hailfinder": (100, 500, 1000),
    "child3": (100, 500),
    "child5": (100, 500),
}
DOCS = Path(__file__).resolve().parents[1] / "docs"
STORE, PAGE = DOCS / "accuracy.csv", DOCS / "accuracy.md"
POSTERIOR, SUMMIT, EMPTY = "posterior", "posterior, best DAG", "empty graph"
FIRST = "posterior, first edition"  # of the program before this one, measured on the same samples


class Found(NamedTuple):
    """A graph, and the tests it took where a library tells."""

    graph: Graph
    tests: int | None


class Line(NamedTuple):
    """What is known about one run; it is one line of the file."""

    network: str
    rows: int
    run: int
    learner: str
    shd: int | None
    false: int | None
    missing: int | None
    misdirected: int | None
    tests: int | None
    cpu: float

    @property
    def cell(self) -> tuple[str, int]:
        """Give what the samples have in common."""
        return self.network, self.rows


# ------------------------------------------------------------------------------------------------------ our searches


def ours(method: str, **options: Any) -> Callable[[Dataset], Found]:
    def run(data: Dataset) -> Found:
        return _found(paucal.learn(data, method, **options))

    return run


def repeated(data: Dataset) -> Found:
    return _found(paucal.bootstrap(data, replicates=50))


def _found(result: SearchResult) -> Found:
    return Found(result.graph, result.ledger.n_tests or None)


LEARNERS: dict[str, Callable[[Dataset], Found]] = {
    **{f"order, {score}": ours("order", score=score) for score in ("eb", "bds", "bdeu", "qnml", "bic")},
    "hill climbing, bdeu": ours("hill-climbing"),
    "hill climbing, bic": ours("hill-climbing", score="bic"),
    "pc-stable, chi2-perm by order": ours("pc-stable", test="chi2-perm", alpha="by-order"),
    "the same, bootstrap of 50": repeated,
    "pc-stable, chi2-perm": ours("pc-stable", test="chi2-perm"),
    "pc-stable, g": ours("pc-stable", test="g"),
    "pc-stable, bf-chi2": ours("pc-stable", test="bf-chi2"),
    "rai, bf-chi2": ours("rai", test="bf-chi2"),
    "rai, mi-eb": ours("rai", test="mi-eb"),
    "sc-pc, g": ours("sc-pc", test="g"),
    "mmhc, g": ours("mmhc", test="g"),
}


# ---------------------------------------------------------------------------------------------------- other libraries


def codes(data: Dataset) -> np.ndarray:
    """Give the codes of observed levels only: some libraries count the others as dimensions."""
    return np.array([np.unique(column, return_inverse=True)[1].ravel() for column in data.columns]).T


def frame(data: Dataset) -> Any:
    import pandas as pd

    return pd.DataFrame(codes(data), columns=list(data.names))


def pdag(names: tuple[str, ...], directed: Any, undirected: Any) -> Graph:
    """Make a graph of pairs of names, directed or not, whatever else is wrong with it."""
    triples = [(a, "->", b) for a, b in directed] + [(a, "--", b) for a, b in undirected]
    return paucal.Graph.from_triples(names, triples, kind="pdag")


def miic(data: Dataset) -> Found:
    import pyagrum as gum

    learner = gum.BNLearner(frame(data))
    learner.useMIIC()
    learner.useNMLCorrection()
    return Found(_of_pyagrum(learner, data.names), None)


def pyagrum_tabu(data: Dataset) -> Found:
    import pyagrum as gum

    learner = gum.BNLearner(frame(data))
    learner.useLocalSearchWithTabuList(100, 2)
    learner.useScoreBDeu()
    return Found(_of_pyagrum(learner, data.names), None)


def _of_pyagrum(learner: Any, names: tuple[str, ...]) -> Graph:
    found = learner.learnEssentialGraph()
    name = {node: learner.nameFromId(node) for node in found.nodes()}
    arcs = [(name[a], name[b]) for a, b in found.arcs()]
    return pdag(names, arcs, [(name[a], name[b]) for a, b in found.edges()])


def causallearn_pc(data: Dataset) -> Found:
    from causallearn.search.ConstraintBased.PC import pc

    found = pc(codes(data), alpha=0.05, indep_test="gsq", stable=True, show_progress=False)
    return Found(_of_causallearn(found.G.graph, data.names), None)


def causallearn_boss(data: Dataset) -> Found:
    from causallearn.search.PermutationBased.BOSS import boss

    found = boss(codes(data), score_func="local_score_BDeu", verbose=False)
    return Found(_of_causallearn(found.graph, data.names), None)


def causallearn_grasp(data: Dataset) -> Found:
    from causallearn.search.PermutationBased.GRaSP import grasp

    found = grasp(codes(data), score_func="local_score_BDeu", depth=3, verbose=False)
    return Found(_of_causallearn(found.graph, data.names), None)


def _of_causallearn(ends: np.ndarray, names: tuple[str, ...]) -> Graph:
    """Read its matrix: -1 at [i, j] and 1 at [j, i] is i -> j; both -1 is i -- j; both 1, a conflict, is i -- j too."""
    directed, undirected = [], []
    for i, j in np.argwhere(np.triu(ends != 0, 1)).tolist():
        if ends[i, j] == ends[j, i]:
            undirected.append((names[i], names[j]))
        else:
            directed.append((names[i], names[j]) if ends[i, j] == -1 else (names[j], names[i]))
    return pdag(names, directed, undirected)


def pgmpy_pc(data: Dataset) -> Found:
    from pgmpy.causal_discovery import PC

    search = PC(variant="stable", ci_test="g_sq", significance_level=0.05, n_jobs=1, show_progress=False)
    found = search.fit(frame(data).astype("category")).causal_graph_
    return Found(pdag(data.names, found.directed_edges, found.undirected_edges), None)


def pgmpy_climb(data: Dataset) -> Found:
    from pgmpy.causal_discovery import HillClimbSearch

    search = HillClimbSearch(scoring_method="bdeu", return_type="dag", show_progress=False)
    found = search.fit(frame(data).astype("category")).causal_graph_
    return Found(paucal.Graph.dag(data.names, found.edges()), None)


def sumu_gadget(data: Dataset) -> Found:
    """Sample DAGs with a tenth of the steps of its introduction; draw the nearest graph, as it draws none itself."""
    import sumu

    table = np.ascontiguousarray(codes(data), dtype=np.int32)
    chain = {"mc3_chains": 4, "burn_in": 1000, "iterations": 1000, "thinning": 10}
    about = {"scoref": "bdeu", "ess": 10, "max_id": -1, "K": min(12, data.n_columns - 1), "d": 3}
    dags, _ = sumu.Gadget(data=sumu.Data(table), cp_algo="greedy-lite", **about, **chain).sample()
    arrow, line = np.zeros((2, data.n_columns, data.n_columns))
    for families in dags:
        dag = np.zeros(arrow.shape, dtype=np.uint8)
        for child, *parents in families:
            dag[np.array(parents, dtype=int).ravel(), child] = 1
        marks = dag_to_cpdag_matrix(dag) > 0
        arrow += marks & ~marks.T
        line += marks & marks.T
    found = consensus(arrow / len(dags), line / len(dags), Limits.of(None, data.names), [])
    arcs = [(data.names[a], data.names[b]) for a, b in np.argwhere(found.dag).tolist()]
    return Found(paucal.Graph.dag(data.names, arcs), None)


PEERS: dict[str, tuple[str, Callable[[Dataset], Found]]] = {
    "pyAgrum, MIIC (NML)": ("pyagrum", miic),
    "pyAgrum, tabu (BDeu)": ("pyagrum", pyagrum_tabu),
    "causal-learn, PC (gsq)": ("causallearn", causallearn_pc),
    "causal-learn, BOSS (BDeu)": ("causallearn", causallearn_boss),
    "causal-learn, GRaSP (BDeu)": ("causallearn", causallearn_grasp),
    "pgmpy, PC (g_sq)": ("pgmpy", pgmpy_pc),
    "pgmpy, hill climbing (BDeu)": ("pgmpy", pgmpy_climb),
    "sumu, Gadget (BDeu)": ("sumu", sumu_gadget),
}
PACKAGES = {"pyagrum": "pyagrum", "causallearn": "causal-learn", "pgmpy": "pgmpy", "sumu": "sumu"}


def installed() -> dict[str, Callable[[Dataset], Found]]:
    """Give the other libraries that are here."""
    return {label: run for label, (module, run) in PEERS.items() if importlib.util.find_spec(module)}


# ---------------------------------------------------------------------------------------------------------- measuring


def measure(runs: int, patience: int, only: list[str]) -> None:
    """Compute what is missing, one run of all cells after the other."""
    known = {(line.network, line.rows, line.run, line.learner): line for line in read()}
    tired = {(line.cell, line.learner) for line in known.values() if line.shd is None}
    peers = installed()
    for run in range(runs):
        for network, sizes in CELLS.items():
            for rows in sizes:
                data, truth = sample(network, rows, run)
                wanted = [POSTERIOR, *LEARNERS, *peers, EMPTY]
                for learner in only or wanted:
                    done = (network, rows, run, learner) in known or ((network, rows), learner) in tired
                    if done or learner not in wanted:
                        continue
                    lines = [Line(network, rows, run, *rest) for rest in one(learner, data, truth, peers, patience)]
                    if lines[0].shd is None:
                        tired.add((lines[0].cell, learner))
                    write(lines)


def measure_again(patience: int, only: list[str]) -> None:
    """Compute once more what is known, of the searches that can be run here; the others, on the same samples, stay."""
    lines = read()
    peers = installed()
    wanted: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for line in lines:
        if line.learner in (only or (POSTERIOR, *LEARNERS, *peers)):
            wanted[line.network, line.rows, line.run].append(line.learner)
    anew: dict[tuple[str, int, int, str], Line] = {}
    for place, learners in wanted.items():
        data, truth = sample(*place)
        for learner in learners:
            for rest in one(learner, data, truth, peers, patience):
                anew[*place, rest[0]] = Line(*place, *rest)
    STORE.unlink()
    write([anew.get((line.network, line.rows, line.run, line.learner), line) for line in lines])


def sample(network: str, rows: int, run: int) -> tuple[Dataset, Graph]:
    """Draw a sample with its columns shuffled and renamed."""
    net = paucal.load_network(network)
    seed = np.random.SeedSequence([SEED, list(CELLS).index(network), rows, run])
    rng = np.random.default_rng(seed)
    data, called = renamed(net.sample(rows, seed=int(rng.integers(2**62))), rng)
    return data, with_names(net.cpdag(), called)


def one(
    learner: str, data: Dataset, truth: Graph, peers: dict[str, Callable[[Dataset], Found]], patience: int
) -> list[tuple[Any, ...]]:
    """Run one learner; the posterior gives two lines."""
    begin = time.process_time()
    if learner == POSTERIOR:
        result = paucal.learn(data, "posterior")
        seconds = time.process_time() - begin
        best = paucal.Graph.dag(data.names, result.details["map"])
        return [
            judged(POSTERIOR, Found(result.graph, None), truth, seconds),
            judged(SUMMIT, Found(best, None), truth, seconds),
        ]
    if learner == EMPTY:
        return [judged(EMPTY, Found(paucal.Graph.cpdag(data.names), 0), truth, 0.0)]
    if learner in LEARNERS:
        found = LEARNERS[learner](data)
        return [judged(learner, found, truth, time.process_time() - begin)]
    try:
        with limited(patience), silence():
            found = peers[learner](data)
    except TimeoutError:
        return [(learner, *5 * [None], time.process_time() - begin)]
    return [judged(learner, found, truth, time.process_time() - begin)]


def judged(learner: str, found: Found, truth: Graph, seconds: float) -> tuple[Any, ...]:
    wrong = paucal.edge_counts(found.graph, truth)  # a DAG stands for its CPDAG
    shd = wrong.extra + wrong.missing + wrong.misdirected
    return learner, shd, wrong.extra, wrong.missing, wrong.misdirected, found.tests, round(seconds, 4)


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Stop after so much CPU time."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def silence() -> Iterator[None]:
    """Keep what others print to themselves."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        before, sys.stdout = sys.stdout, nowhere
        try:
            yield
        finally:
            sys.stdout = before


def read() -> list[Line]:
    if not STORE.exists():
        return []
    with STORE.open(encoding="utf-8", newline="") as file:
        lines = [*csv.reader(file)][1:]
    whole = [int(value) if value else None for line in lines for value in line[4:9]]
    return [
        Line(line[0], int(line[1]), int(line[2]), line[3], *whole[5 * i : 5 * i + 5], float(line[9]))
        for i, line in enumerate(lines)
    ]


def write(lines: list[Line]) -> None:
    new = not STORE.exists()
    with STORE.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(Line._fields)
        writer.writerows(lines)
    for line in lines:
        print(*line, flush=True)


# ----------------------------------------------------------------------------------------------------------- the page


def page(lines: list[Line]) -> str:
    """Write the page: what is best in a sentence, distances by cell, then everything else summed up."""
    by_learner: dict[str, dict[tuple[str, int], dict[int, Line]]] = defaultdict(lambda: defaultdict(dict))
    for line in lines:
        by_learner[line.learner][line.cell][line.run] = line
    learners = [label for label in (POSTERIOR, FIRST, SUMMIT, *LEARNERS, *PEERS, EMPTY) if label in by_learner]
    runs = 1 + max(line.run for line in lines)
    slowest = {
        network: max(line.cpu for line in lines if line.network == network and line.learner == POSTERIOR)
        for network in CELLS
    }
    text = HEAD.format(
        runs=runs,
        date=datetime.now(tz=UTC).date().isoformat(),
        python=sys.version.split()[0],
        ours=paucal.__version__,
        peers=", ".join(
            f"{PACKAGES[module]} {version(PACKAGES[module])}" for module in PACKAGES if importlib.util.find_spec(module)
        ),
        slow=", ".join(f"{network.upper()} {seconds:.1f}" for network, seconds in slowest.items()),
    )
    out = [
        text,
        "| search | " + " | ".join(f"{n.upper()} {'/'.join(map(str, CELLS[n]))}" for n in CELLS) + " |",
    ]
    out.append("|---|" + "---|" * len(CELLS))
    for label in learners:
        cells = []
        for network, sizes in CELLS.items():
            cells.append("/".join(_mean(by_learner[label].get((network, rows))) for rows in sizes))
        out.append(f"| {label} | " + " | ".join(cells) + " |")
    out += [
        SUMMED,
        "| search | cells | samples | SHD | more than posterior | false | missing | misdirected | tests | CPU s |",
        "|---|" + "---:|" * 9,
    ]
    for label in learners:
        out.append(_summed(label, by_learner[label], by_learner[POSTERIOR]))
    return "\n".join(out) + "\n"


def _mean(lines: dict[int, Line] | None) -> str:
    known = [line.shd for line in (lines or {}).values() if line.shd is not None]
    return f"{np.mean(known):.1f}" if known and len(known) == len(lines or {}) else "-"


def _summed(
    label: str, mine: dict[tuple[str, int], dict[int, Line]], beside: dict[tuple[str, int], dict[int, Line]]
) -> str:
    """Means over cells; the difference is between runs on the same samples, and its error follows from their spread."""
    cells = [cell for cell in beside if cell in mine and all(line.shd is not None for line in mine[cell].values())]
    if not cells:
        return f"| {label} | 0 |" + " |" * 8
    means = {
        field: np.mean([np.mean([getattr(line, field) for line in mine[cell].values()]) for cell in cells])
        for field in ("shd", "false", "missing", "misdirected", "cpu")
    }
    told = [line.tests for cell in cells for line in mine[cell].values()]
    tests = f"{np.mean(told):,.0f}" if None not in told else ""
    apart = [[mine[c][run].shd - beside[c][run].shd for run in mine[c] if run in beside[c]] for c in cells]
    difference = np.mean([np.mean(one) for one in apart])
    more = "" if label == POSTERIOR else f"{difference:+.1f}"
    if more and min(map(len, apart)) > 1:
        error = np.sqrt(sum(np.var(one, ddof=1) / len(one) for one in apart)) / len(apart)
        more += f" ± {error:.1f}"
    kinds = " | ".join(f"{means[kind]:.1f}" for kind in ("false", "missing", "misdirected"))
    many = f"{len(cells)} | {sum(map(len, apart))}"
    return f"| {label} | {many} | {means['shd']:.1f} | {more} | {kinds} | {tests} | {means['cpu']:.3g} |"


HEAD = """# How near to the truth

How far are learned graphs from the true ones? All our searches and those of other libraries, on the same samples.
Written by `python benchmarks/accuracy.py --runs {runs}` on {date}: paucal {ours},
{peers}, Python {python};
all numbers are in [accuracy.csv](accuracy.csv).

Every cell has up to {runs} samples of a network with known CPDAG, with seeds that nothing else uses, and shuffled
columns with random names; *samples* is how many a search ran on in all (slow ones ran on fewer). Searches run with
their defaults, except as their row says; tests are at level .05, or by order where the row says so. The empty graph is
what a search that finds nothing would get. CPU times are from a busy machine with two cores; those of the first edition
and of sumu are from an earlier, slower one. The longest runs of the posterior, in seconds:
{slow}.

What this shows. The posterior is nearest on average, and its graph is nearer than the best single DAG it met. The order
search with the same score is close behind, in a fraction of the time. Our searches by tests, and the order search with
other scores, are further away; tests make the fewest false edges and miss the most true ones. SC-PC is not meant for
this: it keeps every edge without a consistent separating set ([why](search.md)). With 100 rows of HAILFINDER or
INSURANCE every search is nearly as far from the truth as the empty graph: no choice of search replaces data.

*First edition* is an earlier version of the posterior: a grid of equivalent sample sizes up to 2,048, ten starts,
directions as sampled. On the same samples the current one is as near, within the errors, and in no cell further by more
than two standard errors. The changes were made so that probabilities fall as rows are added and seeds agree, not to
improve the numbers on this page.

Of BOSS, pgmpy and sumu there is one sample of some cells: others took too long, or were not run. BOSS gave another
graph in an earlier run on the same sample. One run of pyAgrum's tabu search, on 100 rows of INSURANCE, took two
minutes. causal-learn's GRaSP did not finish within 12 seconds of CPU on 100 rows of CHILD. sumu samples DAGs; we took
their nearest graph as we do for ours, with a tenth of the steps of its introduction.

## Structural Hamming distance, by number of rows

The number of pairs of columns with a missing, false or misdirected edge, averaged over samples. `-`: not run, or a run
took more than the 15 to 60 seconds of CPU that we allowed.
"""

SUMMED = """
## Summed up

Means over all cells that a search finished. *More than posterior* is the difference on the same samples, with its
standard error. False, missing and misdirected edges add up to the distance. Tests are distinct tests.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="samples a cell")
    parser.add_argument("--patience", type=int, default=20, help="seconds of CPU for a run of another library")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these searches only")
    parser.add_argument("--again", action="store_true", help="compute once more what is known")
    parser.add_argument("--page", action="store_true", help="write the page from what is known, compute nothing")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # constant columns in small samples
    if options.again:
        measure_again(options.patience, options.only)
    elif not options.page:
        measure(options.runs, options.patience, options.only)
    PAGE.write_text(page(read()), encoding="utf-8")
    print(f"{PAGE} written")


if __name__ == "__main__":
    main()
