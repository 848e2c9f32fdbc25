from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Knowledge
from paucal.errors import KnowledgeError, UnknownNameError
from paucal.graphs import dag_to_cpdag, orient_by_knowledge
from paucal.independence.custom import CallableTest
from random_graphs import random_dag
from search_data import datasets

METHODS = ["pc", "pc-stable", "rai", "sc-pc", "mmhc"]


def true_knowledge(rng, dag):
    """Say a part of the truth: two or three tiers, an arrow, a pair that is not joined."""
    order = dag.topological_order()
    cuts = sorted(rng.choice(range(1, dag.n), size=min(2, dag.n - 1), replace=False).tolist())
    tiers = [order[a:b] for a, b in zip([0, *cuts], [*cuts, dag.n], strict=True)]
    arcs = dag.arcs()
    required = [arcs[int(rng.integers(len(arcs)))]] if arcs and rng.random() < 0.5 else []
    apart = [(a, b) for a in dag.nodes for b in dag.nodes if a < b and not dag.has_edge(a, b)]
    forbidden = []
    if apart and rng.random() < 0.5:
        a, b = apart[int(rng.integers(len(apart)))]
        forbidden = [(a, b), (b, a)]
    return Knowledge(tiers=tiers if rng.random() < 0.7 else [], required=required, forbidden=forbidden)


@pytest.mark.parametrize("method", ["pc", "pc-stable", "rai", "sc-pc"])
def test_exact_with_true_knowledge(method):
    rng = np.random.default_rng(8)
    for _ in range(60):
        dag = random_dag(rng, int(rng.integers(3, 10)), float(rng.uniform(0.2, 0.6)))
        known = true_knowledge(rng, dag)
        cpdag = dag_to_cpdag(dag)
        expected = orient_by_knowledge(cpdag.to_pdag_matrix(), dag.nodes, known)
        result = paucal.learn(paucal.Oracle(dag), method, knowledge=known)
        assert np.array_equal(result.graph.to_pdag_matrix(), expected), (dag.edges(), known)
        assert result.graph.problems() == []


def test_mmpc_with_true_knowledge():
    rng = np.random.default_rng(9)
    for _ in range(40):
        dag = random_dag(rng, int(rng.integers(3, 8)), float(rng.uniform(0.2, 0.5)))
        result = paucal.learn(paucal.Oracle(dag), "mmhc", knowledge=true_knowledge(rng, dag))
        assert result.graph.skeleton() == dag.skeleton()


def test_tiers_spare_tests():
    """Nobody is separated by the future, so that it is not asked."""
    net = paucal.load_network("alarm")
    order = net.graph.topological_order()
    known = Knowledge(tiers=[order[:12], order[12:24], order[24:]])
    data = net.sample(500, seed=1)
    tests = [paucal.learn(data, "pc-stable", knowledge=k).ledger.n_tests for k in (known, None)]
    assert tests[0] < tests[1]


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=30, deadline=None)
@given(data=datasets(6), seed=st.integers(0, 10**6))
def test_any_knowledge_is_obeyed(method, data, seed):
    """Knowledge need not be true: it holds in the result all the same, and the result has no cycle."""
    rng = np.random.default_rng(seed)
    names = list(data.names)
    guess = random_dag(rng, len(names), 0.5)
    known = true_knowledge(rng, guess.rename(dict(zip(guess.nodes, names, strict=True))))
    graph = paucal.learn(data, method, knowledge=known).graph
    for a, b in graph.arcs():
        assert not known.forbids(a, b)
    for e in graph.edges():
        assert not known.forbids_adjacency(e.a, e.b)
        if e.symbol == "--":
            assert not known.forbids(e.a, e.b)
            assert not known.forbids(e.b, e.a)
    for a, b in known.required:
        assert (a, b) in graph.arcs()
    assert graph.problems() == []


def test_reasons_name_knowledge():
    data = {"a": [0, 1] * 30, "b": [0, 1] * 30, "c": [0, 0, 1, 1] * 15}
    known = Knowledge(tiers=[["b"], ["a"]], required=[("c", "a")])
    result = paucal.learn(data, "pc-stable", knowledge=known)
    assert str(result.why("a", "b")).splitlines()[:2] == [
        "a <- b: joined",
        "  mark at a: background knowledge leaves no other choice",
    ]
    assert "background knowledge requires it" in str(result.why("c", "a"))
    assert "no test was asked about this pair" in str(result.why("c", "a"))


@pytest.mark.parametrize("method", [*METHODS, "fci", "hill-climbing", "order", "posterior"])
def test_every_search_names_knowledge_behind_each_arrow_that_it_decides(method):
    net = paucal.load_network("asia")
    known = Knowledge(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["either", "xray", "dysp"]])
    result = paucal.learn(net.sample(1000, seed=3), method, knowledge=known)
    decided = [(e.a, e.b) for e in result.graph.edges() if known.forbids(e.b, e.a)]
    assert decided
    for a, b in decided:
        assert result.why(a, b).reasons[a, b].rule == "knowledge"


def test_a_pair_that_must_not_be_joined_is_not_tested_but_told():
    data = {"a": [0, 1] * 30, "b": [0, 1] * 30}
    known = Knowledge(forbidden=[("a", "b"), ("b", "a")])
    result = paucal.learn(data, knowledge=known)
    assert result.graph.n_edges == 0
    assert "background knowledge forbids it" in str(result.why("a", "b"))


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        paucal.learn({"smoke": [0, 1], "b": [0, 1]}, knowledge=Knowledge(tiers=[["smok"]]))


@pytest.mark.parametrize("method", METHODS)
def test_forbidden_directions_that_leave_only_a_cycle(method):
    always_dependent = CallableTest(lambda *_: False, "abc")
    known = Knowledge(forbidden=[("a", "b"), ("b", "c"), ("c", "a")])
    with pytest.raises(KnowledgeError, match="a cycle"):
        paucal.learn(always_dependent, method, knowledge=known)


def test_an_explanation_names_what_was_said():
    data = paucal.load_network("asia").sample(500, seed=1)
    result = paucal.learn(data, "pc-stable", outcome=["dysp"], exogenous=["asia", "smoke"])
    assert result.why("bronc", "dysp").known == ("dysp is an outcome, which causes nothing",)
    told = result.why("asia", "smoke")
    assert "known: asia is exogenous, caused by nothing in the table" in str(told)
    assert told.to_dict()["known"] == list(told.known)
    assert paucal.learn(data, "pc-stable").why("asia", "smoke").known == ()
