"""Hill climbing: from a DAG to the best one that adding, deleting or turning one arrow can make, again and again.

With `tabu` the climb goes on over lower ground: the best move to a DAG that was not among the last ones, even if the
score falls, until `patience` moves brought no new best (Glover 1989; Tsamardinos, Brown and Aliferis 2006). The best
DAG of the whole way is the result. Moves are compared in the order additions, deletions, reversals, each by the
columns' order, and of moves within 1.5e-8 the first wins. Ties, such as A -> B against B -> A, matter for where the
climb ends; the columns are taken in the order that their content gives them, so names and places do not matter.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import checks
from paucal.errors import GraphError, KnowledgeError
from paucal.graphs.acyclic import descendants
from paucal.graphs.bits import bits_of_rows, matrix_of_bits, members
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
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.by_scores.scores import ScoreName, Scorer
    from paucal.search.run import Progress, SearchRun

_TOLERANCE = 1.5e-8


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
        summit = climb(scorer, rules, _start_matrix(start, scorer.names, limits), run)
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
        object.__setattr__(self, "tabu", checks.whole_number("tabu", self.tabu, 0))
        object.__setattr__(self, "patience", checks.whole_number("patience", self.patience, 1))


class Summit(NamedTuple):
    """The DAG `[i, j]`: i -> j where a climb ended, its score, and the number of moves."""

    dag: NDArray[np.int8]
    score: float
    steps: int

    def details(self, scorer: Scorer) -> dict[str, Any]:
        """Give what a result reports of a climb."""
        names = scorer.names
        return {
            "score": self.score,
            "dag": [[names[i], names[j]] for i, j in np.argwhere(self.dag).tolist()],
            "steps": self.steps,
            "evaluations": scorer.n_evaluated,
            **told_forms(names, scorer.own_forms),
        }


def climb(scorer: Scorer, rules: Rules, start: NDArray[np.bool_], run: ScoreRun | SearchRun) -> Summit:
    """Climb from a DAG, until no move leads up or the run has spent what it may."""
    here = _Place(scorer, rules, start, run)
    now = best = 0.0
    best_dag = here.arcs.copy()
    last: deque[bytes] = deque([here.key()], maxlen=max(rules.tabu, 1))
    steps = since_best = 0
    while (gain := here.step(last if rules.tabu else None)) is not None:
        now += gain
        steps += 1
        since_best += 1
        last.append(here.key())
        if now > best + _TOLERANCE:
            best, best_dag, since_best = now, here.arcs.copy(), 0
        if rules.tabu and since_best >= rules.patience:
            break
        run.progress("hill climbing", steps)
        if run.spent:
            break
    parents = [np.flatnonzero(column).tolist() for column in best_dag.T]
    total = math.fsum(scorer.local(node, its) for node, its in enumerate(parents))
    return Summit(best_dag.astype(np.int8), total, steps)


class _Place:
    """A DAG on the way, with the gain of every move from it."""

    def __init__(self, scorer: Scorer, rules: Rules, start: NDArray[np.bool_], run: ScoreRun | SearchRun) -> None:
        self.arcs = start.copy()
        self._scorer = scorer
        self._rules = rules
        self._may_add = rules.allowed & ~rules.limits.forbidden
        # [i, j]: of putting i among the parents of j, or taking it away; -inf where there was no time to find out
        self._gain = np.full(start.shape, -np.inf)
        for node in range(len(start)):
            if run.spent:
                break
            run.progress("scores of pairs", node, len(start))
            self._update(node)

    def key(self) -> bytes:
        return np.packbits(self.arcs).tobytes()

    def step(self, tabu: deque[bytes] | None) -> float | None:
        """Make the best move and give its gain; without tabu only if it leads up. None if there is none."""
        gains = np.concatenate([part.ravel() for part in self._moves()])
        for move in _best_first(gains, all_of_them=tabu is not None):
            gain = float(gains[move])
            if gain == -np.inf or (tabu is None and gain <= _TOLERANCE):
                return None
            before = self.arcs.copy()
            changed = self._move(move)
            if tabu is not None and self.key() in tabu:
                self.arcs = before
                continue
            for node in changed:
                self._update(node)
            return gain
        return None

    def _moves(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Give the gains of all additions, deletions and reversals; what is not legal is -inf."""
        arcs, gain = self.arcs, self._gain
        leads_to = descendants(arcs)
        free = arcs & ~self._rules.limits.required
        add = np.where(~arcs & ~arcs.T & self._may_add & ~matrix_of_bits(leads_to).T.astype(np.bool_), gain, -np.inf)
        delete = np.where(free, gain, -np.inf)
        turn = np.full(arcs.shape, -np.inf)
        children = bits_of_rows(arcs)
        for i, j in np.argwhere(free & self._may_add.T).tolist():
            if not any(leads_to[k] >> j & 1 for k in members(children[i] & ~(1 << j))):
                turn[i, j] = gain[i, j] + gain[j, i]
        return add, delete, turn

    def _move(self, move: int) -> tuple[int, ...]:
        """Change the arrows; give the nodes whose parents are others now."""
        n = len(self.arcs)
        kind, place = divmod(move, n * n)
        i, j = divmod(place, n)
        self.arcs[i, j] = kind == 0
        if kind == 2:
            self.arcs[j, i] = True
            return i, j
        return (j,)

    def _update(self, node: int) -> None:
        parents = np.flatnonzero(self.arcs[:, node]).tolist()
        local = self._scorer.local
        here = local(node, parents)
        column = self._gain[:, node]
        column[:] = -np.inf
        for i in parents:
            column[i] = local(node, [v for v in parents if v != i]) - here
        if self._rules.max_parents is None or len(parents) < self._rules.max_parents:
            for i in np.flatnonzero(self._may_add[:, node] & ~self.arcs[:, node]).tolist():
                column[i] = local(node, [*parents, i]) - here


def _best_first(gains: NDArray[np.float64], *, all_of_them: bool) -> Iterator[int]:
    if not len(gains):
        return
    if all_of_them:
        yield from np.argsort(-gains, kind="stable").tolist()
    else:
        yield int(np.argmax(gains >= gains.max() - _TOLERANCE))


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
