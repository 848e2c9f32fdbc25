from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import paucal
from paucal.errors import ParameterError
from paucal.search.by_tests.sc_pc import sc_pc
from search_data import datasets


def inconsistent_sets(result, consistency):
    """List the separated pairs with a set that, by the definition, does not fit the graph."""
    graph = result.graph
    for (x, y), separator in result.sepsets.items():
        on_way = {z for path in graph.skeleton().paths(x, y) for z in path} - {x, y}
        near = {
            z
            for end in (x, y)
            for z in graph.adjacent(end)
            if consistency == "skeleton" or z not in graph.children(end)
        }
        if not set(separator) <= on_way & near:
            yield x, y, separator


@pytest.mark.parametrize("consistency", ["skeleton", "orientation"])
@settings(max_examples=40, deadline=None)
@given(data=datasets())
def test_every_set_is_consistent_with_the_graph(consistency, data):
    result = sc_pc(paucal.make_test(data, "g"), consistency=consistency, max_rounds=20)
    assert list(inconsistent_sets(result, consistency)) == []
    assert result.graph.problems() == []
    for x, y in result.sepsets:
        assert not result.graph.has_edge(x, y)


def test_pc_stable_is_not_consistent_on_the_same_data():
    """So that the test above can fail."""
    data = paucal.load_network("child").sample(200, seed=1)
    assert any(inconsistent_sets(paucal.learn(data, colliders="standard"), "skeleton"))


@pytest.mark.parametrize("n", [2, 5, 20, 60])
@pytest.mark.parametrize("network", ["asia", "child", "alarm"])
def test_runs_smoothly_on_next_to_no_data(network, n):
    data = paucal.load_network(network).sample(n, seed=n).drop_unobserved()
    result = sc_pc(paucal.make_test(data, "chi2"))
    assert result.graph.problems() == []


def test_a_graph_without_edges():
    rng = np.random.default_rng(0)
    data = {name: rng.integers(0, 2, 100) for name in "abcd"}
    result = paucal.learn(data, "sc-pc", alpha=1e-6)
    assert result.graph.n_edges == 0
    assert result.details["rounds"] == 1
    assert all(separator == () for separator in result.sepsets.values())


def test_refusals():
    oracle = paucal.Oracle(paucal.Graph.parse("A -> B"))
    with pytest.raises(ParameterError, match="consistency='both'"):
        sc_pc(oracle, consistency="both")
    with pytest.raises(ParameterError, match="max_rounds=0"):
        sc_pc(oracle, max_rounds=0)
