"""The searches with scikit-learn's protocol, without scikit-learn: thin wraps around `learn`.

Parameters go into the constructor and are only looked at by `fit`; what was learned has names with a trailing
underscore. `clone`, `get_params`, `set_params` and pipelines work as with any estimator.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from paucal.errors import unknown_name
from paucal.independence.registry import DEFAULT_TEST
from paucal.search.bootstrap import bootstrap
from paucal.search.learn import learn
from paucal.search.local.blanket import blanket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typing_extensions import Self

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.independence.protocol import CITest
    from paucal.search.by_scores.scores import ScoreName
    from paucal.search.by_tests.colliders import ColliderRule
    from paucal.search.result import SearchResult


@dataclass(kw_only=True, eq=False, repr=False)
class Estimator:
    """The protocol."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the protocol's signature
        """Give the parameters by name; `deep` adds those of an estimator within, as `estimator__alpha`."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        if deep:
            for name, value in list(given.items()):
                if isinstance(value, Estimator):
                    given |= {f"{name}__{inner}": v for inner, v in value.get_params().items()}
        return given

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; an unknown one is an error."""
        known = [field.name for field in fields(self)]
        for name, value in parameters.items():
            own, _, inner = name.partition("__")
            if own not in known or (inner and not isinstance(getattr(self, own), Estimator)):
                raise unknown_name(f"parameter of {type(self).__name__}", name, known)
            if inner:
                getattr(self, own).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = ((field, getattr(self, field.name)) for field in fields(self))
        changed = [f"{field.name}={value!r}" for field, value in given if value != field.default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _learned(self, result: SearchResult) -> Self:
        self.result_ = result
        self.graph_ = result.graph
        self.feature_names_in_ = np.array(result.ledger.names, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class AsksTests(Estimator):
    """The test that a search asks."""

    test: str | CITest | Callable[..., Any] = DEFAULT_TEST
    alpha: Alpha = 0.05
    test_options: Mapping[str, Any] | None = None
    seed: int | None = None
    threads: int = 1


@dataclass(kw_only=True, eq=False, repr=False)
class LearnsGraph(Estimator):
    """What all searches for a whole graph share.

    After `fit` it has `graph_`, the learned graph; `result_`, the whole `SearchResult`; `feature_names_in_` and
    `n_features_in_`, the columns.
    """

    search: ClassVar[str]

    knowledge: Knowledge | None = None

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - the protocol's name
        """Learn a graph from data, anything `Dataset.of` takes, or from a finished test; y is ignored."""
        del y
        return self._learned(learn(X, self.search, **self.get_params(deep=False)))


@dataclass(kw_only=True, eq=False, repr=False)
class SearchEstimator(LearnsGraph, AsksTests):
    """What all searches by tests share: the parameters of `paucal.learn`."""

    max_order: int | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class PCStable(SearchEstimator):
    """PC-stable; see `paucal.search.by_tests.pc.pc_stable`.

    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(20000, seed=0)
    >>> PCStable(test="chi2").fit(sample).graph_.n_edges
    4
    """

    search = "pc-stable"
    colliders: ColliderRule = "majority"


@dataclass(kw_only=True, eq=False, repr=False)
class PC(SearchEstimator):
    """PC; see `paucal.search.by_tests.pc.pc`."""

    search = "pc"
    colliders: ColliderRule = "standard"


@dataclass(kw_only=True, eq=False, repr=False)
class RAI(SearchEstimator):
    """Recursive autonomy identification; see `paucal.search.by_tests.rai.rai`."""

    search = "rai"
    style: Literal["valid", "fixrai"] = "valid"
    colliders: ColliderRule = "standard"
    orientation: Literal["last-writer", "intended"] = "last-writer"
    rule3: Literal["correct", "as-coded"] = "correct"
    candidates: Literal["neighbours", "parents"] = "neighbours"


@dataclass(kw_only=True, eq=False, repr=False)
class SCPC(SearchEstimator):
    """PC with consistent separating sets; see `paucal.search.by_tests.sc_pc.sc_pc`."""

    search = "sc-pc"
    consistency: Literal["skeleton", "orientation"] = "skeleton"
    colliders: ColliderRule = "standard"
    max_rounds: int = 100


@dataclass(kw_only=True, eq=False, repr=False)
class MMHC(SearchEstimator):
    """Max-min hill climbing; see `paucal.search.by_tests.mmhc.mmhc`."""

    search = "mmhc"
    score: ScoreName = "bdeu"
    ess: float = 10
    max_parents: int | None = None
    tabu: int = 0
    patience: int = 15


@dataclass(kw_only=True, eq=False, repr=False)
class FCI(SearchEstimator):
    """FCI, for data with hidden common causes; see `paucal.search.by_tests.fci.fci`."""

    search = "fci"
    colliders: ColliderRule = "standard"
    possible_d_sep: bool = True
    tail_rules: bool = True
    selection: bool = False
    max_path_length: int | None = None
    strict_conservative: bool = False
    preset: Literal["paper"] | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class CFCI(SearchEstimator):
    """Conservative FCI; see `paucal.search.by_tests.fci.cfci`."""

    search = "cfci"
    possible_d_sep: bool = True
    tail_rules: bool = True
    selection: bool = False
    max_path_length: int | None = None
    strict_conservative: bool = False
    preset: Literal["paper"] | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class HillClimbing(LearnsGraph):
    """Hill climbing by a score; see `paucal.hill_climb`."""

    search = "hill-climbing"
    score: ScoreName = "bdeu"
    ess: float = 10
    allowed: Iterable[tuple[str, str]] | None = None
    start: Graph | None = None
    max_parents: int | None = None
    tabu: int = 0
    patience: int = 15


@dataclass(kw_only=True, eq=False, repr=False)
class Order(LearnsGraph):
    """The graph with the highest score, by order search; see `paucal.search.by_scores.order.order`."""

    search = "order"
    score: ScoreName = "eb"
    ess: float = 1.0
    edge_penalty: float | None = None
    max_parents: int = 5
    starts: int = 10
    seed: int = 0


@dataclass(kw_only=True, eq=False, repr=False)
class Posterior(LearnsGraph):
    """Probabilities of edges, and the graph that agrees with them best; see `paucal.search.by_scores.posterior`.

    After `fit`, `result_.probabilities()` lists the pairs.

    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(2000, seed=0)
    >>> first = Posterior(seed=1).fit(sample).result_.probabilities()[0]
    >>> first["a"], first["b"], round(first["absent"], 2)
    ('Cancer', 'Xray', 0.0)
    """

    search = "posterior"
    score: ScoreName = "eb"
    ess: float = 1.0
    temper: float = 0.7
    edge_penalty: float | None = None
    max_parents: int = 4
    candidates: int = 12
    starts: int = 10
    chains: int = 2
    rounds: int | None = None
    burn_in: int = 60
    max_rounds: int | None = None
    tolerance: float = 0.25
    heats: Sequence[float] = (1.0, 0.8, 0.6, 0.4)
    seed: int = 0
    threads: int = 1


@dataclass(kw_only=True, eq=False, repr=False)
class Bootstrap(Estimator):
    """Any of the searches, learned again and again from some of the rows; see `paucal.bootstrap`.

    After `fit` it has what the other searches have, and `result_.probabilities()` lists the pairs.

    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(2000, seed=0)
    >>> again = Bootstrap(estimator=PCStable(alpha=0.01), replicates=20).fit(sample)
    >>> again.graph_
    Graph.cpdag(5 nodes, 2 edges: Cancer -- Xray; Cancer -- Dyspnoea)
    """

    estimator: LearnsGraph
    replicates: int = 200
    fraction: float | None = 0.632
    seed: int = 0
    jobs: int | None = None

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - the protocol's name
        """Learn from samples of the rows of data, anything `Dataset.of` takes; y is ignored."""
        del y
        options = self.estimator.get_params(deep=False)
        options.pop("seed", None)  # that of the bootstrap decides
        result = bootstrap(
            X,
            self.estimator.search,
            replicates=self.replicates,
            fraction=self.fraction,
            seed=self.seed,
            jobs=self.jobs,
            **options,
        )
        return self._learned(result)


@dataclass(kw_only=True, eq=False, repr=False)
class CMB(AsksTests):
    """The causal Markov blanket of one column; see `paucal.blanket`.

    After `fit` it has `blanket_`, the whole `BlanketResult`; `graph_`, the graph as far as it was looked at;
    `feature_names_in_` and `n_features_in_`, the columns.

    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(20000, seed=0)
    >>> CMB(target="Cancer").fit(sample).blanket_.parents
    ('Pollution', 'Smoker')
    """

    target: str
    max_order: int | None = 3
    style: Literal["repaired", "reference"] = "repaired"
    neighbours: str = "hiton"

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - the protocol's name
        """Learn the blanket from data, anything `Dataset.of` takes, or from a finished test; y is ignored."""
        del y
        self.blanket_ = blanket(X, **self.get_params(deep=False))
        self.graph_ = self.blanket_.result.graph
        self.feature_names_in_ = np.array(self.blanket_.ledger.names, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self
