"""From a DAG with hidden variables to its MAG and its true PAG, and back from a PAG to one of its MAGs.

The MAG over the observed nodes (Richardson and Spirtes 2002) joins the pairs that no observed set
separates; its marks tell ancestors from non-ancestors. The PAG (Zhang 2008) keeps the marks on which all
MAGs with the same independences agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.errors import GraphError
from paucal.graphs.acyclic import ancestor_matrix
from paucal.graphs.equivalence import pdag_to_dag_matrix, unshielded_colliders
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL, arcs_of
from paucal.graphs.relations import refuse_other_than_graph
from paucal.graphs.rules.ancestral import orient_pag
from paucal.graphs.separation import Separation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paucal.graphs.graph import Graph


def dag_to_mag(graph: Graph, latent: Iterable[str] = ()) -> Graph:
    """Give the maximal ancestral graph of a DAG over its observed nodes.

    >>> dag_to_mag(Graph.parse("A -> B <- hidden -> C"), latent=["hidden"])
    Graph.mag(3 nodes, 2 edges: A -> B; B <-> C)
    """
    refuse_other_than_graph("graph", graph)
    dag = graph if graph.kind == "dag" else graph.as_kind("dag")
    hidden = {dag.index(name) for name in ([latent] if isinstance(latent, str) else checks.names("latent", latent))}
    if not hidden:
        return type(graph)(dag.nodes, dag.marks, "mag", check=False)
    observed = [i for i in range(dag.n) if i not in hidden]
    arcs = arcs_of(dag.marks)
    ancestor = ancestor_matrix(arcs)
    ask = Separation(dag)
    marks = np.zeros((len(observed), len(observed)), dtype=np.int8)
    for a, i in enumerate(observed):
        for b in range(a):
            j = observed[b]
            if arcs[i, j] or arcs[j, i] or not _separable(ask, ancestor, hidden, i, j):
                marks[a, b] = TAIL if ancestor[j, i] else ARROW
                marks[b, a] = TAIL if ancestor[i, j] else ARROW
    return type(graph)([dag.nodes[i] for i in observed], marks, "mag", check=False)


def mag_to_pag(graph: Graph) -> Graph:
    """Give the partial ancestral graph of a MAG: what all MAGs with the same independences have in common.

    >>> mag_to_pag(Graph.parse("A -> B <-> C"))
    Graph.pag(3 nodes, 2 edges: A o-> B; C o-> B)
    """
    refuse_other_than_graph("graph", graph)
    mag = graph if graph.kind in {"mag", "dag"} else graph.as_kind("mag")
    marks = mag.marks

    def non_collider(path: tuple[int, ...]) -> bool:
        b, c = path[-2:]
        return bool(marks[c, b] == TAIL)

    selection = bool(((marks == TAIL) & (marks.T == TAIL)).any())
    circles = np.where(marks != NONE, CIRCLE, NONE)
    colliders = unshielded_colliders(marks == ARROW, marks != NONE)
    oriented = orient_pag(circles, colliders, non_collider, selection=selection)
    return type(graph)(mag.nodes, oriented, "pag", check=False)


def dag_to_pag(graph: Graph, latent: Iterable[str] = ()) -> Graph:
    """Give the true PAG of a DAG over its observed nodes, the best that FCI can find.

    >>> dag_to_pag(Graph.parse("A -> B <- hidden -> C"), latent=["hidden"])
    Graph.pag(3 nodes, 2 edges: A o-> B; C o-> B)
    """
    return mag_to_pag(dag_to_mag(graph, latent))


def pag_to_mag(graph: Graph) -> Graph:
    """Give one MAG of a PAG, with as few `<->` as possible; an error if the PAG has none.

    >>> pag_to_mag(Graph.parse("A o-> B; C o-> B"))
    Graph.mag(3 nodes, 2 edges: A -> B; C -> B)
    """
    refuse_other_than_graph("graph", graph)
    marks = np.array(graph.marks)
    circle = graph.marks == CIRCLE
    both = circle & circle.T
    # Zhang (2008), theorem 2: circles of o-> become tails, those of o-- arrowheads, and the o-o part, which
    # is chordal, becomes a DAG without v-structures
    marks[circle & (graph.marks.T == ARROW)] = TAIL
    marks[circle & (graph.marks.T == TAIL)] = ARROW
    dag = pdag_to_dag_matrix(both)
    if dag is None:
        raise GraphError("No MAG has this PAG: its o-o edges form a cycle without chord.", hint="See problems().")
    marks[both] = np.where(dag[both], ARROW, TAIL)
    return type(graph)(graph.nodes, marks, "mag")


def _separable(ask: Separation, ancestor: np.ndarray, hidden: set[int], i: int, j: int) -> bool:
    """Say whether any observed set separates i and j: their observed ancestors do, or none does."""
    given = np.flatnonzero(ancestor[:, i] | ancestor[:, j]).tolist()
    return ask.separated_index(i, j, [z for z in given if z not in hidden and z not in (i, j)])
