"""Which form of a column the data speak for: a line, steps, or levels.

1. With all columns in the form they start with, a short search: the best DAG of an order search and a short chain.
2. For one column after the other, the form with the largest gain in that DAG, the forms of the others held fixed:

       gain(v, o) = sum over v's family and its children's families of [F(parents + c) - F(parents)]
                    - F({v} as o) - 3 if o is not the form that v started with

   Less F({v}), a column alone gains nothing in any form, so that cuts with different numbers of steps, and no cut at
   all, can be compared.
3. Both again until nothing changes, four times at most.

The columns take their turns in an order that their content decides, never their names. There is one start only: the
best of several by their score lets noise in.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import _kernel
from paucal.search.by_scores.design import has_forms
from paucal.search.by_scores.forms import Form
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.problem import Problem
from paucal.search.by_scores.scores import Scorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.scores import ScoreName
    from paucal.search.run import Look, ScoreRun, SearchRun

_MOST_TIMES = 4
_PRICE = 3.0  # of another form than the first
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
        for v in scorer.design.order:
            if len(scorer.design.offers[v]) > 1:
                _take_best(scorer, dag, v)
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


def _take_best(scorer: Scorer, dag: NDArray[np.uint8], v: int) -> None:
    """Read one column in the form with the largest gain."""
    if scorer.design is None:
        return
    offer, families = scorer.design.offers[v], [v, *np.flatnonzero(dag[v]).tolist()]
    others = list(scorer.forms)

    def gain(form: Form) -> float:
        scorer.use([*others[:v], form, *others[v + 1 :]])
        local = [scorer.kernel.local(c, np.flatnonzero(dag[:, c]).tolist()) for c in families]
        return math.fsum([*local, -scorer.kernel.set([v]), -_PRICE * (form != offer[0])])

    gains = [gain(form) for form in offer]
    best = next(form for form, value in zip(offer, gains, strict=True) if value >= max(gains) - _SAME)
    scorer.use([*others[:v], best, *others[v + 1 :]])
