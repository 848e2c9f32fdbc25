"""Time per independence test: every method, N from 100 to 5000, 0 to 3 conditioners, beside other libraries.

    python benchmarks/tests.py [--sizes 100 500 1000 5000] [--quick]

CPU time of this process, the smallest of several repeats, counting included; data are samples of ALARM, questions are
drawn at random, so no two tests share work. The paper reports 0.002 s for one run of I^eB. causal-learn's and pgmpy's G
tests, and pyAgrum's with one thread, are timed where they are installed; they answer one question per call, and so do
our lines "mi-eb, one by one" and "g, ci_test". The smallest of three rounds counts there; no question comes twice.
"""

from __future__ import annotations

import argparse
import importlib
import time
import warnings

import numpy as np

import paucal
from paucal.independence.registry import make_test, test_names
from paucal.tables import MemoryCounts

SLOW = {"mi-full": 200, "permutation": 40}  # tests in a batch; the others have 4000
NEED_ORDER = {"trend", "chi2-trend"}  # they see the levels of ALARM as if in the order in which they are listed
ORDERS = range(4)
PAPER = 0.002


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 5000])
    parser.add_argument("--quick", action="store_true", help="fewer tests and repeats")
    options = parser.parse_args()
    print("microseconds per test, by number of conditioning columns")
    for n in options.sizes:
        data = paucal.load_network("alarm").sample(n, seed=n)
        print(f"\nN = {n:<16}" + "".join(f"{order:>10}" for order in ORDERS))
        ordered = data.with_kinds(dict.fromkeys(data.names, "ordered"))
        lines = {
            method: batches(method, ordered if method in NEED_ORDER else data, quick=options.quick)
            for method in test_names()
        }
        lines["mi-eb, one by one"] = one_by_one(ours(data), data, 400)
        lines["g, ci_test"] = one_by_one(single(data), data, 400)
        for name, make, many in (
            ("pyAgrum, G", pyagrum, 400),
            ("causal-learn, G", causal_learn, 40),
            ("pgmpy, G", pgmpy, 40),
        ):
            try:
                ask = make(data)
            except ImportError:
                print(f"{name:<20} not installed")
            else:
                lines[name] = one_by_one(ask, data, many)
        for name, times in lines.items():
            print(f"{name:<20}" + "".join(f"{1e6 * seconds:>10.2f}" for seconds in times))
        faster = [PAPER / seconds for seconds in lines["mi-eb"]]
        print(f"{'mi-eb: paper / ours':<20}" + "".join(f"{ratio:>9.0f}x" for ratio in faster))


def questions(data, order: int, many: int) -> np.ndarray:
    rng = np.random.default_rng(order)
    return np.array([rng.permutation(data.n_columns)[: order + 2] for _ in range(many)])


def batches(method: str, data, *, quick: bool) -> list[float]:
    """Many questions in one call."""
    counts, times = MemoryCounts(data), []
    for order in ORDERS:
        q = questions(data, order, SLOW.get(method, 4000) // (4 if quick else 1))
        best = float("inf")
        for _ in range(3 if quick else 7):
            test = make_test(counts, method)  # a new one, which remembers nothing
            start = time.process_time()
            test.ask_many(q[:, 0], q[:, 1], q[:, 2:])
            best = min(best, time.process_time() - start)
        times.append(best / len(q))
    return times


def one_by_one(ask, data, many: int) -> list[float]:
    """One question per call."""
    times = []
    for order in ORDERS:
        q = [(int(x), int(y), tuple(map(int, z))) for x, y, *z in questions(data, order, 3 * many)]
        rounds = []
        for part in (q[i::3] for i in range(3)):
            start = time.process_time()
            for x, y, given in part:
                ask(x, y, given)
            rounds.append((time.process_time() - start) / many)
        times.append(min(rounds))
    return times


def ours(data):
    return make_test(data, "mi-eb").ask


def single(data):
    """A question by names to the data set itself."""
    paucal.ci_test(data, data.names[0], data.names[1], test="g")  # what every data set pays once

    def ask(x: int, y: int, given: tuple[int, ...]) -> None:
        paucal.ci_test(data, data.names[x], data.names[y], [data.names[z] for z in given], test="g")

    return ask


def pyagrum(data):
    gum = importlib.import_module("pyagrum")
    gum.setNumberOfThreads(1)
    learner = gum.BNLearner(data.to_frame("pandas"))

    def ask(x: int, y: int, given: tuple[int, ...]) -> None:
        learner.G2(data.names[x], data.names[y], [data.names[z] for z in given])

    return ask


def causal_learn(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cit = importlib.import_module("causallearn.utils.cit")
    return cit.CIT(np.column_stack(data.columns), "gsq")


def pgmpy(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = importlib.import_module("pgmpy.ci_tests")
        test = tests.GSq(data.to_frame("pandas"), use_cache=False)

    def ask(x: int, y: int, given: tuple[int, ...]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test.run_test(data.names[x], data.names[y], [data.names[z] for z in given])

    return ask


if __name__ == "__main__":
    main()
