"""Tables on the supplement's samples: the paper, the graph file as published, the right order, and drawn samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paucal.paper.published import SIZES
from paucal.paper.summary import correlation
from paucal.paper.tables import Column, Stat, Table, rules_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paucal.paper.comparison import Measure
    from paucal.paper.published import PrintedTable, Size
    from paucal.paper.summary import Entries
    from paucal.paper.tables import Value

RENUMBERED = "hailfinder"  # the network whose graph file is in another order than its columns
ALL = "all methods"
# what our numbers are from: name in a table, heading, whether from the supplement, measure of the SHD
_OURS = (
    ("as_it_lies", "as published", True, "shd_as_it_lies"),
    ("right", "right order", True, "shd"),
    ("drawn", "drawn samples", False, "shd"),
)
_METHOD = Column("method", "method", left=True)
_NETWORK = Column("network", "network", left=True)


@dataclass(frozen=True)
class OnSupplement:
    """Results on samples of the supplement and on drawn ones, and a table of the paper."""

    printed: PrintedTable
    supplement: Entries
    drawn: Entries
    methods: Sequence[str]

    def overview(self, measure: Measure) -> Table:
        """Give means over the sizes, a row for each network and method."""
        rows = tuple(
            (network.upper(), method, *self._values(measure, network, "mean", method))
            for network in self.supplement.networks
            for method in self.methods
        )
        title = f"{measure.heading}, means over the sizes ± standard error"
        columns = (_NETWORK, _METHOD, *self._columns(measure, "se"))
        return Table(f"-{measure.name}", title, columns, rows, rules_by(rows, 1))

    def details(self, measures: Sequence[Measure]) -> Table:
        """Give every size."""
        rows = tuple(
            (network.upper(), str(size), method, *(v for m in measures for v in self._values(m, network, size, method)))
            for network in self.supplement.networks
            for size in self.supplement.sizes(network)
            for method in self.methods
        )
        columns = (_NETWORK, Column("size", "size", left=True), _METHOD)
        title = "Every size: mean ± standard deviation over runs"
        return Table(
            "-details", title, (*columns, *(c for m in measures for c in self._columns(m))), rows, rules_by(rows, 2)
        )

    def _columns(self, measure: Measure, spread: str = "sd") -> tuple[Column, ...]:
        kinds = [(name, heading) for name, heading, _, _ in _OURS]
        kinds = kinds if measure.name == "shd" else [("supplement", "supplement"), ("drawn", "drawn samples")]
        ours = (Column(f"{measure.name}_{name}", heading, measure.digits, spread) for name, heading in kinds)
        return Column(f"{measure.name}_paper", f"{measure.heading}, paper", measure.digits), *ours

    def _values(self, measure: Measure, network: str, size: Size, method: str) -> tuple[Stat | None, ...]:
        """Give the paper's number and ours, in the order of the columns."""
        sources = [(self.supplement if ours else self.drawn, name) for _, _, ours, name in _OURS]
        if measure.name != "shd":
            sources = [(self.supplement, measure.name), (self.drawn, measure.name)]
        same_sizes = size != "mean" or self.supplement.sizes(network) == SIZES.get(network)
        theirs = self.printed.value(measure.name, network, size, method.partition(",")[0]) if same_sizes else None
        return theirs, *(
            entries.over_sizes(name, network, method) if size == "mean" else entries.stat(name, network, size, method)
            for entries, name in sources
        )

    def comparable(self, measure: Measure) -> bool:
        """Whether the paper has numbers for what was run."""
        return any(pair for method in self.methods for pair in self._pairs(measure, method, without=False))

    def agreement(self, measure: Measure) -> Table:
        """Compare the SHD with the paper's, by method and for all that the paper has, with and without HAILFINDER."""
        rows: list[tuple[Value, ...]] = []
        own = [method for method in self.methods if "," not in method]  # a variant has no number of its own
        groups = [(method, [method]) for method in self.methods]
        groups += [(ALL, own)] if len(own) > 1 else []
        for label, methods in groups:
            for where in ("all networks", f"without {RENUMBERED.upper()}"):
                found = [p for m in methods for p in self._pairs(measure, m, without=where != "all networks")]
                if found:
                    rows.append((label, where, len(found), *_agreement(found)))
        columns = [_METHOD, Column("networks", "networks", left=True), Column("entries", "numbers", 0)]
        for name, heading, _, _ in _OURS:
            columns.append(Column(f"{name}_difference", f"{heading}: difference", measure.digits, signed=True))
            columns.append(Column(f"{name}_absolute", "absolute", measure.digits))
            columns.append(Column(f"{name}_correlation", "correlation", 2))
        title = "SHD minus the paper's: mean difference, mean absolute difference, correlation"
        return Table("-agreement", title, tuple(columns), tuple(rows), rules_by(rows, 1))

    def _pairs(self, measure: Measure, method: str, *, without: bool) -> Iterator[tuple[float, ...]]:
        """Give the paper's number and ours, for every size where the paper has them, or their means."""
        for network in self.supplement.networks:
            if without and network == RENUMBERED:
                continue
            sizes: list[Size] = [*self.supplement.sizes(network)]
            known = [s for s in sizes if self._values(measure, network, s, method)[0] is not None]
            for size in known or ["mean"]:
                values = self._values(measure, network, size, method)
                if values[0] is not None:
                    yield tuple(value.mean for value in values if value is not None)

    def findings(self, measure: Measure) -> tuple[str, ...]:
        """Say how near each kind of sample comes to the paper: for all methods, or for readings of a single one."""
        rows = self.agreement(measure).rows
        return tuple(
            f"SHD of {row[0]}, {row[1]} ({row[2]} numbers), mean absolute difference to the paper and correlation: "
            + "; ".join(
                f"{heading} {row[4 + 3 * i]:.{measure.digits}f}{_and(row[5 + 3 * i])}"
                for i, (_, heading, _, _) in enumerate(_OURS)
            )
            + "."
            for row in rows
            if row[0] == ALL or rows[-1][0] != ALL
        )


def _and(r: Value) -> str:
    return f" and {r:.2f}" if isinstance(r, float) else ""


def _agreement(found: Sequence[tuple[float, ...]]) -> Iterator[Value]:
    theirs, *kinds = zip(*found, strict=True)
    for ours in kinds:
        gaps = [a - b for a, b in zip(ours, theirs, strict=True)]
        yield sum(gaps) / len(gaps)
        yield sum(map(abs, gaps)) / len(gaps)
        yield correlation(ours, theirs)
