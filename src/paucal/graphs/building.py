"""The checked way from names and written edges to a matrix of marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from paucal import checks
from paucal.errors import GraphError, not_allowed, short
from paucal.graphs.acyclic import topological_order
from paucal.graphs.language import Triple, parse_symbol, quoted
from paucal.graphs.marks import ARROW, CIRCLE, TAIL, MarkMatrix, arcs_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind: TypeAlias = Literal["dag", "cpdag", "pdag", "mag", "pag"]
MOST_NODES = 20_000  # the matrix of their edges is 400 MB
KINDS: tuple[Kind, ...] = ("dag", "cpdag", "pdag", "mag", "pag")


def checked_names(nodes: Iterable[str]) -> tuple[str, ...]:
    """Give the names as a tuple of different strings."""
    try:
        names = tuple(nodes)
    except TypeError:
        raise not_allowed("nodes", nodes, "a list of names") from None
    if len(names) > MOST_NODES:
        raise GraphError(f"The graph has {len(names):,} nodes, {MOST_NODES:,} is the most.", hint="Take a part of it.")
    if len(kinds := set(map(type, names))) == 1 and str in kinds and len(set(names)) == len(names):
        return names
    for name in names:
        if not isinstance(name, str):
            raise GraphError(f"The node {short(name)} is not a string.", hint="Use str() to name it.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GraphError(f"There are two nodes {twice!r}.", hint="Give every node a name of its own.")
    return tuple(str(name) for name in names)  # plain strings, also from NumPy's


def checked_kind(kind: object) -> Kind:
    """Give the kind of graph, or say which kinds there are."""
    return cast("Kind", checks.known("kind of graph", kind, KINDS))


def suggested_kind(marks: MarkMatrix) -> Kind:
    """Give the kind that the marks suggest."""
    if (marks == CIRCLE).any():
        return "pag"
    if ((marks == ARROW) & (marks.T == ARROW)).any():
        return "mag"
    all_directed = not ((marks == TAIL) & (marks.T == TAIL)).any()
    return "dag" if all_directed and topological_order(arcs_of(marks)) is not None else "pdag"


def marks_from_edges(names: tuple[str, ...], edges: Iterable[Triple]) -> MarkMatrix:
    """Give the matrix of marks; an unknown name, a self loop and a second edge of a pair are errors."""
    index = {name: i for i, name in enumerate(names)}
    marks = np.zeros((len(names), len(names)), dtype=np.int8)
    for edge in checks.names("edges", cast("Iterable[Any]", edges)):
        if not isinstance(edge, tuple | list) or len(edge) != 3:
            raise not_allowed("edges", edge, "a start, a symbol and an end", hint='Write ("A", "->", "B").')
        a, symbol, b = edge
        for name in (a, b):
            checks.known("node", name, index)
        at_a, at_b = parse_symbol(symbol)
        i, j = index[a], index[b]
        if i == j:
            raise GraphError(f"The edge {quoted(a)} {symbol} {quoted(b)} joins a node to itself.", hint="Drop it.")
        if marks[i, j] == TAIL and marks[j, i] == ARROW and (at_a, at_b) == (TAIL, ARROW):
            raise GraphError(
                f"The edges {quoted(a)} -> {quoted(b)} -> {quoted(a)} are a cycle.", hint="Keep one of the two."
            )
        if marks[i, j]:
            raise GraphError(f"{a!r} and {b!r} are joined twice.", hint="Give each pair of nodes one edge.")
        marks[j, i], marks[i, j] = at_a, at_b
    return marks
