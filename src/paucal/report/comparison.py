"""Two results on one page: with another seed, with and without knowledge, from two tables; what differs stands out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import paucal
from paucal import checks
from paucal.atomic import write_text
from paucal.errors import GraphError, ParameterError, not_allowed
from paucal.graphs.drawing.svg import to_svg
from paucal.graphs.graph import Graph
from paucal.metrics import beside
from paucal.report.lanes import groups, lanes, ranks
from paucal.report.meanings import assumptions
from paucal.report.page import DRAWN_AT_MOST, document, short_forms, short_names
from paucal.report.text import EMPTY, SYMBOLS, Cell, Sign, Table, drawn, edge, names, share
from paucal.search.evidence.graphs import Graphs
from paucal.search.local.result import BlanketResult
from paucal.search.result import SearchResult

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from paucal.graphs.building import Kind
    from paucal.graphs.language import Edge
    from paucal.report.text import Said

Compared: TypeAlias = SearchResult | BlanketResult | Graph
_APART = 0.2  # probabilities that differ by more are listed, even where both graphs agree
_MOST_NAMED = 4
_MOST_LISTED = 200
_STATUS = {
    "both": "the same",
    "turned": "not the same direction",
    "first": "only in {first}",
    "second": "only in {second}",
}


@dataclass(frozen=True)
class Side:
    """One of the two: what it is called, its graph over the columns that both have, and how sure its edges are."""

    label: str
    graph: Graph
    result: SearchResult | None

    def about(self, a: str, b: str) -> dict[str, Any]:
        """Give the edge between two columns and its probabilities, read from the first to the second."""
        found = self.graph.edge(a, b)
        symbol = None if found is None else found.symbol
        told: dict[str, Any] = {"edge": symbol, "joined": None, "direction": None}
        if self.result is not None and isinstance(self.result.evidence, Graphs):
            shares = self.result.evidence.of_pair(a, b)
            told["joined"] = round(1 - shares["absent"], 6)
            told["direction"] = None if symbol is None else round(shares.get(symbol, 0.0), 6)
        return told

    def call(self) -> str | None:
        """Give the call that runs it again."""
        return None if self.result is None else repr(self.result.recipe)

    def described(self) -> str:
        """Say what it is."""
        if self.result is None:
            return f"a graph with {self.graph.n_edges} edges"
        rows = "" if self.result.n_samples is None else f", {self.result.n_samples:,} rows"
        return f"{self.result.search}{rows}, {self.graph.n_edges} edges"


def write_comparison(
    first: Compared,
    second: Compared,
    path: str | os.PathLike[str],
    *,
    labels: tuple[str, str] = ("the first", "the second"),
    title: str | None = None,
) -> Path:
    """Write a page on which two results, or graphs, are compared: one drawing of both, and a list of what differs.

    Parameters
    ----------
    first, second
        What `paucal.learn` or `paucal.blanket` returned, or graphs. Columns that only one of them has are left out.
    path
        The HTML file; it is written whole or not at all.
    labels
        What to call the two.
    title
        A heading.

    Examples
    --------
    >>> import tempfile, paucal
    >>> one, other = paucal.Graph.parse("A -> B; C"), paucal.Graph.parse("A -> B -> C")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_comparison(one, other, folder + "/page.html").name
    'page.html'
    """
    write_text(path, comparison(first, second, labels=labels, title=title))
    return Path(path)


def comparison(
    first: Compared,
    second: Compared,
    *,
    labels: tuple[str, str] = ("the first", "the second"),
    title: str | None = None,
) -> str:
    """Give the page of `write_comparison` as text."""
    one, other, alone = _sides(first, second, labels)
    both = _both(one.graph, other.graph)
    status = [_status(one.graph.edge(e.a, e.b), other.graph.edge(e.a, e.b)) for e in both.edges()]
    known = next((side.result.knowledge for side in (one, other) if side.result and side.result.knowledge), None)
    rank = ranks(both)
    found = lanes(both, known, rank)
    pairs = _pairs(one, other, both)
    content = {
        "nodes": list(both.nodes),
        "others": [],
        "edges": [[both.index(e.a), both.index(e.b), e.symbol] for e in both.edges()],
        "pairs": {},
        "complete": False,
        "rank": rank,
        "lanes": found,
        "groups": _changed(both, status) + groups(both, known, found),
        "joined": None,
        **short_forms(both),
        "source": None,
        "meanings": {},
        "test": "",
        "samples": None,
        "target": None,
        "members": [],
        "recipe": None,
        "compare": {"first": one.label, "second": other.label, "status": status, "pairs": pairs},
    }
    counts = {kind: status.count(kind) for kind in _STATUS}
    heading = title if title is not None else f"{one.label} and {other.label}, compared"
    changed = f"{len(status) - counts['both']:,} different"
    figures = [f"{both.n:,} columns", f"{counts['both']:,} edges the same", changed]
    return document(
        "comparison.html",
        heading,
        figures,
        content,
        svg=_drawing(both),
        short=short_names(both),
        findings=_findings(one, other, both, status),
        sides=[(side.label, side.described(), side.call()) for side in (one, other)],
        alone=[(label, names(left)) for label, left in alone if left],
        differences=_differences(one, other, both, status),
        apart=_apart(one, other, both),
        assumptions=assumptions(both),
        version=paucal.__version__,
    )


def _sides(first: Compared, second: Compared, labels: Sequence[str]) -> tuple[Side, Side, list[tuple[str, list[str]]]]:
    """Take the two over the columns that both have; and tell which only one has."""
    labels = [checks.text("labels", label) for label in checks.names("labels", labels)]
    if len(labels) != 2:
        raise not_allowed("labels", labels, "a label for each of the two")
    results = [_result(one) for one in (first, second)]
    graphs = [_graph(one) for one in (first, second)]
    shared = [name for name in graphs[0].nodes if name in graphs[1]]
    if len(shared) < 2:
        found = "one column" if shared else "no column"
        raise GraphError(f"The two have {found} in common.", hint="Compare results about the same columns.")
    alone = [
        (label, [name for name in graph.nodes if name not in shared])
        for label, graph in zip(labels, graphs, strict=True)
    ]
    own = [graph.reorder(shared) if graph.n == len(shared) else graph.subgraph(shared) for graph in graphs]
    turned = (beside(own[0], own[1]), beside(own[1], own[0]))
    one, other = (Side(label, graph, result) for label, graph, result in zip(labels, turned, results, strict=True))
    return one, other, alone


def _graph(one: Compared) -> Graph:
    return one if isinstance(one, Graph) else one.result.graph if isinstance(one, BlanketResult) else one.graph


def _result(one: Compared) -> SearchResult | None:
    if isinstance(one, BlanketResult):
        return one.result
    if isinstance(one, SearchResult):
        return one
    if isinstance(one, Graph):
        return None
    raise ParameterError(
        f"A comparison is about two results or graphs, not about {type(one).__name__}.",
        hint="Give what paucal.learn returned, or a paucal.Graph.",
    )


def _both(one: Graph, other: Graph) -> Graph:
    """Draw all edges of the two; where their marks differ, those of the second."""
    marks = other.marks.copy()
    only = (marks == 0) & (one.marks != 0)
    marks[only] = one.marks[only]
    kind: Kind = "pag" if {one.kind, other.kind} & {"mag", "pag"} else "pdag"
    return Graph(one.nodes, marks, kind, check=False)


def _drawing(both: Graph) -> Any:
    """Draw both for readers without the script; names are escaped by `to_svg`."""
    from markupsafe import Markup

    return Markup(to_svg(both, engine="plain")) if both.n <= DRAWN_AT_MOST else None  # noqa: S704


def _status(one: Edge | None, other: Edge | None) -> str:
    if one is None:
        return "second"
    if other is None:
        return "first"
    return "both" if one == other else "turned"


def _pairs(one: Side, other: Side, both: Graph) -> dict[str, list[dict[str, Any]]]:
    """Give what the two say about each pair that either of them joins, or finds likely, by the numbers of its ends."""
    told = {}
    for i, a in enumerate(both.nodes):
        for j in range(i + 1, both.n):
            sides = [side.about(a, both.nodes[j]) for side in (one, other)]
            if any(side["edge"] is not None or (side["joined"] or 0) >= 0.05 for side in sides):
                told[f"{i},{j}"] = sides
    return told


def _changed(both: Graph, status: Sequence[str]) -> list[list[Any]]:
    """Give the columns at which something differs, as a group."""
    edges = [e for e, kind in zip(both.edges(), status, strict=True) if kind != "both"]
    touched = sorted({both.index(name) for e in edges for name in (e.a, e.b)})
    return [["what differs", touched]] if 1 < len(touched) < both.n else []


def _findings(one: Side, other: Side, both: Graph, status: Sequence[str]) -> list[Said]:
    """Say in words what is the same and what is not."""
    edges = dict(zip(both.edges(), status, strict=True))
    if not edges:
        return [("Neither of the two joins any columns.",)]
    same = sum(kind == "both" for kind in edges.values())
    if same == len(edges):
        every = "The only edge is" if same == 1 else f"All {same} edges are"
        return [(f"{every} the same in both, direction included.",)]
    told: list[Said] = [(f"{same} of {len(edges)} edges are the same in both, direction included.",)]
    for kind, label in (("first", one.label), ("second", other.label)):
        only = [e for e, its in edges.items() if its == kind]
        if only:
            told.append((f"{_edges(len(only))} only in {label}: ", *_listed(only), "."))
    turned = [e for e, its in edges.items() if its == "turned"]
    if turned:
        told.append(
            (f"{_edges(len(turned))} in both, but not with the same direction: ", *_listed(turned, pairs=True), ".")
        )
    return told


def _edges(n: int) -> str:
    return "1 edge is" if n == 1 else f"{n} edges are"


def _listed(edges: Sequence[Edge], *, pairs: bool = False) -> tuple[str, ...]:
    parts: list[str] = []
    for k, e in enumerate(edges[:_MOST_NAMED]):
        parts += [*([", "] if k else []), *(names((e.a, e.b), " and ") if pairs else edge(e.a, e.symbol, e.b))]
    return (*parts, f" and {len(edges) - _MOST_NAMED} more") if len(edges) > _MOST_NAMED else tuple(parts)


def _differences(one: Side, other: Side, both: Graph, status: Sequence[str]) -> Table | None:
    rows = []
    for k, (e, kind) in enumerate(zip(both.edges(), status, strict=True)):
        if kind == "both":
            continue
        words = _STATUS[kind].format(first=one.label, second=other.label)
        sides = [side.about(e.a, e.b) for side in (one, other)]
        cells = [Cell(names((e.a, e.b), " and "), f"{e.a} {e.b}", link={"data-edge": str(k)}), Cell((words,), words)]
        cells += [Cell((_sign(told["edge"]),), told["edge"] or "") for told in sides]
        cells += [EMPTY if told["joined"] is None else drawn(told["joined"]) for told in sides]
        rows.append(cells)
    heads = ["Pair", "Difference", *(f"{word} {side.label}" for word in ("In", "Joined in") for side in (one, other))]
    return Table(heads, rows, words=range(4)) if rows else None


def _sign(symbol: str | None) -> str:
    return "no edge" if symbol is None else Sign(SYMBOLS[symbol])


def _apart(one: Side, other: Side, both: Graph) -> Table | None:
    """List the pairs that both treat alike, but with probabilities far apart."""
    found = []
    for i, a in enumerate(both.nodes):
        for b in both.nodes[i + 1 :]:
            sides = [side.about(a, b) for side in (one, other)]
            if any(side["joined"] is None for side in sides):
                return None
            same = (sides[0]["edge"] is None) == (sides[1]["edge"] is None)
            if same and abs(sides[0]["joined"] - sides[1]["joined"]) > _APART:
                found.append((a, b, sides))
    found.sort(key=lambda pair: -abs(pair[2][0]["joined"] - pair[2][1]["joined"]))
    place = {name: i for i, name in enumerate(both.nodes)}
    rows = [
        [
            Cell(names((a, b), " and "), f"{a} {b}", link={"data-pair": f"{place[a]},{place[b]}"}),
            *(drawn(side["joined"]) for side in sides),
            Cell((share(abs(sides[0]["joined"] - sides[1]["joined"])),), abs(sides[0]["joined"] - sides[1]["joined"])),
        ]
        for a, b, sides in found[:_MOST_LISTED]
    ]
    heads = ["Pair", f"Joined in {one.label}", f"Joined in {other.label}", "Apart"]
    return Table(heads, rows, words=range(1)) if rows else None
