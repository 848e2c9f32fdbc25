"""d-separation and m-separation against the definition by paths and against networkx."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from paucal.errors import GraphError, QuestionError, UnknownNameError
from paucal.graphs import Graph, Separation, d_separated, dag_to_cpdag, dag_to_mag, m_separated, to_networkx
from random_graphs import all_mags, questions, random_dag, random_dags, separated_by_paths


def random_question(rng, nodes):
    x, y, *others = rng.permutation(nodes).tolist()
    return x, y, tuple(others[: rng.integers(0, len(others) + 1)])


def test_d_separation_equals_definition_and_networkx_on_random_dags():
    for rng, g in random_dags(2000, (2, 7), seed=1):
        ask = Separation(g)
        twin = to_networkx(g)
        for x, y, z in (random_question(rng, g.nodes) for _ in range(3)):
            wanted = separated_by_paths(g, x, y, z)
            assert nx.is_d_separator(twin, {x}, {y}, set(z)) == wanted
            assert d_separated(g, x, y, z) == wanted
            assert ask(x, y, z) == wanted == ask(y, x, z)


def test_d_separation_equals_networkx_on_larger_dags():
    rng = np.random.default_rng(2)
    for n in (20, 40, 80):
        g = random_dag(rng, n, 3 / n)
        ask = Separation(g)
        twin = to_networkx(g)
        for x, y, z in (random_question(rng, g.nodes) for _ in range(100)):
            wanted = nx.is_d_separator(twin, {x}, {y}, set(z))
            assert d_separated(g, x, y, z) == ask(x, y, z) == wanted


def test_sets_of_nodes_are_separated_pair_by_pair():
    for rng, g in random_dags(300, (4, 8), seed=3):
        names = rng.permutation(g.nodes).tolist()
        xs, ys, zs = names[:2], names[2:4], names[4:]
        wanted = all(d_separated(g, x, y, zs) for x, y in itertools.product(xs, ys))
        assert d_separated(g, xs, ys, zs) == wanted


def test_m_separation_equals_definition_on_all_small_ancestral_graphs():
    for g in all_mags(3, ("->", "<-", "<->", "--")):
        ask = Separation(g)
        for x, y, z in questions(g.nodes):
            assert m_separated(g, x, y, z) == ask(x, y, z) == separated_by_paths(g, x, y, z)


def test_m_separation_equals_definition_on_random_mags():
    for rng, dag in random_dags(300, (4, 8), seed=4):
        g = dag_to_mag(dag, latent=dag.nodes[: dag.n // 3])
        ask = Separation(g)
        for x, y, z in (random_question(rng, g.nodes) for _ in range(4)):
            wanted = separated_by_paths(g, x, y, z)
            assert m_separated(g, x, y, z) == ask(x, y, z) == wanted


def test_undirected_edges_of_an_ancestral_graph():
    ring = Graph.mag("ABCD", [("A", "--", "B"), ("B", "--", "C"), ("C", "--", "D"), ("D", "--", "A")])
    assert m_separated(ring, "A", "C", ["B", "D"])
    assert not m_separated(ring, "A", "C", ["B"])
    assert Separation(ring)("B", "D", ["A", "C"]) and not Separation(ring)("B", "D")


def test_a_cpdag_answers_for_its_class():
    for rng, g in random_dags(100, (3, 7), seed=5):
        x, y, z = random_question(rng, g.nodes)
        cpdag = dag_to_cpdag(g)
        assert d_separated(cpdag, x, y, z) == d_separated(g, x, y, z) == Separation(cpdag)(x, y, z)


def test_a_pag_without_circles_answers_if_it_is_a_mag():
    assert m_separated(Graph.parse("A -> B <-> C", kind="pag"), "A", "C")
    with pytest.raises(GraphError, match=r"not a MAG: .* A is an ancestor of C"):
        m_separated(Graph.parse("A -> B -> C; A <-> C", kind="pag"), "A", "C", ["B"])


def test_a_single_name_may_be_given():
    assert d_separated(Graph.parse("A -> Bob -> C"), "A", "C", "Bob")


def test_questions_that_make_no_sense_are_refused():
    g = Graph.parse("A -> B -> C")
    with pytest.raises(QuestionError, match="'A' stands on two sides"):
        d_separated(g, "A", "A")
    with pytest.raises(QuestionError, match="'B' stands on two sides"):
        Separation(g)("A", "B", ["B"])
    with pytest.raises(UnknownNameError, match="no node 'Z'"):
        d_separated(g, "A", "C", ["Z"])


def test_graphs_without_separation_are_refused():
    with pytest.raises(GraphError, match="graph with circles"):
        m_separated(Graph.parse("A o-> B"), "A", "B")
    with pytest.raises(GraphError, match="d-separation is about DAGs"):
        d_separated(Graph.parse("A <-> B"), "A", "B")
    with pytest.raises(GraphError, match="the cycle A -> B -> C -> A"):
        d_separated(Graph.parse("A -> B -> C -> A"), "A", "B")
    with pytest.raises(GraphError, match="not a CPDAG"):
        d_separated(Graph.parse("A -> B -- C"), "A", "C")
