"""How fast files are read: `python benchmarks/reading.py [--rows 100000] [--large]`.

The same table by paucal, which then describes it, by DuckDB and by polars, in seconds of processor time with one thread
each; with `--large`, a million rows of 37 columns and ten million of 20, and the memory that it takes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import numpy as np


def write_table(path, rows, columns, seed=1):
    """Write a survey: answers of few levels, text, ages, and one column in five of decimal numbers with gaps."""
    import polars as pl

    rng = np.random.default_rng(seed)
    regions = np.array(["Nord", "Süd", "Ost", "West", "Mitte"])
    makers = [
        lambda: rng.integers(1, 8, rows),
        lambda: regions[rng.integers(0, 5, rows)],
        lambda: rng.integers(18, 95, rows),
        lambda: np.array(["no", "yes"])[rng.integers(0, 2, rows)],
        lambda: np.where(rng.random(rows) < 0.05, np.nan, np.round(rng.normal(70, 12, rows), 1)),
    ]
    frame = pl.DataFrame({f"v{i}": makers[i % 5]() for i in range(columns)}, nan_to_null=True)
    frame.write_csv(path)


def seconds(job, repeats=3):
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def small(rows, columns):
    import duckdb
    import polars as pl

    from paucal.data.files import read_table
    from paucal.data.preparation import Preparation
    from paucal.inspection.proposal import look, propose

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "survey.csv")
        write_table(path, rows, columns)
        print(f"{rows:,} rows x {columns} columns, {path.stat().st_size / 1e6:.1f} MB; seconds of processor time")
        database = duckdb.connect(config={"threads": "1"})
        text = f"CREATE OR REPLACE TEMP TABLE t AS FROM read_csv('{path}', all_varchar = true)"
        typed = f"CREATE OR REPLACE TEMP TABLE t AS FROM read_csv('{path}')"
        print(f"  paucal, levels and codes   {seconds(lambda: read_table(path)):.2f}")
        table = read_table(path)
        describe = seconds(lambda: propose(look(table), Preparation()))
        print(f"  paucal, description and proposal {describe:.2f}")
        print(f"  DuckDB, values as text     {seconds(lambda: database.execute(text)):.2f}")
        print(f"  DuckDB, typed values       {seconds(lambda: database.execute(typed)):.2f}")
        print(f"  polars, typed values       {seconds(lambda: pl.read_csv(path)):.2f}")


READERS = {
    "paucal, levels and codes": """
from paucal.data.files import read_table
job = lambda: read_table(path)
""",
    "DuckDB, typed values": """
import duckdb
database = duckdb.connect(config={"threads": "1"})
job = lambda: database.execute(f"CREATE TEMP TABLE t AS FROM read_csv('{path}')")
""",
    "polars, typed values": """
import polars
job = lambda: polars.read_csv(path)
""",
}
MEASURE = """
import resource, sys, time
path = sys.argv[1]
{reader}
start = time.process_time()
job()
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def large(rows, columns, repeats):
    """Each reader in a process of its own, with the memory that it takes at the most."""
    with tempfile.TemporaryDirectory() as folder:
        path, part = Path(folder, "large.csv"), Path(folder, "part.csv")
        write_table(part, rows // 10, columns)
        names, _, body = part.read_bytes().partition(b"\n")
        with path.open("wb") as file:
            file.write(names + b"\n")
            for _ in range(10):
                file.write(body)
        print(f"{rows:,} rows x {columns} columns, {path.stat().st_size / 1e6:,.0f} MB", flush=True)
        for name, reader in READERS.items():
            program = MEASURE.format(reader=reader)
            told = [
                subprocess.run([sys.executable, "-c", program, str(path)], check=True, capture_output=True)  # noqa: S603
                for _ in range(repeats)
            ]
            used, peak = min(tuple(map(float, one.stdout.split()[-2:])) for one in told)
            print(f"  {name:<26} {used:6.2f} s of processor time, {peak:,.0f} MB at the peak", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    if given.large:
        large(1_000_000, 37, repeats=3)
        large(10_000_000, 20, repeats=1)
    else:
        small(given.rows, given.columns)


if __name__ == "__main__":
    main()
