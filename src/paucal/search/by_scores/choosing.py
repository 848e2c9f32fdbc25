"""Which form of a column the data speak for: a line, steps, or levels.

1. With all columns in the form they start with, a short search: the best DAG of an order search and a short chain.
2. For one column after the other, the form with the largest gain in that DAG, the forms of the others held fixed:

       gain(v, o) = sum over v's family and its children's families of [F(parents + c) - F(parents)]
                    + what the arrow between v and another column is worth that would pay most, if one pays
                    - F({v} as o) - (3 + ln k) if o is not the form that v started with, k other forms being on offer

   Less F({v}), a column alone gains nothing in any form, so that cuts with different numbers of steps, and no cut at
   all, can be compared. The arrow more is for U-shapes: a line does not see them, so the DAG has no family in which
   steps could show what they are worth. Every number is asked for it, as what is joined by a line may have a U-shape
   besides. The price is that of one choice among k. An ordered column becomes a line only beside a neighbour that is
   one, or together with it, by the gain of both: among levels alone the normal scores of a few answers promise more
   than they hold. Of three networks whose columns are declared ordered, two came nearer to the truth with this rule
   (docs/numbers.md).
3. Both again until nothing changes, four times at most.

The columns take their turns in an order that their content decides, never their names. There is one start only: the
best of several by their score lets noise in.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import _kernel, checks
from paucal.graphs.acyclic import ancestor_matrix
from paucal.search.by_scores.design import has_forms
from paucal.search.by_scores.forms import LINE, Form
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.problem import Problem
from paucal.search.by_scores.scores import Scorer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.design import Design
    from paucal.search.by_scores.scores import ScoreName
    from paucal.search.run import Look, ScoreRun, SearchRun

_MOST_TIMES = 4
_PRICE = 3.0  # of another form than the first, if there is one only
_SAME = 1e-9  # gains that differ by less differ by rounding, and the form that is offered earlier stays

_STARTS, _ROUNDS = 3, 25  # of the short search
_CANDIDATES, _MOST_PARENTS, _HEATS = 10, 3, (0.7, 0.35)


def choose_forms(problem: Problem, *, seed: int = 0, run: ScoreRun | SearchRun | None = None) -> None:
    """Let the scorer of a problem read every number and ordered column in the form that the data speak for.

    A run that is to end keeps the forms that were chosen by then.
    """
    scorer = problem.scorer
    if scorer.design is None or all(len(offer) == 1 for offer in scorer.design.offers):
        return
    for time in range(_MOST_TIMES):
        if run is not None:
            if run.spent:
                return
            run.progress("forms of columns", time, _MOST_TIMES)
        dag, before = _short_search(problem, seed, None if run is None else run.budget.look), scorer.forms
        paths = ancestor_matrix(dag)
        for v in scorer.design.order:
            if run is not None and run.spent:
                return
            if len(scorer.design.offers[v]) > 1:
                _take_best(problem, dag, paths, v)
        if scorer.forms == before:
            return


def scorer_for(
    data: Any,
    score: ScoreName,
    *,
    ess: float,
    knowledge: Knowledge | None = None,
    run: ScoreRun | SearchRun | None = None,
) -> Scorer:
    """Make a scorer for searches that keep the columns in their order; "mixed" with the forms chosen."""
    experiment = Experiment.of(data, None)
    table = experiment.data
    checks.text("score", score)
    if score != "mixed" or not has_forms(table) or min(table.n_rows, table.n_columns) < 2 or experiment.targets:
        return Scorer(experiment, score, ess=ess)
    problem = Problem(table, score, ess=ess, knowledge=knowledge, edge_penalty=None)
    choose_forms(problem, run=run)
    scorer = Scorer(table, score, ess=ess)
    chosen = problem.scorer.own_forms
    scorer.use([Form.of(chosen.get(name, "levels")) for name in table.names])
    return scorer


def _short_search(problem: Problem, seed: int, look: Look | None) -> NDArray[np.uint8]:
    climbs = problem.search(_MOST_PARENTS, _STARTS, seed, look=look)
    found = climbs.found
    sampler = _kernel.DagSampler(
        problem.scorer.kernel,
        problem.allowed,
        problem.required,
        forbidden=problem.forbidden,
        penalty=problem.penalty,
        starts=[(one.order, one.dag) for one in found],
        met=[[one.dag for one in found]],
        groups=climbs.groups,
        most_candidates=_CANDIDATES,
        most_parents=_MOST_PARENTS,
        heats=_HEATS,
        chains=1,
        seed=seed,
        look=look,
    )
    sampler.run(_ROUNDS, record=False, threads=1, look=look)
    score, dag = sampler.best()
    return dag if score > found[0].score else found[0].dag


def _take_best(problem: Problem, dag: NDArray[np.uint8], paths: NDArray[np.bool_], v: int) -> None:
    """Read one column, and perhaps a neighbour with it, in the form with the largest gain."""
    scorer, design = problem.scorer, problem.scorer.design
    if design is None:
        return
    choices = list(_choices(design, scorer.forms, dag, v))
    touched = sorted(set[int]().union(*choices))
    parents = [np.flatnonzero(column).tolist() for column in dag.T]
    families = sorted({*touched, *np.flatnonzero(dag[touched].any(axis=0)).tolist()})
    more = list(_further_arrows(problem, dag, paths, v)) if design.offers[v][0] == LINE else []
    before, local = scorer.forms, scorer.kernel.local

    def read(choice: dict[int, Form]) -> None:
        scorer.use([choice.get(column, form) for column, form in enumerate(before)])

    def gain(choice: dict[int, Form]) -> float:
        read(choice)
        worth = [local(c, parents[c]) for c in families]
        arrows = [local(c, [*parents[c], p]) - local(c, parents[c]) - problem.penalty for p, c in more]
        alone = [-scorer.kernel.set([column]) for column in touched]
        prices = [-_price(design, column) for column in touched if scorer.forms[column] != design.offers[column][0]]
        return math.fsum([*worth, max([0.0, *arrows]), *alone, *prices])

    gains = [gain(choice) for choice in choices]
    read(next(choice for choice, value in zip(choices, gains, strict=True) if value >= max(gains) - _SAME))


def _price(design: Design, column: int) -> float:
    return _PRICE + math.log(len(design.offers[column]) - 1)


def _further_arrows(
    problem: Problem, dag: NDArray[np.uint8], paths: NDArray[np.bool_], v: int
) -> Iterator[tuple[int, int]]:
    """List one arrow between a column and each that it is not joined with: away from it, unless that makes a cycle."""
    for u in np.flatnonzero((dag[v] | dag[:, v]) == 0).tolist():
        if problem.allowed[v, u] and not paths[u, v]:
            yield v, u
        elif problem.allowed[u, v] and not paths[v, u]:
            yield u, v


def _choices(design: Design, forms: Sequence[Form], dag: NDArray[np.uint8], v: int) -> Iterator[dict[int, Form]]:
    """List what a column may become, the form it starts with first: forms by column, as a neighbour may go with it."""
    beside = [u for u in design.order if dag[u, v] or dag[v, u]]
    first, *others = design.offers[v]
    yield {v: first}
    if first == LINE or any(forms[u] == LINE for u in beside):
        yield from ({v: form} for form in others)
        return
    yield from ({v: LINE, u: LINE} for u in beside if LINE in design.offers[u])
