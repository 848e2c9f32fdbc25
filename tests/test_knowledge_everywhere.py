"""Every search honours every kind of knowledge: exactly with a perfect test, and on data whatever they say."""

from __future__ import annotations

import numpy as np
import pytest

import paucal
from paucal import Knowledge
from paucal.graphs import dag_to_cpdag, dag_to_mag, dag_to_pag, markov_blanket, orient_by_knowledge
from paucal.graphs.marks import ARROW, CIRCLE, TAIL
from random_graphs import random_dag
from search_data import dependent_columns
from test_fci import hidden_dag

KINDS = ["outcome", "exogenous", "randomised", "time", "same", "tiers", "required", "forbidden", "all"]
BY_TESTS = ["pc", "pc-stable", "rai", "sc-pc"]
LOCAL = ["cmb", "hiton", "mmmb", "iamb", "inter-iamb", "fast-iamb", "stmb"]
BY_SCORES = ["hill-climbing", "order", "posterior"]
QUICK = {"posterior": {"rounds": 20, "burn_in": 10, "starts": 2, "tolerance": 1.0}, "order": {"starts": 2}}


def true_words(rng, dag, kind, hidden=()):
    """Say a part of the truth about the columns of a DAG that are not hidden, in words of one kind."""
    seen = [v for v in dag.topological_order() if v not in hidden]
    below = {v: dag.descendants(v) for v in seen}
    above = {v: {u for u in dag.nodes if v in dag.descendants(u)} for v in seen}
    mag = dag_to_mag(dag, hidden)
    apart = [(a, b) for a in seen for b in seen if a < b and not mag.has_edge(a, b)]
    arcs = [(a, b) for a in seen for b in seen if mag.has_edge(a, b) and b in below[a]]
    cut = int(rng.integers(1, len(seen)))
    # both ways forbidden one by one says more than that neither causes the other: no hidden cause joins them
    not_causes = [
        (a, b) for a in seen for b in seen if a != b and b not in below[a] and (a < b or not mag.has_edge(a, b))
    ]

    def some(things, most=2):
        chosen = rng.permutation(len(things))[:most]
        return [things[i] for i in sorted(chosen)]

    words = {
        "outcome": some([v for v in seen if not set(below[v]) & set(seen) and above[v]]),
        "exogenous": some([v for v in seen if not above[v] & set(seen) and below[v]]),
        "randomised": some([v for v in seen if not above[v] and below[v]]),
        "time": [seen[:cut], seen[cut:]],
        # no part of each other's blanket: measures of one thing do not stand side by side as causes of another
        "same": some([(a, b) for a, b in apart if not set(dag.children(a)) & set(dag.children(b))], 1),
        "tiers": [seen[:cut], seen[cut:]],
        "required": some(arcs, 1),
        "forbidden": some(not_causes, 3),
    }
    wanted = words if kind == "all" else [kind]
    return Knowledge(**{word: words[word] for word in wanted})


def expected(dag, known):
    """The class of those DAGs that agree with knowledge."""
    pdag = orient_by_knowledge(dag_to_cpdag(dag).to_pdag_matrix(), dag.nodes, known)
    return paucal.Graph.from_pdag_matrix(dag.nodes, pdag, "pdag")


def small_dags(kind, count, most=8):
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(count):
        dag = random_dag(rng, int(rng.integers(3, most)), float(rng.uniform(0.2, 0.6)))
        yield rng, dag, true_words(rng, dag, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", BY_TESTS)
def test_exact_with_a_perfect_test(search, kind):
    for _, dag, known in small_dags(kind, 12):
        graph = paucal.learn(paucal.Oracle(dag), search, knowledge=known).graph
        assert np.array_equal(graph.to_pdag_matrix(), expected(dag, known).to_pdag_matrix()), (dag.edges(), known)


@pytest.mark.parametrize("kind", KINDS)
def test_mmhc_chooses_the_true_pairs_with_a_perfect_test(kind):
    for _, dag, known in small_dags(kind, 12):
        graph = paucal.learn(paucal.Oracle(dag), "mmhc", knowledge=known).graph
        assert graph.skeleton() == dag.skeleton()
        obeys(graph, known)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", LOCAL)
def test_exact_blankets_with_a_perfect_test(search, kind):
    for rng, dag, known in small_dags(kind, 6):
        target = dag.nodes[int(rng.integers(dag.n))]
        found = paucal.blanket(paucal.Oracle(dag), target, search=search, knowledge=known, max_order=None)
        truth, true = markov_blanket(dag, target), expected(dag, known)
        told = (dag.edges(), known, target)
        assert set(found.pc) == {*truth.parents, *truth.children}, told
        assert set(found.spouses) == set(truth.spouses), told
        if search == "cmb":
            assert set(found.parents) == set(true.parents(target)), told
            assert set(found.children) == set(true.children(target)), told
        else:
            assert set(found.parents) == {v for v in found.pc if known.forbids(target, v)}, told
            assert set(found.children) == {v for v in found.pc if known.forbids(v, target)}, told


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", ["fci", "cfci"])
def test_marks_of_pags_with_a_perfect_test(search, kind):
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(8):
        dag, hidden = hidden_dag(rng, 6, 2.5)
        if len(dag.nodes) - len(hidden) < 2:
            continue
        known = true_words(rng, dag, kind, hidden)
        graph = paucal.learn(paucal.Oracle(dag, latent=hidden), search, knowledge=known).graph
        truth, mag = dag_to_pag(dag, hidden), dag_to_mag(dag, hidden)
        decided = graph.marks != CIRCLE
        told = (dag.edges(), hidden, known)
        assert graph.skeleton() == truth.skeleton(), told
        assert np.array_equal(graph.marks[decided], mag.marks[decided]), told
        assert (decided | (truth.marks == CIRCLE)).all(), told
        obeys_where_causes_may_be_hidden(graph, known)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", [*BY_TESTS, "mmhc", *BY_SCORES])
def test_obeyed_on_data_true_or_not(search, kind):
    for seed in range(3):
        data, known = data_and_guess(seed, kind)
        obeys(paucal.learn(data, search, knowledge=known, **QUICK.get(search, {})).graph, known)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", ["fci", "cfci"])
def test_obeyed_on_data_where_causes_may_be_hidden(search, kind):
    for seed in range(4):
        data, known = data_and_guess(seed, kind)
        graph = paucal.learn(data, search, knowledge=known).graph
        obeys_where_causes_may_be_hidden(graph, known)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", LOCAL)
def test_blankets_obey_on_data_true_or_not(search, kind):
    for seed in range(4):
        data, known = data_and_guess(seed, kind)
        target = data.names[seed % data.n_columns]
        found = paucal.blanket(data, target, search=search, knowledge=known)
        obeys(found.result.graph, known, all_required=False)
        for a, b in known.required:
            assert (a != target) or b in found.children
            assert (b != target) or a in found.parents
        for spouse in found.spouses:
            assert not known.same_matrix(data.names)[data.index(spouse), data.index(target)]
            assert any(not known.forbids(target, v) and not known.forbids(spouse, v) for v in found.pc)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", ["pc-stable", "hill-climbing", "fci"])
def test_bootstrapped_graphs_obey(search, kind):
    data, known = data_and_guess(1, kind)
    result = paucal.bootstrap(data, search, replicates=3, knowledge=known)
    (obeys_where_causes_may_be_hidden if search == "fci" else obeys)(result.graph, known)
    arrows = result.evidence.shares["->"]
    if search != "fci":
        assert not arrows[known.forbidden_matrix(data.names)].any()


def test_sampled_graphs_obey():
    data, known = data_and_guess(2, "all")
    result = paucal.learn(data, "posterior", knowledge=known, **QUICK["posterior"])
    shares, forbidden = result.evidence.shares, known.forbidden_matrix(data.names)
    assert not shares["->"][forbidden].any()
    assert not shares["--"][forbidden].any()
    assert (shares["->"][known.required_matrix(data.names)] == 1).all()


def test_a_randomised_column_has_no_hidden_cause():
    """A and B, of which neither causes the other, are joined by a hidden cause: not if one was randomised."""
    oracle = paucal.Oracle(paucal.Graph.parse("A <- h -> B"), latent=["h"])
    assert str(paucal.learn(oracle, "fci", exogenous=["A", "B"]).graph.edge("A", "B")) == "A <-> B"
    assert str(paucal.learn(oracle, "fci", exogenous=["A"]).graph.edge("A", "B")) == "A o-> B"
    assert str(paucal.learn(oracle, "fci", randomised=["A"]).graph.edge("A", "B")) == "A -> B"
    assert paucal.learn(oracle, "fci", randomised=["A"], exogenous=["B"]).graph.n_edges == 0


def test_measures_of_one_thing_are_not_joined_and_do_not_hide_others():
    rng = np.random.default_rng(1)
    cause = rng.integers(0, 2, 500)
    weight = np.where(rng.random(500) < 0.85, cause, 1 - cause)
    bmi = np.where(rng.random(500) < 0.98, weight, 1 - weight)
    data = {"cause": cause, "weight": weight, "bmi": bmi}
    for search in ("pc-stable", "posterior", "hill-climbing", "fci"):
        graph = paucal.learn(data, search, same=[("weight", "bmi")]).graph
        assert not graph.has_edge("weight", "bmi")
        assert graph.has_edge("cause", "weight")
    for search in LOCAL:
        assert paucal.blanket(data, "weight", search=search, same=[("weight", "bmi")]).mb == ("cause",)


def data_and_guess(seed, kind):
    """Data, and knowledge that is true of some other graph."""
    data = dependent_columns(seed, 6, 120)
    rng = np.random.default_rng(seed)
    while True:
        dag = random_dag(rng, 6, 0.5)
        known = true_words(rng, dag.rename(dict(zip(dag.nodes, data.names, strict=True))), kind)
        if known:
            return data, known


def obeys(graph, known, *, all_required=True):
    for e in graph.edges():
        if ARROW in (e.mark_a, e.mark_b):
            assert not known.forbids(*((e.a, e.b) if e.mark_b == ARROW else (e.b, e.a)))
        else:
            assert not known.forbids(e.a, e.b)
            assert not known.forbids(e.b, e.a)
    if all_required:
        assert set(known.required) <= set(graph.arcs())
    assert not graph.problems()


def obeys_where_causes_may_be_hidden(graph, known):
    for e in graph.edges():
        assert not known.keeps_apart(e.a, e.b)
        for a, b, at_a in ((e.a, e.b, e.mark_a), (e.b, e.a, e.mark_b)):
            if known.forbids(a, b):
                assert at_a == ARROW
            if a in known.randomised or known.requires(a, b):
                assert at_a == TAIL
    assert all(graph.has_edge(a, b) for a, b in known.required)
