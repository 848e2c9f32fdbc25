"""How often `inspect` calls a column computed that was not, and how often it finds one that was.

    python benchmarks/computed_columns.py                 1,000 tables of noise, 100 with computed columns, all networks
    python benchmarks/computed_columns.py --tables 100

The tables of noise are made to look like computed columns: factors that all columns share (correlations up to .999),
few digits, counts, skewed amounts, trends, levels that follow a number or another level in all but a few per cent of
the rows. No column of them is a function of others, not even up to rounding. Samples of the bundled networks follow.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

import paucal
from paucal.networks.catalogue import catalogue

KINDS = ("computed", "same scale", "near cut", "near copy", "copy with gaps", "sum", "survey weight", "follow-up")


def noise(rng):
    """Draw a table of 30 to 1,000 rows and 4 to 20 columns, in which nothing was computed."""
    n, p = int(rng.integers(30, 1000)), int(rng.integers(4, 21))
    shared = rng.normal(size=(n, int(rng.integers(1, 4))))
    if rng.random() < 0.2:
        shared = np.cumsum(shared, axis=0)  # trends
        shared /= shared.std(axis=0)
    own = rng.choice([1.0, 0.3, 0.1, 0.05])
    table = {}
    for k in range(p):
        x = shared @ rng.normal(size=shared.shape[1]) + own * rng.normal(size=n)
        shape = rng.integers(6)
        if shape == 0:
            x = np.exp(x / 2) * 10
        elif shape == 1:
            x = np.round(50 + 10 * x)
        elif shape == 2:
            x = np.clip(np.round(5 + 2 * x), 0, 10)
        elif shape == 3:  # follows a number but for noise of 3 % of its spread
            x = x + 0.03 * x.std() * rng.normal(size=n) > np.quantile(x, rng.uniform(0.2, 0.8))
        elif shape == 4:
            x = np.digitize(x, np.quantile(x, [0.3, 0.7]))
            x = np.where(rng.random(n) < 0.05, rng.integers(0, 3, n), x)
        else:
            x = np.round(100 + 15 * x, int(rng.integers(0, 3)))
        table[f"x{k}"] = x.tolist()
    if rng.random() < 0.5:  # the same twice, measured with error
        table["again"] = np.where(rng.random(n) < 0.06, rng.permutation(table["x0"]), table["x0"]).tolist()
    return table


def with_computed(rng):
    """Draw a table with columns that were computed; give it and what is to be found."""
    n = int(rng.integers(60, 1000))
    height, weight = np.round(rng.normal(1.7, 0.1, n), 2), np.round(rng.normal(72, 14, n).clip(40), 1)
    age, school = rng.integers(18, 80, n), rng.integers(5, 20, n)
    items = rng.integers(1, 6, (n, 6))
    bmi = np.round(weight / height**2, int(rng.integers(1, 3)))
    exact = rng.normal(50, 10, n)
    made = {
        "bmi": bmi,
        "experience": age - school - 6,
        "mean": np.round(items.mean(axis=1), 2),
        "total": 6 - items[:, 0] + items[:, 1:].sum(axis=1),
        "logarithm": np.round(np.log(exact), 2),
        "obese": weight / height**2 > np.quantile(bmi, 0.7),
        "ratio": np.round(exact / weight, 3),
    }
    table = {"height": height, "weight": weight, "age": age, "school": school, "exact": np.round(exact, 1)}
    table |= {f"q{i}": items[:, i] for i in range(6)} | made
    return {name: np.asarray(values).tolist() for name, values in table.items()}, set(made)


def found(table):
    """Give what is found, by kind."""
    return [one for one in paucal.inspect(table, max_order=0).findings if one.kind in KINDS]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first table; others follow")
    parser.add_argument("--rows", type=int, default=1000, help="rows of the samples of networks")
    options = parser.parse_args()
    wrong: Counter[str] = Counter()
    n_tables = 0
    for seed in range(options.seed, options.seed + options.tables):
        alarms = found(noise(np.random.default_rng(seed)))
        n_tables += bool(alarms)
        wrong.update(one.kind for one in alarms)
    print(f"noise: a false finding in {n_tables} of {options.tables} tables", dict(wrong))
    missed: Counter[str] = Counter()
    n_made = max(1, options.tables // 10)
    for seed in range(options.seed, options.seed + n_made):
        table, made = with_computed(np.random.default_rng(seed))
        left_out = paucal.prepare(table).leave_out
        missed.update(made - left_out.keys())
        missed.update(f"{name} left out instead" for name in left_out.keys() - made)
    print(f"computed: missed in {n_made} tables", dict(missed))
    for entry in catalogue():
        data = paucal.load_network(entry.name).sample(options.rows, seed=1)
        alarms = found(data.to_frame("dict"))
        print(f"{entry.name}: {len(alarms)} findings", *(one.what for one in alarms), sep="\n  ")


if __name__ == "__main__":
    main()
