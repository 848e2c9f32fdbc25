"""Samples and graphs of the supplement to Tsamardinos, Brown and Aliferis (2006), from a folder with its zip files.

The zip of a network holds 10 samples each of 500, 1,000 and 5,000 rows (`Child_s500_v1.txt`: a row a line, codes from
0, no header) and its graph (`Child_graph.txt`: row i, column j is 1 for i -> j). No file says which node a column of
the samples is. In five networks column i is node i of the graph file. The columns of HailFinder are in the order of
hailfinder.bif, and its graph file is in another order, so that there are two truths: the file as published, and the
graph in the order of the columns.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.errors import DataError, FileError, GraphError, ParameterError
from paucal.graphs import Graph
from paucal.networks import load_network

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# network -> zip file, how the names of its members begin
FILES = {
    "child": ("child_data.zip", "Child"),
    "insurance": ("ins_data.zip", "Insurance"),
    "alarm": ("alarm_data.zip", "Alarm1"),
    "hailfinder": ("hailf_data.zip", "HailFinder"),
    "child3": ("child3_data.zip", "Child3"),
    "child5": ("child5_data.zip", "Child5"),
}
ROWS = (500, 1000, 5000)
SAMPLES = 10
_RENUMBERED = ("hailfinder",)  # the graph file is in another order than the columns
_LARGEST = 50_000_000  # bytes of all members; the largest real archive has 20 million
_LONGEST = 9  # digits of a code; the real ones have one or two
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)


@dataclass(frozen=True)
class Archive:
    """The zip of a network: what is in it, by a hash, and where it lies."""

    network: str
    digest: str
    path: Path = field(compare=False)

    def sample(self, rows: int, run: int) -> Dataset:
        """Give the first rows of a sample: of the smallest ones that have so many, number `run` from 0."""
        member = f"{FILES[self.network][1]}_s{drawn_from(rows)}_v{run + 1}.txt"
        codes = _numbers(self.path, member)
        names = node_names(self.network)
        if codes.shape[0] < rows or codes.shape[1] != len(names):
            raise _damaged(self.path, member, f"has {codes.shape[0]} rows and {codes.shape[1]} columns")
        columns, levels = [], []
        for column in codes[:rows].T:
            found, places = np.unique(column, return_inverse=True)
            columns.append(places)
            levels.append([str(code) for code in found.tolist()])
        return Dataset.from_codes(columns, names, levels)

    def graph(self) -> Graph:
        """Give the true graph in the order of the columns."""
        if self.network not in _RENUMBERED:
            return self.graph_as_it_lies()
        return _graph(self.network, _matrix(load_network(self.network).graph))

    def graph_as_it_lies(self) -> Graph:
        """Give the graph of the file, its node i taken for column i."""
        return _graph(self.network, _numbers(self.path, f"{FILES[self.network][1]}_graph.txt"))


def find_archive(network: str, folder: Path | None) -> Archive:
    """Find the zip of a network, and look whether it is whole and that network's."""
    name = checks.known("network of the supplement", network, FILES)
    if folder is None:
        raise ParameterError(
            "The samples of the supplement are not part of paucal.",
            hint=f"Name a folder with {', '.join(file for file, _ in FILES.values())}: --data DIR.",
        )
    path = folder / FILES[name][0]
    try:
        stamp = path.stat()
    except OSError:
        raise FileError(
            f"{folder} has no {path.name}, the supplement's samples of {name.upper()}.", hint="Check --data."
        ) from None
    return _checked(name, path, stamp.st_mtime_ns, stamp.st_size)


def drawn_from(rows: int) -> int:
    """Give the rows of the files that a sample of some rows is the beginning of.

    >>> drawn_from(100), drawn_from(800)
    (500, 1000)
    """
    enough = [size for size in ROWS if size >= rows]
    if not enough:
        raise ParameterError(
            f"The supplement has no sample of {rows:,} rows.", hint=f"Its largest have {max(ROWS):,}: give --sizes."
        )
    return enough[0]


def node_names(network: str) -> list[str]:
    """Name the columns, which have no names, by their place."""
    return [f"V{place:03}" for place in range(1, len(load_network(network).names) + 1)]


@cache
def _checked(network: str, path: Path, *stamp: int) -> Archive:
    """Read a zip once; the stamp tells whether it is still the same file."""
    del stamp
    stem = FILES[network][1]
    try:
        content = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: info.file_size for info in archive.infolist()}
            broken = "too large" if sum(members.values()) > _LARGEST else archive.testzip()
    except _UNREADABLE as error:
        raise FileError(f"{path} is not a readable zip file: {error}.", hint="Fetch it again.") from error
    wanted = [f"{stem}_graph.txt", *(f"{stem}_s{rows}_v{i + 1}.txt" for rows in ROWS for i in range(SAMPLES))]
    absent = [name for name in wanted if name not in members]
    if absent:
        raise DataError(
            f"{path} has no {absent[0]}; it holds {', '.join(sorted(members)[:2])}, ...",
            hint=f"It should be the supplement's zip of {network.upper()}.",
        )
    if broken is not None:
        raise _damaged(path, broken, "cannot be unpacked")
    found = Archive(network, hashlib.sha256(content).hexdigest()[:16], path)
    ours = _matrix(load_network(network).graph)
    theirs = _matrix(found.graph_as_it_lies())
    if theirs.shape != ours.shape or _degrees(theirs) != _degrees(ours):
        raise _damaged(path, f"{stem}_graph.txt", f"is not the graph of {network.upper()}")
    return found


def _numbers(path: Path, member: str) -> NDArray[np.int64]:
    """Read a table of whole numbers from 0, divided by blanks."""
    try:
        with zipfile.ZipFile(path) as archive:
            lines = [line.split() for line in archive.read(member).decode("ascii").splitlines()]
    except (*_UNREADABLE, KeyError, UnicodeDecodeError) as error:
        raise _damaged(path, member, f"is not a table of whole numbers ({error})") from error
    rows = {number: line for number, line in enumerate(lines, 1) if line}
    width = len(next(iter(rows.values()), ()))
    for number, row in rows.items():
        odd = next((word for word in row if not (word.isdigit() and len(word) <= _LONGEST)), None)
        if odd is not None:
            raise _damaged(path, member, f"is not a table of whole numbers from 0: line {number} has {odd[:20]!r}")
        if len(row) != width:
            found = f"line {number} has {len(row)} numbers, the first {width}"
            raise _damaged(path, member, f"is not a table of whole numbers from 0: {found}")
    if not rows:
        raise _damaged(path, member, "is empty")
    return np.array(list(rows.values()), dtype=np.int64)


def _damaged(path: Path, member: str, what: str) -> DataError:
    return DataError(f"{member} in {path} {what}.", hint="Fetch the zip again; nothing was made of it.")


def _graph(network: str, matrix: NDArray[np.int64]) -> Graph:
    names, (file, stem) = node_names(network), FILES[network]
    hint = f"It should be the graph of {network.upper()}: {len(names)} rows and columns of 0 and 1, without a cycle."
    if matrix.shape != (len(names), len(names)):
        found = f"{matrix.shape[0]} rows and {matrix.shape[1]} columns"
        raise DataError(f"{stem}_graph.txt in {file} has {found}.", hint=hint)
    try:
        return Graph.dag(names, [(names[i], names[j]) for i, j in np.argwhere(matrix).tolist()])
    except GraphError as error:
        raise DataError(f"{stem}_graph.txt in {file} is not such a graph: {error.message}", hint=hint) from error


def _matrix(graph: Graph) -> NDArray[np.int64]:
    place = {name: i for i, name in enumerate(graph.nodes)}
    matrix = np.zeros((len(place), len(place)), dtype=np.int64)
    for name in graph.nodes:
        for child in graph.children(name):
            matrix[place[name], place[child]] = 1
    return matrix


def _degrees(matrix: NDArray[np.int64]) -> Counter[tuple[int, int]]:
    """Count nodes by parents and children: the same in whatever order the nodes stand."""
    return Counter(zip(matrix.sum(axis=0).tolist(), matrix.sum(axis=1).tolist(), strict=True))
