"""A test that knows the truth: independence read off a graph instead of data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal import checks
from paucal.graphs.graph import Graph
from paucal.graphs.separation import Separation as GraphSeparation
from paucal.independence.answers import DEPENDENT, INDEPENDENT, Answer
from paucal.independence.protocol import RememberingTest

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATED = Answer(0.0, float("nan"), 1.0, float("nan"), 1.0, 0, INDEPENDENT, 0)
_CONNECTED = Answer(float("inf"), float("nan"), 0.0, float("nan"), 0.0, 0, DEPENDENT, 0)


class Oracle(RememberingTest):
    """Answers by d-separation in a DAG, or by m-separation in a mixed graph, without error.

    Searches that are given an oracle must return the exact equivalence class; that is how they are tested.

    Parameters
    ----------
    graph
        The truth.
    latent
        Nodes of the graph that nobody observes: they are not among the columns, and no question can name them.

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.Graph.dag("ABC", [("A", "C"), ("B", "C")]))
    >>> oracle("A", "B").independent, oracle("A", "B", given=["C"]).independent
    (True, False)
    """

    def __init__(self, graph: Graph, latent: Iterable[str] = ()) -> None:
        checks.instance("graph", graph, Graph, "a Graph; of a network it is network.graph")
        hidden = tuple(checks.names("latent", latent))
        for name in hidden:
            checks.known("node", name, graph.nodes)
        observed = tuple(node for node in graph.nodes if node not in hidden)
        super().__init__("oracle", observed)
        self.graph = graph
        self.latent = hidden
        self._separation = GraphSeparation(graph)
        self._node = tuple(graph.index(name) for name in observed)

    def decide(self, x: int, y: int, given: tuple[int, ...]) -> Answer:
        """Read the answer off the graph."""
        node = self._node
        apart = self._separation.separated_index(node[x], node[y], [node[v] for v in given])
        return _SEPARATED if apart else _CONNECTED
