"""Our numbers beside the paper's: the tables and the findings that all experiments with networks share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from paucal.paper.published import RUNS, SIZES
from paucal.paper.summary import correlation, deviation
from paucal.paper.tables import Column, Stat, Table, beside, rules_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paucal.paper.published import PrintedTable, Size
    from paucal.paper.summary import Entries
    from paucal.paper.tables import Value


@dataclass(frozen=True)
class Measure:
    """What is measured: its name in the results, how it is called, and the digits it is written with."""

    name: str
    heading: str
    digits: int = 1


SHD = Measure("shd", "SHD")
TESTS = Measure("tests", "tests", 0)
MEASURES = {
    "shd": SHD,
    "local shd": Measure("shd", "SHD", 2),
    "tests": TESTS,
    "seconds": Measure("seconds", "seconds", 3),
}

# other definitions of the SHD: name in the results -> what it is called
DEFINITIONS = {
    "shd": "SHD",
    "shd_double": "reversals cost 2",
    "shd_parts": "parts",
    "shd_dag": "SHD to the DAG",
    "shd_dag_parts": "parts, to the DAG",
}
_WHERE = (Column("network", "network", left=True), Column("size", "size", left=True))
_METHOD = Column("method", "method", left=True)
_SORTS = ("extra", "missing", "misdirected")  # of wrong edges
_SIDE_BY_SIDE = 6  # methods that fit beside each other on a page


@dataclass(frozen=True)
class Comparison:
    """Results of some methods and a table of the paper."""

    printed: PrintedTable
    entries: Entries
    methods: Sequence[str]

    def has_sizes(self, measure: Measure) -> bool:
        """Whether the paper has a row for each size, or only means over them."""
        return any(size != "mean" for _, size, _ in self.printed.measures[measure.name])

    @property
    def few(self) -> bool:
        """Whether the methods fit beside each other."""
        return len(self.methods) <= _SIDE_BY_SIDE

    def _theirs(self, measure: str, network: str, size: Size, method: str) -> Stat | None:
        """Look a number up; a variant has the numbers of its method, and a mean is one over the same sizes or none."""
        if size == "mean" and self.entries.sizes(network) != SIZES.get(network):
            return None
        return self.printed.value(measure, network, size, method.partition(",")[0])

    def _mean(self, measure: str, network: str, size: Size, method: str) -> Stat:
        """Give our mean with its spread, or the plain mean over the sizes."""
        if size == "mean":
            return Stat(self.entries.over_sizes(measure, network, method).mean)
        return self.entries.stat(measure, network, size, method)

    def _sizes(self, network: str) -> tuple[Size, ...]:
        return (*self.entries.sizes(network), "mean")

    def overview(self, measure: Measure) -> Table:
        """Lay ours beside the paper's: as the paper does, or with a row for each of many methods."""
        return self._by_size(measure) if self.few else self._by_method(measure)

    def _by_size(self, measure: Measure) -> Table:
        """Each of our columns is followed by the paper's; a row for each size where the paper has them."""
        by_size, name = self.has_sizes(measure), measure.name
        columns = [beside(m, m, measure.digits, "sd" if by_size else "se") for m in self.methods]
        rows: list[tuple[Value, ...]] = []
        for network in self.entries.networks:
            for size in self._sizes(network) if by_size else ("mean",):
                row: list[Value] = [network.upper(), str(size)]
                for method in self.methods:
                    pooled = self.entries.over_sizes(name, network, method)
                    row.append(self._mean(name, network, size, method) if by_size else pooled)
                    row.append(self._theirs(name, network, size, method))
                rows.append(tuple(row))
        what = "± standard deviation" if by_size else "means over the sizes ± standard error"
        title = f"{measure.heading}, ours and the paper's, {what}"
        rules = rules_by(rows, 1) if by_size else frozenset[int]()
        return Table(f"-{name}", title, (*_WHERE, *chain(*columns)), tuple(rows), rules)

    def _by_method(self, measure: Measure) -> Table:
        """Means over the sizes, each network followed by the paper's."""
        columns = [beside(network, network.upper(), measure.digits) for network in self.entries.networks]
        rows: list[tuple[Value, ...]] = []
        for method in self.methods:
            row: list[Value] = [method]
            for network in self.entries.networks:
                row.append(self._mean(measure.name, network, "mean", method))
                row.append(self._theirs(measure.name, network, "mean", method))
            rows.append(tuple(row))
        title = f"{measure.heading}, ours and the paper's, means over the sizes"
        return Table(f"-{measure.name}", title, (_METHOD, *chain(*columns)), tuple(rows))

    def definitions(self) -> Table:
        """Measure the same graphs by other definitions of the SHD: means over the sizes."""
        sorts = (Column(measure, heading) for measure, heading in DEFINITIONS.items())
        rows = tuple(
            (
                network.upper(),
                method,
                self._theirs("shd", network, "mean", method),
                *(self._mean(measure, network, "mean", method) for measure in DEFINITIONS),
            )
            for network in self.entries.networks
            for method in self.methods
        )
        title = "The same graphs by other definitions of the SHD, means over the sizes"
        columns = (_WHERE[0], _METHOD, Column("paper", "paper"), *sorts)
        return Table("-definitions", title, columns, rows, rules_by(rows, 1))

    def details(self, reference: str, digits: int = 1) -> Table:
        """List every network, size and method with all that was measured, and what an empty graph scores.

        The last column pairs each method with the reference on the same data.
        """
        columns = (
            *_WHERE,
            _METHOD,
            *beside("shd", "SHD", digits),
            *(Column(sort, sort, digits) for sort in _SORTS),
            *beside("tests", "tests", 0),
            Column("distinct", "distinct tests", 0),
            Column("seconds", "CPU seconds", 4),
            Column("paired", f"SHD minus {reference}", max(digits, 1), spread="se", signed=True),
        )
        rows: list[tuple[Value, ...]] = []
        for network in self.entries.networks:
            for size in self._sizes(network):
                where: tuple[Value, ...] = (network.upper(), str(size))
                rows += [(*where, m, *self._line(network, size, m, reference)) for m in self.methods]
                empty = Stat(self._mean("empty", network, size, self.methods[0]).mean)
                rows.append((*where, "empty graph", empty, None, Stat(0.0), empty, Stat(0.0), *(None,) * 5))
        title = "All methods: mean ± standard deviation over runs, last column ± standard error"
        return Table("-details", title, columns, tuple(rows), rules_by(rows, 2))

    def _line(self, network: str, size: Size, method: str, reference: str) -> tuple[Value, ...]:
        def ours(measure: str) -> Stat:
            return self._mean(measure, network, size, method)

        return (
            ours("shd"),
            self._theirs("shd", network, size, method),
            *(Stat(ours(sort).mean) for sort in _SORTS),
            ours("tests"),
            self._theirs("tests", network, size, method),
            Stat(ours("distinct").mean),
            Stat(ours("seconds").mean),
            None if method == reference else self.entries.difference("shd", network, size, method, reference),
        )

    def findings(self, measures: Sequence[Measure], runs: int) -> tuple[str, ...]:
        """Say in numbers how far ours and the paper's agree."""
        lines = [
            line
            for measure in measures
            if measure.name in self.printed.measures
            for line in self._agreement(measure, runs)
        ]
        return (*lines, *(self._winners() if "shd" in self.printed.measures else ()))

    def _agreement(self, measure: Measure, runs: int) -> Iterator[str]:
        name = measure.name
        for method in self.methods:
            pairs, deviations = [], []
            for network in self.entries.networks:
                *sizes, mean = self._sizes(network)
                known = [size for size in sizes if self._theirs(name, network, size, method)]
                for size in known or [mean]:
                    ours, theirs = (f(name, network, size, method) for f in (self._mean, self._theirs))
                    if ours is not None and theirs is not None:
                        pairs.append((ours.mean, theirs.mean))
                        deviations.append(deviation(ours, runs, theirs, RUNS))
            if pairs:
                yield _sentence(measure, method, pairs, [d for d in deviations if d is not None])

    def _winners(self) -> list[str]:
        """Compare which method has the lowest mean SHD on each network."""
        same, told = 0, []
        for network in self.entries.networks:
            theirs = {m: self._theirs("shd", network, "mean", m) for m in self.methods if "," not in m}
            known = {m: p.mean for m, p in theirs.items() if p is not None}
            if len(known) < 2:
                continue
            ours = {m: self.entries.over_sizes("shd", network, m).mean for m in known}
            best_ours, best_theirs = (
                [m for m in scores if scores[m] == min(scores.values())] for scores in (ours, known)
            )
            same += bool(set(best_ours) & set(best_theirs))
            told.append(f"{network.upper()} {' and '.join(best_ours)} (paper {' and '.join(best_theirs)})")
        if not told:
            return []
        return [f"Lowest mean SHD by network: {', '.join(told)}; the same method on {same} of {len(told)}."]


def _sentence(measure: Measure, method: str, pairs: Sequence[tuple[float, float]], deviations: Sequence[float]) -> str:
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    entries = f"{len(pairs)} {'entry' if len(pairs) == 1 else 'entries'}"
    r = correlation(ours, theirs)
    tail = "" if r is None else f", correlation over entries {r:.2f}"
    if deviations:
        near = sum(abs(d) <= 2 for d in deviations)
        tail += f", within two standard errors in {near} of {len(deviations)}"
    if measure.name in ("tests", "seconds"):
        logs = [math.log(a / b) for a, b in pairs if a > 0 and b > 0]
        if not logs:
            return f"{measure.heading}, {method}: no ratio, for want of numbers above zero."
        low, high, mean = math.exp(min(logs)), math.exp(max(logs)), math.exp(sum(logs) / len(logs))
        return (
            f"{measure.heading}, {method}: ours are {mean:.3g} times the paper's (geometric mean of {entries}, "
            f"from {low:.3g} to {high:.3g}){tail}."
        )
    gaps = [a - b for a, b in pairs]
    gap, least, most = (f"{g:+.{measure.digits}f}" for g in (sum(gaps) / len(gaps), min(gaps), max(gaps)))
    return (
        f"{measure.heading}, {method}: ours minus the paper's is {gap} on average ({entries}, from {least} to "
        f"{most}){tail}."
    )
