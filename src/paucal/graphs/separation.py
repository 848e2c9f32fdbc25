"""d-separation, and m-separation in the sense of Richardson and Spirtes (2002).

`Separation` keeps sets of nodes as bits of one integer and looks for a path in the moral graph of the ancestors
(Lauritzen et al. 1990), so that a search can put many questions to one graph.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.errors import GraphError, QuestionError, not_allowed, short
from paucal.graphs.acyclic import descendants
from paucal.graphs.bits import bits_of, bits_of_rows
from paucal.graphs.equivalence import pdag_to_dag
from paucal.graphs.marks import ARROW, CIRCLE, TAIL, MarkMatrix, arcs_of
from paucal.graphs.relations import refuse_other_than_graph
from paucal.notebook import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph


def d_separated(graph: Graph, x: str | Iterable[str], y: str | Iterable[str], given: Iterable[str] = ()) -> bool:
    """Say whether `given` d-separates x from y in a DAG, or in every DAG of a CPDAG.

    Parameters
    ----------
    graph
        A DAG or a CPDAG.
    x, y
        A node or several; the sets must not overlap.
    given
        The nodes that are known.

    Examples
    --------
    >>> g = Graph.parse("rain -> wet <- sprinkler")
    >>> d_separated(g, "rain", "sprinkler"), d_separated(g, "rain", "sprinkler", ["wet"])
    (True, False)
    """
    refuse_other_than_graph("graph", graph)
    if graph.kind in {"mag", "pag"}:
        raise GraphError(
            f"d-separation is about DAGs, this is a {graph.kind.upper()}.", hint="Use m_separated() for a MAG."
        )
    return m_separated(graph, x, y, given)


def m_separated(graph: Graph, x: str | Iterable[str], y: str | Iterable[str], given: Iterable[str] = ()) -> bool:
    """Say whether `given` m-separates x from y in a MAG; in a DAG this is d-separation.

    >>> g = Graph.parse("A -> B <-> C <- D")
    >>> m_separated(g, "A", "D"), m_separated(g, "A", "D", ["B", "C"])
    (True, False)
    """
    ask = Separation(graph)
    xs, ys, zs = _question(graph, x, y, given)
    return all(ask.separated_index(i, j, zs) for i in xs for j in ys)


class Separation(Shown):
    """Answers many separation questions about one graph, such as a search with a perfect oracle asks.

    The graph is a DAG (latent variables are simply never asked about), a CPDAG or a MAG. Edges `<->` and `--` are
    replaced by a hidden common cause and by a known common effect, which leaves the separations among the nodes as
    they were.

    >>> ask = Separation(Graph.parse("A <- hidden -> B"))
    >>> ask("A", "B"), ask("A", "B", ["hidden"])
    (False, True)
    """

    def __init__(self, graph: Graph) -> None:
        refuse_other_than_graph("graph", graph)
        self.graph = graph
        parents, selected = _canonical_parents(_separable(graph))
        self._family = [1 << v | its_parents for v, its_parents in enumerate(bits_of_rows(parents))]
        self._families_of = [1 << v | children for v, children in enumerate(bits_of_rows(parents.T))]
        self._ancestors = descendants(parents)  # along the parents, that is
        self._always_known = bits_of(selected)
        self._always_relevant = 0
        for v in selected:
            self._always_relevant |= self._ancestors[v]

    def __repr__(self) -> str:
        return f"Separation({self.graph!r})"

    def __call__(self, x: str, y: str, given: Iterable[str] = ()) -> bool:
        """Say whether `given` separates the nodes x and y."""
        xs, ys, zs = _question(self.graph, x, y, given)
        for name, side, found in (("x", x, xs), ("y", y, ys)):
            if len(found) != 1:
                raise not_allowed(name, side, "one node", hint="m_separated() takes several.")
        return self.separated_index(xs[0], ys[0], zs)

    def separated_index(self, x: int, y: int, given: Iterable[int]) -> bool:
        """Say the same of node numbers; x and y must differ and not be in `given`."""
        ancestors = self._ancestors
        known = self._always_known
        try:
            x, y = index(x), index(y)  # a number of NumPy has no room for many nodes
            relevant = ancestors[x] | ancestors[y] | self._always_relevant
            for z in map(index, given):
                relevant |= ancestors[z]
                known |= 1 << z
            target, closed = 1 << y, known | 1 << x
        except (TypeError, ValueError, IndexError):
            told = ", ".join(map(short, (x, y, given)))
            hint = f"Numbers of nodes go from 0 to {self.graph.n - 1}."
            raise QuestionError(f"There is no question ({told}).", hint=hint) from None
        # In the moral graph of the relevant nodes each family (a node and its parents) is joined completely, so the
        # search steps from nodes to families and from families to all of their unknown members.
        family, families_of = self._family, self._families_of
        families_left = relevant
        families = families_of[x] & families_left
        while families:
            families_left &= ~families
            found = 0
            while families:
                low = families & -families
                found |= family[low.bit_length() - 1]
                families ^= low
            found &= ~closed
            if found & target:
                return False
            closed |= found
            while found:
                low = found & -found
                families |= families_of[low.bit_length() - 1]
                found ^= low
            families &= families_left
        return True


def _canonical_parents(marks: MarkMatrix) -> tuple[NDArray[np.bool_], list[int]]:
    """Replace i <-> j by i <- new -> j and i -- j by i -> new <- j; give `[child, parent]` and the new effects."""
    n = len(marks)
    replaced = np.argwhere(np.triu((marks == marks.T) & (marks != 0))).tolist()
    parents = np.zeros((n + len(replaced), n + len(replaced)), dtype=np.bool_)
    parents[:n, :n] = arcs_of(marks).T
    selected = []
    for extra, (i, j) in enumerate(replaced, n):
        if marks[i, j] == ARROW:
            parents[[i, j], extra] = True
        else:
            parents[extra, [i, j]] = True
            selected.append(extra)
    return parents, selected


def _separable(graph: Graph) -> MarkMatrix:
    """Give marks on which separation is defined: the graph's own, or those of one DAG of a CPDAG."""
    marks = graph.marks
    if (marks == CIRCLE).any():
        raise GraphError(
            "Separation is not defined on a graph with circles.", hint="Use pag_to_mag() to choose one of its MAGs."
        )
    if graph.kind in {"dag", "mag"}:
        return marks
    if graph.kind == "pdag":  # the DAGs of a PDAG that is no CPDAG may disagree
        all_directed = not ((marks == TAIL) & (marks.T == TAIL)).any()
        return _separable(graph.as_kind("dag" if all_directed else "cpdag"))
    if graph.kind == "pag":
        return graph.as_kind("mag").marks
    return pdag_to_dag(graph).marks


def _question(
    graph: Graph, x: str | Iterable[str], y: str | Iterable[str], given: Iterable[str]
) -> tuple[list[int], list[int], list[int]]:
    sides = {"x": x, "y": y, "given": given}
    xs, ys, zs = (
        [graph.index(node) for node in ([side] if isinstance(side, str) else checks.names(name, side))]
        for name, side in sides.items()
    )
    for one, other in ((xs, ys), (xs, zs), (ys, zs)):
        both = sorted(set(one) & set(other))
        if both:
            raise QuestionError(
                f"{graph.nodes[both[0]]!r} stands on two sides of the question.",
                hint="x, y and given must not share nodes.",
            )
    return xs, ys, zs
