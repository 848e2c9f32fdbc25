"""Small tables that come with the package, for trying things out.

`sachs-interventions` has rows sampled from the network `sachs`, in the manner of the experiments it was learned from:
200 rows of untouched cells, and 40 rows for each of five drugs, which set one protein. The column `drug` tells which.
They were drawn with `net.do(...)`; `tests/test_examples.py` draws them again.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.data import Dataset

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Example:
    """A table, the name of the network it was sampled from, and what the values of its column that tells mean."""

    data: Dataset
    network: str
    interventions: str
    targets: Mapping[str, tuple[str, ...]]

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.data, self.network, self.interventions, dict(self.targets))


def _again(data: Dataset, network: str, interventions: str, targets: dict[str, tuple[str, ...]]) -> Example:
    return Example(data, network, interventions, MappingProxyType(targets))


_TARGETS = {
    "sachs-interventions": {
        "none": (),
        "akt-inhibitor": ("Akt",),
        "b2camp": ("PKA",),
        "g06976": ("PKC",),
        "psitectorigenin": ("PIP2",),
        "u0126": ("Mek",),
    }
}


def load_example(name: str) -> Example:
    """Load an example.

    >>> example = load_example("sachs-interventions")
    >>> example.data.n_rows, example.interventions, example.targets["u0126"]
    (400, 'drug', ('Mek',))
    """
    checks.known("example", name, _TARGETS)
    content = (resources.files("paucal.networks") / "data" / f"{name}.csv.gz").read_bytes()
    head, *rows = (line.split(",") for line in gzip.decompress(content).decode().splitlines())
    columns = dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))
    return Example(Dataset.of(columns), "sachs", "drug", MappingProxyType(_TARGETS[name]))
