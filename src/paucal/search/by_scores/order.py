"""The DAG with the highest score, by a search over orders of the columns.

Given an order, every node takes its best parents among those before it, found by growing and shrinking; a node is moved
to the place where the total is highest, and so on until no move helps (Teyssier and Koller 2005; growing and shrinking
as in Andrews et al. 2023, whose trees of past steps make it quick). Several random starts; the best one counts.

The score of a graph is that of `scores.py` less `edge_penalty` for every arrow. By default that is the logarithm of
the number of columns, at least of 12: beforehand every arrow has odds of one to that number. With odds of one to two, two columns without any relation would be joined: where levels are equally frequent the evidence of "eb"
hardly speaks against an arrow, and the odds decide.

Columns are taken in alphabetical order inside, so that the order in the data makes no difference. Columns with one
value only stay alone and do not count.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.errors import Argument, DataError, ParameterError
from paucal.independence.result import Ledger
from paucal.kernel import kernel
from paucal.search.by_scores.scores import ScoreName, Scorer
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import completed
from paucal.search.evidence.explain import Reason, Trace
from paucal.search.evidence.sepsets import Sepsets
from paucal.search.result import SearchResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.search.run import Progress

MOST_COLUMNS = 1000  # beyond, scores of all pairs alone take minutes
MOST_PARENTS = 16
_LEAST_ODDS = 12  # odds against an arrow in few columns; see above
_MOST_REQUIRED = 40  # required parents of one node
_MOST_GROWN = 64  # columns that a node's parents are grown from; of more, the best ones alone


def order(
    data: Any,
    *,
    score: ScoreName = "eb",
    ess: float = 1.0,
    edge_penalty: float | None = None,
    knowledge: Knowledge | None = None,
    max_parents: int = 5,
    starts: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> SearchResult:
    """Learn the CPDAG with the highest score.

    Parameters
    ----------
    data
        Anything `Dataset.of` takes.
    score
        "eb", "bdeu", "bds", "qnml", "bic", ...; see `paucal.search.by_scores.scores`.
    ess
        Equivalent sample size of "bdeu" and "bds".
    edge_penalty
        Taken off the score for every arrow; the logarithm of the number of columns, at least of 12, by default.
    knowledge
        What is known beforehand: the search never leaves it.
    max_parents
        Most parents of a node, besides required ones.
    starts
        Random orders to start from.
    seed
        Seed of the random orders.
    progress
        Called now and then with stage, done, total.

    Returns
    -------
    SearchResult
        `details["dag"]` lists the arrows of the DAG, `details["score"]` is its score with the penalty in it,
        `details["starts"]` the scores that the starts led to, `details["evaluations"]` counts the tables.

    Examples
    --------
    >>> import paucal
    >>> sample = paucal.load_network("asia").sample(1000, seed=1)
    >>> result = paucal.learn(sample, search="order")
    >>> result.graph.n_edges, round(result.details["score"], 1)
    (7, -2270.2)
    """
    began = time.perf_counter()
    problem = Problem.of(data, score, ess=ess, knowledge=knowledge, edge_penalty=edge_penalty)
    max_parents = checks.whole_number("max_parents", max_parents, 1, MOST_PARENTS)
    starts, seed = checks.whole_number("starts", starts, 1), checks.seed(seed)
    found = problem.search(max_parents, starts, seed, progress)
    best = found[0]
    return problem.result(
        problem.completed(best.dag),
        search="order",
        settings={
            "knowledge": knowledge,
            "edge_penalty": problem.penalty,
            "max_parents": max_parents,
            "starts": starts,
            "seed": seed,
        },
        details={
            "score": best.score,
            "dag": problem.arrows(best.dag),
            "starts": [one.score for one in found],
            "evaluations": problem.scorer.kernel.evaluated,
        },
        seconds=time.perf_counter() - began,
    )


@dataclass(frozen=True, eq=False)
class Found:
    """Where one start of an order search ended."""

    score: float
    order: NDArray[np.uint32]
    dag: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, score and knowledge as the kernel takes them: columns by name, matrices `[parent, child]`."""

    data: Dataset  # as it came
    names: tuple[str, ...]  # sorted
    scorer: Scorer
    limits: Limits
    allowed: NDArray[np.uint8]
    required: NDArray[np.uint8]
    penalty: float
    knowledge: Knowledge | None

    @classmethod
    def of(
        cls,
        data: Any,
        score: ScoreName,
        *,
        ess: float,
        knowledge: Knowledge | None,
        edge_penalty: float | None,
    ) -> Problem:
        """Check everything once."""
        table = Dataset.of(data)
        if table.n_rows < 2:
            raise DataError("One row says nothing about dependence.", hint="Give more rows.")
        if table.n_columns < 2:
            raise DataError(f"There is one column only, {table.names[0]!r}.", hint="Give two or more.")
        if table.n_columns > MOST_COLUMNS:
            raise DataError(
                f"{table.n_columns:,} columns are too many for a search by scores, which takes {MOST_COLUMNS:,}.",
                hint=("Use ", Argument("search", "pc-stable"), ", or select columns."),
            )
        names = tuple(sorted(table.names))
        scorer = Scorer(table.select(names), score, ess=ess)
        limits = Limits.of(knowledge, names)
        varies = np.array([codes.min() != codes.max() for codes in scorer.data.columns])
        allowed = varies[:, None] & varies & ~limits.forbidden & ~limits.required
        _refuse_required(limits)
        if edge_penalty is None:
            edge_penalty = math.log(max(_LEAST_ODDS, int(varies.sum())))
        return cls(
            data=table,
            names=names,
            scorer=scorer,
            limits=limits,
            allowed=np.ascontiguousarray(allowed, dtype=np.uint8),
            required=np.ascontiguousarray(limits.required, dtype=np.uint8),
            penalty=checks.number("edge_penalty", edge_penalty, hint="Try 0 or more."),
            knowledge=knowledge,
        )

    @property
    def forbidden(self) -> NDArray[np.uint8] | None:
        """The arrows that knowledge forbids, or None without knowledge."""
        return np.ascontiguousarray(self.limits.forbidden, dtype=np.uint8) if self.limits.active else None

    def search(
        self, max_parents: int, starts: int, seed: int, progress: Progress | None = None
    ) -> list[Found]:
        """Run the order search from several random orders; give where they ended, the best first."""
        climber = kernel.OrderSearch(
            self.scorer.kernel, self.allowed, self.required, self.penalty, max_parents, _MOST_GROWN
        )
        found = []
        for start in range(starts):
            if progress is not None:
                progress("order search", start, starts)
            found.append(Found(*climber.climb(seed, start)))
        return sorted(found, key=lambda one: -one.score)

    def completed(self, dag: NDArray[np.uint8]) -> Graph:
        """Give the class of a DAG as a graph over the columns as they came."""
        return completed(dag.astype(np.int8), self.limits, Trace()).reorder(self.data.names)

    def arrows(self, dag: NDArray[np.uint8]) -> list[list[str]]:
        """List the arrows of a DAG by name."""
        return [[self.names[i], self.names[j]] for i, j in np.argwhere(dag).tolist()]

    def result(
        self,
        graph: Graph,
        *,
        search: str,
        settings: dict[str, Any],
        details: dict[str, Any],
        seconds: float,
    ) -> SearchResult:
        """Put the result together."""
        names = self.data.names
        return SearchResult(
            graph=graph,
            sepsets=Sepsets(names, {}),
            ledger=Ledger(names),
            search=search,
            test=self.scorer.name,
            test_parameters=self.scorer.parameters,
            settings=settings,
            details=details,
            reasons=dict.fromkeys(graph.arcs(), Reason("score")),
            seconds=seconds,
            n_samples=self.data.n_rows,
            cardinalities=self.data.cardinalities,
        )


def _refuse_required(limits: Limits) -> None:
    counts = limits.required.sum(axis=0)
    if counts.max(initial=0) > _MOST_REQUIRED:
        child = limits.names[int(counts.argmax())]
        raise ParameterError(
            f"{child!r} has {int(counts.max())} required parents, more than {_MOST_REQUIRED}.",
            hint="Require fewer.",
            parameter="knowledge",
        )
