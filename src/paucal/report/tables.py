"""The tables of edges and of blanket members, each with what speaks for it, and of pairs that nearly made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.report.text import EMPTY, SYMBOLS, Cell, Table, drawn, edge, named, names, numbered, parted, worded
from paucal.search.evidence.graphs import NOT_UNLIKELY, Graphs
from paucal.search.evidence.tests import Tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.graphs.graph import Graph
    from paucal.independence.answers import CIResult
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

LOOKED_THROUGH = 400  # columns; the tests of all pairs of more are not looked through
ROLES = {"parents": "parent", "children": "child", "undetermined": "open", "spouses": "spouse"}
_NEAREST_HEADS = ("Nearest test, given", "p-value", "Statistic", "Degrees of freedom", "Rows per cell")
_RULES = {  # the rule behind a direction -> in a few words
    "collider": "two causes that meet",
    "pag-0": "two causes that meet",
    "required": "what you said",
    "knowledge": "what you said",
    "intervention": "rows in which it was set",
    "score": "the best score",
    "consensus": "most sampled graphs",
    "forced": "two causes that must meet",
    "completed": "the other arrows",
}


def members_table(blanket: BlanketResult) -> Table | None:
    """Give the members of a blanket with their roles."""
    rows = []
    for part, role in ROLES.items():
        for member in getattr(blanket, part):
            via = _shared(blanket, member)
            by_way = Cell(names(via) or ("–",), ", ".join(via))
            rows.append(
                [named(member), worded(role), by_way, *_nearest(blanket.result.nearest(blanket.target, member))]
            )
    heads = ["Column", "Role", "By way of", *_NEAREST_HEADS]
    return Table(heads, rows, words=range(4)) if rows else None


def _shared(blanket: BlanketResult, member: str) -> tuple[str, ...]:
    """Give the children by way of which a spouse belongs to the blanket."""
    reasons = blanket.why(member).reasons.values()
    return next((reason.via for reason in reasons if member in blanket.spouses), ())


def edges_table(search: SearchResult, shown: Graph) -> Table | None:
    """Give the table of edges: how sure they are, or the test that came nearest to removing each."""
    sure = search.edge_numbers() or {}
    tested = isinstance(search.evidence, Tests)
    rows = []
    edges = list(enumerate(shown.edges()))
    edges.sort(key=lambda at: [-share for share in sure.get((at[1].a, at[1].b), {}).values()])  # the surest first
    for k, one in edges:
        reason = search.why(one.a, one.b).reasons.get((one.a, one.b))
        button = Cell(edge(one.a, one.symbol, one.b), f"{one.a} {one.b}", link={"data-edge": str(k)})
        shares = [drawn(value) for value in sure.get((one.a, one.b), {}).values()]
        nearest = _nearest(search.nearest(one.a, one.b)) if tested else []
        rows.append([button, *shares, worded("–" if reason is None else rule_words(reason.rule)), *nearest])
    if not rows:
        return None
    heads = ["Edge", *(("Joined", "As drawn") if sure else ())]
    heads += ["Direction from", *(_NEAREST_HEADS if tested else ())]
    words = [i for i, head in enumerate(heads) if head in ("Edge", "Direction from", _NEAREST_HEADS[0])]
    return Table(heads, rows, words=words)


def rule_words(rule: str) -> str:
    """Say in a few words where a direction comes from."""
    if rule.startswith(("meek", "pag")) and rule not in _RULES:
        return "the other arrows"
    return _RULES.get(rule, rule)


def near_misses_table(search: SearchResult, shown: Graph) -> Table | None:
    """List the pairs that are not joined, but not unlikely to be."""
    if not isinstance(search.evidence, Graphs):
        return None
    place = {node: i for i, node in enumerate(shown.nodes)}
    pairs = [
        pair
        for pair in search.evidence.records(NOT_UNLIKELY)
        if pair["a"] in place and pair["b"] in place and not search.graph.has_edge(pair["a"], pair["b"])
    ]
    if not pairs:
        return None
    kinds = [kind for kind in SYMBOLS if any(pair.get(kind, 0) > 0 for pair in pairs)]
    rows = []
    for pair in pairs:
        shares = [parted(pair.get(kind, 0.0)) for kind in kinds]
        rows.append([_pair(place, pair["a"], pair["b"]), drawn(1 - pair["absent"]), *shares])
    return Table(["Pair", "Joined", *(SYMBOLS[kind] for kind in kinds)], rows, words=range(1))


def absences_table(search: SearchResult, shown: Graph) -> Table | None:
    """List the pairs that are not joined although the test that separated them cannot be trusted."""
    place = {node: i for i, node in enumerate(shown.nodes)}
    tests = search.doubtful() if search.graph.n <= LOOKED_THROUGH else ()
    rows = [
        [_pair(place, test.x, test.y), worded("; ".join(test.reasons)), *_nearest(test)]
        for test in tests
        if test.x in place and test.y in place and search.graph.edge(test.x, test.y) is None
    ]
    return Table(["Pair", "Why to doubt", *_NEAREST_HEADS], rows, words=range(3)) if rows else None


def _pair(place: dict[str, int], a: str, b: str) -> Cell:
    return Cell(names((a, b), " and "), f"{a} {b}", link={"data-pair": f"{place[a]},{place[b]}"})


def _nearest(test: CIResult | None) -> Sequence[Cell]:
    if test is None:
        return [worded("not tested"), *[EMPTY] * (len(_NEAREST_HEADS) - 1)]
    cell = numbered(test.samples_per_cell)
    return [
        Cell(names(test.given) or ("nothing",), ", ".join(test.given)),
        *(numbered(value) for value in (test.p_value, test.told_statistic, test.dof)),
        Cell(cell.parts, cell.sort, doubt=None if test.reliable else "; ".join(test.reasons)),
    ]
