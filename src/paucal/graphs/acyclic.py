"""Order and cycles of a directed graph given as a matrix `A[i, j]` = (i -> j)."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.bits import bits_of_rows, matrix_of_bits, members, reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.graphs.marks import BoolMatrix


def topological_order(arcs: NDArray[np.generic]) -> list[int] | None:
    """Order the nodes so that every arc points forward, the smallest index first; None if there is a cycle."""
    children = successors(arcs)
    waiting = np.count_nonzero(arcs, axis=0).tolist()
    ready = [i for i, w in enumerate(waiting) if w == 0]
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return order if len(order) == len(children) else None


def find_cycle(arcs: NDArray[np.generic]) -> list[int] | None:
    """Give the nodes of one shortest directed cycle, each once and in order, or None."""
    if topological_order(arcs) is not None:
        return None
    children = successors(arcs)
    cycles = (_cycle_through(start, children) for start in range(len(children)))
    return min((cycle for cycle in cycles if cycle is not None), key=len)


def _cycle_through(start: int, children: list[list[int]]) -> list[int] | None:
    came_from: dict[int, int] = {}
    queue = [start]
    for node in queue:
        for child in children[node]:
            if child == start:
                path = [node]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if child not in came_from:
                came_from[child] = node
                queue.append(child)
    return None


def successors(arcs: NDArray[np.generic]) -> list[list[int]]:
    """List for every node the nodes its arcs point at, ascending."""
    lists: list[list[int]] = [[] for _ in range(len(arcs))]
    for i, j in np.argwhere(arcs).tolist():
        lists[i].append(j)
    return lists


def descendants(arcs: NDArray[np.generic]) -> list[int]:
    """Give for every node the set of those that directed paths lead to, itself included, as bits."""
    children = bits_of_rows(arcs)
    found = [1 << v for v in range(len(children))]
    order = topological_order(arcs)
    if order is None:
        return [reach(children, v) for v in found]
    for v in reversed(order):
        for child in members(children[v]):
            found[v] |= found[child]
    return found


def ancestor_matrix(arcs: NDArray[np.generic]) -> BoolMatrix:
    """Say for every pair whether a directed path leads from i to j; every node reaches itself."""
    return matrix_of_bits(descendants(arcs)).astype(np.bool_)
