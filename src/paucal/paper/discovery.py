"""The tables of methods on networks: 1 to 4, 6, and 8 to 10."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paucal.paper import methods, published
from paucal.paper.comparison import (
    LOCAL_SHD,
    SECONDS,
    SHD,
    TESTS,
    Measure,
    by_method,
    definitions,
    details,
    findings,
    overview,
)
from paucal.paper.comparison_figure import size_figure
from paucal.paper.grid import about, grid
from paucal.paper.notes import notes_for
from paucal.paper.report import Report
from paucal.paper.summary import Entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.paper.design import Cell, Scope, Search
    from paucal.paper.published import PrintedTable
    from paucal.paper.report import Figure

_SIDE_BY_SIDE = 6  # methods that fit beside each other on a page


@dataclass(frozen=True)
class NetworkTable:
    """A table of the paper: methods on samples of networks.

    `hidden` is the share of nodes that are left out of the data, as common causes nobody measured.
    """

    name: str
    alias: str
    printed: PrintedTable
    searches: tuple[Search, ...]
    measures: tuple[Measure, ...]
    reference: str
    local: bool = False
    hidden: float = 0.0
    beyond: str = ""
    needs_data: bool = False

    @property
    def title(self) -> str:
        """The table's number and subject, and what sets ours apart."""
        return f"Table {self.printed.number}: {self.printed.title}{self.beyond}"

    def cells(self, scope: Scope) -> list[Cell]:
        """Every network, size, run and method."""
        return list(grid(scope, self.searches, local=self.local, hidden=self.hidden))

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Lay our numbers beside the paper's; nothing is printed for hidden causes."""
        cells = grid(scope, self.searches, local=self.local, hidden=self.hidden)
        entries = Entries((cell, cell.search.label, results[cell]) for cell in cells)
        labels = [search.label for search in self.searches]
        nothing = dict.fromkeys(self.printed.measures, MappingProxyType[Any, Any]({}))
        printed = replace(self.printed, measures=nothing) if self.hidden else self.printed
        layout = overview if len(labels) <= _SIDE_BY_SIDE else by_method
        tables = [
            layout(printed, entries, m, name=f"{self.name}-{m.name}", methods=labels) for m in self.measures
        ]
        if SHD in self.measures and entries.has("shd_parts"):
            tables.append(definitions(printed, entries, name=f"{self.name}-definitions", methods=labels))
        digits = self.measures[0].digits if self.measures[0].name == "shd" else 1
        tables.append(
            details(
                printed,
                entries,
                name=f"{self.name}-details",
                methods=labels,
                reference=self.reference,
                digits=digits,
            )
        )
        return Report(
            self.name,
            self.title,
            about=about(scope, self.searches),
            findings=findings(printed, entries, self.measures, labels, scope.runs),
            tables=tuple(tables),
            figures=self._figures(printed, entries, labels),
            notes=notes_for(self.name),
        )

    def _figures(self, printed: PrintedTable, entries: Entries, labels: list[str]) -> tuple[Figure, ...]:
        """Draw the measures that the paper prints for each size."""
        return tuple(
            size_figure(f"{self.name}-{m.name}", f"{self.title}: {m.heading}", printed, entries, m, labels)
            for m in self.measures
            if any(size != "mean" for _, size, _ in printed.measures[m.name]) and len(labels) <= _SIDE_BY_SIDE
        )


MAIN = (
    NetworkTable(
        "table1", "local", published.LOCAL, methods.LOCAL, (LOCAL_SHD, TESTS), "cmb-BF_chi2", local=True
    ),
    NetworkTable("table2", "global", published.GLOBAL, methods.GLOBAL, (SHD, TESTS), "rBF_chi2"),
    NetworkTable(
        "table2-variants",
        "readings",
        published.GLOBAL,
        methods.VARIANTS,
        (SHD, TESTS),
        "rBF_chi2",
        beyond=", other readings of the paper",
    ),
    NetworkTable("table3", "latent", published.LATENT, methods.LATENT, (SHD, TESTS), "fci-BF_chi2"),
    NetworkTable(
        "table3-hidden",
        "latent-hidden",
        published.LATENT,
        methods.LATENT,
        (SHD, TESTS),
        "fci-BF_chi2",
        hidden=0.1,
        beyond=", common causes hidden",
    ),
    NetworkTable("table4", "accuracy", published.ACCURACY, methods.TESTS, (SHD,), "rBF_chi2"),
)
TIME = NetworkTable("table6", "time", published.TIME, methods.TIMED, (SECONDS,), "rBF_chi2")
APPENDIX = (
    NetworkTable("table8", "pc", published.PC, methods.PC, (SHD, TESTS), "pcBF_chi2"),
    NetworkTable("table9", "mmhc", published.MMHC, methods.MMHC, (SHD, TESTS), "mBF_chi2"),
    NetworkTable("table10", "efficiency", published.EFFICIENCY, methods.TESTS, (TESTS,), "rBF_chi2"),
)
