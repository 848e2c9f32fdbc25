"""Searches against the clock: ours beside causal-learn, pgmpy and pyAgrum, on the same data, test and level.

Run `python benchmarks/search.py`; `--quick` leaves out the slowest cases, and what cannot be imported is left out.
`--accuracy` measures something else: how far the graphs are from the truth (the table of docs/search.md).

Every case runs in a process of its own, with one thread unless it says otherwise: the data are made first, then one run
warms up, then the best of five runs, or of as many as fit into a second, counts. "search" is the CPU time of the search
alone, with the test or learner of the library built on the data beforehand; "cold" is the time with building it. CPU is
that of the whole process, all threads together; memory is what the runs add to its peak. Tests are the distinct ones,
where a library tells. "times ours" is the search beside the first line of the same table.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import time
import warnings
from typing import Any, NamedTuple

import numpy as np

import paucal
from paucal import _kernel
from paucal.independence.registry import test_names, test_parameters
from paucal.paper.variants import SEARCHES
from posterior_speed import random_network

ALPHA = 0.05
PATIENCE = 300  # seconds of wall clock for one case
LEAST = 1.0  # seconds of CPU for the runs of one case: short ones need many on a busy machine


class Case(NamedTuple):
    """A library, what it is asked, and the data."""

    label: str
    runner: str
    data: str
    rows: int
    options: dict[str, Any]
    repeats: int = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="leave out the slowest cases")
    parser.add_argument("--accuracy", type=int, metavar="RUNS", help="SHD of the searches, so many samples a cell")
    arguments = parser.parse_args()
    if arguments.accuracy:
        accuracy(arguments.accuracy)
        return
    if arguments.one:
        print(json.dumps(measure(Case(*json.loads(arguments.one)))))
        return
    print(f"paucal {paucal.__version__}, Python {sys.version.split()[0]}, {_kernel.isa()} loops")
    for title, cases in tables(quick=arguments.quick):
        print(f"\n{title}\n{'':44}{'search':>12}{'cold':>12}{'times ours':>12}{'tests':>10}{'edges':>8}{'memory':>10}")
        first = None
        for case in cases:
            outcome = in_a_process(case)
            first = outcome.get("cpu") if first is None else first
            print(line(case, outcome, first), flush=True)


def tables(*, quick: bool) -> list[tuple[str, list[Case]]]:
    """List the cases: PC-stable beside the others, then what only we have."""
    sizes = (500, 5000) if quick else (500, 5000, 50000)
    found = [(f"PC-stable, G, ALARM, {rows} rows", peers("alarm", rows)) for rows in sizes]
    found.append(("PC-stable, G, HAILFINDER, 5000 rows", peers("hailfinder", 5000, slow=quick)))
    child5 = [
        Case(f"rai, {test}", "ours", "child5", 1000, {"search": "rai", "test": test})
        for test in ("bf-chi2", "mi-eb", "bf", "g")
        if test in test_names()
    ]
    child5 += [
        Case(
            f"rai as the paper ran it, {test}",
            "ours",
            "child5-unlinked",
            1000,
            {"search": "fixrai", "test": test},
        )
        for test in ("bf-chi2", "mi-eb", "bf")
    ]
    found.append(("RAI, CHILD5 (100 nodes), 1000 rows; the paper: 23.8 s with bf-chi2, 181.6 s with mi-eb", child5))
    others = [
        Case(f"{method}, g", "ours", "alarm", 5000, {"search": method, "test": "g"})
        for method in ("pc-stable", "pc", "rai", "sc-pc", "mmhc")
    ]
    found.append(("All searches, G, ALARM, 5000 rows", others))
    by_scores = [
        Case(f"paucal, {search}, BDeu", "scored", "random76", 500, {"search": search})
        for search in ("order", "hill-climbing")
    ]
    if importlib.util.find_spec("pyagrum"):
        by_scores += [
            Case(f"pyAgrum, {words}, BDeu", "pyagrum_scored", "random76", 500, {"use": use})
            for words, use in (
                ("greedy hill climbing", "useGreedyHillClimbing"),
                ("tabu list", "useLocalSearchWithTabuList"),
            )
        ]
    found.append(("Searches by scores, a random network of 76 columns, 500 rows", by_scores))
    wide = [
        Case(
            f"pc-stable, g, order 0 to {order}",
            "ours",
            "wide",
            1000,
            {"colliders": "standard", "max_order": order},
            1,
        )
        for order in (0, 1)
    ]
    found.append(("Wide data: 1,000 columns of 3 levels, 1000 rows", wide))
    return found


def peers(data: str, rows: int, *, slow: bool = False) -> list[Case]:
    """PC-stable with the G test by everybody."""
    plain = {"colliders": "standard"}
    cases = [
        Case("paucal, standard colliders", "ours", data, rows, plain, 30 if rows < 50000 else 5),
        Case(
            "paucal, standard colliders, 2 threads",
            "ours",
            data,
            rows,
            {**plain, "threads": 2},
            30 if rows < 50000 else 5,
        ),
        Case("paucal, majority colliders (default)", "ours", data, rows, {}, 10 if rows < 50000 else 3),
        Case("pyAgrum, PC stable, G2", "pyagrum", data, rows, {}, 3 if rows < 50000 else 1),
        Case("causal-learn, PC stable, gsq", "causallearn", data, rows, {}, 1),
        Case("pgmpy, PC stable, g_sq", "pgmpy", data, rows, {}, 1),
    ]
    return [c for c in cases if c.runner == "ours" or (importlib.util.find_spec(c.runner) and not slow)]


def in_a_process(case: Case) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", json.dumps(case)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)  # noqa: S603
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {PATIENCE} s"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]}
    outcome: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return outcome


def line(case: Case, outcome: dict[str, Any], first: float | None) -> str:
    if "failed" in outcome or first is None:
        return f"{case.label:<44}failed: {outcome['failed']}"
    tests = "-" if outcome["tests"] is None else f"{outcome['tests']:,}"
    return (
        f"{case.label:<44}{1000 * outcome['cpu']:>9.2f} ms{1000 * outcome['cold']:>9.2f} ms"
        f"{outcome['cpu'] / first:>12.1f}{tests:>10}{outcome['edges']:>8}{outcome['memory']:>7.1f} MB"
    )


def accuracy(runs: int) -> None:
    """Print the mean SHD over CHILD, INSURANCE and ALARM, columns shuffled, G at 0.05, by number of rows."""
    sizes = (100, 300, 500, 2000)
    searches: list[tuple[str, dict[str, Any]]] = [
        ("pc", {}),
        *(("pc-stable", {"colliders": rule}) for rule in ("standard", "majority", "conservative", "max-p")),
        ("fixrai", {}),
        ("rai", {}),
        ("rai", {"colliders": "majority"}),
        ("sc-pc", {}),
        ("mmhc", {}),
        ("mmhc", {"tabu": 100}),
    ]
    shd = np.zeros((len(searches), len(sizes), 3, runs))
    tests = np.zeros_like(shd)
    for k, name in enumerate(("child", "insurance", "alarm")):
        net = paucal.load_network(name)
        for j, size in enumerate(sizes):
            for run in range(runs):
                data = net.sample(size, seed=1000 + run)
                order = np.random.default_rng(1000 + run).permutation(len(data.names))
                data = data.select([data.names[v] for v in order])
                for i, (method, options) in enumerate(searches):
                    result = learned(data, paucal.make_test(data, "g", alpha=ALPHA), search=method, **options)
                    shd[i, j, k, run] = paucal.shd(result.graph, net.cpdag())
                    tests[i, j, k, run] = result.ledger.n_tests
    print(f"{'':32}" + "".join(f"{size:>8}" for size in sizes) + f"{'mean':>8}{'tests':>8}")
    for i, (method, options) in enumerate(searches):
        label = f"{method} {', '.join(f'{k}={v}' for k, v in options.items())}"
        cells = [*shd[i].mean(axis=(1, 2)), shd[i].mean()]
        print(f"{label:<32}" + "".join(f"{cell:>8.1f}" for cell in cells) + f"{tests[i].mean():>8.0f}")


# --------------------------------------------------------------------------------------------- one case, in its process


def measure(case: Case) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    runners = {
        "ours": ours,
        "scored": scored,
        "pyagrum": pyagrum,
        "pyagrum_scored": pyagrum_scored,
        "causallearn": causallearn,
        "pgmpy": pgmpy,
    }
    build, run = runners[case.runner](case)
    before = peak()
    if case.repeats > 1:
        run(build())
    cpu = cold = float("inf")
    begin, done = time.process_time(), 0
    while done < case.repeats or (case.repeats > 1 and time.process_time() - begin < LEAST):
        start = time.process_time()
        subject = build()
        built = time.process_time()
        tests, edges = run(subject)
        end = time.process_time()
        del subject  # freeing it is not part of building the next one
        cpu, cold = min(cpu, end - built), min(cold, end - start)
        done += 1
    return {"cpu": cpu, "cold": cold, "tests": tests, "edges": edges, "memory": peak() - before}


def peak() -> float:
    """Peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def sample(case: Case) -> paucal.Dataset:
    if case.data == "wide":
        return wide(1000, case.rows)
    if case.data == "child5":
        return paucal.tile(paucal.load_network("child"), 5).sample(case.rows, seed=1)
    if case.data == "random76":
        return random_network(76).sample(case.rows, seed=1)
    return paucal.load_network(case.data).sample(case.rows, seed=1)


def wide(columns: int, rows: int) -> paucal.Dataset:
    """Columns of three levels, each a noisy copy of one of the last ten."""
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, 3, rows)]
    for i in range(1, columns):
        copied = rng.random(rows) < 0.4
        parent = codes[int(rng.integers(max(0, i - 10), i))]
        codes.append(np.where(copied, parent, rng.integers(0, 3, rows)))
    return paucal.Dataset.from_codes(codes, [f"v{i}" for i in range(columns)], [[0, 1, 2]] * columns)


def ours(case: Case) -> Any:
    data = sample(case)
    options = {"search": "pc-stable", "test": "g", "threads": 1, **case.options}
    test, threads = options.pop("test"), options.pop("threads")
    level = {"alpha": ALPHA} if "alpha" in test_parameters(test) else {}  # a Bayes factor has none

    def build() -> tuple[paucal.Dataset, paucal.CITest]:
        """Pack the data anew: a data set that was packed before is remembered."""
        again = data.select(data.names)
        _ = again.copies  # looked for once in a data set, too
        return again, paucal.make_test(again, test, threads=threads, **level)

    def run(built: tuple[paucal.Dataset, paucal.CITest]) -> tuple[int, int]:
        result = learned(*built, **options)
        return result.ledger.n_tests, result.graph.n_edges

    return build, run


def scored(case: Case) -> Any:
    data = sample(case)

    def run(again: paucal.Dataset) -> tuple[None, int]:
        return None, paucal.learn(again, score="bdeu", **case.options).graph.n_edges

    return lambda: data.select(data.names), run


def learned(data: paucal.Dataset, asked: paucal.CITest, *, search: str, **options: Any) -> paucal.SearchResult:
    """Run a search of the library, or one of a published program; only MMHC, which scores too, sees the data."""
    if search in SEARCHES:
        return SEARCHES[search](asked, **options)
    return paucal.learn(data, search, test=asked, **options)


def frame_of(case: Case) -> Any:
    import pandas as pd

    data = sample(case)
    return pd.DataFrame(np.array(data.columns).T.astype(np.int64), columns=list(data.names))


def pyagrum(case: Case) -> Any:
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    frame = frame_of(case)

    def build() -> Any:
        learner = gum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.usePC().useG2Test().setPCAlpha(ALPHA).setPCStable(True)
        return learner

    def run(learner: Any) -> tuple[None, int]:
        learn = getattr(learner, "learnPDAG", None) or learner.learnEssentialGraph
        return None, learn().size()

    return build, run


def pyagrum_scored(case: Case) -> Any:
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    frame = frame_of(case)

    def build() -> Any:
        learner = gum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.useScoreBDeu()
        getattr(learner, case.options["use"])()
        return learner

    return build, lambda learner: (None, learner.learnDAG().sizeArcs())


def causallearn(case: Case) -> Any:
    from causallearn.search.ConstraintBased.PC import pc

    codes = frame_of(case).to_numpy()

    def run(codes: Any) -> tuple[None, int]:
        found = pc(codes, alpha=ALPHA, indep_test="gsq", stable=True, uc_rule=0, show_progress=False)
        return None, int((found.G.graph != 0).sum()) // 2

    return lambda: codes, run


def pgmpy(case: Case) -> Any:
    from pgmpy.causal_discovery import PC

    frame = frame_of(case).astype("category")

    def run(frame: Any) -> tuple[None, int]:
        search = PC(
            variant="stable",
            ci_test="g_sq",
            significance_level=ALPHA,
            max_cond_vars=10,
            n_jobs=1,
            show_progress=False,
        )
        found = search.fit(frame)
        return None, len(found.causal_graph_.edges())

    return lambda: frame, run


if __name__ == "__main__":
    main()
