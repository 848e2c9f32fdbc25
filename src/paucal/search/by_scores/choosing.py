"""Which form of a column the data speak for: a line, steps, or levels.

1. With all columns in the form they start with, a short search: the best DAG of an order search and a short chain.
2. In that DAG the change of form that gains most, then the next, until none gains. For column v and form o

       gain(v, o) = sum over v's family and its children's families of [F(parents + c) - F(parents)]
                    + what the arrow between v and another column is worth that would pay most, if one pays
                    - F({v} as o) - price if o is not the form that v started with

   less the same with the form that v has. Less F({v}), a column alone gains nothing in any form, so that cuts with
   different numbers of steps, and no cut at all, can be compared. The arrow more is for U-shapes: a line does not see
   them, so the DAG has no family in which steps could show what they are worth. Every number is asked for it, as what
   is joined by a line may have a U-shape besides. The price is 3 nats, and ln 14 more for a number, which has that many
   kinds of steps on offer; where few rows allow for fewer, they are no cheaper.

   An ordered column becomes a line only beside a neighbour that is one, or together with it, by the gain of both. Among
   levels alone the normal scores of a few answers promise more than they hold (docs/numbers.md has what that is worth).
3. Both again until nothing changes, four times at most.

The largest gain first, so that no order of the columns decides, and with it how they are coded: taking turns, an
answer could depend on whether 5 or 1 means "always". There is one start only: the best of several by their score lets
noise in.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import _kernel, checks
from paucal.graphs.acyclic import ancestor_matrix
from paucal.search.by_scores.design import has_forms
from paucal.search.by_scores.forms import GAPS, LINE, SHARES, WIDTHS, Form
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
_PRICE_OF_STEPS = _PRICE + math.log(len(SHARES) + len(WIDTHS) + len(GAPS))
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
        _Climb(problem, scorer.design, dag).run(run)
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


class _Climb:
    """Changes the form of one column after the other in a fixed DAG, each time the one that gains most."""

    def __init__(self, problem: Problem, design: Design, dag: NDArray[np.uint8]) -> None:
        self._problem, self._scorer, self._design, self._dag = problem, problem.scorer, design, dag
        self._paths = ancestor_matrix(dag)
        self._parents = [np.flatnonzero(column).tolist() for column in dag.T]
        self._free = [v for v in design.order if len(design.offers[v]) > 1]
        families = (dag != 0) | np.eye(len(dag), dtype=np.bool_)  # [member, child]
        self._near = families @ families.T

    def run(self, run: ScoreRun | SearchRun | None) -> None:
        """Change forms until no change gains, or twice as often as there are columns.

        After a change those columns are asked again that share a family with it. What it means to an arrow more of the
        others shows when all are asked again, in the next DAG.
        """
        best: dict[int, tuple[float, dict[int, Form]]] = {}
        asked = self._free
        for _ in range(2 * len(self._free)):
            for v in asked:
                if run is not None and run.spent:
                    return
                best[v] = self._best(v)
            gain, choice = max((best[v] for v in self._free), key=lambda found: found[0])  # of equal ones the first
            if gain <= _SAME:
                return
            self._scorer.use(self._with(choice))
            near = self._near[list(choice)].any(axis=0)
            asked = [v for v in self._free if near[v]]

    def _with(self, choice: dict[int, Form]) -> list[Form]:
        return [choice.get(column, form) for column, form in enumerate(self._scorer.forms)]

    def _best(self, v: int) -> tuple[float, dict[int, Form]]:
        """Give the change of a column, and perhaps of neighbours with it, that gains most, and how much."""
        now = self._scorer.forms
        before: dict[tuple[int, ...], float] = {}
        found: tuple[float, dict[int, Form]] = (0.0, {})
        for choice in _choices(self._design, now, self._dag, v):
            changed = tuple(sorted(c for c, form in choice.items() if form != now[c]))
            if changed not in before:
                before[changed] = self._worth(changed)
            self._scorer.use(self._with(choice))
            gain = self._worth(changed) - before[changed]
            self._scorer.use(now)
            if gain > found[0] + _SAME:
                found = gain, choice
        return found

    def _worth(self, columns: Sequence[int]) -> float:
        """Give what some columns are worth in the forms that they have, to their families and alone."""
        local, parents, penalty = self._scorer.kernel.local, self._parents, self._problem.penalty
        families = sorted({*columns, *np.flatnonzero(self._dag[list(columns)].any(axis=0)).tolist()})
        terms = [local(c, parents[c]) for c in families]
        for v in columns:
            form, offers = self._scorer.forms[v], self._design.offers[v]
            terms.append(-self._scorer.kernel.set([v]))
            if form != offers[0]:
                terms.append(-_price(self._design, v))
            if offers[0] == LINE:
                more = _further_arrows(self._problem, self._dag, self._paths, v)
                terms.append(
                    max([0.0, *(local(c, [*parents[c], p]) - local(c, parents[c]) - penalty for p, c in more)])
                )
        return math.fsum(terms)


def _price(design: Design, column: int) -> float:
    return _PRICE_OF_STEPS if design.offers[column][0] == LINE else _PRICE


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
