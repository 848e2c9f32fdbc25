"""The experiments with networks: tables 1 to 10, and the checks of appendix F.1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal.experiments import methods, paper
from paucal.experiments.cells.blankets import BlanketCell
from paucal.experiments.cells.graphs import GraphCell, network_called
from paucal.experiments.comparison import LOCAL_SHD, SECONDS, SHD, TESTS, Measure, details, findings, overview
from paucal.experiments.comparison_figure import size_figure
from paucal.experiments.notes import notes_for
from paucal.experiments.report import Report
from paucal.experiments.summary import Entries
from paucal.experiments.tables import Column, Stat, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paucal.experiments.design import Cell, Scope, Search
    from paucal.experiments.paper import PrintedTable
    from paucal.experiments.report import Figure
    from paucal.experiments.tables import Value

Results: TypeAlias = "Mapping[Cell, Mapping[str, Any]]"


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
    needs_data: bool = False

    @property
    def title(self) -> str:
        """The table's number and subject."""
        beyond = ", common causes hidden" if self.hidden else ""
        return f"Table {self.printed.number}: {self.printed.title}{beyond}"

    def cells(self, scope: Scope) -> list[Cell]:
        """Every network, size, run and method."""
        return list(_grid(scope, self.searches, local=self.local, hidden=self.hidden))

    def report(self, scope: Scope, results: Results) -> Report:
        """Lay our numbers beside the paper's; nothing is printed for hidden causes."""
        grid = _grid(scope, self.searches, local=self.local, hidden=self.hidden)
        entries = Entries((cell, cell.search.label, results[cell]) for cell in grid)
        labels = [search.label for search in self.searches]
        nothing = dict.fromkeys(self.printed.measures, MappingProxyType[Any, Any]({}))
        printed = replace(self.printed, measures=nothing) if self.hidden else self.printed
        tables = [
            overview(printed, entries, m, name=f"{self.name}-{m.name}", methods=labels) for m in self.measures
        ]
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
            if any(size != "mean" for _, size, _ in printed.measures[m.name])
        )


def about(scope: Scope, searches: Sequence[Search]) -> tuple[str, ...]:
    """Say what was run."""
    sizes = "; ".join(
        f"{network.upper()} {', '.join(map(str, scope.sizes_of(network)))}" for network in scope.networks
    )
    order = "in random order" if scope.shuffle else "in the order of the files"
    return (
        f"Rows: {sizes}. Runs: {scope.runs}. Columns {order}. Seed {scope.seed}.",
        "Methods: " + "; ".join(f"{search.label}: {search.describe()}" for search in searches) + ".",
    )


def _grid(
    scope: Scope, searches: Iterable[Search], *, local: bool = False, hidden: float = 0.0
) -> list[GraphCell | BlanketCell]:
    cells: list[GraphCell | BlanketCell] = []
    for network in scope.networks:
        nodes = len(network_called(network).names)
        latent = max(1, round(hidden * nodes)) if hidden else 0
        for size in scope.sizes_of(network):
            for search in searches:
                for run in range(scope.runs):
                    if local:
                        cells.append(BlanketCell(network, size, run, search, scope.seed, scope.shuffle))
                    else:
                        cells.append(GraphCell(network, size, run, search, scope.seed, scope.shuffle, latent))
    return cells


# --------------------------------------------------------------------------------------------- tuned thresholds


@dataclass(frozen=True)
class TunedTable:
    """RAI-BF with the threshold that fits best, beside the two tests that need none."""

    name: str = "table7"
    alias: str = "tuned"
    needs_data: bool = False

    @property
    def title(self) -> str:
        """The table's number and subject."""
        return f"Table {paper.TUNED.number}: {paper.TUNED.title}"

    def _searches(self, scope: Scope) -> tuple[Search, ...]:
        thresholds = methods.THRESHOLDS[::4] if scope.quick else methods.THRESHOLDS
        return (methods.R_IEB, methods.R_BF_CHI2, *(methods.with_threshold(t) for t in thresholds))

    def cells(self, scope: Scope) -> list[Cell]:
        """Every threshold on every sample."""
        return list(_grid(scope, self._searches(scope)))

    def report(self, scope: Scope, results: Results) -> Report:
        """Choose the best threshold of each network, on all runs and on half of them."""
        searches = self._searches(scope)
        entries = Entries((cell, cell.search.label, results[cell]) for cell in _grid(scope, searches))
        tried = [search.label for search in searches[2:]]
        columns = (
            Column("network", "network", left=True),
            *(
                column
                for method in ("rI^eB", "rBF_chi2", "RAI-BF")
                for column in (Column(method, f"{method} SHD"), Column(f"{method}_paper", "paper"))
            ),
            Column("threshold", "best threshold"),
            Column("cross_fitted", "cross-fitted SHD"),
            Column("default", "SHD at 1"),
            Column("tests", "tests", 0),
            Column("tests_paper", "paper", 0),
        )
        rows: list[tuple[Value, ...]] = []
        for network in entries.networks:
            means = {label: entries.over_sizes("shd", network, label).mean for label in tried}
            best = min(means, key=means.__getitem__)
            row: list[Value] = [network.upper()]
            for method, label in (("rI^eB", "rI^eB"), ("rBF_chi2", "rBF_chi2"), ("RAI-BF", best)):
                theirs = paper.TUNED.value("shd", network, "mean", method)
                row += [
                    Stat(entries.over_sizes("shd", network, label).mean),
                    None if theirs is None else Stat(theirs.mean),
                ]
            tests = paper.TUNED.value("tests", network, "mean", "RAI-BF")
            row += [
                best.rpartition(" ")[2],
                Stat(_cross_fitted(entries, network, tried)),
                Stat(means.get("RAI-BF at 1", float("nan"))),
                Stat(entries.over_sizes("tests", network, best).mean),
                None if tests is None else Stat(tests.mean),
            ]
            rows.append(tuple(row))
        best_table = Table("table7-shd", "SHD and tests at the best threshold", columns, tuple(rows))
        by_threshold = self._by_threshold(entries, tried)
        return Report(
            self.name,
            self.title,
            about=about(scope, searches[:3]),
            tables=(best_table, by_threshold),
            notes=notes_for(self.name),
        )

    def _by_threshold(self, entries: Entries, tried: Sequence[str]) -> Table:
        columns = (
            Column("network", "network", left=True),
            *(Column(f"shd_{t.rpartition(' ')[2]}", t.rpartition(" ")[2], spread="se") for t in tried),
        )
        rows: list[tuple[Value, ...]] = [
            (network.upper(), *(entries.over_sizes("shd", network, label) for label in tried))
            for network in entries.networks
        ]
        title = "RAI-BF: mean SHD ± standard error by threshold"
        return Table("table7-thresholds", title, columns, tuple(rows))


def _cross_fitted(entries: Entries, network: str, labels: Sequence[str]) -> float:
    """Give the mean SHD of thresholds that were chosen on the other half of the runs; NaN for a single run."""
    runs = np.stack(
        [
            np.mean([entries.values("shd", network, size, label) for size in entries.sizes(network)], axis=0)
            for label in labels
        ]
    )
    n = runs.shape[1]
    if n < 2:
        return float("nan")
    halves = (np.arange(n) % 2 == 0, np.arange(n) % 2 == 1)
    scores = [runs[runs[:, ~half].mean(axis=1).argmin()][half] for half in halves]
    return float(np.concatenate(scores).mean())


# -------------------------------------------------------------------------------------------------- small tables


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

    def report(self, scope: Scope, results: Results) -> Report:
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
            theirs = paper.NETWORK_SIZES.get(network, (None, None, None))
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

    def _grids(self, scope: Scope) -> list[tuple[paper.Check, list[GraphCell | BlanketCell]]]:
        plans = []
        for check, searches, local in (
            (paper.CHECK_RAI_BF, methods.CHECK_RAI, False),
            (paper.CHECK_CMB, methods.CHECK_CMB, True),
        ):
            own = replace(scope, networks=(check.network,), sizes=(500 if scope.quick else check.size,))
            plans.append((check, _grid(own, searches, local=local)))
        return plans

    def cells(self, scope: Scope) -> list[Cell]:
        """Every variant on samples of one network."""
        return [cell for _, grid in self._grids(scope) for cell in grid]

    def report(self, scope: Scope, results: Results) -> Report:
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
        for check, grid in self._grids(scope):
            entries = Entries((cell, cell.search.label, results[cell]) for cell in grid)
            for label in dict.fromkeys(cell.search.label for cell in grid):
                size = entries.sizes(check.network)[0]
                shd, tests, seconds = (
                    entries.stat(m, check.network, size, label) for m in ("shd", "tests", "seconds")
                )
                rows.append((label, size, shd, check.shd, check.cited, tests, Stat(seconds.mean)))
        table = Table("sanity", self.title, columns, tuple(rows))
        searches = (*methods.CHECK_RAI, *methods.CHECK_CMB)
        sizes = tuple(grid[0].size for _, grid in self._grids(scope))
        told = about(replace(scope, networks=(paper.CHECK_CMB.network,), sizes=sizes), searches)
        return Report(self.name, self.title, about=told, tables=(table,), notes=notes_for(self.name))


TABLES = (
    NetworkTable(
        "table1", "local", paper.LOCAL, methods.LOCAL, (LOCAL_SHD, TESTS), "cmb-BF_chi2", local=True
    ),
    NetworkTable("table2", "global", paper.GLOBAL, methods.GLOBAL, (SHD, TESTS), "rBF_chi2"),
    NetworkTable("table3", "latent", paper.LATENT, methods.LATENT, (SHD, TESTS), "fci-BF_chi2"),
    NetworkTable(
        "table3-hidden",
        "latent-hidden",
        paper.LATENT,
        methods.LATENT,
        (SHD, TESTS),
        "fci-BF_chi2",
        hidden=0.1,
    ),
    NetworkTable("table4", "accuracy", paper.ACCURACY, methods.TESTS, (SHD,), "rBF_chi2"),
    NetworkSizes(),
    NetworkTable("table6", "time", paper.TIME, methods.TIMED, (SECONDS,), "rBF_chi2"),
    TunedTable(),
    NetworkTable("table8", "pc", paper.PC, methods.PC, (SHD, TESTS), "pcBF_chi2"),
    NetworkTable("table9", "mmhc", paper.MMHC, methods.MMHC, (SHD, TESTS), "mBF_chi2"),
    NetworkTable("table10", "efficiency", paper.EFFICIENCY, methods.TESTS, (TESTS,), "rBF_chi2"),
    Sanity(),
)
