"""Table 5, the networks; and the runs by which the authors checked their baselines (appendix F.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paucal.paper import methods, published
from paucal.paper.cells.graphs import network_called
from paucal.paper.grid import about, grid
from paucal.paper.notes import notes_for
from paucal.paper.report import Report
from paucal.paper.summary import Entries
from paucal.paper.tables import Column, Stat, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.paper.cells.blankets import BlanketCell
    from paucal.paper.cells.graphs import GraphCell
    from paucal.paper.design import Cell, Scope
    from paucal.paper.tables import Value


@dataclass(frozen=True)
class NetworkSizes:
    """The networks themselves."""

    name: str = "table5"
    alias: str = "networks"
    title: str = "Table 5: The networks"
    needs_data: bool = False

    def cells(self, scope: Scope) -> list[Cell]:
        """Nothing is computed."""
        del scope
        return []

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Count nodes, edges and states."""
        del results
        columns = [Column("network", "network", left=True)]
        for name, heading in (("variables", "variables"), ("edges", "edges"), ("states", "most states")):
            columns += [Column(name, heading, 0), Column(f"{name}_paper", "paper", 0)]
        columns += [Column("compelled", "compelled edges", 0), Column("parameters", "parameters", 0)]
        rows: list[tuple[Value, ...]] = []
        for network in scope.networks:
            net = network_called(network)
            ours = (len(net.names), net.graph.n_edges, max(map(len, net.levels.values())))
            theirs = published.NETWORK_SIZES.get(network, (None, None, None))
            pairs = [value for pair in zip(ours, theirs, strict=True) for value in pair]
            rows.append((network.upper(), *pairs, net.cpdag().n_directed, net.n_parameters))
        table = Table("table5", self.title, tuple(columns), tuple(rows))
        return Report(self.name, self.title, tables=(table,), notes=notes_for(self.name))


@dataclass(frozen=True)
class Sanity:
    """The runs by which the authors checked their baselines."""

    name: str = "sanity"
    alias: str = "checks"
    title: str = "Appendix F.1: the baselines on larger samples of ALARM"
    needs_data: bool = False

    def _grids(self, scope: Scope) -> list[tuple[published.Check, list[GraphCell | BlanketCell]]]:
        plans = []
        for check, searches, local in (
            (published.CHECK_RAI_BF, methods.CHECK_RAI, False),
            (published.CHECK_CMB, methods.CHECK_CMB, True),
        ):
            own = replace(scope, networks=(check.network,), sizes=(500 if scope.quick else check.size,))
            plans.append((check, grid(own, searches, local=local)))
        return plans

    def cells(self, scope: Scope) -> list[Cell]:
        """Every variant on samples of one network."""
        return [cell for _, cells in self._grids(scope) for cell in cells]

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Lay ours beside the paper's value and the one it cites."""
        columns = (
            Column("method", "method", left=True),
            Column("size", "rows", 0),
            Column("shd", "SHD", 2),
            Column("paper", "paper", 2),
            Column("cited", "cited", 2),
            Column("tests", "tests", 0),
            Column("seconds", "CPU seconds", 3),
        )
        rows: list[tuple[Value, ...]] = []
        for check, cells in self._grids(scope):
            entries = Entries((cell, cell.search.label, results[cell]) for cell in cells)
            for label in dict.fromkeys(cell.search.label for cell in cells):
                size = entries.sizes(check.network)[0]
                shd, tests, seconds = (
                    entries.stat(m, check.network, size, label) for m in ("shd", "tests", "seconds")
                )
                rows.append((label, size, shd, check.shd, check.cited, tests, Stat(seconds.mean)))
        table = Table("sanity", self.title, columns, tuple(rows))
        searches = (*methods.CHECK_RAI, *methods.CHECK_CMB)
        sizes = tuple(cells[0].size for _, cells in self._grids(scope))
        told = about(replace(scope, networks=(published.CHECK_CMB.network,), sizes=sizes), searches)
        return Report(self.name, self.title, about=told, tables=(table,), notes=notes_for(self.name))
