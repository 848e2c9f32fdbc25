"""A graph stitched from what every column finds around itself: however the columns are shared out."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.graphs import dag_to_cpdag
from paucal.search.by_tests import stitched
from random_graphs import random_dag
from search_data import datasets
from test_search_exactness import DistanceOracle


def shared_out(monkeypatch, together, data, **options):
    with monkeypatch.context() as patch:
        patch.setattr(stitched, "_TOGETHER", together)
        return paucal.learn(data, "mmpc", **options)


def told(result):
    return {name: part for name, part in result.to_dict().items() if name != "seconds"}


@given(datasets(most_rows=150), st.integers(1, 4), st.sampled_from([None, 1, 2]))
@settings(max_examples=40, deadline=None)
def test_parts_change_nothing_but_what_is_asked_twice(data, together, max_order):
    with pytest.MonkeyPatch.context() as patch:
        whole = paucal.learn(data, "mmpc", test="g", max_order=max_order)
        counted = paucal.learn(data, "mmpc", test="g", max_order=max_order, max_tests=10**9)  # one part, plainly asked
        patch.setattr(stitched, "_TOGETHER", together)
        parts = paucal.learn(data, "mmpc", test="g", max_order=max_order)
    assert whole.graph == parts.graph == counted.graph
    assert whole.sepsets == parts.sepsets == counted.sepsets
    assert whole.ledger.n_tests == counted.ledger.n_tests <= parts.ledger.n_tests
    pairs = paucal.learn(data, "mmhc", test="g", max_order=max_order).sepsets  # the same MMPC
    assert whole.sepsets == pairs


def test_every_edge_keeps_its_tests(monkeypatch):
    data = paucal.load_network("asia").sample(500, seed=1)
    result = shared_out(monkeypatch, 3, data)
    for edge in result.graph.edges():
        assert result.evidence.nearest(edge.a, edge.b, joined=True) is not None
    apart = result.sepsets["asia", "smoke"]
    assert apart == ()
    assert "not joined" in str(result.why("asia", "smoke"))


def test_knowledge_holds_across_parts(monkeypatch):
    rng = np.random.default_rng(5)
    for _ in range(20):
        dag = random_dag(rng, 8, float(rng.uniform(0.2, 0.5)))
        truth = dag_to_cpdag(dag)
        assert shared_out(monkeypatch, 2, DistanceOracle(dag)).graph == truth
        arrows = [(edge.a, edge.b) for edge in dag.edges()]
        if arrows:
            known = shared_out(monkeypatch, 2, DistanceOracle(dag), required=arrows[:1]).graph
            assert known.skeleton() == truth.skeleton()
            assert known.children(arrows[0][0]).count(arrows[0][1]) == 1


def test_processes_give_the_same(monkeypatch):
    data = paucal.load_network("asia").sample(200, seed=2)
    monkeypatch.setattr(stitched, "_TOGETHER", 3)
    alone = told(paucal.learn(data, "mmpc"))
    with joblib.parallel_config(n_jobs=2):
        assert told(paucal.learn(data, "mmpc")) == alone
    permuted = paucal.learn(data, "mmpc", test="permutation", seed=3)
    with joblib.parallel_config(n_jobs=2):
        assert told(paucal.learn(data, "mmpc", test="permutation", seed=3)) == told(permuted)


def test_a_test_of_ones_own_stays_here(monkeypatch):
    data = paucal.load_network("asia").sample(200, seed=2)
    asked = []

    def p_value(x, y, given):
        asked.append((x, y, given))
        return paucal.ci_test(data, x, y, given, test="g").p_value

    with joblib.parallel_config(n_jobs=2):
        mine = shared_out(monkeypatch, 3, data, test=p_value)
    assert asked
    assert mine.graph == shared_out(monkeypatch, 3, data, test="g").graph
