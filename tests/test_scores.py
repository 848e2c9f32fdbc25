"""Scores by other programs and by their formulas; hill climbing by its definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Knowledge
from paucal.errors import GraphError, KnowledgeError, ParameterError, UnknownNameError
from paucal.graphs import dag_to_cpdag
from paucal.search.by_scores.scores import Scorer
from random_graphs import all_dags, random_dag
from search_data import datasets, dependent_columns

# pgmpy 1.1.2, on the sample below written as numbers 0 and 1:
#   from pgmpy.structure_score import AIC, BIC, BDeu, K2
#   for node, parents in (("lung", ()), ("lung", ("smoke",)), ("dysp", ("bronc", "either")),
#                         ("xray", ("either", "smoke", "asia"))):
#       BDeu(frame, equivalent_sample_size=10).local_score(node, parents)     # and BIC, K2, AIC
PGMPY = {
    "bdeu": (-256.82680350316724, -243.90813284051114, -400.87760217465166, -189.20220926373594),
    "bic": (-251.8884493826818, -239.801761832255, -404.33697743965223, -202.96821352571476),
    "k2": (-252.34861380738585, -240.26718837529006, -400.76098897796874, -191.4690252068849),
    "aic": (-249.43457174319076, -234.89400655327287, -394.52146688168796, -183.3371924097862),
}
# pyAgrum 3.3.1 counts in bits and smooths nothing here:
#   learner = pyagrum.BNLearner(frame); learner.useScoreBIC(); learner.score("lung"), ...
PYAGRUM_BIC = (-363.3982167816056, -345.96081259183, -583.3349522002189, -292.8212351116406)
FAMILIES = (
    ("lung", ()),
    ("lung", ("smoke",)),
    ("dysp", ("bronc", "either")),
    ("xray", ("either", "smoke", "asia")),
)


@pytest.fixture(scope="module")
def asia():
    return paucal.load_network("asia").sample(1000, seed=1)


def local_scores(data, method, **parameters):
    scorer = Scorer(data, method, **parameters)
    number = data.names.index
    return [scorer.local(number(node), map(number, parents)) for node, parents in FAMILIES]


@pytest.mark.parametrize("method", list(PGMPY))
def test_equal_to_pgmpy(asia, method):
    assert local_scores(asia, method, ess=10) == pytest.approx(PGMPY[method], rel=1e-12)


def test_equal_to_pyagrum(asia):
    assert np.array(local_scores(asia, "bic")) / math.log(2) == pytest.approx(PYAGRUM_BIC, rel=1e-12)


def by_formula(data, node, parents, method, ess):
    """Sum over the configurations of the parents, with nothing but lgamma and log."""
    levels = [len(data.levels[v]) for v in (node, *parents)]
    counts = dict.fromkeys(itertools.product(*map(range, levels)), 0)
    for row in zip(*(data.columns[v].tolist() for v in (node, *parents)), strict=True):
        counts[row] += 1
    r, q = levels[0], math.prod(levels[1:])
    total = 0.0
    for configuration in itertools.product(*map(range, levels[1:])):
        cells = [counts[(level, *configuration)] for level in range(r)]
        n = sum(cells)
        if method in ("bdeu", "k2"):
            a = ess / (r * q) if method == "bdeu" else 1.0
            total += math.lgamma(r * a) - math.lgamma(r * a + n)
            total += sum(math.lgamma(a + c) - math.lgamma(a) for c in cells)
        else:
            total += sum(c * math.log(c / n) for c in cells if c)
    penalty = {"aic": 1.0, "bic": math.log(data.n_rows) / 2}.get(method, 0.0)
    return total - penalty * (r - 1) * q


@pytest.mark.parametrize("method", ["bdeu", "k2", "bic", "aic", "loglik"])
@settings(max_examples=15, deadline=None)
@given(data=datasets(4, 60), ess=st.sampled_from([0.5, 1, 10, 30]))
def test_equal_to_the_formula(method, data, ess):
    scorer = Scorer(data, method, ess=ess)
    n = len(data.names)
    for node in range(n):
        others = [v for v in range(n) if v != node]
        for k in range(min(3, len(others)) + 1):
            for parents in itertools.combinations(others, k):
                expected = by_formula(data, node, parents, method, ess)
                assert scorer.local(node, parents) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_score_of_a_graph_is_the_sum_of_its_families(asia):
    net = paucal.load_network("asia")
    total = paucal.score(net.graph, asia, "bic")
    scorer = Scorer(asia, "bic")
    number = asia.names.index
    parts = [scorer.local(number(v), map(number, net.graph.parents(v))) for v in net.graph.nodes]
    assert total == pytest.approx(sum(parts))
    assert paucal.score(net.cpdag(), asia, "bic") == pytest.approx(total)
    part = net.graph.subgraph(["smoke", "lung"])
    assert paucal.score(part, asia, "bic") == pytest.approx(
        scorer.local(number("smoke"), ()) + scorer.local(number("lung"), [number("smoke")])
    )


def test_refusals(asia):
    with pytest.raises(UnknownNameError, match="Did you mean 'bdeu'"):
        paucal.score(paucal.Graph.empty(asia.names), asia, "bdue")
    with pytest.raises(UnknownNameError, match="no column 'nobody'"):
        paucal.score(paucal.Graph.empty(["nobody"]), asia)
    with pytest.raises(ParameterError, match="ess=0"):
        paucal.score(paucal.Graph.empty(asia.names), asia, ess=0)
    with pytest.raises(GraphError, match="cycle"):
        paucal.score(paucal.Graph.parse("asia -> tub -> smoke -> asia"), asia)


# ------------------------------------------------------------------------------------------------------ hill climbing


def dag_of(result):
    return paucal.Graph.dag(result.graph.nodes, [tuple(arc) for arc in result.details["dag"]])


def neighbours_of(dag):
    """Every DAG that one addition, deletion or reversal away."""
    arcs = set(dag.arcs())
    for a, b in itertools.permutations(dag.nodes, 2):
        if (a, b) in arcs:
            yield arcs - {(a, b)}
            yield arcs - {(a, b)} | {(b, a)}
        elif (b, a) not in arcs:
            yield arcs | {(a, b)}


@pytest.mark.parametrize("method", ["bdeu", "bic", "k2"])
@settings(max_examples=15, deadline=None)
@given(data=datasets(5, 150))
def test_a_summit_has_no_better_neighbour(method, data):
    result = paucal.hill_climb(data, score=method)
    dag = dag_of(result)
    here = paucal.score(dag, data, method)
    assert result.details["score"] == pytest.approx(here)
    assert result.graph == dag_to_cpdag(dag)
    for arcs in neighbours_of(dag):
        other = paucal.Graph.pdag(dag.nodes, directed=arcs)
        if other.cycle() is None:
            assert paucal.score(other.as_kind("dag"), data, method) <= here + 1e-7


def test_tabu_climbs_at_least_as_high_and_to_the_top_of_three_nodes():
    for seed in range(15):
        data = dependent_columns(seed, 3, 80)
        plain, tabu = paucal.hill_climb(data), paucal.hill_climb(data, tabu=20)
        assert tabu.details["score"] >= plain.details["score"] - 1e-9
        top = max(paucal.score(dag.rename({f"x{i}": f"v{i}" for i in range(3)}), data) for dag in all_dags(3))
        assert tabu.details["score"] == pytest.approx(top)


def test_limits_of_a_climb():
    data = paucal.load_network("insurance").sample(500, seed=1)
    few = paucal.hill_climb(data, max_parents=1)
    assert max(len(dag_of(few).parents(v)) for v in data.names) == 1
    pairs = [("Age", "GoodStudent"), ("SocioEcon", "RiskAversion"), ("SocioEcon", "AntiTheft")]
    some = paucal.hill_climb(data, allowed=pairs)
    assert {frozenset(arc) for arc in dag_of(some).arcs()} <= {frozenset(pair) for pair in pairs}
    assert dag_of(some).n_edges > 0
    known = Knowledge(tiers=[["SocioEcon"], ["Age"]], required=[("Age", "Antilock")])
    bound = paucal.hill_climb(data, knowledge=known)
    assert ("Age", "Antilock") in dag_of(bound).arcs()
    assert ("Age", "SocioEcon") not in dag_of(bound).arcs()
    assert bound.graph.problems() == []


def test_start_of_a_climb():
    data = paucal.load_network("asia").sample(500, seed=1)
    rng = np.random.default_rng(0)
    start = random_dag(rng, 8, 0.4).rename(dict(zip([f"x{i}" for i in range(8)], data.names, strict=True)))
    result = paucal.hill_climb(data, start=start)
    assert result.details["score"] >= paucal.score(start, data)
    with pytest.raises(GraphError, match="must be the same"):
        paucal.hill_climb(data, start=paucal.Graph.parse("a -> b"))
    arc = start.arcs()[0]
    with pytest.raises(KnowledgeError, match="start has"):
        paucal.hill_climb(data, start=start, knowledge=Knowledge(forbidden=[arc]))


@pytest.mark.parametrize(
    "options",
    [{"tabu": -1}, {"patience": 0}, {"max_parents": 0}, {"tabu": 1.5}, {"max_parents": True}],
    ids=str,
)
def test_refuses_numbers_that_make_no_sense(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        paucal.hill_climb({"a": [0, 1], "b": [1, 0]}, **options)


def test_unknown_pairs_are_refused():
    with pytest.raises(UnknownNameError):
        paucal.hill_climb({"a": [0, 1], "b": [1, 0]}, allowed=[("a", "x")])


def test_mmhc_joins_only_what_mmpc_found():
    data = paucal.load_network("child").sample(1000, seed=2)
    chosen = paucal.learn(paucal.make_test(data, "g"), "mmhc").graph
    result = paucal.learn(data, "mmhc", test="g", score="bic")
    assert all(chosen.has_edge(e.a, e.b) for e in result.graph.edges())
    assert result.details["score"] == pytest.approx(paucal.score(dag_of(result), data, "bic"))
    assert result.graph.kind == "cpdag"
    assert {reason.rule for reason in result.reasons.values()} == {"score"}
    assert paucal.learn(data, "mmhc", tabu=100).details["score"] >= paucal.learn(data, "mmhc").details["score"]


def test_a_start_keeps_to_the_other_options():
    data = dependent_columns(1, 3, 60)
    start = paucal.Graph.dag(data.names, [("v0", "v2"), ("v1", "v2")])
    with pytest.raises(paucal.errors.GraphError, match="allowed pairs"):
        paucal.hill_climb(data, start=start, allowed=[("v0", "v1")])
    with pytest.raises(paucal.errors.GraphError, match="max_parents is 1"):
        paucal.hill_climb(data, start=start, max_parents=1)
