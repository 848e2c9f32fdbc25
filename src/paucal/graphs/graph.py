"""The graph that every search returns and every metric compares: named nodes, marked edges, never changed.

One type serves five kinds. They differ in the marks they allow and in what the constructor checks:

=====  ==========================  =========================================================================
kind   edges                       checked when made
=====  ==========================  =========================================================================
dag    `->`                        no directed cycle
cpdag  `->` `--`                   it is the completed graph of a Markov equivalence class
pdag   `->` `--`                   the marks only, as a search may return cycles: `problems()` tells
mag    `->` `<->` `--`             ancestral and maximal
pag    these, `o->` `o-o` `o--`    the marks only: `problems()` tells whether it is the PAG of some MAG
=====  ==========================  =========================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paucal import checks, schemas
from paucal.errors import GraphError
from paucal.graphs.building import Kind, checked_kind, checked_names, marks_from_edges, suggested_kind
from paucal.graphs.json_head import JsonFormat, parse_json, plain_lists
from paucal.graphs.language import Triple, edges_from_text
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL, MarkMatrix, marks_from_pdag_matrix, pdag_matrix_from_marks
from paucal.graphs.relations import Relations
from paucal.graphs.written import Written

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Pairs = Iterable[tuple[str, str]]
_SHOWN = 6  # edges in a repr
_JSON = JsonFormat("paucal-graph", "graph")


class Graph(Written, Relations):
    """An immutable graph with named nodes and a mark at each end of every edge.

    Parameters
    ----------
    nodes
        The names, in the order that results and matrices keep.
    marks_matrix
        `marks_matrix[i, j]` is the mark at the j end of the edge between i and j: 0 no edge, 1 circle,
        2 arrowhead, 3 tail. Without it the graph has no edges.
    kind
        `"dag"`, `"cpdag"`, `"pdag"`, `"mag"` or `"pag"`; the marks must fit it.
    check
        Pass False only for marks that an algorithm has just made and that hold by construction.

    Notes
    -----
    Two graphs are equal if they have the same nodes, in any order, and the same edges, whatever their kind.

    Examples
    --------
    >>> g = Graph.dag(["A", "B", "C"], [("A", "C"), ("B", "C")])
    >>> g
    Graph.dag(3 nodes, 2 edges: A -> C; B -> C)
    >>> g.parents("C"), g.spouses("A")
    (('A', 'B'), ('B',))
    """

    __slots__ = ("_hash", "_kind")

    def __init__(
        self, nodes: Iterable[str], marks_matrix: ArrayLike | None = None, kind: Kind = "pdag", *, check: bool = True
    ) -> None:
        names = checked_names(nodes)
        super().__init__(names, _checked_marks(len(names), marks_matrix))
        self._kind = checked_kind(kind)
        self._hash: int | None = None
        if checks.flag("check", check):
            self._refuse_problems()

    @property
    def kind(self) -> Kind:
        """`"dag"`, `"cpdag"`, `"pdag"`, `"mag"` or `"pag"`."""
        return self._kind

    # ------------------------------------------------------------------------------------------ making graphs

    @classmethod
    def dag(cls, nodes: Iterable[str], arcs: Pairs = ()) -> Graph:
        """Make a directed acyclic graph from `(parent, child)` pairs.

        >>> Graph.dag("ABC", [("A", "B"), ("B", "C"), ("C", "A")])
        Traceback (most recent call last):
        paucal.errors.GraphError: This is not a DAG: the cycle A -> B -> C -> A. Turn one of its arcs.
        """
        return cls.from_triples(nodes, [(a, "->", b) for a, b in _pairs("arcs", arcs)], "dag")

    @classmethod
    def pdag(cls, nodes: Iterable[str], directed: Pairs = (), undirected: Pairs = ()) -> Graph:
        """Make a partially directed graph.

        >>> Graph.pdag("ABC", directed=[("A", "B")], undirected=[("B", "C")])
        Graph.pdag(3 nodes, 2 edges: A -> B; B -- C)
        """
        return cls.from_triples(nodes, _two_sorts(directed, undirected), "pdag")

    @classmethod
    def cpdag(cls, nodes: Iterable[str], directed: Pairs = (), undirected: Pairs = ()) -> Graph:
        """Make a completed partially directed graph; an error if no equivalence class of DAGs has it."""
        return cls.from_triples(nodes, _two_sorts(directed, undirected), "cpdag")

    @classmethod
    def mag(cls, nodes: Iterable[str], edges: Iterable[Triple] = ()) -> Graph:
        """Make a maximal ancestral graph from `(a, symbol, b)` with the symbols `->`, `<-`, `<->`, `--`.

        >>> Graph.mag("ABC", [("A", "->", "B"), ("B", "<->", "C")])
        Graph.mag(3 nodes, 2 edges: A -> B; B <-> C)
        """
        return cls.from_triples(nodes, edges, "mag")

    @classmethod
    def pag(cls, nodes: Iterable[str], edges: Iterable[Triple] = ()) -> Graph:
        """Make a partial ancestral graph from `(a, symbol, b)`; circles are written `o`: `("A", "o->", "B")`."""
        return cls.from_triples(nodes, edges, "pag")

    @classmethod
    def empty(cls, nodes: Iterable[str], kind: Kind = "dag") -> Graph:
        """Make a graph without edges."""
        return cls(nodes, None, kind)

    @classmethod
    def complete(cls, nodes: Iterable[str], kind: Kind = "cpdag") -> Graph:
        """Join all pairs: `--`, in a PAG `o-o`, in a DAG or MAG `->` in the order of the nodes.

        >>> Graph.complete("ABC", "dag")
        Graph.dag(3 nodes, 3 edges: A -> B; A -> C; B -> C)
        """
        names, kind = checked_names(nodes), checked_kind(kind)
        marks = np.full((len(names), len(names)), CIRCLE if kind == "pag" else TAIL, dtype=np.int8)
        if kind in {"dag", "mag"}:
            marks[np.triu_indices(len(names), 1)] = ARROW
        np.fill_diagonal(marks, NONE)
        return cls(names, marks, kind)

    @classmethod
    def from_pdag_matrix(
        cls, nodes: Iterable[str], matrix: ArrayLike, kind: Kind = "pdag", *, check: bool = True
    ) -> Graph:
        """Read a PDAG matrix: `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j.

        >>> Graph.from_pdag_matrix("AB", [[0, 1], [0, 0]], "dag")
        Graph.dag(2 nodes, 1 edge: A -> B)
        """
        raw = checks.array("matrix", matrix)
        if raw.ndim != 2 or raw.shape[0] != raw.shape[1]:
            raise GraphError(f"The shape {raw.shape} is not square.", hint="Give one row and column per node.")
        if ((raw != 0) & (raw != 1)).any():
            raise GraphError("A PDAG matrix holds 0 and 1 only.", hint="Give marks to Graph() itself.")
        return cls(nodes, marks_from_pdag_matrix(raw), kind, check=check)

    @classmethod
    def parse(cls, text: str, nodes: Iterable[str] | None = None, kind: Kind | None = None) -> Graph:
        """Read edges written as text, separated by `;` or line ends; a name alone is a node without edges.

        Parameters
        ----------
        text
            Such as `A -> B; B -- C; C o-> D <-> E; "a name with spaces"`. Names that are not one plain word
            stand in double quotes, with the escapes of JSON.
        nodes
            The nodes in order; by default those of the text as they appear.
        kind
            By default what the marks suggest: `dag` if all is directed and acyclic, `pdag` with undirected
            edges or a cycle, `pag` with circles, `mag` with `<->`.

        Examples
        --------
        >>> Graph.parse("A -> B <- C; D")
        Graph.dag(4 nodes, 2 edges: A -> B; C -> B)
        """
        seen, edges = edges_from_text(checks.text("text", text))
        return cls.from_triples(seen if nodes is None else nodes, edges, kind)

    @classmethod
    def from_triples(cls, nodes: Iterable[str], edges: Iterable[Triple], kind: Kind | None = None) -> Graph:
        """Make a graph from `(a, symbol, b)`; without `kind` of the kind that the marks suggest, as `parse` does.

        >>> Graph.from_triples("AB", [("A", "<->", "B")])
        Graph.mag(2 nodes, 1 edge: A <-> B)
        """
        names = checked_names(nodes)
        marks = marks_from_edges(names, edges)
        return cls(names, marks, suggested_kind(marks) if kind is None else kind)

    # ----------------------------------------------------------------------------------------- derived graphs

    def skeleton(self) -> Graph:
        """Give the same edges without marks, all `--`."""
        return Graph(self.nodes, np.where(self.marks, TAIL, NONE), "pdag", check=False)

    def subgraph(self, nodes: Iterable[str]) -> Graph:
        """Give the part over some nodes, in the order in which they are named; part of a CPDAG is a PDAG."""
        kind: Kind = "pdag" if self.kind == "cpdag" else self.kind
        kept = checked_names(nodes)
        return Graph(kept, self._marks_in_order(kept), kind, check=False)

    def reorder(self, nodes: Iterable[str]) -> Graph:
        """Give an equal graph with the nodes in another order."""
        order = checked_names(nodes)
        marks = self._marks_in_order(order)
        if len(order) != self.n:
            left_out = [name for name in self.nodes if name not in set(order)]
            raise GraphError(f"The new order leaves out {left_out}.", hint="Use subgraph() to drop nodes.")
        return Graph(order, marks, self.kind, check=False)

    def rename(self, mapping: Mapping[str, str]) -> Graph:
        """Give the same graph under other names; nodes that the mapping leaves out keep theirs."""
        renamed = checks.settings("mapping", mapping)
        for name in renamed:
            self.index(name)
        return Graph([renamed.get(name, name) for name in self.nodes], self.marks, self.kind, check=False)

    def as_kind(self, kind: Kind) -> Graph:
        """Give the same graph as another kind, checked.

        >>> Graph.parse("A -- B").as_kind("cpdag").kind
        'cpdag'
        """
        return Graph(self.nodes, self.marks, kind)

    def _marks_in_order(self, names: Iterable[str]) -> MarkMatrix:
        where = [self.index(name) for name in names]
        return self.marks[np.ix_(where, where)]

    # ----------------------------------------------------------------------------------------------- exchange

    def to_pdag_matrix(self) -> NDArray[np.int8]:
        """Give the PDAG matrix: `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j."""
        if 2 * (self.n_directed + self.n_undirected) < np.count_nonzero(self.marks):
            odd = next(e for e in self.edges() if e.symbol not in {"->", "--"})
            raise GraphError(f"A PDAG matrix has no place for the edge {odd}.", hint="Use `marks`.")
        return pdag_matrix_from_marks(self.marks)

    def to_dict(self) -> dict[str, Any]:
        """Give the graph as plain values, the content of `to_json`."""
        return {
            **_JSON.head,
            "kind": self.kind,
            "nodes": list(self.nodes),
            "edges": [[e.a, e.symbol, e.b] for e in self.edges()],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Graph:
        """Read what `to_dict` gave."""
        content = plain_lists(_JSON.check(content))
        schemas.check("graph", content)
        edges = [(a, symbol, b) for a, symbol, b in content["edges"]]
        return cls.from_triples(content["nodes"], edges, checked_kind(content["kind"]))

    def to_json(self) -> str:
        """Write the graph as JSON; `from_json` gives it back with node order and kind.

        >>> Graph.from_json(Graph.parse("A -> B").to_json())
        Graph.dag(2 nodes, 1 edge: A -> B)
        """
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Graph:
        """Read what `to_json` wrote."""
        return cls.from_dict(parse_json(text))

    # ------------------------------------------------------------------------------------------------- checks

    def problems(self) -> list[str]:
        """List in words all that keeps this graph from being what its kind says; an empty list is good.

        >>> Graph.pdag("ABC", directed=[("A", "B"), ("B", "C"), ("C", "A")]).problems()
        ['the cycle A -> B -> C -> A']
        """
        from paucal.graphs.validity import problems  # needs algorithms that themselves make graphs

        return problems(self)

    def _refuse_problems(self) -> None:
        from paucal.graphs.validity import problems

        found = problems(self, at_construction=True)
        if found:
            more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
            hint = "Turn one of its arcs." if "cycle" in found[0] else "Check these edges."
            raise GraphError(f"This is not a {self.kind.upper()}: {'; '.join(found[:5])}{more}.", hint=hint)

    # -------------------------------------------------------------------------------------- the Python object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if self.nodes == other.nodes:
            return np.array_equal(self.marks, other.marks)
        same_nodes = set(self.nodes) == set(other.nodes)
        return same_nodes and np.array_equal(self.marks, other._marks_in_order(self.nodes))

    def __hash__(self) -> int:
        if self._hash is None:
            ends = frozenset(frozenset([(e.a, e.mark_a), (e.b, e.mark_b)]) for e in self.edges())
            self._hash = hash((frozenset(self.nodes), ends))
        return self._hash

    def __len__(self) -> int:
        return self.n

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._index

    def __repr__(self) -> str:
        edges = self.edges()
        shown = "; ".join(map(str, edges[:_SHOWN])) + ("; ..." if len(edges) > _SHOWN else "")
        counts = f"{_count(self.n, 'node')}, {_count(len(edges), 'edge')}"
        return f"Graph.{self.kind}({counts}{': ' + shown if shown else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Graph, check=False), (self.nodes, np.array(self.marks), self.kind)

    def _repr_svg_(self) -> str | None:
        from paucal.graphs.drawing.svg import DRAWN_AT_MOST, to_svg

        return to_svg(self) if self.n <= DRAWN_AT_MOST else None

    def _repr_html_(self) -> str:
        from paucal.graphs.drawing.svg import to_html

        return to_html(self)


def _checked_marks(n: int, matrix: ArrayLike | None) -> MarkMatrix:
    raw = np.zeros((n, n), dtype=np.int8) if matrix is None else checks.array("marks_matrix", matrix)
    if raw.shape != (n, n):
        raise GraphError(
            f"{n} nodes need a matrix of {n} x {n} marks, this one has the shape {raw.shape}.",
            hint="Give one row and one column for each node.",
        )
    marks = np.array(raw, dtype=np.int8, order="C")
    if raw.dtype != np.int8 and not np.array_equal(marks, raw):
        raise GraphError(
            "The matrix of marks has values other than 0, 1, 2, 3.",
            hint="0 is no edge, 1 a circle, 2 an arrowhead, 3 a tail.",
        )
    return marks


def _pairs(name: str, value: Pairs) -> list[tuple[str, str]]:
    """Give pairs of nodes; nodes of one letter may be written together, "AB"."""
    given: list[Any] = [
        tuple(pair) if isinstance(pair, str) else pair for pair in checks.names(name, cast("Any", value))
    ]
    return checks.pairs(name, given)


def _two_sorts(directed: Pairs, undirected: Pairs) -> list[Triple]:
    return [
        *((a, "->", b) for a, b in _pairs("directed", directed)),
        *((a, "--", b) for a, b in _pairs("undirected", undirected)),
    ]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
