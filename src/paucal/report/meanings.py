"""What the marks of a graph mean, in words; {a} and {b} are the two ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paucal.graphs.graph import Graph

_WITHOUT_HIDDEN = {
    "->": "{a} is a direct cause of {b}, in all graphs that fit the data equally well.",
    "--": "{a} and {b} are directly connected; both directions fit the data equally well.",
}
_SAMPLED = {
    "posterior": {
        "->": "In this graph {a} is a direct cause of {b}; its probability says how far to trust that.",
        "--": "In this graph {a} and {b} are connected, in either direction; its probability says how far to trust "
        "that.",
    },
    "bootstrap": {
        "->": "In this graph {a} is a direct cause of {b}; its share says how often that would be found again.",
        "--": "In this graph {a} and {b} are connected, in either direction; its share says how often that would be "
        "found again.",
    },
}
_WITH_HIDDEN = {
    "->": "{a} is a cause of {b}, perhaps by way of other variables; {b} is not a cause of {a}.",
    "<->": "Neither causes the other: {a} and {b} have a common cause that was not measured.",
    "o->": "{b} is not a cause of {a}; {a} may cause {b}, or a cause of both was not measured, or both.",
    "o-o": "{a} and {b} are connected; whether by a cause, an effect or something unmeasured is open.",
    "--o": "{a} is a cause of {b}, or of how the rows were selected; the rest is open.",
    "--": "{a} and {b} are connected by how the rows were selected.",
}
KINDS = {
    "dag": "a directed graph",
    "cpdag": "a CPDAG, which stands for all directed graphs with the same independences",
    "pdag": "a partly directed graph",
    "mag": "a MAG, which allows for causes that were not measured",
    "pag": "a PAG, which stands for all graphs with the same independences, unmeasured causes included",
}
_ASSUMED = {
    False: "Every common cause of two columns is a column itself, and the rows were not selected by their values.",
    True: "Common causes may be missing from the columns; the marks allow for them.",
}

PROBABILITIES = {  # source -> what they mean
    "posterior": "The probability that two columns are joined is the share of graphs that join them, among graphs "
    "drawn from their posterior distribution given the data. On networks with a known truth it comes out about right. "
    "Directions are stated as less likely than their share of those graphs, because the shares proved overconfident.",
    "bootstrap": "The numbers next to the edges are shares of graphs, each learned from rows drawn at random. "
    "They say how often an edge would be found again, not how likely it is to be true.",
}


def meanings(graph: Graph, sampled: str | None = None) -> dict[str, str]:
    """Give the meaning of each sort of edge that the graph has; `sampled`: where the many it stands for come from."""
    table = _WITH_HIDDEN if _allows_hidden(graph) else _WITHOUT_HIDDEN if sampled is None else _SAMPLED[sampled]
    present = {edge.symbol for edge in graph.edges()}
    return {symbol: sentence for symbol, sentence in table.items() if symbol in present}


def assumptions(graph: Graph) -> tuple[str, ...]:
    """Say what has to hold for the graph to be read as causes and effects."""
    return (
        _ASSUMED[_allows_hidden(graph)],
        "No column causes itself by way of other columns: there are no feedback loops.",
        "Columns that are connected show it in the data: no two effects cancel each other exactly.",
        "The rows are independent of each other and come from one population.",
    )


def _allows_hidden(graph: Graph) -> bool:
    return graph.kind in ("mag", "pag")
