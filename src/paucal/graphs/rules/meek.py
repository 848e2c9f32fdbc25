"""Meek's orientation rules (Meek 1995): what follows from the arrows that are already there.

A rule turns an undirected edge a -- b into a -> b: the other way would make a new v-structure or a cycle.

* R1  c -> a, and c is not adjacent to b
* R2  a -> c -> b
* R3  a -- c -> b and a -- d -> b, and c is not adjacent to d
* R4  a -- d -> c -> b, a is adjacent to c, and d is not adjacent to b (needs background knowledge)

Each is a function that gives its witnesses, or nothing. They are applied to a PDAG matrix in rounds until nothing
changes, so that every arrow is found by one of the shortest derivations. A directed edge is never turned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paucal.errors import GraphError
from paucal.graphs.acyclic import find_cycle
from paucal.graphs.bits import bits_of_rows, matrix_of_bits, members, reach
from paucal.graphs.language import trail
from paucal.graphs.marks import arrows_of
from paucal.graphs.relations import refuse_other_than_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph
    from paucal.graphs.rules import Note, Witnesses


def meek_closure(graph: Graph) -> Graph:
    """Orient every edge of a PDAG whose direction follows from the others.

    An error names the directed cycle if the rules lead to one, that is, if no DAG fits.

    >>> meek_closure(Graph.parse("A -> B -- C"))
    Graph.pdag(3 nodes, 2 edges: A -> B; B -> C)
    """
    refuse_other_than_graph("graph", graph)
    closed = close(graph.to_pdag_matrix(), names=graph.nodes)
    return type(graph).from_pdag_matrix(graph.nodes, closed, "pdag")


def close(
    pdag: NDArray[Any],
    *,
    on_cycle: Literal["raise", "skip", "allow"] = "raise",
    names: tuple[str, ...] | None = None,
    among: NDArray[np.bool_] | None = None,
    note: Note | None = None,
) -> NDArray[np.int8]:
    """Close a PDAG matrix, which is not changed, under rules R1 to R4.

    If some DAG fits the input, the result does not depend on the order of the nodes.

    Parameters
    ----------
    pdag
        `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j.
    on_cycle
        What to do when no DAG fits and the rules lead to a directed cycle: `"raise"` a GraphError that names
        it; `"skip"` the orientations that would close a cycle, those edges stay undirected; `"allow"` it.
    names
        The names of the nodes for the error; their numbers by default.
    among
        `[i, j]`: the rules may set i -> j; all by default.
    note
        Told of every arrow a -> b that is set: a, b, the rule from "meek-1" to "meek-4", and its witnesses.
    """
    state = Pdag(pdag)
    may_point = None if among is None else bits_of_rows(among)
    todo = [(a, b) for a in range(len(state.adjacent)) for b in members(state.neighbours[a])]
    while todo:
        if may_point is not None:
            todo = [(a, b) for a, b in todo if may_point[a] >> b & 1]
        found = [(a, b, *first) for a, b in todo if (first := first_rule(state, a, b)) is not None]
        todo = []
        for a, b, rule, witnesses in found:
            turned = not state.neighbours[a] >> b & 1  # the other way followed too, and came first
            if turned or (on_cycle == "skip" and reach(state.children, 1 << b) >> a & 1):
                continue
            state.orient(a, b)
            if note is not None:
                note(a, b, rule, witnesses)
            todo += affected(state, a, b)
        todo = [(a, b) for a, b in dict.fromkeys(todo) if state.neighbours[a] >> b & 1]
    closed = state.matrix()
    cycle = find_cycle(arrows_of(closed)) if on_cycle == "raise" else None
    if cycle is not None:
        written = trail(names or tuple(map(str, range(len(closed)))), cycle)
        raise GraphError(
            f"No DAG fits these edges: they imply the cycle {written}.", hint="Remove or turn one of the arrows."
        )
    return closed


class Pdag:
    """A PDAG as sets of nodes in bits, so that each rule is a few operations on integers."""

    def __init__(self, pdag: NDArray[Any]) -> None:
        present = np.asarray(pdag) != 0
        ends = list(zip(bits_of_rows(present), bits_of_rows(present.T), strict=True))  # out of and into each node
        self.adjacent = [out | into for out, into in ends]
        self.children = [out & ~into for out, into in ends]
        self.parents = [into & ~out for out, into in ends]
        self.neighbours = [out & into for out, into in ends]

    def orient(self, a: int, b: int) -> None:
        """Turn a -- b into a -> b."""
        self.neighbours[a] ^= 1 << b
        self.neighbours[b] ^= 1 << a
        self.children[a] |= 1 << b
        self.parents[b] |= 1 << a

    def matrix(self) -> NDArray[np.int8]:
        """Give the PDAG matrix."""
        return matrix_of_bits([c | n for c, n in zip(self.children, self.neighbours, strict=True)])


def first_rule(g: Pdag, a: int, b: int) -> tuple[str, Witnesses] | None:
    """Give the first rule that turns a -- b into a -> b, with its witnesses, or None."""
    for number, rule in enumerate((rule1, rule2, rule3, rule4), 1):
        witnesses = rule(g, a, b)
        if witnesses:
            return f"meek-{number}", witnesses
    return None


def rule1(g: Pdag, a: int, b: int) -> Witnesses:
    """R1: c -> a, and c is not adjacent to b."""
    return _first(g.parents[a] & ~g.adjacent[b])


def rule2(g: Pdag, a: int, b: int) -> Witnesses:
    """R2: a -> c -> b."""
    return _first(g.children[a] & g.parents[b])


def rule3(g: Pdag, a: int, b: int) -> Witnesses:
    """R3: a -- c -> b and a -- d -> b, and c is not adjacent to d."""
    sides = g.neighbours[a] & g.parents[b]
    for c in members(sides):
        apart = sides & ~g.adjacent[c] & ~(1 << c)
        if apart:
            return c, *_first(apart)
    return ()


def rule4(g: Pdag, a: int, b: int) -> Witnesses:
    """R4: a -- d -> c -> b, a is adjacent to c, and d is not adjacent to b; the witnesses are d and c."""
    last = g.parents[b] & g.adjacent[a]
    if last:
        for d in members(g.neighbours[a] & ~g.adjacent[b] & ~(1 << b)):
            if g.children[d] & last:
                return d, *_first(g.children[d] & last)
    return ()


def _first(nodes: int) -> Witnesses:
    return () if not nodes else ((nodes & -nodes).bit_length() - 1,)


def affected(g: Pdag, u: int, v: int) -> list[tuple[int, int]]:
    """List the undirected edges that a rule may orient now that u -> v is there."""
    edges = []
    for w in members(g.neighbours[v]):
        edges += [(w, v), (v, w)]
    for w in members(g.children[v]):
        if g.neighbours[u] >> w & 1:
            edges.append((u, w))
        edges += [(a, w) for a in members(g.neighbours[w] & g.neighbours[u])]
    return edges
