"""Graphs in DAGitty's language: `dag { a -> b }`; the word before the brace says which kind of graph it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paucal.errors import GraphError
from paucal.graphs.relations import refuse_other_than_graph

if TYPE_CHECKING:
    from paucal.graphs.graph import Graph

_KINDS = {"dag": "dag", "cpdag": "pdag", "pdag": "pdag", "mag": "mag", "pag": "pag"}
_BARE = re.compile(r"[A-Za-z0-9_.]+")
_UNREADABLE = re.compile(r'[\n\r;\[\]{}"\\]|->|<-|--')


def to_dagitty(graph: Graph) -> str:
    """Write the graph for DAGitty; circles of a PAG are `@` there.

    >>> from paucal import Graph
    >>> print(to_dagitty(Graph.parse('A -> B; B -- "body mass"; C')))
    pdag {
      A
      B
      "body mass"
      C
      A -> B
      B -- "body mass"
    }
    """
    refuse_other_than_graph("graph", graph)
    lines = [f"  {dagitty_name(name)}" for name in graph.nodes]
    lines += [f"  {dagitty_name(e.a)} {e.symbol.replace('o', '@')} {dagitty_name(e.b)}" for e in graph.edges()]
    return "\n".join([f"{_KINDS[graph.kind]} {{", *lines, "}"])


def dagitty_name(name: str) -> str:
    """Write a name as DAGitty reads it, in quotes where it needs them; an error if it cannot."""
    if _BARE.fullmatch(name):
        return name
    if _UNREADABLE.search(name) or not name.strip():
        raise GraphError(f"DAGitty cannot read the name {name!r}.", hint="Rename the column first.")
    return f'"{name}"'
