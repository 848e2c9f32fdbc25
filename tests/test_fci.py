"""FCI and conservative FCI: the exact PAG with a perfect test, every rule, knowledge."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.errors import ParameterError
from paucal.graphs import Graph, dag_to_pag, mag_to_pag
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL
from paucal.search.by_tests.fci import cfci, fci
from paucal.search.by_tests.possible_d_sep import possible_d_sep
from paucal.search.by_tests.separators import Separators
from paucal.search.by_tests.skeleton import Skeleton
from random_graphs import all_mags, network_dag, random_dag
from search_data import datasets

SEARCHES = [fci, cfci]


def hidden_dag(rng, most_observed, most_degree):
    """A random DAG with 1 to 4 hidden nodes: any nodes, or common causes of a few others."""
    observed, hidden = int(rng.integers(4, most_observed + 1)), int(rng.integers(1, 5))
    if rng.random() < 0.5:
        n = observed + hidden
        dag = random_dag(rng, n, min(0.9, rng.uniform(0.8, most_degree) / (n - 1)))
        return dag, rng.choice(dag.nodes, hidden, replace=False).tolist()
    base = random_dag(rng, observed, rng.uniform(0.8, most_degree - 1) / (observed - 1))
    names = [f"h{i}" for i in range(hidden)]
    arcs = [(e.a, e.b) if e.mark_b == ARROW else (e.b, e.a) for e in base.edges()]
    arcs += [(h, c) for h in names for c in rng.choice(base.nodes, int(rng.integers(2, 4)), replace=False)]
    return Graph.dag((*base.nodes, *names), arcs), names


# Only A, B and C together separate D and E, and neither D nor E is joined to all three.
NEEDS_SECOND_LOOK = Graph.parse("A -> B; A -> C; B -> D; C -> E; h -> B; h -> E; k -> C; k -> D")


def with_second_look(rng):
    """The graph above with further nodes, which are joined to it at random."""
    arcs = [("A", "B"), ("A", "C"), ("B", "D"), ("C", "E"), ("h", "B"), ("h", "E"), ("k", "C"), ("k", "D")]
    nodes = list("ABCDEhk")
    for i in range(int(rng.integers(0, 4))):
        others = rng.choice([v for v in nodes if v not in "hk"], int(rng.integers(1, 3)), replace=False)
        arcs += [(f"x{i}", v) for v in others] if rng.random() < 0.3 else [(v, f"x{i}") for v in others]
        nodes.append(f"x{i}")
    return Graph.dag(nodes, arcs), ["h", "k"]


@pytest.mark.parametrize("search", SEARCHES)
def test_exact_pag_of_dags_with_hidden_nodes(search):
    rng = np.random.default_rng(1)
    for _ in range(60):
        dag, hidden = hidden_dag(rng, 11, 2.8)
        assert search(paucal.Oracle(dag, latent=hidden)).graph == dag_to_pag(dag, hidden)


@pytest.mark.slow
def test_exact_pag_of_two_thousand_dags_with_up_to_twenty_observed_nodes():
    rng = np.random.default_rng(2)
    for i in range(2000):
        dag, hidden = with_second_look(rng) if i % 10 == 0 else hidden_dag(rng, 20, 2.8)
        truth = dag_to_pag(dag, hidden)
        for search in SEARCHES:
            assert search(paucal.Oracle(dag, latent=hidden)).graph == truth, (dag.to_json(), hidden)


@pytest.mark.parametrize("rule", ["standard", "conservative", "majority", "max-p"])
def test_exact_with_the_second_look_under_every_collider_rule(rule):
    rng = np.random.default_rng(3)
    for _ in range(12):
        dag, hidden = with_second_look(rng)
        result = fci(paucal.Oracle(dag, latent=hidden), colliders=rule)
        assert result.graph == dag_to_pag(dag, hidden)
        assert result.details["ambiguous_triples"] == []


def test_the_second_look_is_needed_and_can_be_left_out():
    oracle = paucal.Oracle(NEEDS_SECOND_LOOK, latent=["h", "k"])
    result = fci(oracle)
    assert result.details["removed_by_second_look"] == 1
    assert set(result.sepsets["D", "E"]) == {"A", "B", "C"}
    without = fci(oracle, possible_d_sep=False)
    assert without.graph.has_edge("D", "E")
    assert "removed_by_second_look" not in without.details
    assert fci(oracle, max_path_length=1).graph.has_edge("D", "E")  # the nodes that separate are two steps away
    assert not fci(oracle, max_path_length=2).graph.has_edge("D", "E")


def test_equals_brute_force_on_every_class_of_mags_with_four_nodes():
    """The PAG by definition: the marks on which all MAGs with the same independences agree."""
    classes = defaultdict(list)
    for mag in all_mags(4, ("->", "<-", "<->")):
        ask = paucal.Separation(mag)
        rest = {pair: [v for v in mag.nodes if v not in pair] for pair in combinations(mag.nodes, 2)}
        sets = [(x, y, z) for (x, y), r in rest.items() for k in range(3) for z in combinations(r, k)]
        classes[tuple(ask(*question) for question in sets)].append(mag)
    for mags in classes.values():
        marks = np.array([mag.marks for mag in mags])
        agreed = np.where((marks == marks[0]).all(axis=0), marks[0], np.where(marks[0] != NONE, CIRCLE, NONE))
        for search in SEARCHES:
            assert np.array_equal(search(paucal.Oracle(mags[0])).graph.marks, agreed)


@pytest.mark.parametrize(
    ("network", "counts"),
    [
        ("child", (24, 13, 13)),
        ("alarm", (26, 42, 24)),
        pytest.param("insurance", (38, 34, 32), marks=pytest.mark.slow),
        pytest.param("hailfinder", (53, 49, 30), marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("search", SEARCHES)
def test_marks_on_known_networks(search, network, counts):
    dag = network_dag(network)
    graph = search(paucal.Oracle(dag)).graph
    assert tuple(int((graph.marks == mark).sum()) for mark in (CIRCLE, ARROW, TAIL)) == counts
    assert graph == dag_to_pag(dag)


# rule -> a graph in which it decides a mark, and what FCI finds there. The rules are Zhang's (2008); R0 with R1 is the
# Y structure of Mani, Spirtes and Cooper (2006), R3 the figure of Meek's (1995) third rule, R4 the shortest
# discriminating path, with either outcome, R5 the four-cycle that selection leaves, R9 the diamond. For R8 and R10 it
# is the smallest graph that a random search met.
RULES = {
    "pag-0": ("A -> C <- B; C -> D", "A o-> C; B o-> C; C -> D"),
    "pag-1": ("A -> C <- B; C -> D", "A o-> C; B o-> C; C -> D"),
    "pag-2": ("A -> C <- B; C -> D; A -> D", "A o-> C; A -> D; B o-> C; C -> D"),
    "pag-3": ("A -> D <- C; B -> A; C -> B; B -> D", "A o-> D; A o-o B; B o-> D; C o-o B; C o-> D"),
    "pag-4": ("D o-> A; A <-> B; A -> C; B <-> C", "D o-> A; A <-> B; A -> C; B <-> C"),
    "pag-5": ("A -- B; B -- C; C -- D; D -- A", "A -- B; B -- C; C -- D; D -- A"),
    "pag-6": ("A -- B; B -- C; C -- D; D -- A; B -- E", "A -- B; B -- C; C -- D; D -- A; B --o E"),
    "pag-7": (
        "A -- B; B -- C; C -- D; D -- A; B -- E; E -- F",
        "A -- B; B -- C; C -- D; D -- A; B --o E; E --o F",
    ),
    "pag-8": (
        "A -> D; A -> F; B -> C; C -> D; E -> D; E -> F; F -> D; F -> G; G -> C; G -> D",
        "A o-> D; A o-> F; B o-> C; C -> D; E o-> D; E o-> F; F -> D; F -> G; G -> C; G -> D",
    ),
    "pag-9": ("S -> A; S -> B; A -> T; B -> T", "S o-o A; S o-o B; A -> T; B -> T"),
    "pag-10": (
        "A -> B; A -> C; B -> C; B -> E; C -> E; D -> A; D -> B; D -> E",
        "A o-o B; A o-o C; A o-o D; B o-o C; B o-o D; B -> E; C -> E; D -> E",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_decides_a_mark(rule):
    text, expected = RULES[rule]
    graph = Graph.parse(text.replace("o->", "->"))
    truth = graph if graph.kind == "dag" else Graph(graph.nodes, graph.marks, "mag")
    result = fci(paucal.Oracle(truth), selection=True)
    assert result.graph == Graph.parse(expected, nodes=truth.nodes, kind="pag")
    assert result.graph == mag_to_pag(truth)
    assert rule in {reason.rule for reason in result.reasons.values()}
    (a, b) = next(pair for pair, reason in result.reasons.items() if reason.rule == rule)
    assert f"mark at {b}: " in str(result.why(a, b))


def test_rule_four_can_decide_for_a_non_collider():
    result = fci(paucal.Oracle(Graph.parse("D -> A; B -> A; A -> C; B -> C")))
    assert "pag-4" in {reason.rule for reason in result.reasons.values()}
    assert str(result.graph.edge("B", "C")) == "B -> C"


def test_long_discriminating_paths_can_be_left_out():
    """(D, A1, A2, B, C) has four edges; without rule 4 the edge between B and C stays open."""
    truth = Graph.parse("D -> A1; A1 <-> A2; A2 <-> B; A1 -> C; A2 -> C; B -> C")
    oracle = paucal.Oracle(Graph(truth.nodes, truth.marks, "mag"))
    assert fci(oracle).graph == fci(oracle, max_path_length=4).graph == mag_to_pag(oracle.graph)
    assert str(fci(oracle).graph.edge("B", "C")) == "B -> C"
    assert str(fci(oracle, max_path_length=3).graph.edge("B", "C")) != "B -> C"


def test_selection_rules_are_exact_and_can_be_switched_off():
    rng = np.random.default_rng(5)
    done = 0
    while done < 60:
        names = [f"x{i}" for i in range(int(rng.integers(4, 7)))]
        edges = [(a, rng.choice(["->", "--", "--", "<->"]), b) for a, b in combinations(names, 2) if rng.random() < 0.5]
        graph = Graph.pag(names, edges)
        mag = Graph(names, graph.marks, "mag", check=False)
        if graph.cycle() is None and not mag.problems():
            assert fci(paucal.Oracle(mag), selection=True).graph == mag_to_pag(mag)
            done += 1
    square = Graph.mag("ABCD", [("A", "--", "B"), ("B", "--", "C"), ("C", "--", "D"), ("D", "--", "A")])
    assert {e.symbol for e in fci(paucal.Oracle(square)).graph.edges()} == {"o-o"}


def test_tail_rules_can_be_switched_off():
    oracle = paucal.Oracle(Graph.parse("S -> A; S -> B; A -> T; B -> T"))
    assert {e.symbol for e in fci(oracle, tail_rules=False).graph.edges()} == {"o-o", "o->"}


def test_possible_d_sep_by_its_definition():
    """All paths are tried on small random graphs with random arrowheads."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        n = 6
        adjacency = np.triu(rng.random((n, n)) < 0.5, 1)
        adjacency |= adjacency.T
        heads = adjacency & (rng.random((n, n)) < 0.5)

        def legal(path, adjacency=adjacency, heads=heads):
            steps = zip(path, path[1:], path[2:], strict=False)
            return all(adjacency[u, w] or (heads[u, v] and heads[w, v]) for u, v, w in steps)

        for limit in (None, 2):
            found = possible_d_sep(adjacency, heads, limit)
            for x in range(n):
                paths = [[x]]
                reached = set()
                while paths:
                    path = paths.pop()
                    reached.add(path[-1])
                    if limit is None or len(path) <= limit:
                        on = [[*path, v] for v in np.flatnonzero(adjacency[path[-1]]).tolist() if v not in path]
                        paths += [p for p in on if legal(p)]
                bits = {v for v in range(n) if found[x] >> v & 1}
                assert bits >= reached - {x}  # walks may pass a node twice and reach a little more
                assert bits <= set(range(n)) - {x}
                if limit == 2:
                    assert bits == reached - {x}


# -------------------------------------------------------------------------------------------- background knowledge


def test_tiers_give_arrowheads_and_required_arrows_are_there():
    oracle = paucal.Oracle(Graph.parse("A -> B -> C"))
    assert str(fci(oracle).graph.edge("A", "B")) == "A o-o B"
    known = paucal.Knowledge(tiers=[["A"], ["B"], ["C"]])
    result = fci(oracle, knowledge=known)
    assert result.graph == Graph.pag("ABC", [("A", "o->", "B"), ("B", "->", "C")])
    assert "background knowledge" in str(result.why("A", "B"))
    result = fci(oracle, knowledge=paucal.Knowledge(required=[("A", "B")]))
    assert str(result.graph.edge("A", "B")) == "A -> B"
    result = fci(paucal.Oracle(Graph.dag("ABC")), knowledge=paucal.Knowledge(required=[("A", "B")]))
    assert str(result.graph.edge("A", "B")) == "A -> B"


def test_forbidden_pairs_are_not_joined_and_hidden_causes_stay_possible():
    oracle = paucal.Oracle(Graph.parse("A -> B <- h -> C <- D"), latent=["h"])
    known = paucal.Knowledge(forbidden=[("B", "C")])
    assert str(fci(oracle, knowledge=known).graph.edge("B", "C")) == "B <-> C"
    both = paucal.Knowledge(forbidden=[("B", "C"), ("C", "B")])
    assert not fci(oracle, knowledge=both).graph.has_edge("B", "C")


@pytest.mark.parametrize("rule", ["standard", "conservative"])
def test_where_only_knowledge_separates_a_pair_the_triple_is_ambiguous(rule):
    """A and B are dependent whatever is given, and must not be joined."""
    oracle = paucal.Oracle(Graph.parse("A -> B; A -> C; B -> C"))
    known = paucal.Knowledge(forbidden=[("A", "B"), ("B", "A")])
    result = fci(oracle, knowledge=known, colliders=rule)
    assert result.details["ambiguous_triples"] == [["A", "C", "B"]]
    assert {e.symbol for e in result.graph.edges()} == {"o-o"}


@pytest.mark.parametrize("search", SEARCHES)
def test_true_knowledge_never_makes_the_graph_wrong(search):
    rng = np.random.default_rng(7)
    for _ in range(25):
        dag, hidden = hidden_dag(rng, 7, 2.5)
        observed = [v for v in dag.nodes if v not in hidden]
        order = [v for v in dag.topological_order() if v not in hidden]
        cut = int(rng.integers(1, len(order)))
        known = paucal.Knowledge(tiers=[order[:cut], order[cut:]])
        graph = search(paucal.Oracle(dag, latent=hidden), knowledge=known).graph
        truth = dag_to_pag(dag, hidden)
        mag = paucal.graphs.dag_to_mag(dag, hidden)
        assert graph.skeleton() == truth.skeleton()
        decided = graph.marks != CIRCLE
        assert np.array_equal(graph.marks[decided], mag.marks[decided])
        assert (decided | (truth.marks == CIRCLE)).all()  # knowledge only adds marks
        assert graph.nodes == tuple(observed)


# ---------------------------------------------------------------------------------------------------- on data


@given(datasets(), st.sampled_from(["standard", "conservative", "majority", "max-p"]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_on_data_the_marks_fit_and_everything_can_be_told(data, rule, strict):
    result = paucal.learn(data, "fci", colliders=rule, strict_conservative=strict, max_order=3)
    graph = result.graph
    assert graph.kind == "pag"
    assert ((graph.marks == NONE) == (graph.marks.T == NONE)).all()
    joined = {frozenset((e.a, e.b)) for e in graph.edges()}
    for x, y in combinations(graph.nodes, 2):
        assert (frozenset((x, y)) in joined) != ((x, y) in result.sepsets)
        assert str(result.why(x, y))
    if rule == "standard":
        assert result.details["ambiguous_triples"] == []
    assert paucal.SearchResult.from_json(result.to_json()) == result
    assert paucal.learn(data, "fci", colliders=rule, strict_conservative=strict, max_order=3).graph == graph


@given(datasets(), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_order_of_columns_does_not_matter_to_the_skeleton(data, seed):
    order = np.random.default_rng(seed).permutation(len(data.names))
    shuffled = data.select([data.names[i] for i in order])
    first, second = (paucal.learn(d, "cfci", possible_d_sep=False).graph for d in (data, shuffled))
    assert first.skeleton() == second.skeleton()


def test_ambiguous_triples_are_no_colliders_and_strictness_keeps_them_out_of_rule_one():
    # A, C and B, C are joined; A and B are separated by nothing and by C, which cannot be: the triple is ambiguous
    def answers(x, y, given):
        if {x, y} == {"A", "B"}:
            return True
        return {x, y} in ({"A", "D"}, {"B", "D"}) and "C" in given

    columns = {name: [0, 1] for name in "ABCD"}
    test = paucal.make_test(columns, answers)
    result = cfci(test)
    assert result.details["ambiguous_triples"] == [["A", "C", "B"]]
    assert result.graph.marks[0, 2] == CIRCLE
    assert fci(test).graph.marks[0, 2] == ARROW  # the first set that was met is the empty one
    known = paucal.Knowledge(forbidden=[("C", "A")])  # an arrowhead at C, which rule 1 may use
    loose = cfci(test, knowledge=known).graph
    strict = cfci(test, knowledge=known, strict_conservative=True).graph
    assert str(loose.edge("C", "B")) == "C -> B"
    assert str(strict.edge("C", "B")) == "C o-o B"
    assert str(strict.edge("C", "D")) == "C -> D"


# What causal-learn 0.1.4.8 finds in the same sample, columns renamed:
#   from causallearn.search.ConstraintBased.FCI import fci
#   graph, _ = fci(values, "gsq", 0.05)
CAUSAL_LEARN_ASIA = "tub o-> either; smoke o-o lung; smoke o-o bronc; lung o-> either; bronc o-o dysp; asia; xray"
CAUSAL_LEARN_CHILD = """
    HypoxiaInO2 o-o LowerBodyO2; HypoxiaInO2 o-o RUQO2; HypoxiaInO2 o-o CardiacMixing; CO2 o-o CO2Report
    CO2 o-o LungParench; ChestXray -> XrayReport; Grunting -> GruntingReport; Grunting <-> Sick; LVHreport o-o LVH
    Disease -> Age; Disease -> DuctFlow; Disease -> LungFlow; Disease <-> Sick; Age <-> Sick; LVH o-> Disease
    DuctFlow -> HypDistrib; CardiacMixing o-> Disease; LungParench -> ChestXray; LungParench o-> Grunting
    LungParench o-> Disease; LungFlow -> ChestXray; BirthAsphyxia
"""


def test_agrees_with_causal_learn():
    asia = paucal.load_network("asia").sample(2000, seed=7)
    expected = Graph.parse(CAUSAL_LEARN_ASIA, nodes=asia.names, kind="pag")
    assert paucal.learn(asia, "fci", test="g").graph == expected


def skeleton_with_united_sets(run, _limits, _max_order):
    """PC-stable's skeleton, with the union of all separating sets of the first order that has any."""
    n = len(run.test.names)
    adjacency = ~np.eye(n, dtype=bool)
    separators = Separators(n)
    order = 0
    while adjacency.sum(axis=1).max() > order:
        united = {}
        for x, y in np.argwhere(adjacency).tolist():
            for chosen in combinations([v for v in np.flatnonzero(adjacency[x]).tolist() if v != y], order):
                if run.test.ask(x, y, chosen).independent:
                    united.setdefault((min(x, y), max(x, y)), set()).update(chosen)
        for (x, y), members in united.items():
            adjacency[x, y] = adjacency[y, x] = False
            separators.add(x, y, tuple(sorted(members)), 1.0)
        order += 1
    return Skeleton(adjacency, separators, order)


def test_differs_from_causal_learn_only_in_the_choice_of_separating_sets(monkeypatch):
    """causal-learn unites all separating sets of an order; nobody tested the union. With it FCI finds the same PAG."""
    child = paucal.load_network("child").sample(1000, seed=7)
    theirs = Graph.parse(CAUSAL_LEARN_CHILD, nodes=child.names, kind="pag")
    ours = paucal.learn(child, "fci", test="g").graph
    assert ours.skeleton() == theirs.skeleton()
    assert ours != theirs
    monkeypatch.setattr("paucal.search.by_tests.fci.stable_skeleton", skeleton_with_united_sets)
    assert paucal.learn(child, "fci", test="g").graph == theirs


# ---------------------------------------------------------------------------------------------------- parameters


def test_bad_parameters_are_named():
    oracle = paucal.Oracle(Graph.parse("A -> B"))
    for options, message in (
        ({"colliders": "best"}, "colliders='best'"),
        ({"max_path_length": 0}, "max_path_length=0"),
        ({"max_order": -1}, "max_order=-1"),
    ):
        with pytest.raises(ParameterError, match=message):
            fci(oracle, **options)
    with pytest.raises(ParameterError, match="no option 'colliders'"):
        paucal.learn(oracle, "cfci", colliders="majority")
    with pytest.raises(ValueError, match="There is no node 'Z'"):
        paucal.Oracle(Graph.parse("A -> B"), latent=["Z"])


def test_learn_and_the_estimators_reach_both_searches():
    oracle = paucal.Oracle(Graph.parse("A -> C <- B; C -> D"))
    expected = dag_to_pag(oracle.graph)
    for name, estimator in (("fci", paucal.FCI), ("cfci", paucal.CFCI)):
        result = paucal.learn(oracle, name)
        assert result.graph == expected
        assert result.search == name
        assert estimator(max_path_length=3).fit(oracle).graph_ == expected


def test_progress_tells_the_stages():
    stages = []
    fci(
        paucal.Oracle(NEEDS_SECOND_LOOK, latent=["h", "k"]),
        colliders="conservative",
        progress=lambda stage, *_: stages.append(stage),
    )
    assert {"order 0", "possible d-separation, order 2", "colliders, order 1"} <= set(stages)


@pytest.mark.parametrize("columns", [{"a": [0, 1, 0, 1]}, {"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}])
def test_one_and_two_columns(columns):
    assert paucal.learn(columns, "cfci").graph.n_edges == 0


def test_constant_columns_stay_alone():
    with pytest.warns(paucal.errors.ConstantColumnWarning):
        data = paucal.Dataset.of({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [1] * 40})
    graph = paucal.learn(data, "fci").graph
    assert [str(e) for e in graph.edges()] == ["a o-o b"]
