from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.errors import ParameterError
from paucal.graphs import v_structures
from paucal.independence.custom import CallableTest
from paucal.search.by_tests.blocks import blocks, on_paths
from paucal.search.by_tests.colliders import unshielded_triples
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import apply_colliders, forced_dag, oriented
from paucal.search.evidence.explain import Trace, with_implied
from random_graphs import random_dags


@st.composite
def skeletons(draw, most=8):
    n = draw(st.integers(0, most))
    pairs = list(itertools.combinations(range(n), 2))
    matrix = np.zeros((n, n), dtype=bool)
    for i, j in draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []:
        matrix[i, j] = matrix[j, i] = True
    return matrix


def triples_by_definition(adjacency):
    n = len(adjacency)
    return {
        (a, c, b)
        for a, b in itertools.combinations(range(n), 2)
        if not adjacency[a, b]
        for c in range(n)
        if adjacency[a, c] and adjacency[b, c]
    }


@settings(deadline=None)
@given(adjacency=skeletons())
def test_unshielded_triples(adjacency):
    found = list(zip(*(part.tolist() for part in unshielded_triples(adjacency)), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == triples_by_definition(adjacency)


@settings(max_examples=200, deadline=None)
@given(adjacency=skeletons(), data=st.data())
def test_any_claims_give_a_valid_graph(adjacency, data):
    """Whatever the tests claim: the skeleton stays, the graph is a CPDAG, and the colliders that fit are in it."""
    triples = sorted(triples_by_definition(adjacency))
    claims = data.draw(st.lists(st.sampled_from(triples), unique=True)) if triples else []
    names = tuple(f"x{i}" for i in range(len(adjacency)))
    graph, details = oriented(adjacency, claims, Limits.of(None, names), rank=range(len(names)), trace=Trace())
    assert graph.kind == "cpdag"
    assert graph.problems() == []
    assert np.array_equal(graph.marks != 0, adjacency)
    left_out = {tuple(triple) for triple in details["colliders_left_out"]}
    applied = {(names[a], names[c], names[b]) for a, c, b in claims} - left_out
    assert applied <= set(v_structures(graph))
    if details["colliders_added"] == 0:
        # colliders that meet in one node are implied by their neighbours; nothing else is new
        heads = {(a, c) for a, c, b in applied} | {(b, c) for a, c, b in applied}
        assert all((a, c) in heads and (b, c) in heads for a, c, b in v_structures(graph))


@settings(max_examples=200, deadline=None)
@given(adjacency=skeletons(), data=st.data())
def test_every_arrow_has_a_rule_behind_it(adjacency, data):
    """Colliders, knowledge and colliders that no DAG can do without are noted; all other arrows follow by Meek."""
    triples = sorted(triples_by_definition(adjacency))
    claims = data.draw(st.lists(st.sampled_from(triples), unique=True)) if triples else []
    names = tuple(f"x{i}" for i in range(len(adjacency)))
    first = data.draw(st.integers(0, len(names)))
    known = paucal.Knowledge(tiers=[names[:first], names[first:]]) if data.draw(st.booleans()) else None
    trace = Trace()
    graph, _ = oriented(adjacency, claims, Limits.of(known, names), rank=range(len(names)), trace=trace)
    reasons = with_implied(graph, trace.named(names))
    assert set(reasons) == set(graph.arcs())
    for (a, b), reason in reasons.items():
        assert reason.rule != "completed"
        if reason.rule in ("collider", "forced", "meek-1"):
            assert not graph.has_edge(reason.via[0], a if reason.rule != "meek-1" else b)
        if reason.rule == "knowledge":
            assert known.forbids(b, a)


def test_a_square_without_claims_has_a_forced_collider_and_says_so():
    square = paucal.Graph.parse("a -- b -- c -- d -- a", nodes="abcd")
    trace = Trace()
    graph, details = oriented(square.marks != 0, [], Limits.of(None, square.nodes), rank=range(4), trace=trace)
    assert details["colliders_added"] == 1
    assert v_structures(graph) == [("a", "d", "c")]
    reason = with_implied(graph, trace.named(square.nodes))["a", "d"]
    assert reason.sentence("a", "d") == "a -> d <- c: no DAG has these edges without a further collider"


def test_a_collider_against_an_earlier_one_is_left_out():
    chain = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]], dtype=bool)
    pdag = chain.astype(np.int8)
    left_out = apply_colliders(pdag, [(0, 1, 2), (1, 2, 3)], Trace())
    assert left_out == [(1, 2, 3)]
    assert pdag[0, 1] == 1
    assert pdag[1, 0] == 0
    assert pdag[2, 1] == 1
    assert pdag[1, 2] == 0


def test_a_collider_that_closes_a_cycle_is_left_out():
    # a -> b -> c -> a needs three colliders at b, c and a with outer nodes
    graph = paucal.Graph.parse("a -- b -- c -- a; x -- b; y -- c; z -- a", nodes="abcxyz")
    adjacency = graph.marks != 0
    number = graph.index
    claims = [tuple(map(number, triple)) for triple in ("abx", "bcy", "caz")]
    result, details = oriented(
        adjacency,
        [(a, c, b) for a, c, b in claims],
        Limits.of(None, graph.nodes),
        rank=range(6),
        trace=Trace(),
    )
    assert details["colliders_left_out"] == [["c", "a", "z"]]
    assert result.problems() == []


@settings(max_examples=100, deadline=None)
@given(adjacency=skeletons(7), order=st.permutations(range(7)))
def test_forced_dag_does_not_depend_on_the_order_of_nodes(adjacency, order):
    n = len(adjacency)
    order = [v for v in order if v < n]
    dag, added = forced_dag(adjacency.astype(np.int8), range(n))
    moved = adjacency[np.ix_(order, order)]
    other, same = forced_dag(moved.astype(np.int8), order)
    assert added == same
    assert np.array_equal(dag[np.ix_(order, order)], other)
    names = [f"x{i}" for i in range(n)]
    assert len(v_structures(paucal.Graph.from_pdag_matrix(names, dag, "dag"))) == added


def test_forced_dag_keeps_arrows_and_adds_nothing_it_need_not():
    for rng, dag in random_dags(60, (3, 9), seed=4):
        matrix = dag.to_pdag_matrix()
        undirected = rng.random(matrix.shape) < 0.5
        pdag = matrix | (matrix.T & (undirected | undirected.T))
        found, _ = forced_dag(pdag, range(dag.n))
        assert np.array_equal(found | found.T, matrix | matrix.T)
        assert ((pdag == 1) & (pdag.T == 0) <= (found == 1)).all()
        cpdag = paucal.dag_to_cpdag(dag)
        again, added = forced_dag(cpdag.to_pdag_matrix(), range(dag.n))
        assert added == 0
        assert paucal.dag_to_cpdag(paucal.Graph.from_pdag_matrix(dag.nodes, again, "dag")) == cpdag


# ------------------------------------------------------------------------------------------------ rules for colliders


def three_in_a_row(separating):
    """A test that joins a - c - b, d beside both a and b, and separates a and b by the sets named."""

    def says(x, y, given):
        return (x, y) == ("a", "b") and "".join(sorted(given)) in separating

    return CallableTest(says, ["a", "b", "c", "d", "e"])


@pytest.mark.parametrize(
    ("separating", "rule", "collider"),
    [
        (["d"], "standard", True),
        (["c"], "standard", False),
        (["c", "d", "e"], "standard", False),  # the first that was met
        (["c", "d", "e"], "majority", True),  # one of three
        (["c", "d"], "majority", False),  # one of two leaves it open
        (["c", "d", "e"], "conservative", False),
        (["d", "e"], "conservative", True),
    ],
)
def test_rules_for_colliders(separating, rule, collider):
    result = paucal.learn(three_in_a_row(separating), colliders=rule, max_order=1)
    assert not result.graph.has_edge("a", "b")
    assert (result.why("a", "c").reasons.get(("a", "c"), ("",))[0] == "collider") == collider


def test_max_p_takes_the_likeliest_set():
    def p_value(x, y, given):
        return {"c": 0.6, "d": 0.2, "e": 0.3}.get("".join(given), 0.0) if (x, y) == ("a", "b") else 0.0

    test = CallableTest(p_value, ["a", "b", "c", "d", "e"])
    graph = paucal.learn(test, colliders="max-p", max_order=1).graph
    assert v_structures(graph) == [("a", "d", "b"), ("a", "e", "b")]


def test_unknown_rule():
    with pytest.raises(ParameterError, match="Choose from 'standard', 'majority'"):
        paucal.learn(three_in_a_row([]), colliders="vote")


# ------------------------------------------------------------------------------------------------------------ blocks


def paths_by_definition(graph, x, y):
    nodes = set()
    for path in graph.paths(x, y):
        nodes.update(path)
    return nodes


@settings(max_examples=60, deadline=None)
@given(adjacency=skeletons(7))
def test_nodes_on_paths(adjacency):
    names = [f"x{i}" for i in range(len(adjacency))]
    graph = paucal.Graph.from_pdag_matrix(names, adjacency.astype(int))
    rows = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in adjacency]
    for x, ways in enumerate(on_paths(rows)):
        for y in range(len(names)):
            if y != x:
                expected = paths_by_definition(graph, names[x], names[y])
                found = {names[i] for i in range(len(names)) if ways.get(y, 0) >> i & 1}
                assert found == expected


def test_blocks_of_a_long_path():
    n = 3000  # deeper than Python's recursion limit
    rows = [(1 << i - 1 if i else 0) | (1 << i + 1 if i < n - 1 else 0) for i in range(n)]
    assert len(blocks(rows)) == n - 1
