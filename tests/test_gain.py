"""What an edge is worth to the score, and how results without tests explain themselves."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import pytest

import paucal
from paucal import Graph, Knowledge
from paucal.errors import PaucalError, QuestionError, UnknownNameError
from paucal.graphs import pdag_to_dag

METHODS = ["hill-climbing", "order", "posterior"]


@pytest.fixture(scope="module")
def data():
    return paucal.load_network("asia").sample(400, seed=2)


@pytest.fixture(scope="module", params=METHODS)
def result(request, data):
    return paucal.learn(data, request.param)


def acyclic(nodes, arcs):
    try:
        return Graph.dag(nodes, arcs)
    except PaucalError:
        return None


def test_the_gain_is_the_difference_of_two_whole_scores(data, result):
    dag = pdag_to_dag(result.graph)
    arcs = set(dag.arcs())
    penalty = result.evidence.penalty

    def total(graph):
        sized = {name: size for name, size in result.evidence.means.all.items() if name == "ess"}
        return paucal.score(graph, data, result.score, **sized) - penalty * graph.n_edges

    here = total(dag)
    gains = result.evidence.gains(result.graph, result.experiment(data), result.knowledge)
    for x, y in combinations(dag.nodes, 2):
        gain = gains.of(x, y)
        if {(x, y), (y, x)} & arcs:
            assert gain.joined and gain.arrow in arcs
            assert gain.change == pytest.approx(total(Graph.dag(dag.nodes, arcs - {gain.arrow})) - here, abs=1e-6)
        else:
            found = [acyclic(dag.nodes, arcs | {arrow}) for arrow in ((x, y), (y, x))]
            best = max(total(graph) for graph in found if graph is not None)
            assert not gain.joined and gain.change == pytest.approx(best - here, abs=1e-6)


def test_the_summit_of_a_climb_cannot_be_improved_by_one_arrow(data):
    result = paucal.learn(data, "hill-climbing")
    gains = result.evidence.gains(result.graph, result.experiment(data), result.knowledge)
    assert all(gains.of(x, y).change <= 1e-9 for x, y in combinations(data.names, 2))


def test_what_knowledge_forbids_has_no_gain(data):
    known = Knowledge(forbidden=[("asia", "dysp"), ("dysp", "asia"), ("xray", "smoke")])
    result = paucal.learn(data, "hill-climbing", knowledge=known)
    gains = result.evidence.gains(result.graph, result.experiment(data), result.knowledge)
    assert gains.of("asia", "dysp") is None
    assert gains.of("xray", "smoke").arrow == ("smoke", "xray")


def test_only_scores_have_gains(data):
    for result, table in ((paucal.learn(data, "pc-stable"), data), (paucal.learn(data, "order"), None)):
        experiment = None if table is None else result.experiment(table)
        assert result.evidence.gains(result.graph, experiment, None) is None
    with pytest.raises(UnknownNameError, match="asia"):
        paucal.learn(data, "order").why("tub", "either", data=data.select(data.names[1:]))


def test_an_explanation_tells_probabilities_and_the_score(data):
    result = paucal.learn(data, "posterior")
    told = str(result.why("either", "xray", data=data))
    record = next(r for r in result.edges() if (r["a"], r["b"]) == ("either", "xray"))
    assert f"joined {record['probability']:.2f} (" in told
    assert "DAGs drawn from the posterior" in told and "times worse without this edge (score eb)" in told
    assert "no test was asked" not in told
    absent = result.why("asia", "dysp", data=data)
    assert absent.edge is None and " worse with " in str(absent)
    plain = absent.to_dict()
    assert plain["probabilities"] == result.evidence.of_pair("asia", "dysp")
    assert plain["gain"]["change"] == absent.gain.change
    assert "score" not in str(result.why("asia", "dysp"))


def test_knowledge_is_the_reason_where_it_leaves_no_choice(data):
    known = Knowledge(tiers=[["smoke"], ["bronc"]])
    for method in METHODS:
        result = paucal.learn(data, method, knowledge=known)
        (reason,) = result.why("smoke", "bronc").reasons.values()
        assert reason.rule == "knowledge"
        others = {record["rule"] for record in result.edges()}
        assert others - {None, "knowledge"} == {"consensus" if method == "posterior" else "score"}


def test_edges_without_tests_have_no_columns_for_them(data):
    frame = data.to_frame("pandas")
    tests = ["given", "statistic", "dof", "p_value", "reliable"]
    edges = {
        "posterior": paucal.learn(frame).edges(),
        "bootstrap": paucal.bootstrap(frame, "pc-stable", replicates=5).edges(),
        "order": paucal.learn(frame, "order").edges(),
        "pc-stable": paucal.learn(frame, "pc-stable").edges(),
    }
    shares = ["probability", "probability_of_marks"]
    assert all(isinstance(one, pd.DataFrame) for one in edges.values())
    assert list(edges["posterior"]) == list(edges["bootstrap"]) == ["a", "edge", "b", "rule", *shares]
    assert list(edges["order"]) == ["a", "edge", "b", "rule"]
    assert list(edges["pc-stable"]) == ["a", "edge", "b", "rule", *tests]


def test_summaries_speak_of_tests_where_there_are_any(data):
    assert "tests (" in paucal.learn(data, "pc-stable").summary()
    assert "0 tests (0 asked)" in paucal.learn(paucal.Oracle(Graph.dag("A"))).summary()
    for result in (paucal.learn(data), paucal.bootstrap(data, "pc-stable", replicates=5)):
        assert "asked" not in result.summary()
    with pytest.raises(QuestionError, match="not joined to itself"):
        paucal.learn(data).why("asia", "asia", data=data)
