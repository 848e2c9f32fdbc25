"""Markov equivalence: a DAG's class as a CPDAG, and one DAG of a class.

A CPDAG has an arrow where all DAGs of the class agree and an undirected edge where they do not (Andersson, Madigan and
Perlman 1997). It comes from the DAG's v-structures, closed under Meek's rules; the kernel does both, as searches
complete many graphs. The way back is Dor and Tarsi (1992): take away, one after the other, nodes that can be a sink.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal import _kernel
from paucal.errors import GraphError
from paucal.graphs.acyclic import find_cycle
from paucal.graphs.bits import bits_of_rows, members
from paucal.graphs.language import quoted, trail
from paucal.graphs.marks import arrows_of
from paucal.graphs.relations import refuse_other_than_graph
from paucal.graphs.rules.meek import close

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph

Triple: TypeAlias = tuple[int, int, int]  # a, c, b of a -> c <- b


def dag_to_cpdag(graph: Graph) -> Graph:
    """Give the CPDAG of a DAG: the same for two DAGs exactly if no data can tell them apart.

    >>> dag_to_cpdag(Graph.parse("A -> B -> C"))
    Graph.cpdag(3 nodes, 2 edges: A -- B; B -- C)
    >>> dag_to_cpdag(Graph.parse("A -> B <- C; B -> D"))
    Graph.cpdag(4 nodes, 3 edges: A -> B; B -> D; C -> B)
    """
    refuse_other_than_graph("graph", graph)
    dag = graph if graph.kind == "dag" else graph.as_kind("dag")
    matrix = dag_to_cpdag_matrix(dag.to_pdag_matrix())
    return type(graph).from_pdag_matrix(graph.nodes, matrix, "cpdag", check=False)


def pdag_to_dag(graph: Graph) -> Graph:
    """Give a DAG with the edges, the arrows and the v-structures of a PDAG, and no others.

    Of several such DAGs it takes one whose arrows follow the order of the nodes where they are free. An error
    says why if there is none.

    >>> pdag_to_dag(Graph.parse("A -- B -- C"))
    Graph.dag(3 nodes, 2 edges: A -> B; B -> C)
    """
    refuse_other_than_graph("graph", graph)
    pdag = graph.to_pdag_matrix()
    dag = pdag_to_dag_matrix(pdag)
    if dag is None:
        raise GraphError(
            f"No DAG extends this graph: {_why_not(pdag, graph.nodes)}.", hint="Remove or turn one of these edges."
        )
    return type(graph).from_pdag_matrix(graph.nodes, dag, "dag", check=False)


def markov_equivalent(a: Graph, b: Graph) -> bool:
    """Say whether two DAGs imply the same independences.

    >>> markov_equivalent(Graph.parse("A -> B -> C"), Graph.parse("C -> B -> A"))
    True
    """
    return dag_to_cpdag(a) == dag_to_cpdag(b)


def v_structures(graph: Graph) -> list[tuple[str, str, str]]:
    """List as (a, c, b) the colliders a -> c <- b whose ends a and b are not adjacent.

    >>> v_structures(Graph.parse("A -> C <- B; C -> D"))
    [('A', 'C', 'B')]
    """
    refuse_other_than_graph("graph", graph)
    return [(a, c, b) for c in graph.nodes for a, b in combinations(graph.parents(c), 2) if not graph.has_edge(a, b)]


def dag_to_cpdag_matrix(dag: NDArray[np.generic], *, forbidden: NDArray[Any] | None = None) -> NDArray[np.uint8]:
    """Do the same on a matrix `A[i, j] = 1` for i -> j, natively; the result is a PDAG matrix.

    `forbidden` says of which arrows i -> j knowledge leaves none in the class: what it decides, and what follows from
    that, is directed too, so that the result is the class of those DAGs only. Numbers say more, in bits: 1 the arrow is
    forbidden, 2 all DAGs of the class have the edge, if there is one, the same way round.
    """
    arcs = np.ascontiguousarray(dag, dtype=np.uint8)
    return _kernel.completed(arcs, None if forbidden is None else np.ascontiguousarray(forbidden, dtype=np.uint8))


def unshielded_colliders(heads: NDArray[np.generic], joined: NDArray[np.bool_] | None = None) -> Iterator[Triple]:
    """Yield for every arrow a -> c of a v-structure one triple (a, c, b), a -> c <- b.

    `heads[i, j]`: the edge between i and j has an arrowhead at j. `joined` tells which pairs have an edge; by default
    those of the heads, as in a DAG.
    """
    into = bits_of_rows(heads.T)
    adjacent = bits_of_rows((heads != 0) | (heads.T != 0) if joined is None else joined)
    for c, ends in enumerate(into):
        for a in members(ends):
            apart = ends & ~adjacent[a] & ~(1 << a)
            if apart:
                yield a, c, next(members(apart))


def pdag_to_dag_matrix(pdag: NDArray[Any]) -> NDArray[np.int8] | None:
    """Do the same on a PDAG matrix; None if no DAG extends it."""
    dag, left = _extend(pdag)
    return None if left else dag


def _extend(pdag: NDArray[Any]) -> tuple[NDArray[np.int8], list[int]]:
    """Take sinks away, last nodes first; give the arrows found and the nodes that remain."""
    dag, left = _kernel.extended((np.ascontiguousarray(pdag) != 0).view(np.uint8))
    return dag.view(np.int8), left


def _why_not(pdag: NDArray[np.int8], names: tuple[str, ...]) -> str:
    implied = close(pdag, on_cycle="allow")
    for matrix, verb in ((pdag, "it has"), (implied, "its arrows imply")):
        cycle = find_cycle(arrows_of(matrix))
        if cycle is not None:
            return f"{verb} the cycle {trail(names, cycle)}"
    collider = new_collider(pdag, implied)
    if collider is not None:
        a, c, b = (quoted(names[i]) for i in collider)
        return f"its arrows imply a new v-structure {a} -> {c} <- {b}"
    left = _extend(pdag)[1]
    shown = ", ".join(quoted(names[i]) for i in left[:10]) + (", ..." if len(left) > 10 else "")
    return f"every orientation of the edges among {shown} makes a cycle or a new v-structure"


def new_collider(pdag: NDArray[np.int8], implied: NDArray[np.int8]) -> tuple[int, int, int] | None:
    """Give as (a, c, b) a v-structure a -> c <- b that the second PDAG matrix has and the first has not."""
    before, after = arrows_of(pdag), arrows_of(implied)
    for a, c in np.argwhere(after & ~before).tolist():
        for b in np.flatnonzero(after[:, c]).tolist():
            if b != a and not implied[a, b] and not implied[b, a]:
                return a, c, b
    return None
