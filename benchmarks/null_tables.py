"""Noise in, nothing out: real tables with every column shuffled by itself, dressed with names, ids, dates and the like.

Nothing depends on anything in these tables. No edge may touch a column that names its rows, a comment or a code, and
pairs of ordinary columns must be joined no more often than in the same table without those columns.

    python benchmarks/null_tables.py                 every table, four shuffles (about two minutes of one core)
    python benchmarks/null_tables.py --shuffles 1

The tables are bundled with statsmodels and scikit-learn, and loaded from there.
"""

from __future__ import annotations

import argparse
import datetime as dt
import time
import warnings

import numpy as np

import paucal
from paucal.errors import PaucalWarning

STATSMODELS = ("anes96", "ccard", "fair", "heart", "modechoice", "randhie", "scotland", "spector", "statecrime")
SKLEARN = ("iris", "wine", "diabetes")
ROWS = 400  # of larger tables, so that all are small
WORDS = [
    "pain",
    "back",
    "since",
    "monday",
    "no",
    "better",
    "sleeps",
    "badly",
    "asks",
    "for",
    "help",
    "again",
    "with",
    "the",
    "new",
    "dose",
    "and",
    "diet",
]


def tables():
    from sklearn import datasets as sklearn_data
    from statsmodels import datasets as statsmodels_data

    for name in STATSMODELS:
        yield name, getattr(statsmodels_data, name).load_pandas().data
    for name in SKLEARN:
        yield name, getattr(sklearn_data, f"load_{name}")(as_frame=True).frame


def shuffled(frame, rng):
    """Give as a dict of lists up to 400 rows, every column in an order of its own."""
    rows = rng.permutation(len(frame))[:ROWS]
    return {str(name): rng.permutation(frame[name].to_numpy()[rows]).tolist() for name in frame.columns}


def dress(table, rng):
    """Add what real tables have: ids, surnames, dates, postal codes, comments, numbers with decimal commas."""
    n = len(next(iter(table.values())))
    start = dt.date(2021, 1, 4)
    return table | {
        "row": list(range(1, n + 1)),
        "id": [f"P-{i:06d}" for i in rng.permutation(10**6)[:n]],
        "case number": rng.permutation(5 * n)[:n].tolist(),
        "surname": [f"{a}{b}" for a, b in zip(rng.choice(WORDS, n), rng.choice(WORDS, n), strict=True)],
        "visit": [(start + dt.timedelta(days=int(d))).strftime("%d.%m.%Y") for d in rng.integers(0, 900, n)],
        "zip": [f"{i:05d}" for i in rng.integers(1000, 99999, n)],
        "comment": [" ".join(rng.choice(WORDS, 6)) for _ in range(n)],
        "price": [f"{x:.2f}".replace(".", ",") for x in rng.lognormal(3, 1, n)],
    }


NAMING = ("row", "id", "case number", "surname", "zip", "comment")
EXTRA = (*NAMING, "visit", "price")


def learned(table, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PaucalWarning)
        result = paucal.learn(table, seed=seed)
    joined = {frozenset((p["a"], p["b"])): 1 - p["absent"] for p in result.probabilities()}
    edges = [frozenset(edge[:2]) for edge in result.graph.edges()]
    return result, edges, joined


def look(frame, seed):
    """Shuffle and dress a table; count edges that touch names, edges among ordinary columns with and without them."""
    rng = np.random.default_rng(seed)
    plain = shuffled(frame, rng)
    _, bare_edges, bare_joined = learned(plain, seed)
    _, edges, joined = learned(dress(plain, rng), seed)
    return {
        "naming": sum(bool(edge & set(NAMING)) for edge in edges),
        "noise": sum(not edge & set(EXTRA) for edge in edges),
        "bare": len(bare_edges),
        "extra": sum(bool(edge & {"visit", "price"}) for edge in edges),
        "largest": max((p for pair, p in joined.items() if not pair & set(NAMING)), default=0.0),
        "largest bare": max(bare_joined.values(), default=0.0),
        "pairs": len(plain) * (len(plain) - 1) // 2,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shuffles", type=int, default=4)
    parser.add_argument("--tables", nargs="*", help="names; all by default")
    chosen = parser.parse_args()
    heads = ("table", "columns", "to names", "dressed", "plain", "to date, price", "largest P", "plain P")
    print("{:<12}{:>9}{:>10}{:>9}{:>7}{:>16}{:>11}{:>9}".format(*heads))
    total = dict.fromkeys(("naming", "noise", "bare", "extra"), 0)
    began = time.process_time()
    for name, frame in tables():
        if chosen.tables and name not in chosen.tables:
            continue
        found = [look(frame, seed) for seed in range(chosen.shuffles)]
        sums = {key: sum(one[key] for one in found) for key in total}
        total = {key: total[key] + sums[key] for key in total}
        largest = [max(one[key] for one in found) for key in ("largest", "largest bare")]
        counts = (sums["naming"], sums["noise"], sums["bare"], sums["extra"])
        print(f"{name:<12}{frame.shape[1]:>9}{counts[0]:>10}{counts[1]:>9}{counts[2]:>7}{counts[3]:>16}", end="")
        print(f"{largest[0]:>11.2f}{largest[1]:>9.2f}", flush=True)
    print(f"edges to names: {total['naming']}, to dates and prices: {total['extra']}")
    print(f"edges among ordinary columns: {total['noise']} dressed, {total['bare']} plain")
    print(f"{time.process_time() - began:.0f} s of CPU")


if __name__ == "__main__":
    main()
