"""What to ask: the questions that settle most, by counting, and arrows into columns that look like background."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Graph
from paucal.errors import ParameterError
from paucal.search.evidence.asking import facts_that_settle
from random_graphs import dags


def open_edges(weighted):
    """Count, over all pairs, the weight against the most frequent of ->, <- and no edge."""
    total = 0.0
    nodes = weighted[0][0].nodes
    for a, b in itertools.combinations(nodes, 2):
        votes = {"->": 0.0, "<-": 0.0, None: 0.0}
        for dag, weight in weighted:
            edge = dag.edge(a, b)
            votes[None if edge is None else edge.symbol] += weight
        total += sum(votes.values()) - max(votes.values())
    return total


def after_answer(weighted, a, b):
    """What stays open on average once somebody has said whether a comes before b."""
    parts = ([], [])
    for dag, weight in weighted:
        edge = dag.edge(a, b)
        shares = (0.5, 0.5) if edge is None else (1.0, 0.0) if edge.symbol == "->" else (0.0, 1.0)
        for part, share in zip(parts, shares, strict=True):
            part.append((dag, weight * share))
    return sum(open_edges(part) for part in parts)


@st.composite
def samples(draw):
    n = draw(st.integers(2, 5))
    some = dags(n).filter(lambda dag: dag.n == n)
    return draw(st.lists(some, min_size=1, max_size=6))


@given(drawn=samples())
@settings(max_examples=100, deadline=None)
def test_the_first_question_settles_most(drawn):
    names = drawn[0].nodes
    matrices = np.array([dag.to_pdag_matrix() != 0 for dag in drawn])
    weighted = [(dag, 1 / len(drawn)) for dag in drawn]
    now = open_edges(weighted)
    arrows = {arc for dag in drawn for arc in dag.arcs()}
    both = [(a, b) for a, b in arrows if (b, a) in arrows]
    gains = {(a, b): now - after_answer(weighted, a, b) for a, b in both}
    best = max(gains.values(), default=0.0)
    found = facts_that_settle(names, matrices)
    if best < 0.1 - 1e-9:
        assert found == []
    elif best > 0.1 + 1e-9:
        first = found[0]
        assert first.settles == pytest.approx(best)
        assert gains[first.first, first.second] == pytest.approx(best)
        assert first.of == pytest.approx(now)
        assert first.probability >= 0.5
        # what several answers settle is never more than is open
        assert sum(fact.settles for fact in found) <= now + 1e-9
        assert len({frozenset((fact.first, fact.second)) for fact in found}) == len(found)


def test_one_answer_settles_a_chain():
    """Three arrows that turn together: one answer settles all of them, and no second question is left."""
    chain = [Graph.dag("abcd", arcs) for arcs in (["ab", "bc", "cd"], ["ba", "cb", "dc"])]
    (fact,) = facts_that_settle("abcd", np.array([dag.to_pdag_matrix() != 0 for dag in chain]))
    assert (fact.settles, fact.of, fact.probability) == (1.5, 1.5, 0.5)
    assert str(fact) == ("Does a come before b? The answer would settle 1.5 of 1.5 open edges.")
    assert fact.as_knowledge == {"forbidden": [("b", "a")]}


def test_a_posterior_run_asks_and_its_answers_help():
    data = paucal.load_network("asia").sample(300, seed=1)
    result = paucal.learn(data, "posterior")
    facts = result.ask()
    assert 0 < len(facts) <= 3
    assert paucal.SearchResult.from_json(result.to_json()).ask() == facts
    first = facts[0]
    told = paucal.learn(data, "posterior", **first.as_knowledge)
    assert not any((first.second, first.first) in graph.arcs() for graph in told.graphs)
    assert result.ask(most=0) == []
    with pytest.raises(ParameterError, match="most=-1"):
        result.ask(most=-1)


def test_kept_graphs_are_a_fair_sample():
    data = paucal.load_network("asia").sample(200, seed=2)
    result = paucal.learn(data, "posterior")
    assert 95 <= len(result.graphs) <= 100
    joined = result.evidence.arrows().astype(float)
    share = (joined + joined.transpose(0, 2, 1)).mean(axis=0)
    assert np.abs(share - result.evidence.joined).max() < 0.2
    assert result.graphs == paucal.SearchResult.from_json(result.to_json()).graphs
    assert paucal.learn(data, "posterior", chains=3).graphs[0].nodes == data.names
    assert paucal.learn(data, "pc-stable").graphs == ()


def test_few_rounds_keep_every_graph_once():
    data = paucal.load_network("asia").sample(100, seed=2)
    result = paucal.learn(data, "posterior", rounds=3, tolerance=1.0)
    assert len(result.graphs) == result.evidence.n_graphs == 12


@pytest.mark.parametrize("search", ["pc-stable", "hill-climbing"])
def test_arrows_into_background_are_asked_about_and_left(search):
    rng = np.random.default_rng(1)
    age, drug = rng.integers(0, 2, (2, 400))
    ill = np.where(rng.random(400) < 0.8, age | drug, rng.integers(0, 2, 400))
    data = {"drug": drug, "other": age, "AgeGroup": ill}
    result = paucal.learn(data, search)
    assert ("drug", "AgeGroup") in result.graph.arcs()
    asked = [fact for fact in result.ask() if fact.about_background]
    assert {(fact.second, fact.first) for fact in asked} == {("drug", "AgeGroup"), ("other", "AgeGroup")}
    assert str(asked[0]) == (
        "The graph has drug -> AgeGroup. Is AgeGroup background, caused by nothing in the table? "
        "If so, name it among the exogenous columns."
    )
    told = paucal.learn(data, search, **asked[0].as_knowledge)
    assert not [fact for fact in told.ask() if fact.about_background]
    # somebody who spoke of the column knows better
    known = paucal.learn(data, search, outcome=["AgeGroup"])
    assert not [fact for fact in known.ask() if fact.about_background]


def test_arrows_into_a_treatment_ask_whether_it_was_randomised():
    rng = np.random.default_rng(1)
    ill, old = rng.integers(0, 2, (2, 400))
    rx = np.where(rng.random(400) < 0.8, ill | old, rng.integers(0, 2, 400))
    data = paucal.Dataset.of({"ill": ill, "old": old, "rx": rx})
    (first, *_) = paucal.learn(data, "pc-stable").ask()
    assert str(first) == (
        "The graph has ill -> rx. Was rx assigned at random? If so, name it among the randomised columns."
    )
    told = paucal.learn(data, "pc-stable", **first.as_knowledge)
    assert not told.graph.parents("rx")
    words = {"ill": ill, "old": old, "given": np.where(rx == 1, "drug", "Placebo")}
    by_levels = paucal.learn(words, "pc-stable").ask(data=words)
    assert by_levels[0].assigned


@pytest.mark.parametrize("name", ["birth_weight", "gestational_age", "age_at_death", "sex_partners", "hospital_stay"])
def test_outcomes_with_a_word_of_background_in_them_are_none(name):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 400))
    c = np.where(rng.random(400) < 0.8, a | b, rng.integers(0, 2, 400))
    result = paucal.learn({"a": a, "b": b, name: c}, "pc-stable")
    assert result.graph.parents(name)
    assert not [fact for fact in result.ask() if fact.about_background]


def test_levels_tell_of_background_if_the_data_are_given():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 400))
    who = np.where(rng.random(400) < 0.8, a | b, rng.integers(0, 2, 400))
    data = {"a": a, "b": b, "who": [["Female", "Male"][i] for i in who]}
    result = paucal.learn(data, "pc-stable")
    assert result.ask() == []
    assert {fact.first for fact in result.ask(data=data)} == {"who"}


@pytest.mark.parametrize("name", ["black", "hispanic", "nonwhite"])
def test_origin_is_background(name):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 400))
    c = np.where(rng.random(400) < 0.8, a | b, rng.integers(0, 2, 400))
    asked = paucal.learn({"a": a, "b": b, name: c}, "pc-stable").ask()
    assert [fact.first for fact in asked if fact.about_background] == [name, name]
