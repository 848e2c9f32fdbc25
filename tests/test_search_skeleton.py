from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import paucal
from paucal.errors import ParameterError
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.separators import Separators
from paucal.search.by_tests.skeleton import eager_skeleton, orders, stable_skeleton
from paucal.search.run import SearchRun
from search_data import datasets
from twin.searches import naive_stable_skeleton


def skeleton_of(data, find, max_order=None):
    test = paucal.make_test(data, "g")
    with SearchRun("skeleton", test) as run:
        found = find(run, Limits.of(None, test.names), max_order)
    return found, test


@settings(max_examples=40, deadline=None)
@given(data=datasets())
def test_stable_equals_its_definition(data):
    adjacency, _ = naive_stable_skeleton(paucal.make_test(data, "g"))
    found, _ = skeleton_of(data, stable_skeleton)
    assert np.array_equal(found.adjacency, adjacency)


@pytest.mark.parametrize("network", ["child", "alarm"])
def test_stable_equals_its_definition_on_a_network(network):
    data = paucal.load_network(network).sample(500, seed=1)
    for max_order in (0, 1, None):
        adjacency, asked = naive_stable_skeleton(paucal.make_test(data, "g"), max_order)
        found, test = skeleton_of(data, stable_skeleton, max_order)
        assert np.array_equal(found.adjacency, adjacency)
        assert found.order == max(asked)
        assert set(test.ledger.by_order) == set(asked)


@settings(max_examples=40, deadline=None)
@given(data=datasets())
def test_every_absence_has_a_reason_and_every_reason_holds(data):
    for find in (stable_skeleton, eager_skeleton):
        found, test = skeleton_of(data, find)
        n = len(data.names)
        for x in range(n):
            for y in range(x + 1, n):
                given_set = found.separators.get(x, y)
                assert (given_set is None) == found.adjacency[x, y]
                if given_set is not None:
                    answer = test.ask(x, y, given_set)
                    assert answer.independent
                    near = found.separators.nearness(np.array([x]), np.array([y]))
                    assert near[0] == answer.nearness


def test_separators_as_arrays_and_one_by_one():
    found = Separators(5)
    found.add_all(np.array([0, 1]), np.array([4, 2]), np.array([[3], [3]], dtype=np.uint32), np.array([0.2, 0.4]))
    found.add(2, 0, (1, 4), 0.9)
    found.add(4, 0, (), 0.5)  # replaces the first
    assert found.get(4, 0) == ()
    assert found.get(2, 1) == (3,)
    assert found.get(0, 2) == (1, 4)
    assert found.get(0, 1) is None
    a, c, b = np.array([0, 0, 2, 4, 3]), np.array([1, 3, 4, 3, 0]), np.array([2, 2, 0, 0, 4])
    assert found.contain(a, c, b).tolist() == [True, False, True, False, False]
    assert found.known(a, b).tolist() == [True, True, True, True, False]
    assert list(found.items()) == [(0, 2, (1, 4)), (0, 4, ()), (1, 2, (3,))]
    copy = found.copy()
    copy.add(3, 4, (0,), 1.0)
    assert found.get(3, 4) is None
    assert dict(found.named(tuple("abcde"))) == {("a", "c"): ("b", "e"), ("a", "e"): (), ("b", "c"): ("d",)}


def test_nothing_separated():
    found = Separators(3)
    a = np.array([0])
    assert not found.contain(a, a + 1, a + 2)[0]
    assert not found.known(a, a + 1)[0]
    assert dict(found.named(("a", "b", "c"))) == {}


@pytest.mark.parametrize("bad", [-1, 1.5, "2", True])
def test_refuses_what_is_no_order(bad):
    with pytest.raises(ParameterError, match="max_order="):
        orders(bad)


def test_progress_tells_stages():
    told = []
    data = paucal.load_network("child").sample(500, seed=1)
    paucal.learn(data, "pc-stable", progress=lambda *stage: told.append(stage))
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert stages[:2] == ["order 0", "order 1"]
    assert any(stage.startswith("colliders") for stage in stages)
    assert all(total is None or 0 <= done <= total for _, done, total in told)


@pytest.mark.parametrize("method", ["pc", "pc-stable", "rai", "sc-pc", "mmhc"])
def test_one_and_two_columns_and_constants(method):
    one = paucal.Dataset.from_codes([[0, 1, 0]], ["a"], [[0, 1]])
    assert paucal.learn(one, method).graph.n_edges == 0
    two = paucal.Dataset.from_codes([[0, 1] * 20, [0, 1] * 20], ["a", "b"], [[0, 1]] * 2)
    assert paucal.learn(two, method).graph == paucal.Graph.parse("a -- b")
    constant = paucal.Dataset.from_codes([[0, 1] * 20, [0] * 40, [0, 1] * 20], ["a", "b", "c"], [[0, 1]] * 3)
    assert paucal.learn(constant, method).graph == paucal.Graph.parse("a -- c; b")


@settings(max_examples=30, deadline=None)
@given(data=datasets())
def test_max_order_is_kept_by_every_search(data):
    for method in ("pc", "pc-stable", "rai", "sc-pc", "mmhc"):
        result = paucal.learn(data, method, max_order=1)
        assert max(result.ledger.by_order, default=0) <= 1
        assert result.graph.problems() == []
