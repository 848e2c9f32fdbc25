"""The class of a DAG when some columns were set in some rows: its I-essential graph (Hauser and Bühlmann 2012).

DAGs that no data can tell apart are fewer then. An edge of which just one end was set in some rows has the same
direction in all of them: rows in which the cause was set still show the effect, rows in which the effect was set do
not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.graphs.equivalence import dag_to_cpdag_matrix
from paucal.graphs.relations import refuse_other_than_graph

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph


def interventional_class(dag: Graph, targets: Iterable[Collection[str]]) -> Graph:
    """Give what all DAGs agree on that look like this one in rows without intervention and in rows with some.

    Parameters
    ----------
    dag
        The DAG.
    targets
        The sets of nodes that were set together in some rows; rows in which nothing was set are taken for granted.

    Examples
    --------
    >>> chain = Graph.parse("A -> B -> C")
    >>> interventional_class(chain, [])
    Graph.pdag(3 nodes, 2 edges: A -- B; B -- C)
    >>> interventional_class(chain, [["C"]])
    Graph.pdag(3 nodes, 2 edges: A -- B; B -> C)
    """
    refuse_other_than_graph("dag", dag)
    graph = dag if dag.kind == "dag" else dag.as_kind("dag")
    sets = [
        checks.names("targets", together) for together in checks.items("targets", targets, "a list of lists of nodes")
    ]
    for name in (name for together in sets for name in together):
        checks.known("node", name, graph.nodes)
    told = told_pairs(graph.nodes, [[], *sets])
    matrix = dag_to_cpdag_matrix(graph.to_pdag_matrix(), forbidden=2 * told.astype(np.uint8))
    return type(graph).from_pdag_matrix(graph.nodes, matrix, "pdag", check=False)


def told_pairs(nodes: Sequence[str], sets: Iterable[Collection[str]]) -> NDArray[np.bool_]:
    """Give `[i, j]`: whether just one of the two nodes is in some set."""
    told = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
    for together in sets:
        inside = np.array([name in together for name in nodes], dtype=np.bool_)
        told |= inside[:, None] != inside
    return told
