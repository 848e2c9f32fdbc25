"""Hill climbing: from a DAG to the best one that adding, deleting or turning one arrow can make, again and again.

With `tabu` the climb goes on over lower ground: the best move to a DAG that was not among the last ones, even if the
score falls, until `patience` moves brought no new best (Glover 1989; Tsamardinos, Brown and Aliferis 2006). The best
DAG of the whole way is the result. Moves are compared in the order additions, deletions, reversals, each by the
columns' order, and of moves within 1.5e-8 the first wins. Ties, such as A -> B against B -> A, matter for where the
climb ends; the columns are taken in the order that their content gives them, so names and places do not matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import _kernel, checks
from paucal.errors import GraphError, KnowledgeError
from paucal.graphs.graph import Graph
from paucal.graphs.language import quoted
from paucal.search.by_scores.choosing import scorer_for
from paucal.search.by_scores.forms import told_forms
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import completed
from paucal.search.evidence.explain import arrow_reasons
from paucal.search.evidence.pairs import about
from paucal.search.evidence.scores import Scores
from paucal.search.recipe import Recipe
from paucal.search.result import SearchResult
from paucal.search.run import ScoreRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.by_scores.scores import ScoreName, Scorer
    from paucal.search.run import Progress

_MOST_MOVES = 1_000_000


def hill_climb(
    data: Any,
    *,
    score: ScoreName = "bdeu",
    ess: float = 10,
    knowledge: Knowledge | None = None,
    interventions: str | None = None,
    targets: Targets | None = None,
    allowed: Iterable[tuple[str, str]] | None = None,
    start: Graph | None = None,
    max_parents: int | None = None,
    tabu: int = 0,
    patience: int = 15,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Climb to a DAG with a high score; give its CPDAG.

    Parameters
    ----------
    data, score, ess
        As for `paucal.score`.
    knowledge, interventions, targets, max_seconds, progress
        As for `paucal.learn`.
    allowed
        The pairs that may be joined, in either direction; all by default.
    start
        The DAG to start from, the empty one by default.
    max_parents
        Most parents of a node.
    tabu
        How many of the last DAGs may not come again; 0 for a plain climb that stops at the first summit.
    patience
        With tabu, the moves without a new best after which the climb ends.

    Returns
    -------
    SearchResult
        `details["dag"]` lists the arrows of the DAG itself, `details["score"]` is its score, `details["steps"]` and
        `details["evaluations"]` tell of the work.

    Examples
    --------
    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(5000, seed=1)
    >>> result = paucal.hill_climb(sample, score="bic")
    >>> result.graph.n_edges, round(result.details["score"], 1)
    (3, -10543.2)
    """
    with ScoreRun(max_seconds, progress) as run:
        whole = Experiment.of(data, interventions, targets)
        experiment = whole.by_content
        scorer = scorer_for(experiment, score, ess=ess, knowledge=knowledge, run=run)
        limits = Limits.of_experiment(knowledge, experiment)
        joinable = None if allowed is None else checks.pairs("allowed", allowed)
        pairs = _allowed_matrix(scorer.data, joinable)
        rules = Rules(limits, pairs, max_parents, tabu, patience)
        first = _start_matrix(start, scorer.names, limits)
        _refuse_start(first, rules, scorer.names)
        summit = climb(scorer, rules, first, run)
        graph = completed(summit.dag, limits)
        options = {"score": score, "ess": ess, "max_parents": max_parents, "tabu": tabu, "patience": patience}
        given = {"allowed": joinable, "start": start}
        result = SearchResult(
            graph=graph,
            evidence=Scores(**about(scorer.data), means=scorer.settings, total=summit.score),
            recipe=Recipe(
                search="hill-climbing",
                options=options | {name: value for name, value in given.items() if value is not None},
                knowledge=knowledge,
                interventions=interventions,
                targets=targets,
            ),
            details=summit.details(scorer) | experiment.details,
            reasons=arrow_reasons(graph, "score", knowledge, experiment),
        )
        return run.ended(result.reordered(whole.data.names))


@dataclass(frozen=True, eq=False)
class Rules:
    """Where a climb may go."""

    limits: Limits
    allowed: NDArray[np.bool_]  # symmetric: pairs that may be joined
    max_parents: int | None
    tabu: int
    patience: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_parents", checks.limit("max_parents", self.max_parents, 1))
        object.__setattr__(self, "tabu", checks.whole_number("tabu", self.tabu, 0, _MOST_MOVES))
        object.__setattr__(self, "patience", checks.whole_number("patience", self.patience, 1, _MOST_MOVES))


class Summit(NamedTuple):
    """The DAG `[i, j]`: i -> j where a climb ended, its score, the moves, and the different families scored."""

    dag: NDArray[np.int8]
    score: float
    steps: int
    evaluated: int

    def details(self, scorer: Scorer) -> dict[str, Any]:
        """Give what a result reports of a climb."""
        names = scorer.names
        return {
            "score": self.score,
            "dag": [[names[i], names[j]] for i, j in np.argwhere(self.dag).tolist()],
            "steps": self.steps,
            "evaluations": self.evaluated,
            **told_forms(names, scorer.own_forms),
        }


def climb(scorer: Scorer, rules: Rules, start: NDArray[np.bool_], run: ScoreRun) -> Summit:
    """Climb from a DAG, until no move leads up or the run has spent what it may."""
    run.progress("hill climbing", 0)
    dag, steps, evaluated = _kernel.hill_climb(
        scorer.kernel,
        (rules.allowed & ~rules.limits.forbidden).view(np.uint8),
        rules.limits.required.view(np.uint8),
        np.ascontiguousarray(start).view(np.uint8),
        most_parents=len(start) if rules.max_parents is None else min(len(start), rules.max_parents),
        tabu=rules.tabu,
        patience=rules.patience,
        look=run.budget.look,
    )
    run.progress("hill climbing", steps)
    parents = [np.flatnonzero(column).tolist() for column in dag.T]
    total = math.fsum(scorer.local(node, its) for node, its in enumerate(parents))
    return Summit(dag.view(np.int8), total, steps, evaluated)


def _allowed_matrix(data: Dataset, pairs: Iterable[tuple[str, str]] | None) -> NDArray[np.bool_]:
    n = data.n_columns
    matrix = np.full((n, n), pairs is None)
    for a, b in pairs or ():
        i, j = data.index(a), data.index(b)
        matrix[i, j] = matrix[j, i] = True
    np.fill_diagonal(matrix, val=False)
    return matrix


def _start_matrix(start: Graph | None, names: tuple[str, ...], limits: Limits) -> NDArray[np.bool_]:
    if start is None:
        return limits.required
    if set(checks.instance("start", start, Graph, "a graph").nodes) != set(names):
        raise GraphError(
            f"start has the nodes {list(start.nodes)}, the data {list(names)}.", hint="They must be the same."
        )
    arcs: NDArray[np.bool_] = start.as_kind("dag").reorder(names).to_pdag_matrix() != 0
    for i, j in np.argwhere(arcs & limits.forbidden | limits.required & ~arcs).tolist():
        what = "has" if arcs[i, j] else "lacks"
        raise KnowledgeError(
            f"start {what} {quoted(names[i])} -> {quoted(names[j])}, against background knowledge.",
            hint="Correct one of the two.",
        )
    return arcs


def _refuse_start(start: NDArray[np.bool_], rules: Rules, names: tuple[str, ...]) -> None:
    """Refuse a start, or required arrows, that the other options do not allow."""
    for i, j in np.argwhere(start & ~rules.allowed & ~rules.limits.required).tolist():
        raise GraphError(
            f"start has {quoted(names[i])} -> {quoted(names[j])}, which is not among the allowed pairs.",
            hint="Allow it, or take it out of start.",
        )
    most = rules.max_parents
    for j in [] if most is None else np.flatnonzero(start.sum(axis=0) > most).tolist():
        raise GraphError(
            f"{quoted(names[j])} has {int(start[:, j].sum())} parents, by start or as required; max_parents is {most}.",
            hint="Allow more parents, or take some of these arrows out.",
        )
