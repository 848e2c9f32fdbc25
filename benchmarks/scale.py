"""How time and memory grow: rows beyond memory, rows that are counted, many columns.

    python benchmarks/scale.py rows --rows 100_000_000 --folder DIR    10^8 x 20 of Parquet: inspect, test, learn
    python benchmarks/scale.py counting                                PC-stable on all rows, and on distinct ones
    python benchmarks/scale.py growth                                  exponents in rows and columns
    python benchmarks/scale.py columns --columns 5000                  whole graph, and around some columns, 500 rows

Every measurement runs in a process of its own, so that the memory told is its own; CPU seconds of all threads.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import paucal
from paucal.search.choice import fallback

BLOCK = 10_000_000  # rows of a file


def measured(function: str, *arguments: Any) -> dict[str, Any]:
    """Call a function of this file in a process of its own; give its answer, CPU and wall seconds, and peak memory."""
    call = [sys.executable, "-W", "ignore", __file__, "--call", function, json.dumps(arguments)]
    found = subprocess.run(call, check=True, capture_output=True, text=True)  # noqa: S603 - our own file
    return json.loads(found.stdout.splitlines()[-1])


def called(function: str, arguments: list[Any]) -> None:
    """Do what `measured` asks for."""
    began = time.perf_counter()
    answer = globals()[function](*arguments)
    mine, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {
        "answer": answer,
        "cpu": sum(use.ru_utime + use.ru_stime for use in (mine, children)),
        "wall": time.perf_counter() - began,
        "gb": mine.ru_maxrss * 1024 / 1e9,
    }
    print(json.dumps(found))


def line(what: str, found: dict[str, Any], answer: str) -> None:
    """Tell one measurement."""
    print(f"{what:<34}{found['cpu']:>9.1f} s CPU{found['wall']:>9.1f} s{found['gb']:>8.2f} GB  {answer}", flush=True)


# --------------------------------------------------------------------------------------------- rows beyond memory


def write_rows(folder: str, n_rows: int) -> str:
    """Write a sample of CHILD, 20 columns, as Parquet files of ten million rows."""
    import pyarrow as pa
    from pyarrow import parquet

    network = paucal.load_network("child")
    for number, start in enumerate(range(0, n_rows, BLOCK)):
        file = Path(folder, f"child-{number:03}.parquet")
        if file.exists():
            continue
        data = network.sample(min(BLOCK, n_rows - start), seed=number)
        columns = {
            name: pa.DictionaryArray.from_arrays(codes, pa.array(levels)).cast(pa.string())
            for name, codes, levels in zip(data.names, data.columns, data.levels, strict=True)
        }
        parquet.write_table(pa.table(columns), file.with_suffix(".part"))
        file.with_suffix(".part").rename(file)
    return f"{sum(file.stat().st_size for file in Path(folder).glob('*.parquet')) / 1e9:.2f} GB on disk"


def inspect_rows(pattern: str) -> str:
    """Read and describe."""
    found = paucal.inspect(pattern)
    return f"{found.n_rows:,} rows, {len(found.columns)} columns"


def ask_rows(pattern: str) -> str:
    """Read and ask one question."""
    data = paucal.read(pattern)
    told = paucal.ci_test(data, "LungParench", "Grunting", given=["Sick", "Disease"])
    return f"{len(data.distinct[0]):,} distinct rows; {'independent' if told.independent else 'dependent'}"


def learn_rows(pattern: str, search: str) -> str:
    """Read and learn, and compare with the network."""
    result = paucal.learn(paucal.read(pattern), search=search)
    truth = paucal.load_network("child").cpdag()
    return f"SHD {paucal.shd(result.graph, truth)} of {len(truth.edges())} edges"


def rows(folder: Path, n_rows: int) -> None:
    """Show a table larger than its memory."""
    folder.mkdir(parents=True, exist_ok=True)
    made = measured("write_rows", str(folder), n_rows)
    line("write Parquet", made, made["answer"])
    pattern = str(folder / "child-*.parquet")
    for what, function, more in (
        ("paucal.inspect", "inspect_rows", ()),
        ("paucal.read, ci_test", "ask_rows", ()),
        ("paucal.read, learn pc-stable", "learn_rows", ("pc-stable",)),
        ("paucal.read, learn order", "learn_rows", ("order",)),
    ):
        found = measured(function, pattern, *more)
        line(what, found, found["answer"])


# --------------------------------------------------------------------------------------------------------- growth


def learn_sample(network: str, tiles: int, n_rows: int, search: str) -> float:
    """Learn from a sample of a network, tiled; give the CPU seconds of the search alone."""
    net = paucal.load_network(network)
    data = (paucal.tile(net, tiles, seed=1) if tiles > 1 else net).sample(n_rows, seed=1)
    paucal.learn(paucal.load_network("asia").sample(50, seed=1), search=search)  # loads what is loaded on first use
    began = time.process_time()
    paucal.learn(data, search=search)
    return time.process_time() - began


def growth(searches: list[str]) -> None:
    """Print seconds and memory for more rows and for more columns, with the exponents between neighbours."""
    for search in searches:
        wide = {"pc-stable": (4, 16, 64), "rai": (4, 16, 64), "posterior": (2, 4)}.get(search, (2, 4, 8))
        most = 100_000 if search == "posterior" else 1_000_000
        by_rows = [(n, ("alarm", 1, n)) for n in (1_000, 10_000, 100_000, 1_000_000) if n <= most]
        by_columns = [(37 * tiles, ("alarm", tiles, 500)) for tiles in wide]
        for what, cases in (("rows", by_rows), ("columns", by_columns)):
            last = (0.0, 0.0)
            for size, case in cases:
                found = measured("learn_sample", *case, search)
                seconds = found["answer"]
                exponent = f"exponent {np.log(seconds / last[1]) / np.log(size / last[0]):.2f}" if last[1] else ""
                line(f"{search}, {size:,} {what}", found, f"{seconds:.3f} s in the search  {exponent}")
                last = (size, seconds)


# ---------------------------------------------------------------------------------------------------- many columns


def wide_sample(n_columns: int, n_rows: int) -> tuple[paucal.Graph, paucal.Dataset]:
    """Sample a network of tiles of ALARM."""
    network = paucal.tile(paucal.load_network("alarm"), max(1, round(n_columns / 37)), seed=1)
    return network.graph, network.sample(n_rows, seed=1)


def learn_wide(n_columns: int, n_rows: int) -> str:
    """Learn a whole graph, by the search that is chosen, and compare its edges with the network."""
    truth, data = wide_sample(n_columns, n_rows)
    began = time.process_time()
    result = paucal.learn(data)
    seconds = time.process_time() - began
    scores = paucal.skeleton_scores(result.graph, truth)
    told = f"{result.search} {seconds:.1f} s; {data.n_columns:,} columns; {result.ledger.n_tests:,} tests"
    arrows = paucal.shd(result.graph, paucal.dag_to_cpdag(truth))
    return f"{told}; skeleton {_shares(scores)}; SHD {arrows:,}"


def learn_stitched(n_columns: int, n_rows: int) -> str:
    """Learn a whole graph from what every column finds around itself, at the same levels."""
    truth, data = wide_sample(n_columns, n_rows)
    levels = fallback(data.n_columns).alpha
    began = time.process_time()
    result = paucal.learn(data, "mmpc", alpha=levels)
    seconds = time.process_time() - began
    scores = paucal.skeleton_scores(result.graph, truth)
    arrows = paucal.shd(result.graph, paucal.dag_to_cpdag(truth))
    return f"mmpc {seconds:.1f} s; {result.ledger.n_tests:,} tests; skeleton {_shares(scores)}; SHD {arrows:,}"


def learn_around(n_columns: int, n_rows: int, n_targets: int) -> str:
    """Learn the graph around some columns, and compare their edges with the network."""
    truth, data = wide_sample(n_columns, n_rows)
    targets = list(data.names[:: max(1, data.n_columns // n_targets)])[:n_targets]
    began = time.process_time()
    graph = paucal.learn(data, around=targets).graph
    seconds = time.process_time() - began
    hits = kept = there = 0
    for target in targets:
        own = {*graph.parents(target), *graph.children(target), *graph.neighbours(target)}
        true = {*truth.parents(target), *truth.children(target)}
        hits, kept, there = hits + len(own & true), kept + len(own), there + len(true)
    told = f"precision {hits / max(1, kept):.2f}, recall {hits / max(1, there):.2f}"
    return f"{seconds:.1f} s; {graph.n} columns kept; edges of the targets: {told}"


def _shares(scores: Any) -> str:
    return f"precision {scores.precision:.2f}, recall {scores.recall:.2f}"


def columns(n_columns: int, n_rows: int = 500, n_targets: int = 20) -> None:
    """Show a table with far more columns than rows."""
    found = measured("learn_wide", n_columns, n_rows)
    line(f"learn, {n_columns:,} columns x {n_rows}", found, found["answer"])
    found = measured("learn_stitched", n_columns, n_rows)
    line("learn, mmpc", found, found["answer"])
    found = measured("learn_around", n_columns, n_rows, n_targets)
    line(f"learn around {n_targets} of them", found, found["answer"])


def learn_counted(network: str, n_rows: int) -> str:
    """Learn from all rows, then from the distinct ones with their counts; the table is not counted by itself here."""
    from paucal import tables

    data = paucal.load_network(network).sample(n_rows, seed=1)
    counted = data.counted()
    tables._MANY_ROWS = n_rows  # noqa: SLF001 - to see what counting is worth
    paucal.learn(data.sample(100), "pc-stable", test="g")  # loads what a first call loads
    seconds = []
    for one in (data, counted):
        began = time.process_time()
        paucal.learn(one, "pc-stable", test="g")
        seconds.append(time.process_time() - began)
    return f"{len(counted.weights):,} distinct rows: {seconds[0]:.3f} s, counted {seconds[1]:.3f} s"


def counting() -> None:
    """Show what it is worth to count distinct rows: much, nothing, and less than nothing."""
    for network, n_rows in (("asia", 100_000), ("child", 1_000_000), ("insurance", 200_000)):
        found = measured("learn_counted", network, n_rows)
        line(f"{network}, {n_rows:,} rows", found, found["answer"])


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["rows", "counting", "growth", "columns"])
    parser.add_argument("--rows", type=lambda text: int(text.replace("_", "")), default=100_000_000)
    parser.add_argument("--folder", type=Path, default=Path("scale-rows"))
    parser.add_argument("--searches", nargs="+", default=["pc-stable", "rai", "hill-climbing", "posterior"])
    parser.add_argument("--columns", type=int, default=5000)
    parser.add_argument("--call", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.call:
        called(asked.call[0], json.loads(asked.call[1]))
    elif asked.what == "rows":
        rows(asked.folder, asked.rows)
    elif asked.what == "counting":
        counting()
    elif asked.what == "growth":
        growth(asked.searches)
    elif asked.what == "columns":
        columns(asked.columns)
    else:
        parser.error("say rows, counting, growth or columns")


if __name__ == "__main__":
    main()
