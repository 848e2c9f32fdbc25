from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest

import paucal
from paucal.errors import ParameterError, UnknownNameError
from paucal.search.catalogue import find_search, parameters_of

ESTIMATORS = {
    "pc": paucal.PC,
    "pc-stable": paucal.PCStable,
    "rai": paucal.RAI,
    "sc-pc": paucal.SCPC,
    "mmhc": paucal.MMHC,
}
BY_SCORE = {"hill-climbing": paucal.HillClimbing, "order": paucal.Order, "posterior": paucal.Posterior}


@pytest.fixture(scope="module")
def frame():
    return paucal.load_network("asia").sample(800, seed=1).to_frame("pandas")


@pytest.mark.parametrize("method", list(ESTIMATORS))
def test_fit_is_learn(method, frame):
    estimator = ESTIMATORS[method](test="chi2", alpha=0.01, max_order=2)
    assert not hasattr(estimator, "graph_")
    assert estimator.fit(frame) is estimator
    expected = paucal.learn(frame, method, test="chi2", alpha=0.01, max_order=2)
    assert estimator.graph_ == expected.graph
    assert estimator.result_.sepsets == expected.sepsets
    assert list(estimator.feature_names_in_) == list(frame.columns)
    assert estimator.n_features_in_ == 8
    assert isinstance(estimator.result_.edges(), pd.DataFrame)


@pytest.mark.parametrize("method", list(ESTIMATORS))
def test_parameters_are_those_of_the_search_with_its_defaults(method):
    """What an estimator takes is what `learn` and the search take, and means the same."""
    names = set(ESTIMATORS[method]().get_params())
    of_learn = {"test", "alpha", "test_options", "knowledge", "max_order", "seed", "threads"}
    assert names == of_learn | set(parameters_of(method)) - {"progress", "data"}
    search = inspect.signature(find_search(method)).parameters
    for name, value in ESTIMATORS[method]().get_params().items():
        if name in search and name != "test":
            assert value == search[name].default
    assert all(
        p.kind is inspect.Parameter.KEYWORD_ONLY for p in inspect.signature(ESTIMATORS[method]).parameters.values()
    )


@pytest.mark.parametrize("make", list(ESTIMATORS.values()))
def test_protocol(make):
    estimator = make(alpha=0.1)
    twin = make(**estimator.get_params())
    assert twin.get_params() == estimator.get_params()
    assert twin is not estimator
    assert estimator.set_params(alpha=0.2, max_order=1) is estimator
    assert (estimator.alpha, estimator.max_order, twin.alpha) == (0.2, 1, 0.1)
    assert repr(estimator) == f"{make.__name__}(alpha=0.2, max_order=1)"
    assert pickle.loads(pickle.dumps(estimator)).get_params() == estimator.get_params()  # noqa: S301
    with pytest.raises(UnknownNameError, match="Did you mean 'alpha'"):
        estimator.set_params(alhpa=0.1)
    with pytest.raises(TypeError):
        make(alhpa=0.1)


def test_nothing_is_checked_before_fit(frame):
    estimator = paucal.RAI(colliders="nonsense")
    with pytest.raises(ParameterError, match="nonsense"):
        estimator.fit(frame)


def test_fitting_again_forgets(frame):
    estimator = paucal.PCStable().fit(frame)
    estimator.fit(frame[["smoke", "bronc"]])
    assert estimator.n_features_in_ == 2
    assert estimator.graph_.nodes == ("smoke", "bronc")


def test_arrays_and_tests_can_be_fitted():
    codes = np.random.default_rng(0).integers(0, 2, (50, 3))
    assert paucal.PC().fit(codes).n_features_in_ == 3
    oracle = paucal.Oracle(paucal.Graph.parse("A -> B <- C"))
    assert paucal.PC().fit(oracle).graph_ == paucal.Graph.parse("A -> B <- C")


def test_scikit_learn_clones_them(frame):
    base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")
    estimator = paucal.RAI(test="chi2", alpha=0.01).fit(frame)
    twin = base.clone(estimator)
    assert twin.get_params() == estimator.get_params()
    assert not hasattr(twin, "graph_")
    repeated = paucal.Bootstrap(estimator=estimator, replicates=3)
    again = base.clone(repeated)
    assert again.estimator is not estimator
    assert repr(again) == repr(repeated)


@pytest.mark.parametrize("method", list(BY_SCORE))
def test_searches_by_score(method, frame):
    estimator = BY_SCORE[method](max_parents=2)
    assert estimator.fit(frame).graph_ == paucal.learn(frame, method, max_parents=2).graph
    assert list(estimator.feature_names_in_) == list(frame.columns)
    assert repr(estimator) == f"{type(estimator).__name__}(max_parents=2)"
    assert set(estimator.get_params()) == set(parameters_of(method)) - {"progress"}
    search = inspect.signature(find_search(method)).parameters
    for name, value in BY_SCORE[method]().get_params().items():
        assert value == search[name].default
    with pytest.raises(TypeError):
        BY_SCORE[method](alpha=0.1)


def test_a_posterior_tells_probabilities(frame):
    told = paucal.Posterior(rounds=50, tolerance=1.0).fit(frame).result_.probabilities()
    assert isinstance(told, pd.DataFrame)
    assert list(told.columns) == ["a", "b", "absent", "->", "<-", "--"]


def test_bootstrap_of_an_estimator(frame):
    within = paucal.PCStable(test="chi2", alpha=0.01, seed=9)
    estimator = paucal.Bootstrap(estimator=within, replicates=5, seed=3)
    expected = paucal.bootstrap(frame, "pc-stable", replicates=5, seed=3, test="chi2", alpha=0.01)
    assert estimator.fit(frame).graph_ == expected.graph
    assert estimator.result_.probabilities().equals(expected.probabilities())
    assert estimator.get_params()["estimator__alpha"] == 0.01
    assert "estimator__alpha" not in estimator.get_params(deep=False)
    estimator.set_params(estimator__alpha=0.2, replicates=6)
    assert (within.alpha, estimator.replicates) == (0.2, 6)
    for wrong in ("replicates__alpha", "estimator__alhpa", "nonsense"):
        with pytest.raises(UnknownNameError):
            estimator.set_params(**{wrong: 1})
    with pytest.raises(ParameterError, match="samples graphs itself"):
        paucal.Bootstrap(estimator=paucal.Posterior()).fit(frame)
