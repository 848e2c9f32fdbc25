"""How long does the posterior take, and do two seeds say the same? Prints Markdown.

    python benchmarks/posterior_speed.py [--networks child alarm hailfinder] [--columns 200] [--rows 500]
                                         [--samples 3] [--seeds 2] [--gaps 0] [--threads 1] [--jobs 1]

Bundled networks, and random ones of as many columns as asked for: two levels each, 1.5 arrows per column, tables that
are neither even nor certain. For every network: CPU time (all threads, of this process alone) and time on the clock of
one run, the mean over samples and the longest; `apart`, the largest difference between seeds in the probability that a
pair is joined, of pairs that no warning named; and the runs with a warning.
`--gaps 0.15` takes away 15 % of all values.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np

import paucal
from missing import with_gaps
from paucal.errors import ConvergenceWarning
from paucal.networks import BayesNet

if TYPE_CHECKING:
    from paucal import Dataset, SearchResult

SEED = 1_618_033
MOST_PARENTS = 5


def random_network(columns: int) -> BayesNet:
    """Make columns of two levels with 1.5 parents on average, of the ten before them."""
    rng = np.random.default_rng([SEED, columns])
    names = [f"v{i}" for i in range(columns)]
    parents = {}
    for i, name in enumerate(names):
        near = range(max(0, i - 10), i)
        size = min(len(near), MOST_PARENTS, int(rng.poisson(1.5)))
        parents[name] = [names[j] for j in sorted(rng.choice(near, size, replace=False).tolist())] if size else []
    tables = {}
    for name in names:
        yes = rng.beta(0.7, 0.7, [2] * len(parents[name])) * 0.9 + 0.05
        tables[name] = np.stack([yes, 1 - yes], axis=-1)
    return BayesNet({name: ["no", "yes"] for name in names}, parents, tables, name=f"random, {columns} columns")


def timed(data: Dataset, seed: int, threads: int, jobs: int) -> tuple[SearchResult, float, float]:
    cpu, clock = time.process_time(), time.perf_counter()
    result = paucal.learn(data, "posterior", seed=seed, threads=threads, jobs=jobs)
    return result, time.process_time() - cpu, time.perf_counter() - clock


def apart(results: list[SearchResult]) -> float:
    """Give the largest difference of P(joined) between two results, of pairs that neither has named."""
    most = 0.0
    for one, other in itertools.combinations(results, 2):
        difference = np.abs(one.evidence.joined - other.evidence.joined)
        place = {name: i for i, name in enumerate(one.evidence.names)}
        for pair in [*one.details["unsettled"], *other.details["unsettled"]]:
            i, j = place[pair["a"]], place[pair["b"]]
            difference[i, j] = difference[j, i] = 0
        most = max(most, float(difference.max()))
    return most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="*", default=["child", "alarm", "hailfinder"])
    parser.add_argument("--columns", type=int, nargs="*", default=[200], help="of random networks")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--gaps", type=float, default=0.0, help="share of values that are missing")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes for the chains")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    paucal.learn(paucal.load_network("asia").sample(100, seed=1), "posterior", jobs=options.jobs)  # loaded once
    print("| network | CPU, s | longest | clock, s | apart | warned |\n|---|--:|--:|--:|--:|--:|")
    for net in [*map(paucal.load_network, options.networks), *map(random_network, options.columns)]:
        cpu, clock, largest, warned = [], [], 0.0, 0
        for sample in range(options.samples):
            data = net.sample(options.rows, seed=SEED + sample)
            if options.gaps:
                data = with_gaps(data, "mcar", options.gaps, np.random.default_rng(SEED + sample))
            runs = [timed(data, seed, options.threads, options.jobs) for seed in range(options.seeds)]
            cpu += [seconds for _, seconds, _ in runs]
            clock += [seconds for _, _, seconds in runs]
            warned += sum(bool(result.details["unsettled"]) for result, _, _ in runs)
            largest = max(largest, apart([result for result, _, _ in runs]))
        told = f"{np.mean(cpu):.2f} | {max(cpu):.2f} | {np.mean(clock):.2f} | {largest:.2f} | {warned} of {len(cpu)}"
        print(f"| {net.name} | {told} |", flush=True)


if __name__ == "__main__":
    main()
