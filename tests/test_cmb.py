"""CMB: parents, children and undetermined neighbours exactly as the CPDAG has them."""

from __future__ import annotations

import numpy as np
import pytest

import paucal
from paucal.graphs import Graph, dag_to_cpdag
from random_graphs import network_dag, random_dag, random_dags

FINDERS = ["hiton", "mmpc", "iamb", "inter-iamb", "fast-iamb", "stmb"]


def labels(graph, target):
    return {
        **dict.fromkeys(graph.parents(target), "parent"),
        **dict.fromkeys(graph.children(target), "child"),
        **dict.fromkeys(graph.neighbours(target), "undetermined"),
    }


def found_labels(found):
    return {
        **dict.fromkeys(found.parents, "parent"),
        **dict.fromkeys(found.children, "child"),
        **dict.fromkeys(found.undetermined, "undetermined"),
    }


def shares(dags, find=paucal.blanket, **options):
    """How many targets there are, how many come out exactly, and how many arrows nobody can know."""
    targets = exact = unknowable = 0
    for dag in dags:
        cpdag = dag_to_cpdag(dag)
        for target in dag.nodes:
            found = found_labels(find(paucal.Oracle(dag), target, max_order=None, **options))
            true = labels(cpdag, target)
            targets += 1
            exact += found == true
            unknowable += sum(label != "undetermined" and true.get(name) != label for name, label in found.items())
    return targets, exact, unknowable


@pytest.mark.parametrize("neighbours", FINDERS)
def test_exact_on_random_dags(neighbours):
    targets, exact, unknowable = shares((dag for _, dag in random_dags(15, (3, 8), seed=1)), neighbours=neighbours)
    assert (exact, unknowable) == (targets, 0)


@pytest.mark.slow
def test_exact_on_a_thousand_random_dags():
    rng = np.random.default_rng(2)
    dags = [random_dag(rng, int(rng.integers(4, 13)), float(rng.uniform(0.1, 0.4))) for _ in range(1000)]
    targets, exact, unknowable = shares(dags)
    assert (exact, unknowable) == (targets, 0)


@pytest.mark.parametrize("network", ["asia", "cancer", "earthquake", "sachs", "survey", "child"])
def test_exact_on_known_networks(network):
    dag = network_dag(network)
    cpdag = dag_to_cpdag(dag)
    for target in dag.nodes:
        assert found_labels(paucal.blanket(paucal.Oracle(dag), target)) == labels(cpdag, target)


@pytest.mark.slow
@pytest.mark.parametrize("network", ["insurance", "alarm", "hailfinder"])
def test_exact_on_large_networks(network):
    dag = network_dag(network)
    cpdag = dag_to_cpdag(dag)
    for target in dag.nodes:
        assert found_labels(paucal.blanket(paucal.Oracle(dag), target)) == labels(cpdag, target)


def test_it_goes_as_far_as_undirected_edges_lead_and_no_further():
    chain = "; ".join(f"x{i} -> x{i + 1}" for i in range(9))
    # a collider at the far end of a chain decides the edge at the near end
    far = Graph.parse(f"a -> x0; b -> x0; {chain}")
    found = paucal.blanket(paucal.Oracle(far), "x9")
    assert found.parents == ("x8",)
    assert found.result.details["looked_from"] == 12
    # an arrow next to the target ends the search
    near = Graph.parse(f"{chain}; a -> x8")
    found = paucal.blanket(paucal.Oracle(near), "x9")
    assert found.parents == ("x8",)
    assert found.result.details["looked_from"] < 6
    # and without any collider all stays open, after a look along the whole chain
    found = paucal.blanket(paucal.Oracle(Graph.parse(chain)), "x9")
    assert found.undetermined == ("x8",)
    assert found.result.graph.skeleton() == Graph.parse(chain).skeleton()


def test_the_graph_behind_the_blanket_has_only_arrows_of_the_cpdag():
    for _, dag in random_dags(20, (5, 9), seed=3):
        cpdag = dag_to_cpdag(dag)
        for target in dag.nodes[:3]:
            graph = paucal.blanket(paucal.Oracle(dag), target, max_order=None).result.graph
            for edge in graph.edges():
                true = cpdag.edge(edge.a, edge.b)
                assert true is not None
                assert str(true) == str(edge) or edge.symbol == "--"


def test_reasons_are_those_of_the_rules():
    oracle = paucal.Oracle(Graph.parse("A -> T <- B; T -> C"))
    found = paucal.blanket(oracle, "T")
    assert "Meek's first rule" in str(found.why("C"))
    assert found.result.reasons["A", "T"].rule == "collider"


def test_the_estimator_follows_the_protocol():
    data = paucal.load_network("asia").sample(2000, seed=1)
    estimator = paucal.CMB(target="either", alpha=0.01)
    assert estimator.get_params()["target"] == "either"
    fitted = estimator.set_params(alpha=None).fit(data)
    assert fitted is estimator
    assert fitted.blanket_.members == paucal.blanket(data, "either").members
    assert fitted.graph_ == fitted.blanket_.result.graph
    assert fitted.n_features_in_ == 8
    assert repr(estimator) == "CMB(target='either')"
    with pytest.raises(ValueError, match="'taget'"):
        estimator.set_params(taget="x")
