"""From a skeleton and its colliders to a graph that is always valid.

1. Arrows that background knowledge decides.
2. The colliders, one after the other: one that would turn an arrow, or close a directed cycle, is left out and
   reported in the result's details.
3. A DAG with this skeleton and these arrows and no further colliders, if there is one (Dor and Tarsi 1992). There may
   be none: no DAG has a square of four nodes without a collider. Then the DAG is built in the same way, sink by sink,
   taking each time the node that makes the fewest new colliders, and of equal ones the last by rank.
4. The CPDAG of that DAG; with knowledge, its arrows and Meek's rules on top, which is no CPDAG any more but a PDAG.

With a perfect test nothing is ever left out or added, and the result is the true CPDAG.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.bits import bits_of_rows, matrix_of_bits, members
from paucal.graphs.equivalence import dag_to_cpdag_matrix, pdag_to_dag_matrix
from paucal.graphs.graph import Graph
from paucal.graphs.meek import close

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.search.colliders import Triple
    from paucal.search.explain import Trace
    from paucal.search.limits import Limits


def oriented(
    adjacency: NDArray[np.bool_],
    colliders: Sequence[Triple],
    limits: Limits,
    *,
    rank: Sequence[int],
    trace: Trace,
) -> tuple[Graph, dict[str, object]]:
    """Orient a skeleton; give the graph, and what had to be left out or added."""
    pdag = adjacency.astype(np.int8)
    limits.orient(pdag, trace)
    left_out = apply_colliders(pdag, colliders, trace)
    dag = pdag_to_dag_matrix(pdag)
    added = 0
    if dag is None:
        dag, added = forced_dag(pdag, rank)
    names = limits.names
    details: dict[str, object] = {
        "colliders_left_out": [[names[v] for v in triple] for triple in left_out],
        "colliders_added": added,
    }
    return completed(dag, limits, trace), details


def apply_colliders(pdag: NDArray[np.int8], colliders: Sequence[Triple], trace: Trace) -> list[Triple]:
    """Put arrows into the PDAG matrix, in place, collider after collider; give those that did not fit."""
    children = bits_of_rows((pdag != 0) & (pdag.T == 0))
    left_out = []
    for a, c, b in colliders:
        turned = children[c] >> a & 1 or children[c] >> b & 1
        if turned or _reach(children, c) & (1 << a | 1 << b):
            left_out.append((a, c, b))
            continue
        children[a] |= 1 << c
        children[b] |= 1 << c
        pdag[c, a] = pdag[c, b] = 0
        trace.mark(a, c, "collider", (b,))
        trace.mark(b, c, "collider", (a,))
    return left_out


def completed(dag: NDArray[np.int8], limits: Limits, trace: Trace) -> Graph:
    """Give the class of a DAG, with the arrows of knowledge."""
    cpdag = dag_to_cpdag_matrix(dag)
    if not limits.active:
        return Graph.from_pdag_matrix(limits.names, cpdag, "cpdag", check=False)
    limits.orient(cpdag, trace)
    closed = close(cpdag, names=limits.names)
    is_class = np.array_equal(closed, cpdag) and np.array_equal(cpdag, dag_to_cpdag_matrix(dag))
    return Graph.from_pdag_matrix(limits.names, closed, "cpdag" if is_class else "pdag", check=False)


def forced_dag(pdag: NDArray[np.int8], rank: Sequence[int]) -> tuple[NDArray[np.int8], int]:
    """Give a DAG with the edges and arrows of a PDAG that has no cycle, and the number of colliders it adds.

    >>> square = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    >>> dag, added = forced_dag(square, range(4))
    >>> dag.tolist(), added
    ([[0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], 1)
    """
    adjacent = bits_of_rows((pdag != 0) | (pdag.T != 0))
    children = bits_of_rows((pdag != 0) & (pdag.T == 0))
    neighbours = bits_of_rows((pdag != 0) & (pdag.T != 0))
    alive = (1 << len(pdag)) - 1
    into = [0] * len(pdag)
    added = 0
    while alive:
        sinks = [x for x in members(alive) if not children[x] & alive]
        costs = {x: _new_colliders(x, adjacent, neighbours[x] & alive, alive) for x in sinks}
        sink = min(sinks, key=lambda x: (costs[x], -rank[x]))
        added += costs[sink]
        into[sink] = adjacent[sink] & alive
        alive ^= 1 << sink
    return np.ascontiguousarray(matrix_of_bits(into).T), added


def _new_colliders(x: int, adjacent: list[int], undirected: int, alive: int) -> int:
    """Count the pairs that would collide in x, were all its undirected edges to point at it."""
    around = adjacent[x] & alive
    apart = [(y, around & ~adjacent[y] & ~(1 << y)) for y in members(undirected)]
    both = sum((others & undirected).bit_count() for _, others in apart) // 2
    return both + sum((others & ~undirected).bit_count() for _, others in apart)


def _reach(children: list[int], start: int) -> int:
    seen = frontier = 1 << start
    while frontier:
        step = 0
        for v in members(frontier):
            step |= children[v]
        frontier = step & ~seen
        seen |= step
    return seen
