"""What an edge is worth to the score: the difference it makes to take it out, or to put it in.

For graphs that were found by a score, this is what a test is for the others: evidence about a single pair. The rest of
the graph is held fixed. Of a class of equivalent DAGs one is looked at; the penalty that the search took off for every
arrow is part of the score.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.graphs.bits import bits_of_rows, reach
from paucal.graphs.equivalence import pdag_to_dag
from paucal.graphs.language import quoted
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.scores import Scorer
from paucal.search.by_tests.limits import Limits

if TYPE_CHECKING:
    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.scores import ScoreSettings


class Gain(NamedTuple):
    """What happens to the score without the arrow that joins a pair, or with the best one that could."""

    score: str
    change: float
    arrow: tuple[str, str]
    joined: bool

    def sentence(self, *, sampled: bool) -> str:
        """Say what the change means; `sampled` says that many graphs decided, and not the score of this one."""
        what = "without this edge" if self.joined else f"with {' -> '.join(map(quoted, self.arrow))}"
        fits = f"the graph would fit the data {_times(self.change)} {what} (score {self.score})"
        if self.change <= 0:
            return fits
        # the score of one graph speaks against what was decided: say why it did not decide
        kept = "drawn" if self.joined else "left out"
        if sampled:
            return f"{kept} because all the graphs that fit decide together; taken alone, {fits}"
        return f"{kept} where the search ended or a limit held it; {fits}"


def _times(change: float) -> str:
    """Say how much better or worse the data are explained: scores are logarithms.

    >>> _times(-2.0), _times(0.01), _times(50.0)
    ('7.4 times worse', 'about as well', 'more than 10,000 times better')
    """
    if abs(change) < log(1.05):
        return "about as well"
    factor = f"{exp(abs(change)):.2g}" if abs(change) < log(100) else f"{exp(min(abs(change), 99)):,.0f}"
    times = f"{factor} times" if abs(change) < log(10_000) else "more than 10,000 times"
    return f"{times} {'worse' if change < 0 else 'better'}"


class Gains:
    """The gains of all pairs of a graph, one after the other as they are asked for."""

    def __init__(
        self, graph: Graph, data: Any, score: ScoreSettings, penalty: float = 0.0, knowledge: Knowledge | None = None
    ) -> None:
        dag = pdag_to_dag(graph) if graph.kind != "dag" else graph
        experiment = Experiment.of(data, None)
        self._scorer = Scorer(experiment, score.name, **score.all)
        self._names = dag.nodes
        self._number = [self._scorer.data.index(name) for name in dag.nodes]
        self._place = {name: i for i, name in enumerate(dag.nodes)}
        self._arrows = dag.to_pdag_matrix() != 0
        self._children = bits_of_rows(self._arrows)
        self._forbidden = Limits.of_experiment(knowledge, experiment.select(dag.nodes)).forbidden
        self._penalty = penalty

    def of(self, x: str, y: str) -> Gain | None:
        """Give the gain of a pair; None if knowledge allows no arrow between the two."""
        i, j = self._place[x], self._place[y]
        possible = [self._changed(a, b) for a, b in ((i, j), (j, i)) if self._possible(a, b)]
        return max(possible, key=lambda gain: gain.change, default=None)

    def _possible(self, a: int, b: int) -> bool:
        """Say whether a -> b is there, or could be."""
        closes_cycle = reach(self._children, 1 << b) >> a & 1
        return bool(self._arrows[a, b]) or not (self._forbidden[a, b] or closes_cycle)

    def _changed(self, a: int, b: int) -> Gain:
        joined = bool(self._arrows[a, b])
        before = np.flatnonzero(self._arrows[:, b]).tolist()
        after = [p for p in before if p != a] if joined else [*before, a]
        new, old = (self._scorer.local(self._number[b], [self._number[p] for p in s]) for s in (after, before))
        change = new - old + (self._penalty if joined else -self._penalty)
        return Gain(self._scorer.name, change, (self._names[a], self._names[b]), joined)
