"""What the searches by scores work on: data, score and knowledge in the form that the kernel takes.

Columns are taken in the order of their content inside, so that names and the order in the data make no difference.
Columns with one value only stay alone and do not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import _kernel, checks
from paucal.errors import Argument, DataError, ParameterError
from paucal.search.by_scores.forms import told_forms
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.scores import ScoreName, Scorer, fitting_score
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import completed
from paucal.search.catalogue import MOST_SCORED_COLUMNS
from paucal.search.evidence.explain import arrow_reasons
from paucal.search.recipe import Recipe
from paucal.search.result import SearchResult
from paucal.tables import counts_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.evidence.pairs import Evidence
    from paucal.search.run import Look, ScoreRun

MOST_PARENTS = 16
MOST_STARTS = 100_000  # climbs, and rounds of chains: beyond, nobody lives to see the end
FAR_BEHIND = 30.0  # in the score: such DAGs say nothing about the posterior
_LEAST_ODDS = 12  # odds against an arrow in few columns; see `order.py`
_MOST_REQUIRED = 40  # required parents of one node
_RANDOM_ORDERS = 10  # of an order search; further climbs begin near the best order that one of these led to
_MOST_GROWN = 64  # columns that a node's parents are grown from; of more, the best ones alone


@dataclass(frozen=True, eq=False)
class Climbed:
    """Where one start of an order search ended."""

    score: float
    order: NDArray[np.uint32]
    dag: NDArray[np.uint8]

    @property
    def start(self) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """The order and the DAG, as the kernel takes them."""
        return self.order, self.dag


class Climbs(NamedTuple):
    """What an order search has met: where its random orders led to, the best first, and where further climbs ended.

    `beside` has the further climbs of each random order. After a search that went on, in the place of a DAG far behind
    the best stands this with those parts of the other that lose little: good everywhere, and yet another one.
    """

    found: list[Climbed]
    beside: list[list[Climbed]]
    climber: _kernel.OrderSearch

    @property
    def groups(self) -> list[list[list[int]]]:
        """Parents that help only together, per column."""
        return self.climber.groups()


class Problem:
    """Data, score and knowledge as the kernel takes them: matrices are `[parent, child]`."""

    def __init__(
        self,
        data: Any,
        score: ScoreName | None,
        *,
        ess: float,
        knowledge: Knowledge | None,
        edge_penalty: float | None,
        interventions: str | None = None,
        targets: Targets | None = None,
    ) -> None:
        self.interventions, self.targets = interventions, targets
        self.experiment = Experiment.of(data, interventions, targets)
        self.data = table = self.experiment.data
        if table.n_rows < 2:
            raise DataError("One row says nothing about dependence.", hint="Give more rows.")
        if table.n_columns < 2:
            raise DataError(f"There is one column only, {table.names[0]!r}.", hint="Give two or more.")
        if table.n_columns > MOST_SCORED_COLUMNS:
            raise DataError(
                f"{table.n_columns:,} columns are too many for a search by scores, it takes {MOST_SCORED_COLUMNS:,}.",
                hint=("Use ", Argument("search", "pc-stable"), ", or select columns."),
            )
        self.knowledge = knowledge
        self.asked_score = score
        experiment = self.experiment.by_content
        self.scorer = Scorer(experiment, fitting_score(experiment) if score is None else score, ess=ess)
        self.names = self.scorer.names
        self.limits = limits = Limits.of_experiment(knowledge, experiment)
        varies = np.array(counts_of(self.scorer.data).observed) > 1
        allowed = varies[:, None] & varies & ~limits.forbidden & ~limits.required
        self.allowed = np.ascontiguousarray(allowed, dtype=np.uint8)
        self.required = np.ascontiguousarray(limits.required, dtype=np.uint8)
        _refuse_required(limits)
        self.asked_penalty = edge_penalty
        if edge_penalty is None:
            edge_penalty = math.log(max(_LEAST_ODDS, int(varies.sum())))
        self.penalty = checks.number("edge_penalty", edge_penalty, hint="Try 0 or more.")

    @property
    def asked(self) -> Dataset:
        """The data that a test is asked about: the columns in the order of `names`."""
        return self.scorer.data

    @property
    def forbidden(self) -> NDArray[np.uint8] | None:
        """What knowledge and interventions say of arrows, or None if nothing is known."""
        return self.limits.of_arrows

    def search(
        self,
        max_parents: int,
        starts: int,
        seed: int,
        run: ScoreRun | None = None,
        *,
        go_on: bool = False,
        look: Look | None = None,
    ) -> Climbs:
        """Climb `starts` times, the first ten from random orders, the others near the best order that one led to.

        With `go_on` their best parts are united, and that climbs on until half as many climbs in a row have brought
        nothing better. The run is told of progress and may end it; `look` may only end it.
        """
        orders = min(starts, _RANDOM_ORDERS)
        if run is not None:
            look = run.budget.look
            run.progress("order search", 0, orders + go_on)
        climber = _kernel.OrderSearch(
            self.scorer.kernel,
            self.allowed,
            self.required,
            penalty=self.penalty,
            most_parents=max_parents,
            most_candidates=_MOST_GROWN,
            look=look,
        )
        found: list[Climbed] = []
        beside: list[list[Climbed]] = []
        for start in range(orders):
            if run is not None and start > 0:
                if run.spent:
                    break
                run.progress("order search", start, orders + go_on)
            kicks = (starts - 1 - start) // orders
            best, *others = (Climbed(*one) for one in climber.climb(seed, start, kicks, look))
            found.append(best)
            beside.append(others)
        found.sort(key=lambda one: -one.score)
        if go_on and not (run is not None and run.spent):
            if run is not None:
                run.progress("order search", orders, orders + go_on)
            best = Climbed(*climber.improve(seed, [one.start for one in found], starts // 2, look))
            least = best.score - FAR_BEHIND
            found, *beside = (
                [one if one.score > least else Climbed(*climber.near(best.start, one.start)) for one in ends]
                for ends in ([best, *found], *beside)
            )
        return Climbs(found, beside, climber)

    def completed(self, dag: NDArray[np.uint8]) -> Graph:
        """Give the class of a DAG as a graph over the columns as they came."""
        return completed(dag, self.limits).reorder(self.data.names)

    def best_met(self, climbs: Climbs, score: float, dag: NDArray[np.uint8]) -> tuple[float, NDArray[np.uint8]]:
        """Give the best DAG that climbs or chains met, without what turns out to cost more than it says.

        That may be one parent, which no chain took out by chance, or two that pay beside each other but not together.
        """
        best = (climbs.found[0].dag if climbs.found[0].score > score else dag).copy()
        for child in range(len(best)):
            parents = frozenset(np.flatnonzero(best[:, child]).tolist())
            free = sorted(parents - set(np.flatnonzero(self.required[:, child]).tolist()))
            while free:
                fewer = [parents - {a, b} for a, b in combinations_with_replacement(free, 2)]
                kept = max([parents, *fewer], key=lambda its: self.local(child, its))
                if kept == parents:
                    break
                parents, free = kept, sorted(kept.intersection(free))
            best[:, child] = 0
            best[list(parents), child] = 1
        return self.total(best), best

    def local(self, child: int, parents: Collection[int]) -> float:
        """Score the parents of a column, with the penalty in it."""
        return self.scorer.local(child, parents) - self.penalty * len(parents)

    def total(self, dag: NDArray[np.uint8]) -> float:
        """Score a DAG, with the penalty in it."""
        parents = [np.flatnonzero(column).tolist() for column in dag.T]
        return math.fsum(self.local(v, its) for v, its in enumerate(parents))

    def arrows(self, dag: NDArray[np.uint8]) -> list[list[str]]:
        """List the arrows of a DAG by name."""
        return [[self.names[i], self.names[j]] for i, j in np.argwhere(dag).tolist()]

    def result(
        self,
        graph: Graph,
        evidence: Evidence,
        *,
        search: str,
        seed: int,
        options: dict[str, Any],
        details: dict[str, Any],
        rule: str,
    ) -> SearchResult:
        """Put the result together."""
        # as it was asked for: what a default becomes depends on the table, and the recipe may meet another one
        by_score = {"score": self.asked_score, "ess": self.scorer.ess, "edge_penalty": self.asked_penalty}
        return SearchResult(
            graph=graph,
            evidence=evidence,
            recipe=Recipe(
                search=search,
                options=by_score | options,
                knowledge=self.knowledge,
                interventions=self.interventions,
                targets=self.targets,
                seed=seed,
            ),
            details=details | self.experiment.details | told_forms(self.data.names, self.scorer.own_forms),
            reasons=arrow_reasons(graph, rule, self.knowledge, self.experiment),
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
