"""Time per independence test (count, G, p-value), ours beside NumPy and pandas, from one run.

    python benchmarks/kernel.py [--sizes 100 500 ...] [--quick]

CPU time of this process, the smallest of several repeats; data are samples of ALARM. `one` asks one question per call,
`batch` many in one call; both on questions drawn at random, so no two tests share work.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import chdtrc

import paucal
from paucal.counts import MemoryCounts
from paucal.independence.registry import make_test


def numpy_g(columns, cards, question):
    """The obvious NumPy way: one index per row, bincount, margins, logarithms."""
    x, y, *given = question
    stratum = np.zeros(len(columns[0]), dtype=np.int64)
    for z in given:
        stratum = stratum * cards[z] + columns[z]
    configurations = int(np.prod([cards[z] for z in given]))
    index = (stratum * cards[x] + columns[x]) * cards[y] + columns[y]
    n = np.bincount(index, minlength=configurations * cards[x] * cards[y]).reshape(-1, cards[x], cards[y])
    rows, cols, total = n.sum(2, keepdims=True), n.sum(1, keepdims=True), n.sum((1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = n * np.log(n * total / (rows * cols))
    g = 2 * np.nansum(terms)
    return g, chdtrc(configurations * (cards[x] - 1) * (cards[y] - 1), g)


def pandas_g(frame, names, question):
    """`pandas.crosstab`, once per stratum."""
    x, y, *given = (names[v] for v in question)
    groups = [part for _, part in frame.groupby(given, observed=True)] if given else [frame]
    g, dof = 0.0, 0
    for part in groups:
        n = pd.crosstab(part[x], part[y]).to_numpy()
        expected = np.outer(n.sum(1), n.sum(0)) / n.sum()
        g += 2 * np.sum(n[n > 0] * np.log(n[n > 0] / expected[n > 0]))
        dof += (n.shape[0] - 1) * (n.shape[1] - 1)
    return g, chdtrc(dof, g) if dof else 1.0


def nanoseconds(work, questions: int, repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time_ns()
        work()
        best = min(best, (time.process_time_ns() - start) / questions)
    return best


def measure(n: int, order: int, *, quick: bool) -> dict[str, float]:
    data = paucal.load_network("alarm").sample(n, seed=n)
    rng = np.random.default_rng(order)
    many = 20_000 if n <= 5000 else 1000
    if quick:
        many //= 10
    questions = np.array([rng.permutation(data.n_columns)[: order + 2] for _ in range(many)])
    x, y, given = questions[:, 0], questions[:, 1], questions[:, 2:]
    counts = MemoryCounts(data)

    def batch():
        make_test("g", counts, df="full").ask_many(x, y, given)

    single = [(int(q[0]), int(q[1]), tuple(map(int, q[2:]))) for q in questions[: many // 4]]

    def one_by_one():
        ask = make_test("g", counts, df="full").ask
        for question in single:
            ask(*question)

    def kernel_one_by_one():
        ask = make_test("g", counts, df="full").tester.ask  # the cost of the call alone
        for question in single:
            ask(*question)

    few = [tuple(map(int, q)) for q in questions[: max(10, many // 200)]]
    columns = [column.astype(np.int64) for column in data.columns]
    frame = data.to_frame("pandas")
    repeats = 3 if quick else 7
    return {
        "batch": nanoseconds(batch, many, repeats),
        "one": nanoseconds(one_by_one, len(single), repeats),
        "kernel call": nanoseconds(kernel_one_by_one, len(single), repeats),
        "numpy": nanoseconds(lambda: [numpy_g(columns, data.cardinalities, q) for q in few], len(few), 3),
        "pandas": nanoseconds(partial(_pandas, frame, data.names, few[:10]), min(10, len(few)), 1),
    }


def _pandas(frame, names, questions):
    for question in questions:
        pandas_g(frame, names, question)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 5000, 100_000])
    parser.add_argument("--orders", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--quick", action="store_true", help="a tenth of the questions")
    options = parser.parse_args()
    from paucal.kernel import describe

    print(
        f"paucal {paucal.__version__}, {describe()}, NumPy {np.__version__}, pandas {pd.__version__}; ns per test\n"
    )
    print(
        "     N  |Z|     batch       one   kernel call       numpy        pandas   numpy/batch  pandas/batch"
    )
    for n in options.sizes:
        for order in options.orders:
            t = measure(n, order, quick=options.quick)
            print(
                f"{n:6d}  {order:3d}  {t['batch']:8.0f}  {t['one']:8.0f}  {t['kernel call']:12.0f}  {t['numpy']:10.0f}"
                f"  {t['pandas']:12.0f}  {t['numpy'] / t['batch']:12.0f}  {t['pandas'] / t['batch']:12.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
