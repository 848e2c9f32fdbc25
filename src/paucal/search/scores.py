"""Scores of a DAG on data: sums over nodes, each a function of the counts of the node against its parents.

==========  ====================================================================================================
`loglik`    log-likelihood at its maximum
`aic`       loglik - d
`bic`       loglik - d ln(N) / 2
`bdeu`      log marginal likelihood under Dirichlet(ess / (r q)) for each of q configurations of the parents
            (Heckerman, Geiger and Chickering 1995)
`k2`        the same under Dirichlet(1) (Cooper and Herskovits 1992)
==========  ====================================================================================================

r is the number of levels of the node, q that of the configurations of its parents, observed or not, and d = (r - 1) q,
summed over the nodes. Larger is better. Natural logarithms. All but `k2` give equivalent DAGs the same score.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paucal.counts import counts_of
from paucal.data import Dataset
from paucal.errors import ParameterError, unknown_name
from paucal.graphs.equivalence import pdag_to_dag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph

ScoreName = Literal["bdeu", "bic", "aic", "k2", "loglik"]
SCORES: tuple[ScoreName, ...] = ("bdeu", "bic", "aic", "k2", "loglik")


def score(graph: Graph, data: Any, method: ScoreName = "bdeu", *, ess: float = 10) -> float:
    """Score a graph on data.

    Parameters
    ----------
    graph
        A DAG; of a CPDAG or PDAG, one DAG of it is scored.
    data
        Anything `Dataset.of` takes; it must have the graph's nodes among its columns.
    method
        "bdeu", "bic", "aic", "k2" or "loglik".
    ess
        Equivalent sample size of "bdeu".

    Returns
    -------
    float
        The score: larger is better.

    Examples
    --------
    >>> import paucal
    >>> data = {"rain": [0, 0, 0, 1, 1, 1] * 5, "wet": [0, 0, 1, 1, 1, 1] * 5}
    >>> joined, apart = (paucal.Graph.parse(text, kind="dag") for text in ("rain -> wet", "rain; wet"))
    >>> round(paucal.score(joined, data, "bic"), 3), round(paucal.score(apart, data, "bic"), 3)
    (-35.444, -43.291)
    """
    dag = graph if graph.kind == "dag" else pdag_to_dag(graph)
    scorer = Scorer(data, method, ess=ess)
    for name in dag.nodes:
        if name not in scorer.names:
            raise unknown_name("column", name, scorer.names)
    number = scorer.names.index
    return math.fsum(scorer.local(number(v), map(number, dag.parents(v))) for v in dag.nodes)


class Scorer:
    """The score of a node with some parents, by column number; computed once for every set of parents.

    >>> scorer = Scorer({"a": [0, 1, 1], "b": [0, 1, 1]}, "loglik")
    >>> round(scorer.local(0, ()), 4), abs(scorer.local(0, (1,)))
    (-1.9095, 0.0)
    """

    def __init__(self, data: Any, method: ScoreName = "bdeu", *, ess: float = 10) -> None:
        if method not in SCORES:
            raise unknown_name("score", method, SCORES)
        if not (isinstance(ess, (int, float)) and 0 < ess < math.inf):
            raise ParameterError(f"ess={ess!r} is not a positive number.", hint="The usual value is 10 or 1.")
        self.data = Dataset.of(data)
        self.method: ScoreName = method
        self.ess = float(ess)
        self.names = self.data.names
        self._memory: dict[tuple[int, tuple[int, ...]], float] = {}

    @property
    def n_evaluated(self) -> int:
        """Different nodes with parents that were scored."""
        return len(self._memory)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the score."""
        return {"ess": self.ess} if self.method == "bdeu" else {}

    def local(self, node: int, parents: Iterable[int]) -> float:
        """Score one node with its parents."""
        key = (node, tuple(sorted(parents)))
        known = self._memory.get(key)
        if known is None:
            known = self._memory[key] = self._evaluate(*key)
        return known

    def _evaluate(self, node: int, parents: tuple[int, ...]) -> float:
        cells, totals = family_counts(self.data, node, parents)
        r = self.data.cardinalities[node]
        q = math.prod(self.data.cardinalities[v] for v in parents)
        if self.method == "bdeu":
            return _dirichlet(cells, totals, self.ess / (r * q), self.ess / q)
        if self.method == "k2":
            return _dirichlet(cells, totals, 1.0, float(r))
        fit = float(np.sum(cells * np.log(cells)) - np.sum(totals * np.log(totals)))
        penalty = {"loglik": 0.0, "aic": 1.0, "bic": math.log(self.data.n_rows) / 2}[self.method]
        return fit - penalty * (r - 1) * q


def family_counts(
    data: Dataset, node: int, parents: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count a node's levels within each configuration of its parents, and the configurations; positive ones only.

    Both are sorted, so that no sum over them depends on the order of the rows.
    """
    if not parents:
        cells: NDArray[Any] = np.bincount(data.columns[node])
        totals: NDArray[Any] = np.array([data.n_rows])
    else:
        first, *rest = parents
        stratum, _, level, cells, _ = counts_of(data).columns.count(node, first, tuple(rest))
        totals = np.bincount(stratum.astype(np.int64) * data.cardinalities[first] + level, weights=cells)
    return np.sort(cells[cells > 0]).astype(np.float64), np.sort(totals[totals > 0]).astype(np.float64)


def _dirichlet(
    cells: NDArray[np.float64], totals: NDArray[np.float64], per_cell: float, per_configuration: float
) -> float:
    """Give the log marginal likelihood of counts under symmetric Dirichlet priors."""
    from scipy.special import gammaln

    of_cells = np.sum(gammaln(cells + per_cell)) - len(cells) * math.lgamma(per_cell)
    of_totals = np.sum(gammaln(totals + per_configuration)) - len(totals) * math.lgamma(per_configuration)
    return float(of_cells - of_totals)
