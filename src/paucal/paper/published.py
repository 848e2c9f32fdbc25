"""Every number that the paper prints, once, as data.

Z. Cui, N. Yin, Y. Wang, Q. Ji (2022), Empirical Bayesian approaches for robust constraint-based causal discovery under
insufficient data, IJCAI. Table and figure numbers are those of the text with its appendix.

The tables are in `published.toml`, as they are printed; `slips` finds means that are not the mean of their rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from paucal.paper.files import read_toml
from paucal.paper.tables import Stat

Size: TypeAlias = "int | Literal['mean']"
Values: TypeAlias = Mapping[tuple[str, Size, str], Stat]


@dataclass(frozen=True)
class PrintedTable:
    """One table of the paper: (network, size or "mean", method) -> the number, for each measure."""

    number: int
    title: str
    methods: tuple[str, ...]
    measures: Mapping[str, Values]

    def value(self, measure: str, network: str, size: Size, method: str) -> Stat | None:
        """Look a number up; None where the paper has none."""
        return self.measures.get(measure, {}).get((network, size, method))


_CONTENT = read_toml("published.toml")
_NETWORKS, _DATA_SETS = _CONTENT["networks"], _CONTENT["data_sets"]
# network -> numbers of rows; variables, edges, most states of a variable (table 5)
SIZES: Mapping[str, tuple[int, ...]] = {name: tuple(c["rows"]) for name, c in _NETWORKS.items()}
NETWORK_SIZES: Mapping[str, tuple[int, int, int]] = {name: tuple(c["size"]) for name, c in _NETWORKS.items()}
NETWORKS = tuple(SIZES)
# data set -> samples, attributes, majority, minority (table 11); method -> F1 score, AUC (table 12)
CLASSIFIERS = ("rI^eB", "rBF_chi2", "RAI-BF", "PC-stable")
UCI_SIZES: Mapping[str, tuple[int, int, int, int]] = {name: tuple(c["size"]) for name, c in _DATA_SETS.items()}
CLASSIFICATION: Mapping[str, Mapping[str, tuple[float, float]]] = {
    name: dict(zip(CLASSIFIERS, map(tuple, c["scores"]), strict=True)) for name, c in _DATA_SETS.items()
}
RUNS = 10
ALPHA = 0.05
SYNTHETIC_RUNS = 1000


def _table(content: Mapping[str, Any]) -> PrintedTable:
    names, kinds = tuple(content["methods"].split()), content["measures"].split()
    values: dict[str, dict[tuple[str, Size, str], Stat]] = {kind: {} for kind in kinds}
    columns = list(product(kinds, names))
    for line in content["rows"].strip().splitlines():
        where, *cells = line.split("|")
        network, size = where.split()
        for (kind, name), cell in zip(columns, cells, strict=True):
            key: Size = "mean" if size == "mean" else int(size)
            values[kind][network, key, name] = Stat(*map(float, cell.split()))
    frozen = {kind: MappingProxyType(numbers) for kind, numbers in values.items()}
    return PrintedTable(content["number"], content["title"], names, MappingProxyType(frozen))


TABLES = {name: _table(content) for name, content in _CONTENT.items() if name.isupper()}
LOCAL, GLOBAL, LATENT, ACCURACY, TIME, TUNED, PC, MMHC, EFFICIENCY = TABLES.values()


@dataclass(frozen=True)
class Check:
    """A run by which the authors checked a baseline (appendix F.1): its SHD, and that of the work it comes from."""

    network: str
    size: int
    shd: float
    cited: float


CHECK_RAI_BF = Check("alarm", 10_000, 25.2, cited=25.3)
CHECK_CMB = Check("alarm", 5_000, 1.63, cited=1.81)
# appendix G.1: seconds for one estimate of the mutual information
SECONDS_EMPIRICAL_BAYES = 0.002
SECONDS_FULL_BAYES = 10.481


@dataclass(frozen=True)
class Slip:
    """A printed mean that is not the mean of the printed rows."""

    table: int
    measure: str
    network: str
    method: str
    printed: float
    recomputed: float

    def __str__(self) -> str:
        digits = 0 if self.measure == "tests" else 1
        return (
            f"Table {self.table}, {self.network.upper()}, {self.method}, {self.measure}: the mean is printed as "
            f"{self.printed:.{digits}f}; the mean of the printed rows is {self.recomputed:.{digits}f}."
        )


def slips() -> tuple[Slip, ...]:
    """Find the printed means that differ from the mean of their rows by more than rounding explains.

    >>> str(slips()[2])
    'Table 2, CHILD5, RAI-BF, shd: the mean is printed as 126.3; the mean of the printed rows is 130.9.'
    """
    found = []
    for table in (LOCAL, GLOBAL):
        for measure, values in table.measures.items():
            unit = 1.0 if measure == "tests" else 0.1 if table is GLOBAL else 0.01
            for network, method in product(NETWORKS, table.methods):
                rows = [values[network, size, method].mean for size in SIZES[network]]
                mean, printed = sum(rows) / len(rows), values[network, "mean", method].mean
                if abs(mean - printed) > 1.01 * unit:  # the rows are rounded as well
                    found.append(Slip(table.number, measure, network, method, printed, mean))
    return tuple(found)
