"""Reading BIF files and sampling, side by side with pgmpy and pyAgrum where they are installed.

Run `python benchmarks/networks.py`. Every number is the smallest CPU time (all threads) of a few repetitions
in this one run; a ratio above one means that paucal took less. Each library gives its usual result: a pandas
frame with labels from pgmpy, codes from paucal and pyAgrum.
"""

from __future__ import annotations

import sys
import tempfile
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import paucal

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ("pgmpy", "pyagrum")
SEED = 1


def main() -> None:
    peers = [peer for peer in PEERS if installed(peer)]
    for peer in PEERS:
        print(f"{peer} {version(peer)}" if peer in peers else f"{peer} is not installed: no column for it")
    print(f"paucal {paucal.__version__}, Python {sys.version.split()[0]}, seconds of CPU time\n")
    print("".join([f"{'':<44}{'paucal':>10}", *(f"{peer:>12}{'ratio':>8}" for peer in peers)]))
    with tempfile.TemporaryDirectory() as folder:
        for title, path in bif_files(Path(folder)):
            line(f"read {title}", readers(path, peers))
        for n in (500, 100_000, 1_000_000):
            line(f"sample {n:,} rows of ALARM", samplers(Path(folder) / "alarm.bif", n, peers))


def installed(peer: str) -> bool:
    try:
        import_module(peer)
    except ImportError:
        return False
    return True


def bif_files(folder: Path) -> list[tuple[str, Path]]:
    """Write networks as plain files, which every library reads."""
    nets = [paucal.load_network(name) for name in ("child", "alarm", "hailfinder")]
    nets.append(paucal.tile(nets[1], 27, links_per_tile=1, seed=SEED))
    files = []
    for net in nets:
        path = folder / f"{net.name}.bif"
        paucal.write_bif(net, path)
        title = f"{net.name.upper()} ({len(net.names)} nodes, {path.stat().st_size // 1024} KiB)"
        files.append((title, path))
    return files


def readers(path: Path, peers: list[str]) -> dict[str, Callable[[], object]]:
    calls: dict[str, Callable[[], object]] = {"paucal": lambda: paucal.read_bif(path)}
    if "pgmpy" in peers:
        from pgmpy.readwrite import BIFReader

        calls["pgmpy"] = lambda: BIFReader(str(path)).get_model()
    if "pyagrum" in peers:
        import pyagrum

        calls["pyagrum"] = lambda: pyagrum.loadBN(str(path))
    return calls


def samplers(path: Path, n: int, peers: list[str]) -> dict[str, Callable[[], object]]:
    models = {peer: read() for peer, read in readers(path, peers).items()}
    calls: dict[str, Callable[[], object]] = {"paucal": lambda: models["paucal"].sample(n, seed=SEED)}
    if "pgmpy" in peers:
        calls["pgmpy"] = lambda: models["pgmpy"].simulate(n, seed=SEED, show_progress=False)
    if "pyagrum" in peers:
        import pyagrum

        # the generator does not keep its network alive: `models`, which the call holds, does
        source = pyagrum.BNDatabaseGenerator(models["pyagrum"])
        calls["pyagrum"] = lambda: (models["pyagrum"], source.drawSamples(n))
    return calls


def line(title: str, calls: dict[str, Callable[[], object]]) -> None:
    ours = cpu_time(calls.pop("paucal"))
    text = f"{title:<44}{ours:>10.4f}"
    for call in calls.values():
        try:
            theirs = cpu_time(call)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its result
            text += f"{'fails':>12}{'':>8} ({type(error).__name__})"
        else:
            text += f"{theirs:>12.4f}{theirs / ours:>8.1f}"
    print(text, flush=True)


def cpu_time(call: Callable[[], object]) -> float:
    """Repeat a call for about a second, at least twice, and take the smallest time."""
    times: list[float] = []
    while len(times) < 2 or (sum(times) < 1.0 and len(times) < 20):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
