"""The four UCI data sets of appendix H, read from a folder: as CSV with a column `class`, or as UCI publishes them."""

from __future__ import annotations

import csv
import hashlib
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.errors import DataError, FileError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Source:
    """Where a data set comes from, and how its original files are laid out: named columns stand in a header."""

    number: int
    files: tuple[str, ...]
    target: int | str  # the column with the class
    row_name: int | str | None = None  # the column that names a row

    @property
    def page(self) -> str:
        """Where the data are published."""
        return f"https://archive.ics.uci.edu/dataset/{self.number}"


SOURCES = {
    "breast-w": Source(15, ("breast-cancer-wisconsin.data",), target=-1, row_name=0),
    "spect": Source(95, ("SPECT.train", "SPECT.test"), target=0),
    "diabetes": Source(34, ("pima-indians-diabetes.data",), target=-1),
    "parkinsons": Source(174, ("parkinsons.data",), target="status", row_name="name"),
}

# Recordings of each of the 32 subjects, in the order of the file: six, but seven of the subjects S21, S27 and S35.
_RECORDINGS = tuple(7 if i in (14, 19, 24) else 6 for i in range(32))


@dataclass(frozen=True, eq=False)
class Records:
    """A data set: numbers with NaN where one is missing, and a class that is 1 for the rarer label."""

    name: str
    features: tuple[str, ...]
    values: NDArray[np.float64]
    target: NDArray[np.intp]
    groups: NDArray[np.intp] | None = None  # who a row belongs to, if some rows belong together


def find_files(name: str, folder: Path) -> tuple[Path, ...]:
    """Find the files of a data set: `<name>.csv`, or the original ones."""
    source = SOURCES[checks.known("data set", name, SOURCES)]
    for names in ((f"{name}.csv",), source.files):
        files = tuple(folder / file for file in names)
        if all(file.is_file() for file in files):
            return files
    raise FileError(
        f"{folder} has no {name}.csv, nor {' and '.join(source.files)}.",
        hint=f"Fetch the data from {source.page} and name their folder with --data or in PAUCAL_DATA.",
    )


def digest(files: tuple[Path, ...]) -> str:
    """Give a hash of what the files contain."""
    return hashlib.sha256(b"".join(map(_bytes, files))).hexdigest()[:16]


def load(name: str, folder: Path) -> Records:
    """Read a data set."""
    files = find_files(name, folder)
    source = SOURCES[name]
    if files[0].suffix == ".csv":
        source = Source(source.number, (files[0].name,), target="class", row_name="name")
    header = isinstance(source.target, str)
    body = [row for file in files for row in _rows(file, header=header)]
    names = body.pop(0) if header else [f"x{i}" for i in range(len(body[0]))]
    target = _position(source.target, names, files[0])
    kept = [i for i, n in enumerate(names) if i != target and source.row_name not in (i, n)]
    values = np.array([[_number(row[i], files[0]) for i in kept] for row in body])
    labels = np.array([_number(row[target], files[0]) for row in body])
    found, counts = np.unique(labels, return_counts=True)
    if len(found) != 2 or np.isnan(labels).any():
        raise DataError(
            f"The class of {files[0].name} has {len(found)} values.", hint="It must have two, none missing."
        )
    rare = (labels == found[np.argmin(counts)]).astype(np.intp)
    groups = _subjects(labels, files[0]) if name == "parkinsons" else None
    return Records(name, tuple(names[i] for i in kept), values, rare, groups)


def _subjects(labels: NDArray[np.float64], file: Path) -> NDArray[np.intp]:
    """Number the subjects behind the rows of Parkinsons, which stand together.

    A file in another order would show: some subject would be sick in one row and sound in the next.
    """
    if len(labels) != sum(_RECORDINGS):
        raise DataError(
            f"{file.name} has {len(labels)} rows, so that its subjects cannot be told apart.",
            hint=f"Use the original {sum(_RECORDINGS)} rows in their order.",
        )
    groups = np.repeat(np.arange(len(_RECORDINGS)), _RECORDINGS)
    for subject in range(len(_RECORDINGS)):
        if np.ptp(labels[groups == subject]) > 0:
            raise DataError(
                f"{file.name} is not in the original order: recordings of subject {subject + 1} differ in class.",
                hint="Use the rows in the order that UCI publishes them in.",
            )
    return groups.astype(np.intp)


def _rows(file: Path, *, header: bool) -> list[list[str]]:
    text = _bytes(file).decode("utf-8-sig", errors="replace")
    rows = [[word.strip() for word in row] for row in csv.reader(io.StringIO(text)) if row]
    if len(rows) < 2 + header or len({len(row) for row in rows}) != 1:
        raise DataError(f"{file.name} is not a table with one number of columns.", hint="Fetch the file again.")
    return rows


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"{file} cannot be read: {error.strerror or error}.", hint="Check --data.") from error


def _position(column: int | str, names: list[str], file: Path) -> int:
    if isinstance(column, int):
        return column % len(names)
    if column not in names:
        raise DataError(f"{file.name} has no column {column!r}.", hint=f"Its columns are {', '.join(names[:5])}, ...")
    return names.index(column)


def _number(word: str, file: Path) -> float:
    if word in ("", "?", "NA"):
        return math.nan
    try:
        return float(word)
    except ValueError:
        raise DataError(f"{file.name} has {word!r} where a number belongs.", hint="Fetch the file again.") from None
