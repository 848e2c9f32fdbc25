"""What sampled DAGs say where common causes may be hidden.

A DAG over the columns describes independences. Other graphs, with hidden common causes, may describe the same ones;
what they all agree on is the PAG of the DAG. So each of 200 sampled DAGs, evenly spaced over the chains, is read as its
PAG, the shares of marks are counted, and the graph is the PAG of the consensus DAG. What only "nothing is hidden" would
allow becomes a circle. As a DAG has no arrow with two heads, `<->` is never said.

Background knowledge puts its marks first, as in `fci.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.graphs.equivalence import unshielded_colliders
from paucal.graphs.graph import Graph
from paucal.graphs.marks import ARROW, NONE, TAIL
from paucal.search.evidence.explain import Trace
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.pairs import about

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paucal.search.by_scores.problem import Problem
    from paucal.search.by_tests.limits import Limits
    from paucal.search.evidence.explain import Reason

READ = 200  # DAGs


def read_with_hidden(
    problem: Problem, dag: NDArray[Any], sampled: Iterable[NDArray[Any]], evidence: Graphs
) -> tuple[Graph, Graphs, dict[tuple[str, str], Reason]]:
    """Give the PAG of a DAG, the shares of marks in the PAGs of sampled ones, and the rules behind the marks.

    DAGs are `[parent, child]` over the columns of the problem; `evidence` is what was counted about the DAGs.
    """
    names = problem.data.names
    where = np.ix_(*(2 * [[problem.names.index(name) for name in names]]))
    trace = Trace()
    graph = Graph(problem.names, pag_of(dag, problem.limits, trace), "pag", check=False).reorder(names)
    marks = [pag_of(one, problem.limits)[where] for one in sampled]
    told = {"means": evidence.means, "difference": evidence.difference, "penalty": evidence.penalty}
    counted = Graphs.of_marks(marks, source="posterior", **about(problem.data), **told, sampled=evidence.sampled)
    return graph, counted, trace.named(problem.names)


def pag_of(dag: NDArray[Any], limits: Limits, trace: Trace | None = None) -> NDArray[np.int8]:
    """Give the marks that all graphs with the independences of a DAG, and with what is known, agree on."""
    from paucal.graphs.rules.ancestral import orient_pag  # only here: most posteriors ask for no hidden causes
    from paucal.search.by_tests.fci import known_marks

    arrows = np.asarray(dag) != 0
    marks = np.where(arrows, ARROW, np.where(arrows.T, TAIL, NONE)).astype(np.int8)

    def non_collider(path: tuple[int, ...]) -> bool:
        b, c = path[-2:]
        return bool(marks[c, b] == TAIL)

    trace = Trace() if trace is None else trace
    known = known_marks(marks != NONE, limits, trace)
    return orient_pag(known, unshielded_colliders(marks == ARROW, marks != NONE), non_collider, note=trace.mark)
