"""Time and peak memory of every search on data that are too much for it: dense ones and wide ones.

Dense: 600 noisy copies of one column, 1,000 rows. Wide: 2,000 columns of 50 levels, 200 rows, without any relation.
Every search is given so many seconds (10 by default) and runs in a process of its own.

    python benchmarks/limits.py [seconds] [dense|wide]

Prints the table of docs/limits.md.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from typing import Any

import numpy as np

import paucal
from paucal.errors import PaucalError

SEARCHES = paucal.search_names()


def dense() -> paucal.Dataset:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 1000)
    return paucal.Dataset.of({f"c{i}": np.where(rng.random(1000) < 0.1, 1 - base, base) for i in range(600)})


def wide() -> paucal.Dataset:
    rng = np.random.default_rng(0)
    return paucal.Dataset.of({f"c{i}": rng.integers(0, 50, 200).astype(str) for i in range(2000)})


def measured(data: paucal.Dataset, search: str, seconds: float) -> dict[str, Any]:
    """Run one search in a process of its own."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.close(read)
        began = time.perf_counter()
        try:
            told = "unfinished" if paucal.learn(data, search, max_seconds=seconds).unfinished else "finished"
        except PaucalError as error:
            told = f"refused: {error.message}"
        took, cpu = time.perf_counter() - began, time.process_time()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        os.write(write, json.dumps({"told": told, "seconds": took, "cpu": cpu, "mb": peak}).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.wait()
    return json.loads(text) if text else {"told": "killed", "seconds": 0.0, "cpu": 0.0, "mb": 0.0}


def main() -> None:
    warnings.simplefilter("ignore")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    print("| search | data | seconds | CPU seconds | peak memory, MB | end |\n|---|---|---:|---:|---:|---|")
    for case in (dense, wide):
        if len(sys.argv) > 2 and case.__name__ != sys.argv[2]:
            continue
        data = case()
        for search in SEARCHES:
            one = measured(data, search, seconds)
            numbers = " | ".join(f"{one[kind]:.0f}" for kind in ("seconds", "cpu", "mb"))
            print(f"| {search} | {case.__name__} | {numbers} | {one['told']} |", flush=True)


if __name__ == "__main__":
    main()
