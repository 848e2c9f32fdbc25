"""Searches as published programs run them, beside literal twins in plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

import paucal
from paucal.graphs import Graph, dag_to_cpdag
from paucal.graphs.marks import ARROW
from paucal.paper.variants import SEARCHES
from paucal.paper.variants.cfci import cfci
from paucal.paper.variants.cmb import cmb
from paucal.paper.variants.fixrai import _new_questions, _sets_before, fixrai
from paucal.paper.variants.pc_stable import pc_stable
from paucal.search.by_tests.rai import rai
from random_graphs import random_dag, random_dags
from search_data import datasets, dependent_columns
from test_cmb import FINDERS, shares
from twin.searches import NaiveRai, naive_stable_skeleton

NETWORKS = ["asia", "cancer", "earthquake", "sachs", "survey", "child", "alarm"]


@pytest.mark.parametrize("name", SEARCHES)
def test_a_second_run_on_the_same_test_changes_nothing(name):
    test = paucal.make_test(dependent_columns(5, 8, 300), "g")
    first, second = SEARCHES[name](test), SEARCHES[name](test)
    assert first.graph == second.graph
    assert first.sepsets == second.sepsets
    assert "tests" in first.details


# ------------------------------------------------------------------------------------------------------------ FixRAI

OPTIONS = [
    {},
    {"orientation": "intended"},
    {"candidates": "parents"},
    {"rule3": "as-coded"},
    {"orientation": "intended", "candidates": "parents", "rule3": "as-coded"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("network", ["asia", "child", "insurance"])
def test_fixrai_equals_a_literal_twin(network, options):
    net = paucal.load_network(network)
    for seed, n in enumerate((40, 200, 1000)):
        data = net.sample(n, seed=seed)
        shuffled = np.random.default_rng(seed).permutation(len(data.names))
        data = data.select([data.names[i] for i in shuffled]).drop_unobserved()
        naive = NaiveRai(paucal.make_test(data, "g"), **options)
        pdag = naive.run()
        result = fixrai(paucal.make_test(data, "g"), **options)
        assert np.array_equal(result.graph.to_pdag_matrix(), pdag)
        assert result.details["tests"] == sum(naive.count.values())
        assert result.details["tests_by_order"] == {str(k): v for k, v in sorted(naive.count.items())}
        names = data.names
        assert dict(result.sepsets) == {
            (names[x], names[y]): tuple(names[z] for z in given) for (x, y), given in naive.sep.items() if x < y
        }


def test_fixrai_counts_one_test_a_pair_given_nothing():
    data = paucal.load_network("child").sample(300, seed=1)
    assert fixrai(paucal.make_test(data, "g")).details["tests_by_order"]["0"] == 190


def test_counting_of_subsets():
    # of the 2-subsets of {1, 2, 3, 4}, in order: 12 13 14 23 24 34
    assert _sets_before((2, 3), 0b11110) == 3
    assert _sets_before((2, 3), 0b01010) == 1  # of {1, 3}: 13
    assert _new_questions(0b11110, 0, None, 2) == 6
    assert _new_questions(0b11110, 0b01110, None, 2) == 3  # 12, 13 and 23 are not new
    assert _new_questions(0b11110, 0b00110, (2, 4), 2) == 4  # 12 is not new, of 12 13 14 23 24


def test_valid_where_the_raw_graph_is_not():
    """The raw graph of this sample has a cycle or fits no DAG; the valid one never."""
    net = paucal.load_network("insurance")
    odd = 0
    for seed in range(6):
        data = net.sample(400, seed=seed)
        raw = fixrai(paucal.make_test(data, "g")).graph
        try:
            raw.as_kind("cpdag")
        except paucal.errors.GraphError:
            odd += 1
        assert rai(paucal.make_test(data, "g")).graph.problems() == []
    assert odd > 0


def test_a_valid_graph_is_that_of_the_products_search():
    data = paucal.load_network("insurance").sample(300, seed=2)
    raw, valid = (fixrai(paucal.make_test(data, "g"), valid=v) for v in (False, True))
    assert valid.graph == rai(paucal.make_test(data, "g")).graph
    assert valid.details["tests"] == raw.details["tests"] < valid.ledger.n_calls


@pytest.mark.parametrize("name", NETWORKS)
def test_fixrai_on_bundled_networks(name):
    net = paucal.load_network(name)
    oracle = paucal.Oracle(net.graph)
    for options in ({}, {"valid": True, "orientation": "intended"}, {"valid": True, "candidates": "parents"}):
        assert fixrai(oracle, **options).graph == net.cpdag()


@pytest.mark.parametrize("options", [{"orientation": "intended"}, {"candidates": "parents"}], ids=str)
def test_the_valid_graph_is_exact_on_random_dags(options):
    for _, dag in random_dags(40, (4, 9), seed=5):
        assert fixrai(paucal.Oracle(dag), valid=True, **options).graph == dag_to_cpdag(dag)


# --------------------------------------------------------------------------------------------------------- PC-stable


@settings(max_examples=40, deadline=None)
@given(data=datasets())
def test_pc_stable_counts_as_bnlearn_does(data):
    data = data.by_content  # the order in which `learn` sees the columns
    _, asked = naive_stable_skeleton(paucal.make_test(data, "g"))
    for rule in ("standard", "majority"):
        result = pc_stable(paucal.make_test(data, "g"), colliders=rule)
        assert result.details["tests"] == sum(asked.values())
        # a finished test keeps the order of its columns, by which the first of two separating sets is recorded
        assert result.graph == paucal.learn(paucal.make_test(data, "g"), "pc-stable", colliders=rule).graph


# -------------------------------------------------------------------------------------------------- conservative FCI


def paper_twin(test, most):
    """The published program's skeleton and conservative phase in plain loops, with its count of tests."""
    n = len(test.names)
    alone = {pair: test.ask(*pair) for pair in combinations(range(n), 2)}
    joined = {pair for pair, answer in alone.items() if not answer.independent}
    sets = {pair: () for pair, answer in alone.items() if answer.independent}

    def adjacent(v):
        return sorted(next(iter({*pair} - {v})) for pair in joined if v in pair)

    def association(v, w):
        answer = alone[min(v, w), max(v, w)]
        return answer.nearness, -answer.statistic

    count = 0
    for size in range(1, most + 1):
        edges = sorted(joined)
        edges.sort(key=lambda pair: association(*pair), reverse=True)
        for low, high in edges:
            tries = []
            for end, other in ((high, low), (low, high)):
                around = [v for v in adjacent(end) if v != other]
                tries += [(association(end, chosen[0]), chosen) for chosen in combinations(around, size)]
            seen = []
            for _, chosen in sorted(tries, key=lambda entry: entry[0]):
                if chosen in seen:
                    continue
                seen.append(chosen)
                count += 1
                if test.ask(low, high, chosen).independent:
                    joined.discard((low, high))
                    sets[low, high] = chosen
                    break
    colliders, unclear = [], []
    for a, b in combinations(range(n), 2):
        for c in [] if (a, b) in joined else sorted({*adjacent(a)} & {*adjacent(b)}):
            inside = c in sets[a, b]
            against = [
                chosen
                for end in (a, b)
                for size in range(1, min(most, len(adjacent(end))) + 1)
                for chosen in combinations(adjacent(end), size)
                if (c in chosen) != inside
            ]
            if any(test.ask(a, b, chosen).independent for chosen in against):
                unclear.append((a, c, b))
            elif not inside:
                colliders.append((a, c, b))
    return joined, sets, count, colliders, unclear


@pytest.mark.parametrize("network", ["asia", "child", "sachs"])
def test_cfci_equals_a_literal_twin(network):
    net = paucal.load_network(network)
    for seed, n in enumerate((50, 300, 2000)):
        data = net.sample(n, seed=seed).drop_unobserved()
        names = data.names
        joined, sets, count, colliders, unclear = paper_twin(paucal.make_test(data, "g"), 4)
        result = cfci(paucal.make_test(data, "g"))
        assert result.details["tests"] == count
        assert {tuple(sorted((names.index(e.a), names.index(e.b)))) for e in result.graph.edges()} == joined
        for (x, y), given_set in sets.items():
            assert set(result.sepsets[names[x], names[y]]) == {names[z] for z in given_set}
        assert sorted(result.details["ambiguous_triples"]) == sorted([names[v] for v in t] for t in unclear)
        for a, c, b in colliders:
            assert result.graph.marks[a, c] == result.graph.marks[b, c] == ARROW
        assert {reason.rule for reason in result.reasons.values()} <= {f"pag-{k}" for k in range(5)}


def test_cfci_with_another_limit():
    test = paucal.make_test(paucal.load_network("asia").sample(500, seed=0), "g")
    assert max(cfci(test, max_order=1).ledger.by_order) == 1


def test_cfci_where_only_knowledge_separates_a_pair():
    """A and B are dependent whatever is given, and must not be joined."""
    known = paucal.Knowledge(forbidden=[("A", "B"), ("B", "A")])
    result = cfci(paucal.Oracle(Graph.parse("A -> B; A -> C; B -> C")), knowledge=known)
    assert result.details["ambiguous_triples"] == [["A", "C", "B"]]
    assert {e.symbol for e in result.graph.edges()} == {"o-o"}


# --------------------------------------------------------------------------------------------------------------- CMB


def test_cmb_is_as_unsound_as_it_was_measured_to_be():
    rng = np.random.default_rng(4)
    targets, exact, unknowable = shares([random_dag(rng, 8, 0.3) for _ in range(40)], find=cmb)
    assert 0.65 < exact / targets < 0.80
    assert unknowable > 0


def test_cmb_forgets_parents_and_the_repaired_one_does_not():
    assert cmb(paucal.Oracle(Graph.parse("A -> T <- B")), "T").parents == ("A", "B")
    # the pairs A, C and B, C come later and lower both parents to undetermined again
    with_effect = paucal.Oracle(Graph.parse("A -> T <- B; T -> C"))
    assert cmb(with_effect, "T").undetermined == ("A", "B")
    assert paucal.blanket(with_effect, "T").parents == ("A", "B")


def test_cmb_with_one_neighbour_and_with_none():
    assert cmb(paucal.Oracle(Graph.parse("A -> T")), "T").undetermined == ("A",)
    assert cmb(paucal.Oracle(Graph.dag("AT")), "T").mb == ()


@pytest.mark.parametrize("neighbours", FINDERS)
def test_cmb_counts_tests_as_if_nothing_were_remembered(neighbours):
    data = paucal.load_network("asia").sample(500, seed=1)
    for target in ("either", "smoke"):
        found = cmb(paucal.make_test(data, "g"), target, neighbours=neighbours)
        assert found.result.details["tests"] >= found.ledger.n_calls >= found.ledger.n_tests
        assert paucal.BlanketResult.from_json(found.to_json()) == found
