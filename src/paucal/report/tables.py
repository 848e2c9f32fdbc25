"""The tables of edges and of blanket members, each with what speaks for it, and of pairs that nearly made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.report.text import SYMBOLS, bar, name, number, parted, text
from paucal.search.evidence.graphs import NOT_UNLIKELY, Graphs
from paucal.search.evidence.tests import Tests

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paucal.graphs.graph import Graph
    from paucal.independence.answers import CIResult
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

LOOKED_THROUGH = 400  # columns; the tests of all pairs of more are not looked through
ROLES = {"parents": "parent", "children": "child", "undetermined": "open", "spouses": "spouse"}


def members_section(blanket: BlanketResult) -> str:
    """Give the members of a blanket with their roles."""
    told = [
        (member, role, blanket.result.nearest(blanket.target, member), _shared(blanket, member))
        for part, role in ROLES.items()
        for member in getattr(blanket, part)
    ]
    rows = [
        [(name(member), member), (role, role), (_names(via) or "–", ", ".join(via)), *_nearest(test)]
        for member, role, test, via in told
    ]
    heads = ["Column", "Role", "By way of", *_NEAREST_HEADS]
    listed = table(heads, rows, words=range(4)) if rows else "<p>The blanket is empty.</p>"
    return f"<section><h2>The blanket of {name(blanket.target)}</h2>{listed}</section>"


def _shared(blanket: BlanketResult, member: str) -> tuple[str, ...]:
    """Give the children by way of which a spouse belongs to the blanket."""
    reasons = blanket.why(member).reasons.values()
    return next((reason.via for reason in reasons if member in blanket.spouses), ())


def edges_section(search: SearchResult, shown: Graph) -> str:
    """Give the table of edges: how sure they are, or the test that came nearest to removing each."""
    sure = search.edge_numbers() or {}
    tested = isinstance(search.evidence, Tests)
    rows = []
    for k, edge in enumerate(shown.edges()):
        reason = search.why(edge.a, edge.b).reasons.get((edge.a, edge.b))
        rule = "–" if reason is None else reason.rule
        written = f'{name(edge.a)} <span class="mark">{SYMBOLS[edge.symbol]}</span> {name(edge.b)}'
        button = f'<button type="button" class="link" data-edge="{k}">{written}</button>'
        shares = [(bar(value), value) for value in sure.get((edge.a, edge.b), {}).values()]
        nearest = _nearest(search.nearest(edge.a, edge.b)) if tested else []
        by = (text(rule), rule)
        rows.append([(button, f"{edge.a} {edge.b}"), *shares, by, *nearest])
    if not rows:
        return '<section id="edges"><h2>Edges</h2><p>There are none: nothing is connected.</p></section>'
    heads = ["Edge", *(_SURE_HEADS if sure else ()), "Direction by", *(_NEAREST_HEADS if tested else ())]
    note = _NEAREST_NOTE if tested else _SURE_NOTE if sure else ""
    words = [i for i, head in enumerate(heads) if head in ("Edge", "Direction by", _NEAREST_HEADS[0])]
    return f'<section id="edges"><h2>Edges</h2>{note}{table(heads, rows, words=words)}</section>'


_SURE_HEADS = ("Joined", "This way")
_SURE_NOTE = (
    '<p class="note">How likely it is that the two are joined at all, and that they are so by this very edge.</p>'
)
_NEAREST_NOTE = (
    '<p class="note">Each with the test that came nearest to removing it: a large p-value, or too few samples, '
    "makes an edge doubtful.</p>"
)


def near_misses(search: SearchResult, shown: Graph) -> str:
    """List the pairs that are not joined, but not unlikely to be."""
    if not isinstance(search.evidence, Graphs):
        return ""
    place = {node: i for i, node in enumerate(shown.nodes)}
    pairs = [
        pair
        for pair in search.evidence.records(NOT_UNLIKELY)
        if pair["a"] in place and pair["b"] in place and not search.graph.has_edge(pair["a"], pair["b"])
    ]
    if not pairs:
        return ""
    kinds = [kind for kind in SYMBOLS if any(pair.get(kind, 0) > 0 for pair in pairs)]
    rows = []
    for pair in pairs:
        shares = [parted(pair.get(kind, 0.0)) for kind in kinds]
        joined = 1 - pair["absent"]
        rows.append([_pair(place, pair["a"], pair["b"]), (bar(joined), joined), *shares])
    heads = ["Pair", "Joined", *(SYMBOLS[kind] for kind in kinds)]
    return (
        '<section id="near"><h2>Not in the graph, but not unlikely</h2><p class="note">Pairs that '
        "are joined with 30 % or more, and by which edge, read from the first to the second.</p>"
        f"{table(heads, rows, words=range(1))}</section>"
    )


def absences(search: SearchResult, shown: Graph) -> str:
    """List the pairs that are not joined although the test that separated them cannot be trusted."""
    place = {node: i for i, node in enumerate(shown.nodes)}
    tests = search.doubtful() if search.graph.n <= LOOKED_THROUGH else ()
    rows = []
    for test in tests:
        if test.x in place and test.y in place and search.graph.edge(test.x, test.y) is None:
            why = "; ".join(test.reasons)
            rows.append([_pair(place, test.x, test.y), (text(why), why), *_nearest(test)])
    if not rows:
        return ""
    return (
        '<section id="absences"><h2>Absences to doubt</h2><p class="note">These pairs are not joined, but the test '
        "that separated them says little: there may be an edge all the same.</p>"
        f"{table(['Pair', 'Why to doubt', *_NEAREST_HEADS], rows, words=range(3))}</section>"
    )


def _pair(place: dict[str, int], a: str, b: str) -> tuple[str, str]:
    chosen = f'data-pair="{place[a]},{place[b]}"'
    return f'<button type="button" class="link" {chosen}>{name(a)} and {name(b)}</button>', f"{a} {b}"


_NEAREST_HEADS = ("Nearest test, given", "p-value", "Statistic", "Freedom", "Samples per cell")


def _nearest(test: CIResult | None) -> list[tuple[str, object]]:
    if test is None:
        return [("not tested", ""), *[("–", None)] * (len(_NEAREST_HEADS) - 1)]
    cell = test.samples_per_cell
    doubt = f' <span class="doubt" title="{text("; ".join(test.reasons))}">not reliable</span>'
    return [
        (_names(test.given) or "nothing", ", ".join(test.given)),
        *((number(value), value) for value in (test.p_value, test.statistic, test.dof)),
        (number(cell) + ("" if test.reliable else doubt), cell),
    ]


def _names(values: Iterable[str]) -> str:
    return ", ".join(map(name, values))


def table(heads: Sequence[str], rows: Iterable[Sequence[tuple[str, object]]], *, words: Iterable[int] = ()) -> str:
    """Make a table from cells of (HTML, value to sort by); the columns numbered in `words` are text."""
    spoken = set(words)
    side = ["text" if i in spoken else "num" for i in range(len(heads))]
    top = "".join(f'<th scope="col" class="{kind}">{text(head)}</th>' for head, kind in zip(heads, side, strict=True))
    lines = []
    for row in rows:
        cells = "".join(
            f'<td class="{kind}" data-value="{text("" if value is None else value)}">{inner}</td>'
            for (inner, value), kind in zip(row, side, strict=True)
        )
        lines.append(f"<tr>{cells}</tr>")
    body = "\n".join(lines)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="Table"><table class="sortable">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
