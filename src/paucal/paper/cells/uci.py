"""The four UCI data sets of appendix H, which come with the package; `data/SOURCES.md` names sources and licences."""

from __future__ import annotations

import csv
import gzip
import math
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks

if TYPE_CHECKING:
    from numpy.typing import NDArray

DATA_SETS = ("breast-w", "spect", "diabetes", "parkinsons")

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


def load(name: str) -> Records:
    """Read a data set."""
    checks.known("data set", name, DATA_SETS)
    content = (resources.files("paucal.paper") / "data" / f"{name}.csv.gz").read_bytes()
    head, *rows = csv.reader(gzip.decompress(content).decode().splitlines())
    table = np.array([[math.nan if word == "?" else float(word) for word in row] for row in rows])
    labels, counts = np.unique(table[:, -1], return_counts=True)
    rare = (table[:, -1] == labels[np.argmin(counts)]).astype(np.intp)
    groups = np.repeat(np.arange(len(_RECORDINGS)), _RECORDINGS) if name == "parkinsons" else None
    return Records(name, tuple(head[:-1]), table[:, :-1], rare, groups)
