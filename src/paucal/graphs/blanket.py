"""The Markov blanket of a node: all that is worth knowing if the node is to be predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paucal.errors import GraphError
from paucal.graphs.relations import refuse_other_than_graph
from paucal.notebook import html_table

if TYPE_CHECKING:
    from paucal.graphs.graph import Graph


@dataclass(frozen=True)
class Blanket:
    """The nodes around a target, told apart by how they stand to it.

    `undetermined` are neighbours that may be parent or child; `spouses` are the other parents of the children
    that are not neighbours themselves.

    >>> Blanket("T", parents=("A",), children=("B",), spouses=("C",)).members
    ('A', 'B', 'C')
    """

    target: str
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    spouses: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[str, ...]:
        """All nodes of the blanket, neighbours first."""
        return (*self.parents, *self.children, *self.undetermined, *self.spouses)

    def _repr_html_(self) -> str:
        roles = ("parents", "children", "undetermined", "spouses")
        rows = [(role, ", ".join(getattr(self, role)) or "–") for role in roles]
        return html_table(f"The blanket of {self.target}", ("role", "columns"), rows)


def markov_blanket(graph: Graph, target: str) -> Blanket:
    """Give the blanket of a node in a DAG, or what a CPDAG tells of it.

    >>> markov_blanket(Graph.parse("A -> T -> B <- C"), "T")
    Blanket(target='T', parents=('A',), children=('B',), undetermined=(), spouses=('C',))
    """
    refuse_other_than_graph("graph", graph)
    if graph.kind in {"mag", "pag"}:
        raise GraphError(
            f"The blanket is read from a DAG or a CPDAG, this is a {graph.kind.upper()}.",
            hint="Use adjacent(), parents() and siblings() of the graph.",
        )
    around = (graph.parents, graph.children, graph.neighbours, graph.spouses)
    return Blanket(target, *(nodes(target) for nodes in around))
