"""The DAG with the highest score, by a search over orders of the columns.

Given an order, every node takes its best parents among those before it, found by growing and shrinking; a node is moved
to the place where the total is highest, and so on until no move helps (Teyssier and Koller 2005; growing and shrinking
as in Andrews et al. 2023, whose trees of past steps make it quick). Growing adds single nodes, and groups that help
only together (`src/kernel/graphs/interactions.hpp`). Of several climbs the best one counts.

The score of a graph is that of `scores.py` less `edge_penalty` for every arrow. By default that is the logarithm of
the number of columns, at least of 12: beforehand every arrow has odds of one to that number. With odds of one to two,
two columns without any relation would often be joined: with few rows of equally frequent levels the evidence of "eb"
hardly speaks against an arrow, and the odds decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.search.by_scores.choosing import choose_forms
from paucal.search.by_scores.problem import MOST_PARENTS, MOST_STARTS, Problem
from paucal.search.evidence.pairs import about
from paucal.search.evidence.scores import Scores
from paucal.search.run import ScoreRun

if TYPE_CHECKING:
    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.by_scores.scores import ScoreName
    from paucal.search.result import SearchResult
    from paucal.search.run import Progress


def order(
    data: Any,
    *,
    score: ScoreName | None = None,
    ess: float = 1.0,
    edge_penalty: float | None = None,
    knowledge: Knowledge | None = None,
    interventions: str | None = None,
    targets: Targets | None = None,
    max_parents: int = 5,
    starts: int = 10,
    seed: int = 0,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Learn the CPDAG with the highest score.

    `details["dag"]` lists the arrows of the DAG, `details["score"]` is its score with the penalty in it,
    `details["starts"]` the scores that the starts led to, `details["evaluations"]` counts the tables.

    Parameters
    ----------
    data, score, ess
        As for `paucal.score`; by default "eb", and "mixed" for a table with numbers or ordered columns.
        `details["forms"]` tells in which form "mixed" read each of them.
    edge_penalty
        Taken off the score for every arrow; the logarithm of the number of columns, at least of 12, by default.
    max_parents
        Most parents of a node, besides required ones.
    starts
        Climbs: ten from random orders, drawn with `seed`; further ones from near the best order of one of the ten.
    knowledge, interventions, targets, seed, max_seconds, progress
        As for `paucal.learn`.

    Examples
    --------
    >>> import paucal
    >>> result = order(paucal.load_network("asia").sample(1000, seed=1))
    >>> result.graph.n_edges, round(result.details["score"], 1)
    (7, -2268.3)
    """
    with ScoreRun(max_seconds, progress) as run:
        problem = Problem(
            data,
            score,
            ess=ess,
            knowledge=knowledge,
            edge_penalty=edge_penalty,
            interventions=interventions,
            targets=targets,
        )
        max_parents = checks.whole_number("max_parents", max_parents, 1, MOST_PARENTS)
        starts, seed = checks.whole_number("starts", starts, 1, MOST_STARTS), checks.seed(seed)
        choose_forms(problem, seed=seed, run=run)
        found = problem.search(max_parents, starts, seed, run).found
        best = found[0]
        graph = problem.completed(best.dag)
        return run.ended(
            problem.result(
                graph,
                Scores(**about(problem.data), means=problem.scorer.settings, total=best.score, penalty=problem.penalty),
                search="order",
                seed=seed,
                options={"max_parents": max_parents, "starts": starts},
                details={
                    "score": best.score,
                    "dag": problem.arrows(best.dag),
                    "starts": [one.score for one in found],
                    "evaluations": problem.scorer.kernel.evaluated,
                },
                rule="score",
            )
        )
