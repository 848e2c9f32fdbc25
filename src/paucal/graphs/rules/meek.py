"""Meek's orientation rules (Meek 1995): what follows from the arrows that are already there.

A rule turns an undirected edge a -- b into a -> b: the other way would make a new v-structure or a cycle.

* R1  c -> a, and c is not adjacent to b
* R2  a -> c -> b
* R3  a -- c -> b and a -- d -> b, and c is not adjacent to d
* R4  a -- d -> c -> b, a is adjacent to c, and d is not adjacent to b (needs background knowledge)

The rules are applied to a PDAG matrix until nothing changes. A directed edge is never turned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paucal.errors import GraphError
from paucal.graphs.acyclic import find_cycle
from paucal.graphs.bits import bits_of_rows, matrix_of_bits, members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph


def meek_closure(graph: Graph) -> Graph:
    """Orient every edge of a PDAG whose direction follows from the others.

    An error names the directed cycle if the rules lead to one, that is, if no DAG fits.

    >>> from paucal.graphs import Graph
    >>> meek_closure(Graph.parse("A -> B -- C"))
    Graph.pdag(3 nodes, 2 edges: A -> B; B -> C)
    """
    closed = close(graph.to_pdag_matrix(), names=graph.nodes)
    return type(graph).from_pdag_matrix(graph.nodes, closed, "pdag")


def close(
    pdag: NDArray[Any],
    *,
    on_cycle: Literal["raise", "skip", "allow"] = "raise",
    names: tuple[str, ...] | None = None,
) -> NDArray[np.int8]:
    """Close a PDAG matrix under rules R1 to R4.

    Parameters
    ----------
    pdag
        `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j. It is not changed.
    on_cycle
        What to do when no DAG fits and the rules lead to a directed cycle: `"raise"` a GraphError that names
        it; `"skip"` the orientations that would close a cycle, those edges stay undirected; `"allow"` it.
    names
        The names of the nodes for the error; their numbers by default.

    Returns
    -------
    The closed matrix. If some DAG fits the input it does not depend on the order of the nodes.

    Examples
    --------
    >>> close(np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]])).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    state = _Pdag(pdag)
    todo = [(a, b) for a in range(state.n) for b in members(state.neighbours[a])]
    todo.reverse()
    while todo:
        a, b = todo.pop()
        if state.neighbours[a] >> b & 1 and _follows(state, a, b):
            if on_cycle == "skip" and state.leads_to(b, a):
                continue
            state.orient(a, b)
            todo += _affected(state, a, b)
    closed = state.matrix()
    if on_cycle == "raise":
        _refuse_cycle(closed, names)
    return closed


class _Pdag:
    """A PDAG as sets of nodes in bits, so that each rule is a few operations on integers."""

    def __init__(self, pdag: NDArray[Any]) -> None:
        present = np.asarray(pdag) != 0
        self.n = len(present)
        self.adjacent = bits_of_rows(present | present.T)
        self.children = bits_of_rows(present & ~present.T)
        self.parents = bits_of_rows(present.T & ~present)
        self.neighbours = bits_of_rows(present & present.T)

    def orient(self, a: int, b: int) -> None:
        self.neighbours[a] ^= 1 << b
        self.neighbours[b] ^= 1 << a
        self.children[a] |= 1 << b
        self.parents[b] |= 1 << a

    def leads_to(self, a: int, b: int) -> bool:
        seen = frontier = 1 << a
        while frontier:
            step = 0
            for v in members(frontier):
                step |= self.children[v]
            frontier = step & ~seen
            seen |= step
        return bool(seen >> b & 1)

    def matrix(self) -> NDArray[np.int8]:
        return matrix_of_bits([c | n for c, n in zip(self.children, self.neighbours, strict=True)])


def _follows(g: _Pdag, a: int, b: int) -> bool:
    return _rule1(g, a, b) or _rule2(g, a, b) or _rule3(g, a, b) or _rule4(g, a, b)


def _rule1(g: _Pdag, a: int, b: int) -> bool:
    return bool(g.parents[a] & ~g.adjacent[b])


def _rule2(g: _Pdag, a: int, b: int) -> bool:
    return bool(g.children[a] & g.parents[b])


def _rule3(g: _Pdag, a: int, b: int) -> bool:
    middle = g.neighbours[a] & g.parents[b]
    return any(middle & ~g.adjacent[c] & ~(1 << c) for c in members(middle))


def _rule4(g: _Pdag, a: int, b: int) -> bool:
    last = g.parents[b] & g.adjacent[a]
    return bool(last) and any(
        g.children[d] & last for d in members(g.neighbours[a] & ~g.adjacent[b] & ~(1 << b))
    )


def _affected(g: _Pdag, u: int, v: int) -> list[tuple[int, int]]:
    """List the undirected edges that a rule may orient now that u -> v is there."""
    edges = []
    for w in members(g.neighbours[v]):
        edges += [(w, v), (v, w)]
    for w in members(g.children[v]):
        if g.neighbours[u] >> w & 1:
            edges.append((u, w))
        edges += [(a, w) for a in members(g.neighbours[w] & g.neighbours[u])]
    return edges


def _refuse_cycle(pdag: NDArray[np.int8], names: tuple[str, ...] | None) -> None:
    cycle = find_cycle((pdag != 0) & (pdag.T == 0))
    if cycle is not None:
        trail = " -> ".join(names[i] if names else str(i) for i in (*cycle, cycle[0]))
        raise GraphError(
            f"No DAG fits these edges: they imply the cycle {trail}.",
            hint="Remove or turn one of the arrows.",
        )
