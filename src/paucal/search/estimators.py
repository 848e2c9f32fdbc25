"""The searches with scikit-learn's protocol, without scikit-learn: thin wraps around `learn`, `bootstrap`, `blanket`.

Parameters go into the constructor and are only looked at by `fit`; what was learned has names with a trailing
underscore. `clone`, `get_params`, `set_params` and pipelines work as with any estimator. The parameters of an estimator
are those of its search: the classes are made from the signatures.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields, make_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from paucal import checks
from paucal.errors import unknown_name
from paucal.notebook import Shown
from paucal.search.bootstrap import bootstrap
from paucal.search.catalogue import find_search, parameters_of, sort_of
from paucal.search.learn import TestOrFunction, learn
from paucal.search.local.blanket import blanket
from paucal.search.recipe import FRACTION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.search.result import SearchResult


@dataclass(kw_only=True, eq=False, repr=False)
class Estimator(Shown):
    """The protocol."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the protocol's signature
        """Give the parameters by name; `deep` adds those of an estimator within, as `estimator__alpha`."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        deep = checks.flag("deep", deep)
        inside = [(name, value) for name, value in given.items() if deep and isinstance(value, Estimator)]
        for name, value in inside:
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

    def _seen(self, graph: Graph, columns: tuple[str, ...]) -> Self:
        self.graph_ = graph
        self.feature_names_in_ = np.array(columns, dtype=object)
        self.n_features_in_ = len(columns)
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class LearnsGraph(Estimator):
    """A search for a whole graph.

    After `fit` it has `graph_`, the learned graph; `result_`, the whole `SearchResult`; `feature_names_in_` and
    `n_features_in_`, the columns.
    """

    search: ClassVar[str]

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - the protocol's name
        """Learn a graph from data, anything `Dataset.of` takes, or from a finished test; y is ignored."""
        del y
        return self._learned(learn(X, self.search, **self.get_params(deep=False)))

    def _learned(self, result: SearchResult) -> Self:
        self.result_ = result
        return self._seen(result.graph, result.evidence.names)


@dataclass(kw_only=True, eq=False, repr=False)
class AsksTests(Estimator):
    """The test that a search asks."""

    test: str | TestOrFunction | None = None
    alpha: Alpha | None = None
    test_options: Mapping[str, Any] | None = None
    seed: int | None = None
    threads: int = 1


def _estimator(name: str, search: str) -> type[LearnsGraph]:
    """Make the class of a search from its signature."""
    by_tests = sort_of(search) == "tests"
    bases: tuple[type, ...] = (LearnsGraph, AsksTests) if by_tests else (LearnsGraph,)
    shared = {one.name for base in bases for one in fields(base)}
    own = [
        (parameter, Any, field(default=p.default))
        for parameter, p in parameters_of(search).items()
        if parameter not in ("progress", "data") and parameter not in shared
    ]
    made: Any = make_dataclass(name, own, bases=bases, kw_only=True, eq=False, repr=False)
    function = find_search(search)
    first = (inspect.getdoc(function) or "").partition("\n")[0]
    made.__doc__ = f"{first}\n\nParameters are those of `{function.__module__}.{function.__name__}`."
    made.__module__, made.search = __name__, search
    return cast("type[LearnsGraph]", made)


PCStable = _estimator("PCStable", "pc-stable")
PC = _estimator("PC", "pc")
RAI = _estimator("RAI", "rai")
SCPC = _estimator("SCPC", "sc-pc")
MMHC = _estimator("MMHC", "mmhc")
MMPC = _estimator("MMPC", "mmpc")
FCI = _estimator("FCI", "fci")
CFCI = _estimator("CFCI", "cfci")
HillClimbing = _estimator("HillClimbing", "hill-climbing")
Order = _estimator("Order", "order")
Posterior = _estimator("Posterior", "posterior")


@dataclass(kw_only=True, eq=False, repr=False)
class Bootstrap(LearnsGraph):
    """Any of the searches, learned again and again from some of the rows; see `paucal.bootstrap`.

    After `fit` it has what the other searches have, and `result_.probabilities()` lists the pairs.

    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(2000, seed=0)
    >>> again = Bootstrap(estimator=PCStable(alpha=0.01), replicates=20).fit(sample)
    >>> again.graph_
    Graph.cpdag(5 nodes, 2 edges: Cancer -- Xray; Cancer -- Dyspnoea)
    """

    search = "auto"

    estimator: LearnsGraph
    replicates: int = 200
    fraction: float | None = FRACTION
    seed: int = 0
    jobs: int | None = None

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - the protocol's name
        """Learn from samples of the rows of data, anything `Dataset.of` takes; y is ignored."""
        del y
        own = self.get_params(deep=False)
        hint = "Give one that learns a graph, such as paucal.PCStable()."
        inner = checks.instance("estimator", own.pop("estimator"), LearnsGraph, "an estimator", hint=hint)
        options = inner.get_params(deep=False)
        options.pop("seed", None)  # that of the bootstrap decides
        return self._learned(bootstrap(X, inner.search, **own, **options))


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
    knowledge: Knowledge | None = None
    max_order: int | None = 3
    neighbours: str = "hiton"

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - the protocol's name
        """Learn the blanket from data, anything `Dataset.of` takes, or from a finished test; y is ignored."""
        del y
        self.blanket_ = blanket(X, search="cmb", **self.get_params(deep=False))
        return self._seen(self.blanket_.result.graph, self.blanket_.result.evidence.names)
