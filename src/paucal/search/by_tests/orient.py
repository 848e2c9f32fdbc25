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

from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.bits import Paths, bits_of_rows, matrix_of_bits, members
from paucal.graphs.equivalence import dag_to_cpdag_matrix, pdag_to_dag_matrix, unshielded_colliders
from paucal.graphs.graph import Graph
from paucal.graphs.marks import marks_from_pdag_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.graphs.building import Kind
    from paucal.search.by_tests.colliders import Triple
    from paucal.search.by_tests.limits import Limits
    from paucal.search.evidence.explain import Trace


def oriented(
    adjacency: NDArray[np.bool_],
    colliders: Sequence[Triple] | None,
    limits: Limits,
    *,
    rank: Sequence[int],
    trace: Trace,
) -> tuple[Graph, dict[str, object]]:
    """Orient a skeleton; give the graph, and what had to be left out or added.

    Without colliders, as there were too many to look for, it has the arrows of knowledge alone.
    """
    pdag = adjacency.astype(np.int8)
    limits.orient(pdag, trace)
    if colliders is None:
        graph = Graph.from_pdag_matrix(limits.names, pdag, "pdag", check=False)
        return graph, {"colliders_left_out": [], "colliders_added": 0}
    left_out = apply_colliders(pdag, colliders, trace)
    dag = pdag_to_dag_matrix(pdag)
    added = 0
    if dag is None:
        dag, added = forced_dag(pdag, rank)
        _note_forced(dag, trace)
    names = limits.names
    details: dict[str, object] = {
        "colliders_left_out": [[names[v] for v in triple] for triple in left_out],
        "colliders_added": added,
    }
    return completed(dag, limits), details


def apply_colliders(pdag: NDArray[np.int8], colliders: Sequence[Triple], trace: Trace) -> list[Triple]:
    """Put arrows into the PDAG matrix, in place, collider after collider; give those that did not fit."""
    children = bits_of_rows((pdag != 0) & (pdag.T == 0))
    paths = Paths(len(pdag))
    for a, row in enumerate(children):
        for c in members(row):
            paths.add(a, c)
    left_out = []
    for a, c, b in colliders:
        if children[a] >> c & 1 and children[b] >> c & 1:
            continue  # others brought both arrows: nothing to turn, no new cycle
        if paths.below[c] & (1 << a | 1 << b):
            left_out.append((a, c, b))
            continue
        for end, other in ((a, b), (b, a)):
            if not children[end] >> c & 1:  # knowledge, or a collider with more support, may have brought it
                children[end] |= 1 << c
                paths.add(end, c)
                pdag[c, end] = 0
                trace.mark(end, c, "collider", (other,))
    return left_out


def completed(dag: NDArray[np.generic], limits: Limits) -> Graph:
    """Give the class of a DAG, with the arrows of knowledge."""
    pdag = dag_to_cpdag_matrix(dag)
    kind: Kind = "cpdag"
    if limits.active:
        known = dag_to_cpdag_matrix(dag, forbidden=limits.of_arrows)
        kind = "cpdag" if np.array_equal(known, pdag) else "pdag"
        pdag = known
    return Graph(limits.names, marks_from_pdag_matrix(pdag), kind, check=False)


def forced_dag(pdag: NDArray[np.int8], rank: Sequence[int]) -> tuple[NDArray[np.int8], int]:
    """Give a DAG with the edges and arrows of a PDAG that has no cycle, and the number of colliders it adds."""
    adjacent = bits_of_rows((pdag != 0) | (pdag.T != 0))
    children = bits_of_rows((pdag != 0) & (pdag.T == 0))
    neighbours = bits_of_rows((pdag != 0) & (pdag.T != 0))
    alive = changed = (1 << len(pdag)) - 1
    into = [0] * len(pdag)
    costs: dict[int, int] = {}  # node that no arrow leaves -> the colliders that it would add as a sink
    cheapest: list[tuple[int, int, int]] = []  # cost, rank, node; also of costs that have changed since
    added = 0
    while alive:
        for x in members(changed):
            if not children[x] & alive:
                costs[x] = _new_colliders(x, adjacent, neighbours[x] & alive, alive)
                heappush(cheapest, (costs[x], -rank[x], x))
        cost, _, sink = heappop(cheapest)
        if costs.get(sink) != cost:
            changed = 0
            continue
        added += costs.pop(sink)
        alive ^= 1 << sink
        into[sink] = changed = adjacent[sink] & alive
    return np.ascontiguousarray(matrix_of_bits(into).T), added


def _new_colliders(x: int, adjacent: list[int], undirected: int, alive: int) -> int:
    """Count the pairs that would collide in x, were all its undirected edges to point at it."""
    around = adjacent[x] & alive
    twice = once = 0  # pairs of undirected edges are met from both ends
    for y in members(undirected):
        others = around & ~adjacent[y] & ~(1 << y)
        if others:
            both = (others & undirected).bit_count()
            twice += both
            once += others.bit_count() - both
    return twice // 2 + once


def _note_forced(dag: NDArray[np.int8], trace: Trace) -> None:
    for a, c, b in unshielded_colliders(dag):
        if (a, c) not in trace:
            trace.mark(a, c, "forced", (b,))
