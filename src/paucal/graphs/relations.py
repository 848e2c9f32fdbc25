"""What one can ask a graph: its edges, and for every node the others around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.errors import GraphError, unknown_name
from paucal.graphs.acyclic import find_cycle, topological_order
from paucal.graphs.bits import bits_of_rows, members, reach
from paucal.graphs.language import Edge, trail
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL, Mark, MarkMatrix, arcs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_READING_ORDER = {TAIL: 0, CIRCLE: 1, ARROW: 2}


class Relations:
    """The questions that `Graph` answers; names come in, names go out, in the order of the nodes."""

    __slots__ = ("_index", "_marks", "_nodes")

    def __init__(self, nodes: tuple[str, ...], marks: MarkMatrix) -> None:
        self._nodes = nodes
        self._index = {name: i for i, name in enumerate(nodes)}
        self._marks = marks
        self._marks.setflags(write=False)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names, in order."""
        return self._nodes

    @property
    def n(self) -> int:
        """The number of nodes."""
        return len(self._nodes)

    @property
    def marks(self) -> MarkMatrix:
        """The marks, read only: `marks[i, j]` is the mark at the j end of the edge between i and j."""
        return self._marks

    def index(self, name: str) -> int:
        """Give the place of a node in `nodes`."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise unknown_name("node", name, self._nodes) from None

    def edges(self) -> list[Edge]:
        """List the edges in the order of the nodes; arrows are read from left to right.

        >>> [str(e) for e in Graph.parse("A <- B; C -- B").edges()]
        ['B -> A', 'B -- C']
        """
        found = []
        for i, j in np.argwhere(np.triu(self._marks)).tolist():
            at_i, at_j = int(self._marks[j, i]), int(self._marks[i, j])
            found.append((j, i) if _READING_ORDER[at_j] < _READING_ORDER[at_i] else (i, j))
        return [self._edge(i, j) for i, j in sorted(found)]

    def arcs(self) -> list[tuple[str, str]]:
        """List the directed edges as `(parent, child)`."""
        return [(self._nodes[i], self._nodes[j]) for i, j in np.argwhere(arcs_of(self._marks)).tolist()]

    @property
    def n_edges(self) -> int:
        """The number of edges of any sort."""
        return int(np.count_nonzero(self._marks)) // 2

    @property
    def n_directed(self) -> int:
        """The number of edges `->`."""
        return int(np.count_nonzero(arcs_of(self._marks)))

    @property
    def n_undirected(self) -> int:
        """The number of edges `--`."""
        return int(np.count_nonzero((self._marks == TAIL) & (self._marks.T == TAIL))) // 2

    def has_edge(self, x: str, y: str) -> bool:
        """Say whether an edge of any sort joins x and y."""
        return bool(self._marks[self.index(x), self.index(y)])

    def edge(self, x: str, y: str) -> Edge | None:
        """Give the edge between x and y, read from x to y, or None.

        >>> str(Graph.parse("A -> B").edge("B", "A"))
        'B <- A'
        """
        i, j = self.index(x), self.index(y)
        return self._edge(i, j) if self._marks[i, j] else None

    def parents(self, x: str) -> tuple[str, ...]:
        """Give the nodes with an edge `-> x`."""
        return self._joined_by(x, ARROW, TAIL)

    def children(self, x: str) -> tuple[str, ...]:
        """Give the nodes with an edge `x ->`."""
        return self._joined_by(x, TAIL, ARROW)

    def neighbours(self, x: str) -> tuple[str, ...]:
        """Give the nodes with an undirected edge to x (`adjacent` gives those with any edge)."""
        return self._joined_by(x, TAIL, TAIL)

    def siblings(self, x: str) -> tuple[str, ...]:
        """Give the nodes with an edge `<-> x`."""
        return self._joined_by(x, ARROW, ARROW)

    def adjacent(self, x: str) -> tuple[str, ...]:
        """Give the nodes with any edge to x."""
        return self._names(self._marks[self.index(x)] != NONE)

    def spouses(self, x: str) -> tuple[str, ...]:
        """Give the other parents of the children of x that are not adjacent to x."""
        i = self.index(x)
        arcs = arcs_of(self._marks)
        found = arcs[:, arcs[i]].any(axis=1) & (self._marks[i] == NONE)
        found[i] = False
        return self._names(found)

    def ancestors(self, x: str) -> tuple[str, ...]:
        """Give the nodes with a directed path to x, without x itself."""
        return self._closure(x, arcs_of(self._marks).T)

    def descendants(self, x: str) -> tuple[str, ...]:
        """Give the nodes that a directed path leads to from x, without x itself."""
        return self._closure(x, arcs_of(self._marks))

    def topological_order(self) -> tuple[str, ...]:
        """Order the nodes so that every directed edge points forward; an error names the cycle, if any.

        >>> Graph.dag("ABC", [("C", "A")]).topological_order()
        ('B', 'C', 'A')
        """
        order = topological_order(arcs_of(self._marks))
        if order is None:
            raise GraphError(f"There is no order, because of {self.cycle()}.", hint="Turn one of its arcs.")
        return tuple(self._nodes[i] for i in order)

    def cycle(self) -> str | None:
        """Describe a shortest directed cycle, as `the cycle A -> B -> A`, or give None."""
        nodes = find_cycle(arcs_of(self._marks))
        return None if nodes is None else f"the cycle {trail(self._nodes, nodes)}"

    def paths(self, x: str, y: str, *, directed: bool = False) -> Iterator[tuple[str, ...]]:
        """Yield every path from x to y that visits no node twice; there can be exponentially many.

        >>> list(Graph.parse("A -> B -> C; A -> C").paths("A", "C"))
        [('A', 'B', 'C'), ('A', 'C')]
        """
        start, end = self.index(x), self.index(y)
        step = arcs_of(self._marks) if checks.flag("directed", directed) else self._marks != NONE
        walk = [start]
        stack = [iter(np.flatnonzero(step[start]).tolist())] if start != end else []
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                walk.pop()
            elif node == end:
                yield tuple(self._nodes[i] for i in (*walk, end))
            elif node not in walk:
                walk.append(node)
                stack.append(iter(np.flatnonzero(step[node]).tolist()))

    def _edge(self, i: int, j: int) -> Edge:
        return Edge(self._nodes[i], self._nodes[j], Mark(self._marks[j, i]), Mark(self._marks[i, j]))

    def _joined_by(self, x: str, at_x: int, there: int) -> tuple[str, ...]:
        i = self.index(x)
        return self._names((self._marks[:, i] == at_x) & (self._marks[i] == there))

    def _names(self, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(self._nodes[i] for i in np.flatnonzero(chosen).tolist())

    def _closure(self, x: str, step: NDArray[np.bool_]) -> tuple[str, ...]:
        start = 1 << self.index(x)
        return tuple(self._nodes[i] for i in members(reach(bits_of_rows(step), start) & ~start))


def refuse_other_than_graph(name: str, value: object) -> None:
    """Refuse what is no graph."""
    checks.instance(name, value, Relations, "a graph", hint="Graph.dag(), Graph.parse() or result.graph give one.")
