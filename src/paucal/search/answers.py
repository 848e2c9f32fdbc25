"""What a result answers beyond its graph: causes, effects, what would happen if, and fitted networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paucal import checks
from paucal.data.steps import in_told_steps
from paucal.errors import DataError, GraphError, QuestionError
from paucal.graphs.equivalence import pdag_to_dag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.effects.ask import Effects
    from paucal.effects.effect import Effect, Estimate, Ranking
    from paucal.graphs.graph import Graph
    from paucal.networks.bayesnet import BayesNet
    from paucal.search.by_scores.interventions import Experiment
    from paucal.search.evidence.graphs import Graphs
    from paucal.search.evidence.pairs import Evidence
    from paucal.search.recipe import Recipe

_FILLED = 20  # completed data sets behind a fitted network
_DECIMALS = 9  # of shares, as they are stored
_CLAIMS = ("a", "claim", "b", "probability")
_CAUSES = ("cause", "effect", "probability", "hangs_on", "direction")


class Answers:
    """The part of `SearchResult` that answers questions about causes and effects."""

    if TYPE_CHECKING:
        graph: Graph
        evidence: Evidence
        recipe: Recipe
        details: Mapping[str, Any]

        @property
        def graphs(self) -> tuple[Graph, ...]:
            """The sampled DAGs."""

        frame_kind: str | None

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

        Where values are missing the tables are means over 20 completed data sets, filled as this graph makes likely.
        A number is cut into the steps in which the score read it, or into three of equal shares; a warning says so.

        >>> import paucal
        >>> data = paucal.load_network("asia").sample(500, seed=1)
        >>> paucal.learn(data, search="order").network(data).marginal("smoke").round(2)
        array([0.49, 0.51])
        """
        from paucal.networks.bayesnet import BayesNet

        experiment, dag = self.experiment(data), self.dag()
        table, set_in = in_told_steps(experiment.whole, dag.nodes, self.cuts), _free_elsewhere(experiment)
        if not table.has_gaps:
            return _fitted(dag, table, set_in)
        from paucal.effects.filling import filled

        table = table.select(dag.nodes)
        places = tuple(tuple(dag.index(parent) for parent in dag.parents(node)) for node in dag.nodes)
        nets = [_fitted(dag, one, set_in) for one in filled(table, [places] * _FILLED, set_in=set_in)]
        means = {name: np.mean([net.cpts[name] for net in nets], axis=0) for name in dag.nodes}
        return BayesNet(nets[0].levels, {name: dag.parents(name) for name in dag.nodes}, means, name="learned")

    def causes(self, least: float = 0.01) -> Any:
        """List which columns cause which, directly or through others, with the share of sampled DAGs that say so.

        One wrong arrow can make many false causes at once: `hangs_on` is the least likely arrow of the most frequent
        path, and `direction` its probability, the number that stands beside it everywhere.

        Parameters
        ----------
        least
            Claims with a smaller probability are left out.
        """
        from paucal.effects.causes import all_causes

        names, dags, shares = self._sampled()
        found = all_causes(names, dags, shares, least=checks.share("least", least), likely=self._likely())
        records = [
            {
                "cause": one.cause,
                "effect": one.effect,
                "probability": round(one.probability, _DECIMALS),
                "hangs_on": " -> ".join(one.arrow),
                "direction": one.direction,
            }
            for one in found
        ]
        return self.framed(records, _CAUSES)

    def claims(self, least: float = 0.5) -> Any:
        """List what causes what, and what does not, even if common causes are hidden; the surest first.

        A tail at one end and a head at the other say that the first causes the second, a head alone that the column
        where it is does not cause the other. The probability is the share of sampled graphs with these marks; see
        docs/latent.md for how often such claims are right.

        Parameters
        ----------
        least
            Claims with a smaller probability are left out.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `a`, `claim` ("causes" or
        "does not cause"), `b`, `probability`.

        Examples
        --------
        >>> import paucal
        >>> data = paucal.load_network("asia").sample(1000, seed=3)
        >>> first = paucal.learn(data, latent=True).claims()[0]
        >>> first["a"], first["claim"], first["b"]
        ('dysp', 'does not cause', 'bronc')
        """
        if self.graph.kind != "pag":
            problem = "Claims are about graphs that allow for hidden causes, and this is not one."
            raise QuestionError(problem, hint="Learn with latent=True, or ask for causes().")
        share = checks.share("least", least)
        claims = getattr(self.evidence, "claims", None)
        if claims is None:
            problem = "The search gives no probabilities, so claims have none."
            raise QuestionError(problem, hint="Learn with latent=True, or look at edges().")
        return self.framed(claims(share), _CLAIMS)

    def effect(self, x: str, y: str, *, data: Any, level: float = 0.9, seed: int = 0) -> Effect:
        """Say what happens to y when x is set, averaged over the sampled graphs; the answer prints in words.

        If x is known to be randomised, the comparison of its groups comes first (`effect.groups`).

        Parameters
        ----------
        x, y
            The column that is set, and the one that responds.
        data
            The data that the result was learned from.
        level
            The share of the draws that an interval holds.
        seed
            Seed of the drawn parameters.

        Examples
        --------
        >>> import paucal
        >>> data = paucal.load_network("asia").sample(500, seed=1)
        >>> effect = paucal.learn(data, search="posterior").effect("smoke", "bronc", data=data)
        >>> round(effect.difference("yes", "no", outcome="yes").mean, 1)
        0.2
        """
        return self.effects_in(data, seed).effect(x, y, level=level)

    def effects(self, y: str, *, data: Any, level: float = 0.9, seed: int = 0) -> Ranking:
        """List what every other column does to y, the strongest first; parameters are those of `effect`."""
        return self.effects_in(data, seed).effects(y, level=level)

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
        return self.effects_in(data, seed).what_if(y, do=do, given=given, level=level)

    def effects_in(self, data: Any, seed: int = 0) -> Effects:
        """Give what `effect` asks, for whoever asks many times: tables of the sampled graphs are counted once."""
        from paucal.effects.ask import Effects
        from paucal.effects.groups import repeats_in

        names, dags, _ = self._sampled()
        experiment = self.experiment(data)
        set_in = _free_elsewhere(experiment)
        table, seed = self._as_learned(experiment.whole), checks.seed(seed)
        known = self.recipe.knowledge
        randomised = () if known is None or experiment.targets else known.randomised
        told = repeats_in(table) or next((one.get("dependent") for one in self.details.get("groups", ())), None)
        return Effects(
            names,
            dags,
            table,
            seed=seed,
            cuts=self.cuts,
            set_in=set_in,
            frame_kind=self.frame_kind,
            randomised=randomised,
            dependent=told,
            likely=self._likely(),
        )

    @property
    def cuts(self) -> dict[str, list[float]]:
        """The cut points of the numbers that the score read in steps."""
        forms = getattr(self.evidence.means, "forms", None) or {}
        return {name: form for name, form in forms.items() if isinstance(form, list)}

    def _as_learned(self, data: Dataset) -> Dataset:
        """Refuse data whose columns or levels are not those of the graphs."""
        levels = self.evidence.cardinalities
        for name, k in zip(self.evidence.names, levels or (), strict=levels is not None):
            if name not in data.names:
                problem = f"The data have no column {name!r}, which the graphs were learned from."
            elif data.kinds[data.index(name)] == "number" or k == (own := data.cardinalities[data.index(name)]):
                continue  # of a number the steps were counted, not the values
            else:
                problem = f"The column {name!r} has {own} levels, the graphs were learned from {k}."
            raise DataError(problem, hint="Give the data that the result was learned from, prepared in the same way.")
        return data

    def _likely(self) -> NDArray[np.float64]:
        """Give how likely each arrow is, from row to column."""
        return cast("Graphs", self.evidence).arrow_probabilities(self.graph)

    def _sampled(self) -> tuple[tuple[str, ...], Any, Any]:
        dags = getattr(self.evidence, "sampled", ())
        if self.graph.kind == "pag":
            problem = "Effects cannot be computed where causes may be hidden."
            raise GraphError(problem, hint="Use claims(), or learn without hidden causes.")
        if not dags:
            problem = "Effects are averaged over sampled graphs, and this result has none."
            raise GraphError(problem, hint='Learn with search="posterior".')
        return self.evidence.names, dags, getattr(self.evidence, "causes", None)


def _free_elsewhere(experiment: Experiment) -> dict[str, NDArray[np.bool_]]:
    """Give the rows in which columns were set, for those that were not always: the other rows tell their tables."""
    return {name: experiment.set_in(name) for name in experiment.targets if name not in experiment.always_set}


def _fitted(dag: Graph, table: Dataset, set_in: Mapping[str, NDArray[np.bool_]]) -> BayesNet:
    """Fit a network; rows in which a column was set say nothing about its table."""
    from paucal.networks.bayesnet import BayesNet

    net = BayesNet.fit(dag, table, name="learned")
    tables = dict(net.cpts)
    for name, rows in set_in.items():
        tables[name] = BayesNet.fit(dag, table.take(np.flatnonzero(~rows))).cpts[name]
    return BayesNet(net.levels, {name: net.parents(name) for name in net.names}, tables, name=net.name)
