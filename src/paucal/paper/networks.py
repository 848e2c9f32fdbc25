"""The tables of methods on networks: 1 to 10, and the runs by which the authors checked their baselines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paucal.paper import methods, published
from paucal.paper.cells.blankets import BlanketCell
from paucal.paper.cells.graphs import GraphCell, NetworkCell, network_called
from paucal.paper.cells.supplement import ROWS, drawn_from, find_archive
from paucal.paper.comparison import MEASURES, SHD, Comparison, Measure
from paucal.paper.figures import size_panels
from paucal.paper.methods import called
from paucal.paper.report import Experiment, Figure, Report, Results
from paucal.paper.summary import Entries
from paucal.paper.tables import Column, Stat, Table, beside
from paucal.paper.tuned import tuned_searches, tuned_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paucal.paper.design import Scope, Search
    from paucal.paper.published import Check, PrintedTable
    from paucal.paper.tables import Value


def grid(
    scope: Scope, searches: Iterable[Search], *, local: bool = False, hidden: float = 0.0, supplement: bool = False
) -> list[NetworkCell]:
    """List the cells of all networks, sizes, methods and runs.

    `local` ones look around every variable; `hidden` is the share of nodes that are left out of the data, as common
    causes nobody measured; `supplement` takes its samples instead of drawing them.
    """
    cells: list[NetworkCell] = []
    for network in scope.networks:
        archive = find_archive(network, scope.data) if supplement else None
        latent = max(1, round(hidden * len(network_called(network).names))) if hidden else 0
        for size in scope.sizes_of(network):
            if archive is not None:
                drawn_from(size)  # a size that the supplement has not is told before anything is written
            for search in searches:
                for run in range(scope.runs):
                    where = (network, size, run, search, scope.seed, scope.shuffle, archive)
                    cells.append(BlanketCell(*where) if local else GraphCell(*where, latent))
    return cells


def about(scope: Scope, searches: Sequence[Search]) -> tuple[str, ...]:
    """Say what was run."""
    sizes = "; ".join(f"{network.upper()} {', '.join(map(str, scope.sizes_of(network)))}" for network in scope.networks)
    order = "in random order" if scope.shuffle else "in the order of the files"
    return (
        f"Rows: {sizes}. Runs: {scope.runs}. Columns {order}. Seed {scope.seed}.",
        "Methods: " + "; ".join(f"{search.label}: {search.describe()}" for search in searches) + ".",
    )


def _entries(cells: Iterable[NetworkCell], results: Results) -> Entries:
    return Entries((cell, cell.search.label, results[cell]) for cell in cells)


@dataclass(frozen=True)
class NetworkTable:
    """A table of the paper, and what is run for it; the reference is what methods are paired with."""

    printed: PrintedTable
    searches: tuple[Search, ...]
    measures: tuple[Measure, ...]
    reference: str
    local: bool = False
    hidden: float = 0.0

    @classmethod
    def experiment(
        cls,
        name: str,
        *,
        alias: str,
        printed: str,
        methods: list[str],
        measures: list[str],
        reference: str,
        beyond: str = "",
        **grid: Any,
    ) -> Experiment:
        """Make the experiment of what `methods.toml` says; its title continues that of the printed table."""
        theirs = published.TABLES[printed]
        what = cls(theirs, called(*methods), tuple(MEASURES[m] for m in measures), reference, **grid)
        title = f"Table {theirs.number}: {theirs.title}{beyond}"
        return Experiment(name, alias, title, what.tell, what.cells, on_networks=True)

    def cells(self, scope: Scope) -> list[NetworkCell]:
        """Every network, size, run and method."""
        return grid(scope, self.searches, local=self.local, hidden=self.hidden)

    def tell(self, scope: Scope, results: Results) -> Report:
        """Lay our numbers beside the paper's; nothing is printed for hidden causes."""
        entries = _entries(self.cells(scope), results)
        nothing = dict.fromkeys(self.printed.measures, MappingProxyType[Any, Any]({}))
        printed = replace(self.printed, measures=nothing) if self.hidden else self.printed
        both = Comparison(printed, entries, [search.label for search in self.searches])
        tables = [both.overview(measure) for measure in self.measures]
        if SHD in self.measures and entries.has("shd_parts"):
            tables.append(both.definitions())
        first = self.measures[0]
        tables.append(both.details(self.reference, first.digits if first.name == "shd" else 1))
        return Report(
            about=about(scope, self.searches),
            findings=both.findings(self.measures, scope.runs),
            tables=tuple(tables),
            figures=tuple(
                Figure(f"-{m.name}", f": {m.heading}", *size_panels(both, m))
                for m in self.measures
                if both.has_sizes(m) and both.few
            ),
        )


def _sizes(scope: Scope, results: Results) -> Report:
    """Count nodes, edges and states."""
    del results
    columns = (
        Column("network", "network", left=True),
        *beside("variables", "variables", 0),
        *beside("edges", "edges", 0),
        *beside("states", "most states", 0),
        Column("compelled", "compelled edges", 0),
        Column("parameters", "parameters", 0),
    )
    rows: list[tuple[Value, ...]] = []
    for network in scope.networks:
        net = network_called(network)
        ours = (len(net.names), net.graph.n_edges, max(map(len, net.levels.values())))
        theirs = published.NETWORK_SIZES.get(network, (None, None, None))
        pairs = chain.from_iterable(zip(ours, theirs, strict=True))
        rows.append((network.upper(), *pairs, net.cpdag().n_directed, net.n_parameters))
    return Report(tables=(Table("", "", columns, tuple(rows)),))


def _tuned(scope: Scope, results: Results) -> Report:
    searches = tuned_searches(scope)
    tables = tuned_tables(_entries(grid(scope, searches), results), [s.label for s in searches[2:]])
    return Report(about=about(scope, searches[:3]), tables=tables)


def _checks(scope: Scope) -> list[tuple[Check, list[NetworkCell]]]:
    plans = []
    for check, searches, local in (
        (published.CHECK_RAI_BF, methods.CHECK_RAI, False),
        (published.CHECK_CMB, methods.CHECK_CMB, True),
    ):
        own = replace(scope, networks=(check.network,), sizes=(500 if scope.quick else check.size,))
        plans.append((check, grid(own, searches, local=local)))
    return plans


def _sanity(scope: Scope, results: Results) -> Report:
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
    for check, cells in _checks(scope):
        entries, size = _entries(cells, results), cells[0].size
        for label in dict.fromkeys(cell.search.label for cell in cells):
            shd, tests, seconds = (entries.stat(m, check.network, size, label) for m in ("shd", "tests", "seconds"))
            rows.append((label, size, shd, check.shd, check.cited, tests, Stat(seconds.mean)))
    table = Table("", "", columns, tuple(rows))
    sizes = tuple(cells[0].size for _, cells in _checks(scope))
    told = replace(scope, networks=(published.CHECK_CMB.network,), sizes=sizes)
    searches = (*methods.CHECK_RAI, *methods.CHECK_CMB)
    return Report(about=about(told, searches), tables=(table,))


_OWN_SHAPE: Mapping[str, tuple[Any, ...]] = {
    "table5": (_sizes,),
    "table7": (_tuned, lambda scope: grid(scope, tuned_searches(scope))),
    "sanity": (_sanity, lambda scope: [cell for _, cells in _checks(scope) for cell in cells]),
}
TABLES = tuple(
    Experiment(name, content["alias"], content["title"], *_OWN_SHAPE[name], on_networks=True)
    if name in _OWN_SHAPE
    else NetworkTable.experiment(name, **content)
    for name, content in methods.TABLES.items()
)
