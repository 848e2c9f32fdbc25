"""The graph that every search returns and every metric compares: named nodes, marked edges, never changed.

One type serves five kinds. They differ in the marks they allow and in what the constructor checks:

=======  ==============================  ====================================================================
kind     edges                           checked when made
=======  ==============================  ====================================================================
dag      `->`                            no directed cycle
cpdag    `->` `--`                       it is the completed graph of a Markov equivalence class
pdag     `->` `--`                       the marks only; a search may return cycles: `problems()` tells
mag      `->` `<->` `--`                 ancestral and maximal
pag      `->` `<->` `o->` `o-o` `--`...  the marks only; `problems()` tells whether some MAG has this PAG
=======  ==============================  ====================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paucal.errors import GraphError, unknown_name
from paucal.graphs.acyclic import reachable, topological_order
from paucal.graphs.marks import (
    ARROW,
    CIRCLE,
    NONE,
    TAIL,
    Edge,
    Mark,
    MarkMatrix,
    arcs_of,
    marks_from_pdag_matrix,
    parse_symbol,
    pdag_matrix_from_marks,
    quoted,
    split_statements,
)

Kind: TypeAlias = Literal["dag", "cpdag", "pdag", "mag", "pag"]
KINDS: tuple[Kind, ...] = ("dag", "cpdag", "pdag", "mag", "pag")
JSON_FORMAT = "paucal-graph"
JSON_VERSION = 1


class Graph:
    """An immutable graph with named nodes and a mark at each end of every edge.

    Parameters
    ----------
    nodes
        The names, in the order that results and matrices keep.
    marks_matrix
        `marks_matrix[i, j]` is the mark at the j end of the edge between i and j: 0 no edge, 1 circle, 2 arrowhead,
        3 tail. Without it the graph has no edges.
    kind
        `"dag"`, `"cpdag"`, `"pdag"`, `"mag"` or `"pag"`; the marks must fit it.
    check
        Pass False only for marks that an algorithm has just made and that hold by construction.

    Notes
    -----
    Two graphs are equal if they have the same nodes, in any order, and the same edges; the kind is not compared.

    Examples
    --------
    >>> g = Graph.dag(["A", "B", "C"], [("A", "C"), ("B", "C")])
    >>> g
    Graph.dag(3 nodes, 2 edges: A -> C; B -> C)
    >>> g.parents("C"), g.spouses("A")
    (('A', 'B'), ('B',))
    """

    __slots__ = ("_hash", "_index", "_kind", "_marks", "_nodes")

    def __init__(
        self,
        nodes: Iterable[str],
        marks_matrix: ArrayLike | None = None,
        kind: Kind = "pdag",
        *,
        check: bool = True,
    ) -> None:
        self._nodes = _checked_names(nodes)
        self._index = {name: i for i, name in enumerate(self._nodes)}
        self._kind = _checked_kind(kind)
        self._hash: int | None = None
        n = len(self._nodes)
        raw = np.zeros((n, n), dtype=np.int8) if marks_matrix is None else np.asarray(marks_matrix)
        if raw.shape != (n, n):
            raise GraphError(
                f"{n} nodes need a matrix of {n} x {n} marks, this one has the shape {raw.shape}.",
                hint="Give one row and one column for each node.",
            )
        self._marks: MarkMatrix = np.array(raw, dtype=np.int8, order="C")
        self._marks.setflags(write=False)
        if check:
            if not np.array_equal(self._marks, raw):
                raise GraphError("The matrix of marks has values other than 0, 1, 2, 3.", hint=_MARKS_HINT)
            self._refuse_problems()

    # ---------------------------------------------------------------------------------------------- making graphs

    @classmethod
    def dag(cls, nodes: Iterable[str], arcs: Iterable[tuple[str, str]] = ()) -> Graph:
        """Make a directed acyclic graph from `(parent, child)` pairs.

        >>> Graph.dag("AB", [("A", "B"), ("B", "A")])
        Traceback (most recent call last):
        paucal.errors.GraphError: This is not a DAG: the cycle A -> B -> A. Remove or turn one of its arcs.
        """
        nodes = _checked_names(nodes)
        pairs = [(str(a), str(b)) for a, b in arcs]
        both_ways = [(a, b) for a, b in pairs if (b, a) in set(pairs) and a != b]
        if both_ways:
            a, b = both_ways[0]
            raise _not_a_dag([a, b])
        return cls._from_edges(nodes, ((a, "->", b) for a, b in pairs), "dag")

    @classmethod
    def pdag(
        cls,
        nodes: Iterable[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> Graph:
        """Make a partially directed graph.

        >>> Graph.pdag("ABC", directed=[("A", "B")], undirected=[("B", "C")])
        Graph.pdag(3 nodes, 2 edges: A -> B; B -- C)
        """
        return cls._from_edges(nodes, _two_sorts(directed, undirected), "pdag")

    @classmethod
    def cpdag(
        cls,
        nodes: Iterable[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> Graph:
        """Make a completed partially directed graph; an error if no equivalence class of DAGs has it.

        >>> Graph.cpdag("ABC", undirected=[("A", "B"), ("B", "C")])
        Graph.cpdag(3 nodes, 2 edges: A -- B; B -- C)
        """
        return cls._from_edges(nodes, _two_sorts(directed, undirected), "cpdag")

    @classmethod
    def mag(cls, nodes: Iterable[str], edges: Iterable[tuple[str, str, str]] = ()) -> Graph:
        """Make a maximal ancestral graph from `(a, symbol, b)` with the symbols `->`, `<-`, `<->`, `--`.

        >>> Graph.mag("ABC", [("A", "->", "B"), ("B", "<->", "C")])
        Graph.mag(3 nodes, 2 edges: A -> B; B <-> C)
        """
        return cls._from_edges(nodes, edges, "mag")

    @classmethod
    def pag(cls, nodes: Iterable[str], edges: Iterable[tuple[str, str, str]] = ()) -> Graph:
        """Make a partial ancestral graph from `(a, symbol, b)`; circles are written `o`.

        >>> Graph.pag("ABC", [("A", "o->", "B"), ("C", "o->", "B")])
        Graph.pag(3 nodes, 2 edges: A o-> B; C o-> B)
        """
        return cls._from_edges(nodes, edges, "pag")

    @classmethod
    def empty(cls, nodes: Iterable[str], kind: Kind = "dag") -> Graph:
        """Make a graph without edges.

        >>> Graph.empty("AB").n_edges
        0
        """
        return cls(nodes, None, kind)

    @classmethod
    def complete(cls, nodes: Iterable[str], kind: Kind = "cpdag") -> Graph:
        """Join all pairs: `--`, in a PAG `o-o`, in a DAG or MAG `->` in the order of the nodes.

        >>> Graph.complete("ABC", "dag")
        Graph.dag(3 nodes, 3 edges: A -> B; A -> C; B -> C)
        """
        nodes = _checked_names(nodes)
        marks = np.full((len(nodes), len(nodes)), CIRCLE if kind == "pag" else TAIL, dtype=np.int8)
        if kind in {"dag", "mag"}:
            marks[np.triu_indices(len(nodes), 1)] = ARROW
        np.fill_diagonal(marks, NONE)
        return cls(nodes, marks, kind)

    @classmethod
    def from_pdag_matrix(cls, nodes: Iterable[str], matrix: ArrayLike, kind: Kind = "pdag") -> Graph:
        """Read a PDAG matrix: `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j.

        >>> Graph.from_pdag_matrix("AB", [[0, 1], [0, 0]], "dag")
        Graph.dag(2 nodes, 1 edge: A -> B)
        """
        raw = np.asarray(matrix)
        if not np.isin(raw, (0, 1)).all():
            raise GraphError(
                "A PDAG matrix holds 0 and 1 only.", hint="P[i, j] = 1 is i -> j, or i -- j if P[j, i] = 1."
            )
        if raw.ndim != 2 or raw.shape[0] != raw.shape[1]:
            raise GraphError(f"A PDAG matrix is square, this one has the shape {raw.shape}.")
        return cls(nodes, marks_from_pdag_matrix(raw), kind)

    @classmethod
    def parse(cls, text: str, nodes: Iterable[str] | None = None, kind: Kind | None = None) -> Graph:
        """Read edges written as text, separated by `;` or line ends; a name alone is a node without edges.

        Parameters
        ----------
        text
            Such as `A -> B; B -- C; C o-> D <-> E; "a name with spaces"`. Names that are not one plain word stand in
            double quotes, with the escapes of JSON.
        nodes
            The nodes in order; by default those of the text as they appear.
        kind
            By default what the marks suggest: `dag` if all is directed and acyclic, `pdag` with undirected edges,
            `pag` with circles, `mag` otherwise.

        Examples
        --------
        >>> Graph.parse("A -> B <- C; D")
        Graph.dag(4 nodes, 2 edges: A -> B; C -> B)
        """
        edges: list[tuple[str, str, str]] = []
        seen: dict[str, None] = {}
        for words in split_statements(text):
            if len(words) % 2 == 0:
                raise GraphError(
                    f"{' '.join(words)!r} is not an edge.",
                    hint='Write A -> B, and names with spaces in "quotes".',
                )
            seen.update(dict.fromkeys(words[::2]))
            edges += zip(words[:-2:2], words[1::2], words[2::2], strict=True)
        return cls._from_edges(seen if nodes is None else nodes, edges, kind)

    @classmethod
    def _from_edges(
        cls, nodes: Iterable[str], edges: Iterable[tuple[str, str, str]], kind: Kind | None
    ) -> Graph:
        names = _checked_names(nodes)
        index = {name: i for i, name in enumerate(names)}
        marks = np.zeros((len(names), len(names)), dtype=np.int8)
        for a, symbol, b in edges:
            for name in (a, b):
                if name not in index:
                    raise unknown_name("node", name, names)
            i, j = index[a], index[b]
            if i == j:
                raise GraphError(
                    f"The edge {quoted(a)} {symbol} {quoted(b)} joins a node to itself.", hint="Leave it out."
                )
            if marks[i, j]:
                raise GraphError(
                    f"{a!r} and {b!r} are joined twice.", hint="Give each pair of nodes one edge."
                )
            marks[j, i], marks[i, j] = parse_symbol(symbol)
        return cls(names, marks, kind or _suggested_kind(marks))

    # ------------------------------------------------------------------------------------------- the parts of a graph

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
        """The matrix of marks, read only: `marks[i, j]` is the mark at the j end of the edge between i and j."""
        return self._marks

    @property
    def kind(self) -> Kind:
        """`"dag"`, `"cpdag"`, `"pdag"`, `"mag"` or `"pag"`."""
        return self._kind

    def index(self, name: str) -> int:
        """Give the place of a node in `nodes`."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise unknown_name("node", name, self._nodes) from None

    def edges(self) -> list[Edge]:
        """List the edges in the order of the nodes, directed ones from parent to child, `o->` from its circle.

        >>> [str(e) for e in Graph.parse("A <- B; C -- B").edges()]
        ['B -> A', 'B -- C']
        """
        found = []
        for i, j in zip(*(part.tolist() for part in np.nonzero(np.triu(self._marks))), strict=True):
            at_i, at_j = int(self._marks[j, i]), int(self._marks[i, j])
            # the end that looks back (tail, then circle) comes first, so that arrows read from left to right
            first, second = (j, i) if _READING_ORDER[at_j] < _READING_ORDER[at_i] else (i, j)
            found.append((first, second))
        return [self._edge(i, j) for i, j in sorted(found)]

    def arcs(self) -> list[tuple[str, str]]:
        """List the directed edges as `(parent, child)`.

        >>> Graph.parse("A -> B; B -- C").arcs()
        [('A', 'B')]
        """
        rows, columns = np.nonzero(arcs_of(self._marks))
        return [
            (self._nodes[i], self._nodes[j]) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        ]

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
        i = self.index(x)
        return self._names((self._marks[:, i] == ARROW) & (self._marks[i] == TAIL))

    def children(self, x: str) -> tuple[str, ...]:
        """Give the nodes with an edge `x ->`."""
        i = self.index(x)
        return self._names((self._marks[i] == ARROW) & (self._marks[:, i] == TAIL))

    def neighbours(self, x: str) -> tuple[str, ...]:
        """Give the nodes with an undirected edge to x (`adjacent` gives those with any edge)."""
        i = self.index(x)
        return self._names((self._marks[i] == TAIL) & (self._marks[:, i] == TAIL))

    def siblings(self, x: str) -> tuple[str, ...]:
        """Give the nodes with an edge `<-> x`."""
        i = self.index(x)
        return self._names((self._marks[i] == ARROW) & (self._marks[:, i] == ARROW))

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
        """Order the nodes so that every directed edge points forward; an error names the cycle if there is one.

        >>> Graph.dag("ABC", [("C", "A")]).topological_order()
        ('B', 'C', 'A')
        """
        order = topological_order(arcs_of(self._marks))
        if order is None:
            raise GraphError(
                f"There is no order: {'; '.join(self.problems())}.", hint="Turn one of these edges."
            )
        return tuple(self._nodes[i] for i in order)

    def paths(self, x: str, y: str, *, directed: bool = False) -> Iterator[tuple[str, ...]]:
        """Yield every path from x to y that visits no node twice; there can be exponentially many.

        >>> list(Graph.parse("A -> B -> C; A -> C").paths("A", "C"))
        [('A', 'B', 'C'), ('A', 'C')]
        """
        start, end = self.index(x), self.index(y)
        step = arcs_of(self._marks) if directed else self._marks != NONE
        trail = [start]
        stack = [iter(np.flatnonzero(step[start]).tolist())] if start != end else []
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                trail.pop()
            elif node == end:
                yield tuple(self._nodes[i] for i in (*trail, end))
            elif node not in trail:
                trail.append(node)
                stack.append(iter(np.flatnonzero(step[node]).tolist()))

    # ------------------------------------------------------------------------------------------------- derived graphs

    def skeleton(self) -> Graph:
        """Give the same edges without marks, all `--`."""
        return Graph(self._nodes, np.where(self._marks, TAIL, NONE), "pdag", check=False)

    def subgraph(self, nodes: Iterable[str]) -> Graph:
        """Give the part over some nodes, in the order in which they are named; part of a CPDAG is a PDAG."""
        kept = _checked_names(nodes)
        where = [self.index(name) for name in kept]
        return Graph(
            kept,
            self._marks[np.ix_(where, where)],
            "pdag" if self._kind == "cpdag" else self._kind,
            check=False,
        )

    def reorder(self, nodes: Iterable[str]) -> Graph:
        """Give an equal graph with the nodes in another order."""
        order = _checked_names(nodes)
        where = [self.index(name) for name in order]
        if len(where) != self.n:
            left_out = [name for name in self._nodes if name not in set(order)]
            raise GraphError(f"The new order leaves out {left_out}.", hint="Use subgraph() to drop nodes.")
        return Graph(order, self._marks[np.ix_(where, where)], self._kind, check=False)

    def rename(self, mapping: Mapping[str, str]) -> Graph:
        """Give the same graph under other names; nodes that the mapping leaves out keep theirs."""
        for name in mapping:
            self.index(name)
        return Graph([mapping.get(name, name) for name in self._nodes], self._marks, self._kind, check=False)

    def as_kind(self, kind: Kind) -> Graph:
        """Give the same graph as another kind, checked.

        >>> Graph.parse("A -- B").as_kind("cpdag").kind
        'cpdag'
        """
        return Graph(self._nodes, self._marks, kind)

    # ------------------------------------------------------------------------------------------------------ exchange

    def to_pdag_matrix(self) -> NDArray[np.int8]:
        """Give the PDAG matrix: `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j."""
        odd = next((e for e in self.edges() if not e.directed and {e.mark_a, e.mark_b} != {Mark.TAIL}), None)
        if odd is not None:
            raise GraphError(
                f"A PDAG matrix has no place for the edge {odd}.", hint="Use `marks`, which keeps every mark."
            )
        return pdag_matrix_from_marks(self._marks)

    def to_dict(self) -> dict[str, Any]:
        """Give the graph as plain values, the content of `to_json`."""
        return {
            "format": JSON_FORMAT,
            "version": JSON_VERSION,
            "kind": self._kind,
            "nodes": list(self._nodes),
            "edges": [[e.a, e.symbol, e.b] for e in self.edges()],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Graph:
        """Read what `to_dict` gave."""
        if not isinstance(content, Mapping) or content.get("format") != JSON_FORMAT:
            raise GraphError("This is not a graph of paucal.", hint=f'It needs "format": "{JSON_FORMAT}".')
        if content.get("version") != JSON_VERSION:
            raise GraphError(
                f"This graph has the format version {content.get('version')!r}; version {JSON_VERSION} is known.",
                hint="A newer paucal may read it.",
            )
        try:
            nodes, kind = content["nodes"], content["kind"]
            edges = [(a, symbol, b) for a, symbol, b in content["edges"]]
        except (KeyError, TypeError, ValueError) as error:
            raise GraphError(
                f"The graph is damaged: {error}.", hint="It needs kind, nodes and edges [a, symbol, b]."
            ) from error
        return cls._from_edges(nodes, edges, _checked_kind(kind))

    def to_json(self) -> str:
        """Write the graph as JSON; `from_json` gives it back with node order and kind.

        >>> Graph.from_json(Graph.parse("A -> B").to_json())
        Graph.dag(2 nodes, 1 edge: A -> B)
        """
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Graph:
        """Read what `to_json` wrote."""
        try:
            content = json.loads(text)
        except ValueError as error:
            raise GraphError(
                f"This is not JSON: {error}.", hint="Give the text that to_json() wrote."
            ) from error
        return cls.from_dict(content)

    # --------------------------------------------------------------------------------------------------------- checks

    def problems(self) -> list[str]:
        """List in words all that keeps this graph from being what its kind says; an empty list is good.

        >>> Graph.pdag("ABC", directed=[("A", "B"), ("B", "C"), ("C", "A")]).problems()
        ['the cycle A -> B -> C -> A']
        """
        from paucal.graphs.validity import problems  # the checks need algorithms that themselves make graphs

        return problems(self)

    def _refuse_problems(self) -> None:
        from paucal.graphs.validity import problems

        found = problems(self, at_construction=True)
        if found:
            hint = (
                "Remove or turn one of its arcs."
                if "cycle" in found[0]
                else "See `Graph.problems()` of a pdag or pag."
            )
            raise GraphError(f"This is not a {self._kind.upper()}: {'; '.join(found[:5])}.", hint=hint)

    # ---------------------------------------------------------------------------------------------- the Python object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if self._nodes == other._nodes:
            return np.array_equal(self._marks, other._marks)
        if self._index.keys() != other._index.keys():
            return False
        where = [other._index[name] for name in self._nodes]
        return np.array_equal(self._marks, other._marks[np.ix_(where, where)])

    def __hash__(self) -> int:
        if self._hash is None:
            ends = frozenset(frozenset([(e.a, e.mark_a), (e.b, e.mark_b)]) for e in self.edges())
            self._hash = hash((frozenset(self._nodes), ends))
        return self._hash

    def __len__(self) -> int:
        return self.n

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __repr__(self) -> str:
        edges = self.edges()
        shown = "; ".join(map(str, edges[:_SHOWN])) + ("; ..." if len(edges) > _SHOWN else "")
        counts = f"{_count(self.n, 'node')}, {_count(len(edges), 'edge')}"
        return f"Graph.{self._kind}({counts}{': ' + shown if shown else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickled, (self._nodes, np.array(self._marks), self._kind))

    def _repr_svg_(self) -> str:
        from paucal.graphs.svg import to_svg

        return to_svg(self)

    def _repr_html_(self) -> str:
        from paucal.graphs.svg import to_html

        return to_html(self)

    # ----------------------------------------------------------------------------------------------------- small steps

    def _edge(self, i: int, j: int) -> Edge:
        return Edge(self._nodes[i], self._nodes[j], Mark(self._marks[j, i]), Mark(self._marks[i, j]))

    def _names(self, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(self._nodes[i] for i in np.flatnonzero(chosen).tolist())

    def _closure(self, x: str, step: NDArray[np.bool_]) -> tuple[str, ...]:
        start = self.index(x)
        found = reachable([start], lambda i: np.flatnonzero(step[i]).tolist()) - {start}
        return tuple(self._nodes[i] for i in sorted(found))


_SHOWN = 6  # edges in a repr
_READING_ORDER = {TAIL: 0, CIRCLE: 1, ARROW: 2}
_MARKS_HINT = "0 is no edge, 1 a circle, 2 an arrowhead, 3 a tail."


def _checked_names(nodes: Iterable[str]) -> tuple[str, ...]:
    names = tuple(nodes)
    for name in names:
        if not isinstance(name, str):
            raise GraphError(
                f"The node {name!r} has no name.", hint="Nodes are strings; use str() on numbers."
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GraphError(f"There are two nodes {twice!r}.", hint="Give every node a name of its own.")
    return tuple(str(name) for name in names)


def _checked_kind(kind: str) -> Kind:
    for known in KINDS:
        if kind == known:
            return known
    raise unknown_name("kind of graph", kind, KINDS)


def _suggested_kind(marks: MarkMatrix) -> Kind:
    present = marks != NONE
    if (marks == CIRCLE).any():
        return "pag"
    if (present & (marks == ARROW) & (marks.T == ARROW)).any():
        return "mag"
    all_directed = not ((marks == TAIL) & (marks.T == TAIL)).any()
    return "dag" if all_directed and topological_order(arcs_of(marks)) is not None else "pdag"


def _two_sorts(
    directed: Iterable[tuple[str, str]], undirected: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    yield from ((a, "->", b) for a, b in directed)
    yield from ((a, "--", b) for a, b in undirected)


def _not_a_dag(cycle: Sequence[str]) -> GraphError:
    trail = " -> ".join(quoted(name) for name in (*cycle, cycle[0]))
    return GraphError(f"This is not a DAG: the cycle {trail}.", hint="Remove or turn one of its arcs.")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _unpickled(nodes: tuple[str, ...], marks: MarkMatrix, kind: Kind) -> Graph:
    return Graph(nodes, marks, kind, check=False)
