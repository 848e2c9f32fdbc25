"""With a perfect test every search returns the exact equivalence class."""

from __future__ import annotations

import numpy as np
import pytest

import paucal
from paucal.graphs import dag_to_cpdag
from paucal.independence.answers import Answer
from random_graphs import random_dag

SMALL = ("asia", "cancer", "earthquake", "sachs", "survey", "child", "alarm")
LARGE = ("insurance", "hailfinder")
SEARCHES = [
    ("pc", {}),
    ("pc-stable", {}),
    ("pc-stable", {"colliders": "standard"}),
    ("pc-stable", {"colliders": "conservative"}),
    ("pc-stable", {"colliders": "max-p"}),
    ("rai", {}),
    ("rai", {"colliders": "majority"}),
    ("sc-pc", {}),
    ("sc-pc", {"consistency": "orientation"}),
]


class DistanceOracle(paucal.Oracle):
    """Perfect decisions; and of two dependences the one with the shorter path is the stronger, as data would say.

    MMPC takes the strongest first. Without any strengths it takes all that are dependent, which is right, and slow.
    """

    def __init__(self, dag):
        super().__init__(dag)
        joined = dag.marks != 0
        self.distances = np.full(joined.shape, len(joined))
        reach = np.eye(len(joined), dtype=bool)
        for step in range(len(joined)):
            self.distances[reach & (self.distances > step)] = step
            reach = reach | (reach @ joined)

    def decide(self, x, y, given):
        answer = super().decide(x, y, given)
        if answer.independent:
            return answer
        return Answer(**{**answer._asdict(), "nearness": self.distances[x, y] / (1 + self.distances.max())})


@pytest.mark.parametrize(("method", "options"), SEARCHES, ids=str)
def test_bundled_networks(method, options):
    for name in SMALL:
        net = paucal.load_network(name)
        result = paucal.learn(paucal.Oracle(net.graph), method, **options)
        assert result.graph == net.cpdag()
        assert result.graph.kind == "cpdag"
        assert result.graph.problems() == []
        assert result.details["colliders_left_out"] == []
        assert result.details["colliders_added"] == 0


@pytest.mark.parametrize("method", ["pc", "pc-stable", "rai", "sc-pc"])
@pytest.mark.parametrize("name", LARGE)
def test_larger_bundled_networks(name, method):
    """No node has more than four parents, so that no larger set is needed; HAILFINDER has a node with 18 edges."""
    net = paucal.load_network(name)
    assert paucal.learn(paucal.Oracle(net.graph), method, max_order=4).graph == net.cpdag()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pc", "pc-stable", "rai", "sc-pc"])
@pytest.mark.parametrize("name", LARGE)
def test_larger_bundled_networks_without_limit(name, method):
    """HAILFINDER: one to nine million questions, up to two minutes."""
    net = paucal.load_network(name)
    assert paucal.learn(paucal.Oracle(net.graph), method).graph == net.cpdag()


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_mmpc_on_bundled_networks(name):
    net = paucal.load_network(name)
    assert paucal.learn(DistanceOracle(net.graph), "mmhc", max_order=4).graph == net.graph.skeleton()
    assert paucal.learn(DistanceOracle(net.graph), "mmpc", max_order=4).graph == net.cpdag()


def check(dag: paucal.Graph) -> None:
    truth = dag_to_cpdag(dag)
    for method in ("pc", "pc-stable", "rai", "sc-pc"):
        assert paucal.learn(paucal.Oracle(dag), method).graph == truth, (method, dag.edges())
    assert paucal.learn(DistanceOracle(dag), "mmhc").graph == dag.skeleton(), dag.edges()
    assert paucal.learn(DistanceOracle(dag), "mmpc").graph == truth, dag.edges()


def check_random(count: int, seed: int, largest: int, largest_dense: int) -> None:
    """Random DAGs of 5 nodes and more: every third is dense, with 40 to 90 % of all pairs joined."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        dense = i % 3 == 0
        n = int(rng.integers(5, (largest_dense if dense else largest) + 1))
        density = rng.uniform(0.4, 0.9) if dense else min(0.9, rng.uniform(0.5, 3.5) / n)
        check(random_dag(rng, n, float(density)))


def test_random_dags():
    check_random(150, seed=1, largest=14, largest_dense=8)


def test_mmpc_needs_no_strengths():
    rng = np.random.default_rng(3)
    for _ in range(20):
        dag = random_dag(rng, 7, float(rng.uniform(0.2, 0.6)))
        assert paucal.learn(paucal.Oracle(dag), "mmhc").graph == dag.skeleton(), dag.edges()


@pytest.mark.slow
def test_two_thousand_random_dags():
    check_random(2000, seed=2, largest=30, largest_dense=12)


@pytest.mark.slow
def test_many_nodes_with_many_neighbours():
    """Larger dense DAGs have too many subsets to ask about: about a minute each, here with four to five neighbours."""
    rng = np.random.default_rng(4)
    for _ in range(12):
        n = int(rng.integers(18, 31))
        check(random_dag(rng, n, float(rng.uniform(4, 5) / (n - 1))))


def test_a_square_without_colliders_is_made_valid():
    """No DAG has such a square; the search must return one all the same."""
    separators = {("a", "c"): ("b", "d"), ("b", "d"): ("a", "c")}

    def says(x, y, given):
        return separators.get((x, y)) == tuple(sorted(given))

    test = paucal.independence.custom.CallableTest(says, "abcd")
    result = paucal.learn(test)
    assert result.graph.skeleton() == paucal.Graph.parse("a -- b -- c -- d -- a").skeleton()
    assert result.graph.problems() == []
    assert result.details["colliders_added"] == 1
