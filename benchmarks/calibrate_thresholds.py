"""Null distributions of the information estimates: makes the data behind `threshold="calibrated"`.

    python benchmarks/calibrate_thresholds.py [--repetitions 6000] [--out thresholds.npz]

For every pair of numbers of levels and every number of samples per cell, tables of two independent variables are drawn
(each variable with probabilities from a uniform Dirichlet distribution), and every estimate is computed on each. Kept
are mean and standard deviation, in units of those of the plug-in estimate in large samples, df / 2n and
sqrt(2 df) / 2n, and upper quantiles as standard deviations above the mean. It takes about half an hour on one core.
"""

import argparse
import time
from functools import cache
from pathlib import Path

import numpy as np

from paucal.data import Dataset
from paucal.independence.registry import make_test

LEVELS = (2, 3, 4, 5, 6, 8, 12, 24)
FIRST_RATIO, STEP, RATIOS = -6.0, 1.0, 13  # log2 of samples per cell
ALPHAS = (0.2, 0.1, 0.05, 0.02, 0.01)
ESTIMATES = {
    "mi": ("mi", {}),
    "mi-eb": ("mi-eb", {}),
    "mi-fixed-0.5": ("mi-fixed", {"prior": 0.5}),
    "mi-fixed-1": ("mi-fixed", {"prior": 1.0}),
    "mi-full": ("mi-full", {}),
}
SLOW = {"mi-full": 4}  # repetitions are divided by this
DEFAULT = Path(__file__).parents[1] / "src/paucal/independence/thresholds.npz"
CHUNK = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    options = parser.parse_args()

    shape = (len(LEVELS), len(LEVELS), RATIOS)
    result = {
        name: {
            "mean": np.zeros(shape),
            "deviation": np.zeros(shape),
            "quantile": np.zeros((len(ALPHAS), *shape)),
        }
        for name in ESTIMATES
    }
    start = time.perf_counter()
    for i, kx in enumerate(LEVELS):
        for j, ky in enumerate(LEVELS[: i + 1]):
            for ratio in range(RATIOS):
                n = max(1, round(2 ** (FIRST_RATIO + STEP * ratio) * kx * ky))
                rng = np.random.default_rng([options.seed, kx, ky, ratio])
                for name, values in null_values(rng, kx, ky, n, options.repetitions).items():
                    for key, number in summary(values, kx, ky, n).items():
                        result[name][key][..., i, j, ratio] = result[name][key][..., j, i, ratio] = number
            print(f"{kx} x {ky}: {time.perf_counter() - start:.0f} s", flush=True)
    arrays = {f"{name}/{key}": a.astype(np.float32) for name, part in result.items() for key, a in part.items()}
    np.savez_compressed(options.out, levels=LEVELS, first_ratio=FIRST_RATIO, step=STEP, alphas=ALPHAS, **arrays)


def null_values(rng, kx: int, ky: int, n: int, repetitions: int) -> dict[str, np.ndarray]:
    """Every estimate on many null tables of n samples."""
    values = {name: [] for name in ESTIMATES}
    for first in range(0, repetitions, CHUNK):
        size = min(CHUNK, repetitions - first)
        px, py = rng.dirichlet(np.ones(kx), size), rng.dirichlet(np.ones(ky), size)
        p = (px[:, :, None] * py[:, None, :]).reshape(size, -1)
        data = as_strata(rng.multinomial(n, p / p.sum(axis=1, keepdims=True)), kx, ky, n)
        x = np.arange(1, data.n_columns, 2)
        for name, (method, parameters) in ESTIMATES.items():
            if first >= repetitions / SLOW.get(name, 1):
                continue
            test = make_test(data, method, threshold=1.0, **parameters)
            both = test.ask_many(x, x + 1, np.zeros((len(x), 1), dtype=np.uint32)).statistic
            values[name].append(((n + 2) * both - 2 * of_a_pair(method, kx, ky, **parameters)) / n)
    return {name: np.concatenate(parts) for name, parts in values.items()}


def as_strata(tables: np.ndarray, kx: int, ky: int, n: int) -> Dataset:
    """One data set with all tables: column 0 is the conditioner, then come x and y of each table.

    Beside the stratum that holds the table there is a second one, of two samples, in which neither variable is
    constant: a constant variable would be decided without looking at the estimate.
    """
    columns = [np.repeat([0, 1], [n, 2])]
    for table in tables:
        cell = np.repeat(np.arange(kx * ky), table)
        columns += [np.append(cell // ky, [0, 1]), np.append(cell % ky, [0, 1])]
    levels = [range(2), *[range(kx), range(ky)] * len(tables)]
    return Dataset.from_codes(columns, [str(i) for i in range(len(columns))], levels)


@cache
def of_a_pair(method: str, kx: int, ky: int, **parameters) -> float:
    """The estimate in the second stratum."""
    pair = Dataset.from_codes([[0, 1], [0, 1]], ["x", "y"], [range(kx), range(ky)])
    return make_test(pair, method, threshold=1.0, **parameters)("x", "y").statistic


def summary(values: np.ndarray, kx: int, ky: int, n: int) -> dict[str, np.ndarray]:
    df, deviation = (kx - 1) * (ky - 1), values.std()
    above = np.quantile(values, 1 - np.array(ALPHAS), method="higher") - values.mean()
    return {
        "mean": values.mean() * 2 * n / df,
        "deviation": deviation * 2 * n / np.sqrt(2 * df),
        "quantile": above / deviation if deviation > 1e-9 else np.zeros(len(ALPHAS)),
    }


if __name__ == "__main__":
    main()
