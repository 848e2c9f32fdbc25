"""What a result answers beyond its graph: causes, effects, what would happen if, and fitted networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.errors import GraphError
from paucal.graphs.equivalence import pdag_to_dag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.effects.ask import Effects
    from paucal.effects.effect import Effect, Estimate
    from paucal.graphs.graph import Graph
    from paucal.networks.bayesnet import BayesNet
    from paucal.search.by_scores.interventions import Experiment
    from paucal.search.evidence.pairs import Evidence

_FILLED = 20  # completed tables for effects
_CAUSES = ("cause", "effect", "probability", "hangs_on", "direction")


class Answers:
    """The part of `SearchResult` that answers questions about causes and effects."""

    if TYPE_CHECKING:
        graph: Graph
        evidence: Evidence

        @property
        def graphs(self) -> tuple[Graph, ...]:
            """The sampled DAGs."""

        def experiment(self, data: Any) -> Experiment:
            """Take the data behind the result, and which columns were set in which rows."""

        def framed(self, records: list[dict[str, Any]], columns: tuple[str, ...]) -> Any:
            """Give records as a frame."""

    def dag(self, draw: int | None = None) -> Graph:
        """Give one DAG: a member of the class that the graph stands for, or a sampled one.

        Other members fit the data just as well: what they say about directions that the graph leaves open is not
        learned from data.

        Parameters
        ----------
        draw
            Number of a sampled DAG, from 0 on; without it a member of the class of `graph`.
        """
        if draw is None:
            if self.graph.kind == "pag":
                problem = "A PAG allows hidden causes, so that no single DAG over the columns stands for it."
                raise GraphError(problem, hint="Learn a graph without hidden causes.")
            return pdag_to_dag(self.graph)
        self._sampled()
        return self.graphs[checks.whole_number("draw", draw, 0, len(self.graphs) - 1)]

    def network(self, data: Any) -> BayesNet:
        """Fit a network to the data: the tables of `dag()`, as `BayesNet.fit` estimates them.

        >>> import paucal
        >>> data = paucal.load_network("asia").sample(500, seed=1)
        >>> paucal.learn(data, search="order").network(data).marginal("smoke").round(2)
        array([0.51, 0.49])
        """
        from paucal.networks.bayesnet import BayesNet

        experiment, dag = self.experiment(data), self.dag()
        net = BayesNet.fit(dag, experiment.data, name="learned")
        tables = dict(net.cpts)
        for name in experiment.targets:  # rows in which it was set say nothing about its table
            free = (~experiment.set_in(name)).nonzero()[0]
            if len(free):
                tables[name] = BayesNet.fit(dag, experiment.data.take(free)).cpts[name]
        return BayesNet(net.levels, {name: net.parents(name) for name in net.names}, tables, name=net.name)

    def causes(self, least: float = 0.01) -> Any:
        """List which columns cause which, directly or through others, with the share of sampled DAGs that say so.

        One wrong arrow can make many false causes at once: `hangs_on` is the arrow of the most frequent path whose
        direction is least sure, and `direction` the probability of that direction.

        Parameters
        ----------
        least
            Claims with a smaller probability are left out.
        """
        from paucal.effects.causes import all_causes

        names, dags = self._sampled()
        found = all_causes(names, dags, least=checks.share("least", least))
        records = [
            {
                "cause": one.cause,
                "effect": one.effect,
                "probability": one.probability,
                "hangs_on": " -> ".join(one.arrow),
                "direction": one.direction,
            }
            for one in found
        ]
        return self.framed(records, _CAUSES)

    def effect(self, x: str, y: str, *, data: Any, level: float = 0.9, seed: int = 0) -> Effect:
        """Say what happens to y when x is set, averaged over the sampled graphs; print it.

        Parameters
        ----------
        x, y
            The column that is set, and the one that is looked at.
        data
            The data that the result was learned from.
        level
            Share of the draws that intervals hold.
        seed
            Of the drawn parameters.

        Examples
        --------
        >>> import paucal
        >>> data = paucal.load_network("asia").sample(500, seed=1)
        >>> effect = paucal.learn(data, search="posterior").effect("smoke", "bronc", data=data)
        >>> round(effect.difference("yes", "no", outcome="yes").mean, 1)
        0.2
        """
        return self._effects(data, seed).effect(x, y, level=level)

    def effects(self, y: str, *, data: Any, level: float = 0.9, seed: int = 0) -> list[Effect]:
        """List what every other column does to y, the strongest first; parameters are those of `effect`."""
        return self._effects(data, seed).effects(y, level=level)

    def what_if(
        self,
        y: str,
        *,
        data: Any,
        do: Mapping[str, object] | None = None,
        given: Mapping[str, object] | None = None,
        level: float = 0.9,
        seed: int = 0,
    ) -> dict[str, Estimate]:
        """Give the distribution of y if columns are set (`do`), among the rows where others are seen (`given`).

        The other parameters are those of `effect`.
        """
        return self._effects(data, seed).what_if(y, do=do, given=given, level=level)

    def _effects(self, data: Any, seed: int) -> Effects:
        from paucal.effects.ask import Effects

        names, dags = self._sampled()
        experiment = self.experiment(data)
        set_in = {name: experiment.set_in(name) for name in experiment.targets if name not in experiment.always_set}
        table: Any = experiment.data
        if table.has_gaps:  # every graph gets one of some completed tables
            from paucal.search.by_scores.missing import filled_in

            filled = filled_in(experiment, min(_FILLED, len(dags)), seed=checks.seed(seed))
            table = [filled[i % len(filled)] for i in range(len(dags))]
        return Effects(names, dags, table, seed=checks.seed(seed), set_in=set_in)

    def _sampled(self) -> tuple[tuple[str, ...], Any]:
        dags = getattr(self.evidence, "sampled", ())
        if not dags:
            problem = "Effects are averaged over sampled graphs, and this result has none."
            raise GraphError(problem, hint='Learn with search="posterior".')
        return self.evidence.names, dags
