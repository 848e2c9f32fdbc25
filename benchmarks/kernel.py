"""Time per independence test (count, G, p-value), ours beside NumPy and pandas, from one run.

    python benchmarks/kernel.py [--sizes 100 500 ...] [--quick]

CPU time of this process; data are samples of ALARM. `one` asks one question per call, `batch` many in one call, both of
a new test. Questions are drawn at random, each of them once; without conditioners the pairs of columns are too few for
that and come again. Everything is timed in several rounds over the whole table, and the smallest time counts, so that
one busy moment of the machine does not fall on one line.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import chdtrc

import paucal
from paucal import _kernel
from paucal.independence.registry import make_test
from paucal.tables import MemoryCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROUNDS = 7


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


def cell(n: int, order: int, *, quick: bool) -> dict[str, tuple[Callable[[], object], int, int]]:
    """Give what is timed for one line of the table: the work, its questions, and in how many rounds it takes part."""
    data = paucal.load_network("alarm").sample(n, seed=n)
    many = 20_000 if n <= 5000 else 1000
    if quick:
        many //= 10
    questions = draw(data.n_columns, order, many)
    x, y, given = questions[:, 0], questions[:, 1], questions[:, 2:]
    counts = MemoryCounts(data)

    def batch():
        make_test(counts, "g", df="full").ask_many(x, y, given)

    single = [(int(q[0]), int(q[1]), tuple(map(int, q[2:]))) for q in questions[: many // 4]]

    def one_by_one():
        ask = make_test(counts, "g", df="full").ask
        for question in single:
            ask(*question)

    def kernel_one_by_one():
        ask = make_test(counts, "g", df="full").tester.ask  # the cost of the call alone
        for question in single:
            ask(*question)

    few = [tuple(map(int, q)) for q in questions[: max(10, many // 200)]]
    columns = [column.astype(np.int64) for column in data.columns]
    frame = data.to_frame("pandas")

    def by_numpy():
        for question in few:
            numpy_g(columns, data.cardinalities, question)

    def by_pandas():
        for question in few[:10]:
            pandas_g(frame, data.names, question)

    return {
        "batch": (batch, many, ROUNDS),
        "one": (one_by_one, len(single), ROUNDS),
        "kernel call": (kernel_one_by_one, len(single), ROUNDS),
        "numpy": (by_numpy, len(few), 3),
        "pandas": (by_pandas, 10, 1),
    }


def draw(columns: int, order: int, many: int) -> NDArray[np.int64]:
    """Draw questions at random, each of them once; without conditioners there are too few for that."""
    rng = np.random.default_rng(order)
    drawn: dict[tuple[int, ...], NDArray[np.int64]] = {}
    while len(drawn) < many:
        question = rng.permutation(columns)[: order + 2]
        key = (*sorted(question[:2]), *sorted(question[2:]), len(drawn) if order == 0 else 0)
        drawn.setdefault(key, question)
    return np.array(list(drawn.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 5000, 100_000])
    parser.add_argument("--orders", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--quick", action="store_true", help="a tenth of the questions")
    options = parser.parse_args()
    versions = f"paucal {paucal.__version__}, {_kernel.isa()} loops, NumPy {np.__version__}, pandas {pd.__version__}"
    print(f"{versions}; ns per test\n")
    print("     N  |Z|     batch       one   kernel call       numpy        pandas   numpy/batch  pandas/batch")
    table = {(n, order): cell(n, order, quick=options.quick) for n in options.sizes for order in options.orders}
    best: dict[tuple[int, int, str], float] = {}
    for turn in range(ROUNDS):
        for (n, order), works in table.items():
            for name, (work, questions, rounds) in works.items():
                if turn < rounds:
                    start = time.process_time_ns()
                    work()
                    spent = (time.process_time_ns() - start) / questions
                    best[n, order, name] = min(best.get((n, order, name), spent), spent)
    for (n, order), works in table.items():
        t = {name: best[n, order, name] for name in works}
        print(
            f"{n:6d}  {order:3d}  {t['batch']:8.0f}  {t['one']:8.0f}  {t['kernel call']:12.0f}  {t['numpy']:10.0f}"
            f"  {t['pandas']:12.0f}  {t['numpy'] / t['batch']:12.0f}  {t['pandas'] / t['batch']:12.0f}"
        )


if __name__ == "__main__":
    main()
