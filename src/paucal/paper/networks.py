"""The tables of methods on networks: 1 to 10, and the runs by which the authors checked their baselines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paucal.independence.registry import make_test
from paucal.paper import methods, published
from paucal.paper.cells.blankets import BlanketCell
from paucal.paper.cells.graphs import GraphCell, network_called
from paucal.paper.cells.supplement import ROWS, drawn_from, find_archive
from paucal.paper.comparison import MEASURES, SHD, Comparison, Measure
from paucal.paper.figures import size_panels
from paucal.paper.methods import called
from paucal.paper.report import Experiment, Figure, Report, Results
from paucal.paper.samples import OnSupplement
from paucal.paper.summary import Entries
from paucal.paper.tables import Column, Stat, Table, beside
from paucal.paper.tuned import tuned_searches, tuned_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paucal.graphs import Graph
    from paucal.paper.design import Scope, Search
    from paucal.paper.published import Check, PrintedTable
    from paucal.paper.tables import Value


def grid(
    scope: Scope, searches: Iterable[Search], *, local: bool = False, hidden: float = 0.0, supplement: bool = False
) -> list[GraphCell | BlanketCell]:
    """List the cells of all networks, sizes, methods and runs.

    `local` ones look around every variable; `hidden` is the share of nodes that are left out of the data, as common
    causes nobody measured; `supplement` takes its samples instead of drawing them.
    """
    cells: list[GraphCell | BlanketCell] = []
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
    told = [f"Rows: {sizes}. Runs: {scope.runs}. Columns {order}. Seed {scope.seed}."]
    if scope.supplement:
        told.append(
            "Samples of the supplement to Tsamardinos, Brown and Aliferis (2006): up to 500 rows the first rows of its "
            "files with 500, up to 1,000 those of its files with 1,000, run by run. Drawn samples are paucal's own, "
            "from the networks of its catalogue."
        )
    return (
        *told,
        "Methods: " + "; ".join(f"{search.label}: {search.describe()}" for search in searches) + ".",
    )


def _entries(cells: Iterable[GraphCell | BlanketCell], results: Results) -> Entries:
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

    def cells(self, scope: Scope) -> Sequence[GraphCell | BlanketCell]:
        """Every network, size, run and method; beside the supplement's samples, drawn ones too."""
        return [*self._grid(scope), *(self._grid(scope, supplement=True) if scope.supplement else ())]

    def _grid(self, scope: Scope, *, supplement: bool = False) -> list[GraphCell | BlanketCell]:
        return grid(scope, self.searches, local=self.local, hidden=self.hidden, supplement=supplement)

    def tell(self, scope: Scope, results: Results) -> Report:
        """Lay our numbers beside the paper's; nothing is printed for hidden causes."""
        entries = _entries(self._grid(scope), results)
        nothing = dict.fromkeys(self.printed.measures, MappingProxyType[Any, Any]({}))
        printed = replace(self.printed, measures=nothing) if self.hidden else self.printed
        labels = [search.label for search in self.searches]
        if scope.supplement:
            theirs = _entries(self._grid(scope, supplement=True), results)
            return self._tell_both(scope, OnSupplement(printed, theirs, entries, labels))
        both = Comparison(printed, entries, labels)
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

    def _tell_both(self, scope: Scope, both: OnSupplement) -> Report:
        """Lay numbers on the supplement's and on drawn samples beside the paper's."""
        compared = [measure for measure in self.measures if measure.name == "shd" and both.comparable(measure)]
        return Report(
            about=about(scope, self.searches),
            findings=tuple(line for measure in compared for line in both.findings(measure)),
            tables=(
                *(both.overview(measure) for measure in self.measures),
                *(both.agreement(measure) for measure in compared),
                both.details(self.measures),
            ),
        )


def _sizes(scope: Scope, results: Results) -> Report:
    """Count nodes, edges and states."""
    if scope.supplement:
        return _sizes_of_supplement(scope)
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


def _sizes_of_supplement(scope: Scope) -> Report:
    """Count nodes and edges of the supplement's graphs, and edges whose ends depend on each other in its samples."""
    columns = (
        Column("network", "network", left=True),
        *beside("variables", "variables", 0),
        *beside("edges", "edges", 0),
        Column("dependent_as_it_lies", "edges with dependent ends, as published", 0),
        Column("dependent_right", "right order", 0),
        Column("dependent_pairs", "dependent pairs in 100", 0),
    )
    rows: list[tuple[Value, ...]] = []
    for network in scope.networks:
        archive = find_archive(network, scope.data)
        data = archive.sample(max(ROWS), run=0)
        test = make_test(data, "g", alpha=published.ALPHA)
        truths = archive.graph_as_it_lies(), archive.graph()
        depend = [sum(not test(a, b).independent for a, b in _arcs(graph)) for graph in truths]
        pairs = list(combinations(data.names, 2))
        share = 100 * sum(not test(a, b).independent for a, b in pairs) / len(pairs)
        theirs = published.NETWORK_SIZES.get(network, (None, None))
        sizes = chain.from_iterable(zip((len(data.names), truths[1].n_edges), theirs, strict=False))
        rows.append((network.upper(), *sizes, *depend, share))
    dependent = f"Dependent: by the G test at {published.ALPHA:.0%}, on the first sample of {max(ROWS):,} rows."
    about = (f"{dependent} As published, node i of the graph file is column i of the samples.",)
    return Report(about=about, tables=(Table("", "", columns, tuple(rows)),))


def _arcs(graph: Graph) -> list[tuple[str, str]]:
    return [(node, child) for node in graph.nodes for child in graph.children(node)]


def _tuned(scope: Scope, results: Results) -> Report:
    searches = tuned_searches(scope)
    tried = [s.label for s in searches[2:]]
    tables = tuned_tables(_entries(grid(scope, searches), results), tried)
    if scope.supplement:
        theirs = _entries(grid(scope, searches, supplement=True), results)
        drawn = [replace(t, name=f"{t.name}-drawn", title=f"{t.title}, drawn samples") for t in tables]
        as_it_lies = tuned_tables(theirs, tried, "shd_as_it_lies")
        tables = (
            *(replace(t, name=f"{t.name}-as-it-lies", title=f"{t.title}, supplement as published") for t in as_it_lies),
            *(replace(t, title=f"{t.title}, supplement in the right order") for t in tuned_tables(theirs, tried)),
            *drawn,
        )
    return Report(about=about(scope, searches[:3]), tables=tables)


def _tuned_cells(scope: Scope) -> Sequence[GraphCell | BlanketCell]:
    searches = tuned_searches(scope)
    return [*grid(scope, searches), *(grid(scope, searches, supplement=True) if scope.supplement else ())]


def _checks(scope: Scope) -> list[tuple[Check, list[GraphCell | BlanketCell]]]:
    plans = []
    for check, searches, local in (
        (published.CHECK_RAI_BF, methods.CHECK_RAI, False),
        (published.CHECK_CMB, methods.CHECK_CMB, True),
    ):
        size = 500 if scope.quick else min(check.size, max(ROWS)) if scope.supplement else check.size
        own = replace(scope, networks=(check.network,), sizes=(size,))
        plans.append((check, grid(own, searches, local=local, supplement=scope.supplement)))
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


_OWN_SHAPE: Mapping[str, tuple[Any, Any]] = {
    "table5": (_sizes, lambda _: ()),
    "table7": (_tuned, _tuned_cells),
    "sanity": (_sanity, lambda scope: [cell for _, cells in _checks(scope) for cell in cells]),
}
TABLES = tuple(
    Experiment(name, content["alias"], content["title"], *_OWN_SHAPE[name], on_networks=True)
    if name in _OWN_SHAPE
    else NetworkTable.experiment(name, **content)
    for name, content in methods.TABLES.items()
)
