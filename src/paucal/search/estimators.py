"""The searches with scikit-learn's protocol, without scikit-learn: thin wraps around `learn`.

Parameters go into the constructor and are only looked at by `fit`; what was learned has names with a trailing
underscore. `clone`, `get_params`, `set_params` and pipelines work as with any estimator.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from paucal.errors import unknown_name
from paucal.search.blanket import blanket
from paucal.search.registry import learn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.independence.protocol import CITest
    from paucal.search.colliders import ColliderRule
    from paucal.search.scores import ScoreName


@dataclass(kw_only=True, eq=False, repr=False)
class Estimator:
    """The protocol, and the test that every search needs."""

    test: str | CITest | Callable[..., Any] = "g"
    alpha: Alpha = 0.05
    test_options: Mapping[str, Any] | None = None
    seed: int | None = None
    threads: int = 1

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the protocol's signature
        """Give the parameters by name."""
        del deep
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; an unknown one is an error."""
        known = [field.name for field in fields(self)]
        for name, value in parameters.items():
            if name not in known:
                raise unknown_name(f"parameter of {type(self).__name__}", name, known)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = ((field, getattr(self, field.name)) for field in fields(self))
        changed = [f"{field.name}={value!r}" for field, value in given if value != field.default]
        return f"{type(self).__name__}({', '.join(changed)})"


@dataclass(kw_only=True, eq=False, repr=False)
class SearchEstimator(Estimator):
    """What all searches for a whole graph share: the parameters of `paucal.learn`.

    After `fit` it has `graph_`, the learned graph; `result_`, the whole `SearchResult`; `feature_names_in_` and
    `n_features_in_`, the columns.
    """

    _method: ClassVar[str]

    knowledge: Knowledge | None = None
    max_order: int | None = None

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - the protocol's name
        """Learn a graph from data, anything `Dataset.of` takes, or from a finished test; y is ignored."""
        del y
        self.result_ = learn(X, self._method, **self.get_params())
        self.graph_ = self.result_.graph
        self.feature_names_in_ = np.array(self.result_.ledger.names, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class PCStable(SearchEstimator):
    """PC-stable; see `paucal.search.pc.pc_stable`.

    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(20000, seed=0)
    >>> PCStable(test="chi2").fit(sample).graph_.n_edges
    4
    """

    _method = "pc-stable"
    colliders: ColliderRule = "majority"


@dataclass(kw_only=True, eq=False, repr=False)
class PC(SearchEstimator):
    """PC; see `paucal.search.pc.pc`."""

    _method = "pc"
    colliders: ColliderRule = "standard"


@dataclass(kw_only=True, eq=False, repr=False)
class RAI(SearchEstimator):
    """Recursive autonomy identification; see `paucal.search.rai.rai`."""

    _method = "rai"
    style: Literal["valid", "fixrai"] = "valid"
    colliders: ColliderRule = "standard"
    orientation: Literal["last-writer", "intended"] = "last-writer"
    rule3: Literal["correct", "as-coded"] = "correct"
    candidates: Literal["neighbours", "parents"] = "neighbours"


@dataclass(kw_only=True, eq=False, repr=False)
class SCPC(SearchEstimator):
    """PC with consistent separating sets; see `paucal.search.sc_pc.sc_pc`."""

    _method = "sc-pc"
    consistency: Literal["skeleton", "orientation"] = "skeleton"
    colliders: ColliderRule = "standard"
    max_rounds: int = 100


@dataclass(kw_only=True, eq=False, repr=False)
class MMHC(SearchEstimator):
    """Max-min hill climbing; see `paucal.search.mmhc.mmhc`."""

    _method = "mmhc"
    score: ScoreName = "bdeu"
    ess: float = 10
    max_parents: int | None = None
    tabu: int = 0
    patience: int = 15


@dataclass(kw_only=True, eq=False, repr=False)
class FCI(SearchEstimator):
    """FCI, for data with hidden common causes; see `paucal.search.fci.fci`."""

    _method = "fci"
    colliders: ColliderRule = "standard"
    possible_d_sep: bool = True
    tail_rules: bool = True
    selection: bool = False
    max_path_length: int | None = None
    strict_conservative: bool = False
    preset: Literal["paper"] | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class CFCI(SearchEstimator):
    """Conservative FCI; see `paucal.search.fci.cfci`."""

    _method = "cfci"
    possible_d_sep: bool = True
    tail_rules: bool = True
    selection: bool = False
    max_path_length: int | None = None
    strict_conservative: bool = False
    preset: Literal["paper"] | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class CMB(Estimator):
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
        self.blanket_ = blanket(X, **self.get_params())
        self.graph_ = self.blanket_.search.graph
        self.feature_names_in_ = np.array(self.blanket_.ledger.names, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self
