"""Distances between graphs: the definitions, the metric axioms, and the published values of empty graphs."""

from __future__ import annotations

import itertools
from math import isnan

import numpy as np
import pytest

from paucal.errors import GraphError, ParameterError, UnknownNameError
from paucal.graphs import Blanket, Graph, dag_to_cpdag, dag_to_pag, markov_blanket
from paucal.metrics import (
    EdgeCounts,
    Scores,
    arrowhead_scores,
    blanket_shd,
    differences,
    edge_counts,
    pag_shd,
    shd,
    skeleton_scores,
)
from random_graphs import network_dag, random_dag, random_dags

STATES = {"none": "", "->": "A -> B", "<-": "A <- B", "--": "A -- B"}


def pair_graph(state, kind="pdag"):
    return Graph.parse(STATES[state], nodes="AB", kind=kind)


@pytest.mark.parametrize(
    ("variant", "costs"),
    [
        # none/->  none/--  ->/<-  ->/--
        ("pairs", (1, 1, 1, 1)),
        ("as-is", (1, 1, 1, 1)),
        ("double", (1, 1, 2, 1)),
        ("parts", (2, 1, 1, 1)),
        ("cpdag", (1, 1, 0, 0)),
    ],
)
def test_cost_of_one_pair(variant, costs):
    pairs = [("none", "->"), ("none", "--"), ("->", "<-"), ("->", "--")]
    for (a, b), cost in zip(pairs, costs, strict=True):
        assert shd(pair_graph(a), pair_graph(b), variant=variant) == cost
        assert shd(pair_graph(b), pair_graph(a), variant=variant) == cost
        assert shd(pair_graph(a), pair_graph(a), variant=variant) == 0


def test_shd_counts_differing_pairs():
    for rng, a in random_dags(500, (2, 8), seed=1):
        b = random_dag(rng, a.n, 0.5)
        by_hand = sum(a.edge(x, y) != b.edge(x, y) for x, y in itertools.combinations(a.nodes, 2))
        assert shd(a, b) == by_hand
        completed = dag_to_cpdag(a), dag_to_cpdag(b)
        by_hand = sum(completed[0].edge(x, y) != completed[1].edge(x, y) for x, y in itertools.combinations(a.nodes, 2))
        assert shd(*completed) == shd(a, b, variant="cpdag") == by_hand


@pytest.mark.parametrize(
    ("distance", "kind"),
    [
        *[
            (lambda a, b, v=v: shd(a, b, variant=v), k)
            for v in ("pairs", "double", "parts", "as-is")
            for k in ("dag", "cpdag")
        ],
        (lambda a, b: shd(a, b, variant="cpdag"), "cpdag"),
        (pag_shd, "pag"),
        (lambda a, b: pag_shd(a, b, version="edges"), "pag"),
    ],
)
def test_distances_are_metrics(distance, kind):
    make = {"dag": lambda g: g, "cpdag": dag_to_cpdag, "pag": lambda g: dag_to_pag(g, latent=["x0"])}[kind]
    for rng, first in random_dags(200, (3, 6), seed=2):
        a, b, c = (make(g) for g in (first, random_dag(rng, first.n, 0.5), random_dag(rng, first.n, 0.3)))
        assert distance(a, b) == distance(b, a) >= 0
        assert (distance(a, b) == 0) == (a == b)
        assert distance(a, a) == 0
        assert distance(a, c) <= distance(a, b) + distance(b, c)
        assert distance(a, b) == distance(a, b.reorder(rng.permutation(b.nodes).tolist()))


def test_a_dag_beside_another_kind_stands_for_its_class():
    dag = Graph.parse("A -> B -> C; C -> D; E -> D")
    cpdag, pag = dag_to_cpdag(dag), dag_to_pag(dag)
    assert shd(dag, cpdag) == shd(cpdag, dag) == shd(dag, cpdag.as_kind("pdag")) == 0
    assert shd(dag, cpdag, variant="as-is") == 2
    assert pag_shd(dag, pag) == 0
    assert arrowhead_scores(cpdag, dag) == arrowhead_scores(cpdag, cpdag)
    assert differences(cpdag, dag) == differences(pag, dag) == []


@pytest.mark.parametrize(
    ("name", "pairs", "parts", "pag"),
    [("child", 25, 38, 51), ("insurance", 52, 86, 118), ("alarm", 46, 88, 112), ("hailfinder", 66, 115, 145)],
)
def test_empty_graph_against_known_networks(name, pairs, parts, pag):
    truth = network_dag(name)
    nothing = Graph.empty(truth.nodes, "cpdag")
    assert shd(nothing, truth) == pairs
    assert shd(nothing, truth, variant="parts") == parts
    assert pag_shd(Graph.empty(truth.nodes, "pag"), dag_to_pag(truth)) == pag


@pytest.mark.parametrize(
    ("a", "b", "cost"),
    [
        ("", "A o-o B", 1),
        ("", "A o-> B", 2),
        ("", "A -> B", 3),
        ("", "A <-> B", 3),
        ("A o-o B", "A o-> B", 1),
        ("A o-o B", "A -> B", 2),
        ("A o-> B", "A <-o B", 2),
        ("A o-> B", "A -> B", 1),
        ("A o-> B", "A <-> B", 1),
        ("A o-> B", "A <- B", 2),
        ("A -> B", "A <- B", 2),
        ("A -> B", "A <-> B", 1),
    ],
)
def test_cost_table_of_pags(a, b, cost):
    a, b = (Graph.parse(text, nodes="AB", kind="pag") for text in (a, b))
    assert pag_shd(a, b) == pag_shd(b, a) == cost
    assert pag_shd(a, b, version="edges") == 1


def test_different_nodes_are_an_error_that_names_them():
    a, b = Graph.parse("A -> B; C"), Graph.parse("A -> B; D")
    for compare in (shd, skeleton_scores, arrowhead_scores, differences, edge_counts):
        with pytest.raises(GraphError, match="only the first has 'C'; only the second has 'D'"):
            compare(a, b)


def test_wrong_kinds_and_names_are_refused():
    dag, pdag, pag = Graph.parse("A -> B"), Graph.parse("A -- B"), Graph.parse("A o-> B")
    with pytest.raises(GraphError, match="not a PAG"):
        shd(dag, pag)
    with pytest.raises(GraphError, match="not a PDAG"):
        pag_shd(pag, pdag)
    with pytest.raises(ParameterError, match="variant='paris' is not known"):
        shd(dag, dag, variant="paris")
    with pytest.raises(ParameterError, match="version='ends' is not known"):
        pag_shd(pag, pag, version="ends")
    with pytest.raises(GraphError, match="No DAG extends"):
        shd(Graph.parse("A -> B -> C -> A"), Graph.parse("A -> B -> C"), variant="cpdag")


# ------------------------------------------------------------------------------------------------- blankets


def test_blanket_distance_counts_nodes_with_another_label():
    truth = Graph.parse("A -> T; B -> T; T -> C; D -> C; E")
    exact = markov_blanket(truth, "T")
    assert blanket_shd(exact, truth, target="T") == 0
    assert blanket_shd({}, truth, target="T") == 3  # all missing
    assert blanket_shd({"parents": ["A", "C"], "undetermined": ["B"]}, truth, target="T") == 2
    assert blanket_shd({"parents": ["A", "B", "E"], "children": ["C"]}, truth, target="T") == 1
    assert blanket_shd({"parents": ["A", "B"], "children": ["C"]}, exact) == 0


def test_spouses_count_only_if_asked():
    truth = Graph.parse("T -> C <- D")
    learned = {"children": ["C"], "spouses": ["E"]}
    assert blanket_shd(learned, truth, target="T") == 0
    assert blanket_shd(learned, truth, target="T", spouses=True) == 2
    assert blanket_shd({"children": ["C", "D"]}, truth, target="T", spouses=True) == 1


def test_blanket_truth_may_be_the_cpdag():
    truth = Graph.parse("A -> T -> B")
    unknown = Blanket("T", undetermined=("A", "B"))
    assert blanket_shd(unknown, truth, target="T") == 2
    assert blanket_shd(unknown, truth, target="T", against="cpdag") == 0
    assert blanket_shd(unknown, dag_to_cpdag(truth), target="T") == 0
    with pytest.raises(ParameterError, match="needs a target"):
        blanket_shd(unknown, truth)
    with pytest.raises(ParameterError, match="against='pag' is not known"):
        blanket_shd(unknown, truth, target="T", against="pag")
    with pytest.raises(UnknownNameError):
        blanket_shd(unknown, truth, target="Z")


# -------------------------------------------------------------------------------------- scores, differences


def test_scores_by_hand():
    learned = Graph.parse("A -> B; B -- C; C -> D; E")
    truth = Graph.parse("A -> B; B -> C; A -> D; E -> D", kind="pdag")
    assert skeleton_scores(learned, truth) == Scores(2, 1, 2)
    assert arrowhead_scores(learned, truth) == Scores(1, 1, 3)
    assert edge_counts(learned, truth) == EdgeCounts(correct=1, extra=1, missing=2, misdirected=1)
    assert shd(learned, truth) == 4


def test_scores_of_nothing_are_not_numbers():
    nothing, something = Graph.empty("AB"), Graph.parse("A -> B")
    assert isnan(skeleton_scores(nothing, something).precision)
    assert skeleton_scores(nothing, something).recall == 0
    assert isnan(skeleton_scores(nothing, nothing).f1)
    assert skeleton_scores(something, something).f1 == 1


def test_counts_differences_and_shd_agree():
    for rng, a in random_dags(300, (2, 7), seed=3):
        b = random_dag(rng, a.n, 0.4)
        for x, y in ((a, b), (dag_to_cpdag(a), dag_to_cpdag(b)), (dag_to_cpdag(a), b)):
            counts = edge_counts(x, y)
            found = differences(x, y)
            assert shd(x, y) == len(found) == counts.extra + counts.missing + counts.misdirected
            assert counts.correct + counts.extra + counts.misdirected == x.n_edges
            assert counts.correct + counts.missing + counts.misdirected == y.n_edges
            skeleton = skeleton_scores(x, y)
            assert (skeleton.false_positives, skeleton.false_negatives) == (counts.extra, counts.missing)


def test_differences_say_what_is_wrong():
    learned = Graph.parse("A -> B; B -- C; C -> D; A -- E; F -> E", nodes="ABCDEF", kind="pdag")
    truth = Graph.parse("B -> A; B -> C; C -- D; E -> F; D -- E", nodes="FEDCBA", kind="pdag")
    assert {str(d) for d in differences(learned, truth)} == {
        "reversed: B <- A, in truth B -> A",
        "undirected: C -- B, in truth C <- B",
        "directed: D <- C, in truth D -- C",
        "extra: E -- A, in truth no edge",
        "reversed: F -> E, in truth F <- E",
        "missing: no edge, in truth E -- D",
    }
    assert [d.pair for d in differences(learned, truth)] == sorted(
        (d.pair for d in differences(learned, truth)), key=lambda p: tuple(truth.nodes.index(v) for v in p)
    )
    pag = differences(Graph.parse("A o-> B"), Graph.parse("A <-> B", kind="pag"))
    assert [str(d) for d in pag] == ["marks: A o-> B, in truth A <-> B"]


def test_values_are_plain_integers():
    a, b = Graph.parse("A -> B"), Graph.parse("A <- B")
    for value in (shd(a, b), shd(a, b, variant="double"), shd(a, b, variant="parts")):
        assert type(value) is int
    assert not isinstance(pag_shd(a, b), np.integer)
