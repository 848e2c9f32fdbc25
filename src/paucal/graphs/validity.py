"""What keeps a graph from being what its kind says, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.errors import GraphError
from paucal.graphs.acyclic import ancestor_matrix
from paucal.graphs.equivalence import dag_to_cpdag, pdag_to_dag
from paucal.graphs.language import Edge, quoted
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL, Mark, arcs_of
from paucal.graphs.projection import mag_to_pag, pag_to_mag
from paucal.graphs.separation import Separation

if TYPE_CHECKING:
    from collections.abc import Callable

    from paucal.graphs.graph import Graph

_ALLOWED_PAIRS = {
    "dag": {(TAIL, ARROW)},
    "cpdag": {(TAIL, ARROW), (TAIL, TAIL)},
    "pdag": {(TAIL, ARROW), (TAIL, TAIL)},
    "mag": {(TAIL, ARROW), (ARROW, ARROW), (TAIL, TAIL)},
    "pag": {(a, b) for a in (CIRCLE, ARROW, TAIL) for b in (CIRCLE, ARROW, TAIL)},
}


def problems(graph: Graph, *, at_construction: bool = False) -> list[str]:
    """List the problems of a graph; those of a PDAG or PAG as a whole do not hinder its construction."""
    return _bad_matrix(graph) or _bad_marks(graph) or _bad_structure(graph, at_construction=at_construction)


def _bad_matrix(graph: Graph) -> list[str]:
    marks, names = graph.marks, graph.nodes
    found = [f"{names[i]!r} is joined to itself" for i in np.flatnonzero(np.diag(marks)).tolist()]
    if ((marks < NONE) | (marks > TAIL)).any():
        found.append("the matrix of marks has values other than 0, 1, 2, 3")
    for i, j in np.argwhere((marks == NONE) & (marks.T != NONE)).tolist():
        found.append(f"the edge between {names[i]!r} and {names[j]!r} has a mark at one end only")
    return found


def _bad_marks(graph: Graph) -> list[str]:
    marks, names = graph.marks, graph.nodes
    found = []
    for i, j in np.argwhere(np.triu(marks)).tolist():
        at_i, at_j = int(marks[j, i]), int(marks[i, j])
        if not {(at_i, at_j), (at_j, at_i)} & _ALLOWED_PAIRS[graph.kind]:
            edge = Edge(names[i], names[j], Mark(at_i), Mark(at_j))
            found.append(f"the edge {edge}, which a {graph.kind.upper()} cannot have")
    return found


def _bad_structure(graph: Graph, *, at_construction: bool) -> list[str]:
    if at_construction and graph.kind in {"pdag", "pag"}:
        return []
    cycle = graph.cycle()
    if cycle is not None:
        return [cycle]
    if graph.kind == "cpdag":
        return _other_edges(graph, lambda: dag_to_cpdag(pdag_to_dag(graph)), "class")
    if graph.kind == "pag":
        return _other_edges(graph, lambda: mag_to_pag(pag_to_mag(graph)), "PAG")
    return _not_ancestral(graph) if graph.kind == "mag" else []


def _not_ancestral(graph: Graph) -> list[str]:
    """Name what an ancestral graph may not have; if there is nothing, the missing edges of a maximal one."""
    marks = graph.marks
    ancestor = ancestor_matrix(arcs_of(marks))
    found = []
    for e in graph.edges():
        i, j = graph.index(e.a), graph.index(e.b)
        if e.symbol == "<->" and (ancestor[i, j] or ancestor[j, i]):
            first, last = (e.a, e.b) if ancestor[i, j] else (e.b, e.a)
            found.append(f"{e} although {quoted(first)} is an ancestor of {quoted(last)}")
        if e.symbol == "--":
            entered = [name for name, k in ((e.a, i), (e.b, j)) if (marks[:, k] == ARROW).any()]
            found += [f"{e} although an arrow points at {quoted(name)}" for name in entered]
    return found or _not_maximal(graph)


def _not_maximal(graph: Graph) -> list[str]:
    # a pair that no set separates must be joined; if any set separates it, that of its ancestors does
    marks = graph.marks
    upward = ancestor_matrix((marks != NONE) & (marks.T == TAIL))
    ask = Separation(graph)
    found = []
    for i, j in np.argwhere(np.triu(marks == NONE, 1)).tolist():
        given = [z for z in np.flatnonzero(upward[:, i] | upward[:, j]).tolist() if z not in (i, j)]
        if not ask.separated_index(i, j, given):
            a, b = quoted(graph.nodes[i]), quoted(graph.nodes[j])
            found.append(f"no edge between {a} and {b} although nothing separates them")
    return found


def _other_edges(graph: Graph, completed: Callable[[], Graph], what: str) -> list[str]:
    try:
        wanted = completed()
    except GraphError as error:
        return [error.message.rstrip(".")]
    pairs = ((e, wanted.edge(e.a, e.b)) for e in graph.edges())
    return [f"{e} where the {what} has {other}" for e, other in pairs if e != other]
