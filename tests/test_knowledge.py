"""Background knowledge: reading, contradictions, and what follows from it in a graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from paucal.errors import FileError, GraphError, KnowledgeError, UnknownNameError
from paucal.graphs import NO_KNOWLEDGE, Graph, Knowledge, dag_to_cpdag, orient_by_knowledge
from paucal.graphs.acyclic import find_cycle, topological_order
from paucal.graphs.equivalence import dag_to_cpdag_matrix
from random_graphs import random_dag, random_dags

TOML = """
required = ["smoke -> cancer", ["age", "smoke"]]
forbidden = ['sex -> "lung cancer"', "cancer --> cough"]

[[tiers]]
nodes = ["age", "sex"]
forbid_within = true

[[tiers]]
nodes = ["smoke"]
"""


def test_toml_and_python_give_the_same():
    assert Knowledge.from_text(TOML) == Knowledge(
        tiers=[["age", "sex"], ["smoke"]],
        forbid_within=[0],
        required=[("smoke", "cancer"), ("age", "smoke")],
        forbidden=[("sex", "lung cancer"), ("cancer", "cough")],
    )
    short = 'tiers = [["age", "sex"], ["smoke"]]\nforbid_within = [0]'
    assert Knowledge.from_text(short) == Knowledge(tiers=[["age", "sex"], ["smoke"]], forbid_within=[0])


def test_files_are_read(tmp_path):
    file = tmp_path / "known.toml"
    file.write_text('tiers = [["naïve"], ["b"]]', encoding="utf-8")
    assert Knowledge.read(file).forbids("b", "naïve")
    with pytest.raises(FileError, match=r"missing\.toml"):
        Knowledge.read(tmp_path / "missing.toml")
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="cannot be read"):
        Knowledge.read(file)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("tiers = [", KnowledgeError, "not TOML"),
        ('teirs = [["a"]]', UnknownNameError, "Did you mean 'tiers'"),
        ('[[tiers]]\nnode = ["a"]', UnknownNameError, "Did you mean 'nodes'"),
        ('tiers = "a"', KnowledgeError, "tiers is 'a'"),
        ('tiers = ["a"]', KnowledgeError, "tier is 'a'"),
        ("tiers = [[1]]", KnowledgeError, "tiers has 1, which is not a name"),
        ('required = ["a"]', KnowledgeError, "'a' is not an arc"),
        ('required = ["a <- b"]', KnowledgeError, "not an arc"),
        ('required = ["a -- b"]', KnowledgeError, "not an arc"),
        ('required = [["a", "b", "c"]]', KnowledgeError, "not an arc"),
        ("forbidden = [3]", KnowledgeError, "3 is not an arc"),
        ('tiers = [["a"]]\nforbid_within = [1]', KnowledgeError, "forbid_within names tier 1, there are 1"),
    ],
)
def test_wrong_files_are_refused(text, error, message):
    with pytest.raises(error, match=message):
        Knowledge.from_text(text)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"required": [("a", "b")], "forbidden": [("a", "b")]},
            "a -> b is required, but a -> b is forbidden",
        ),
        (
            {"required": [("b", "a")], "tiers": [["a"], ["b"]]},
            "b -> a is required, but b is in a later tier than a",
        ),
        (
            {"required": [("a", "b")], "tiers": [["a", "b"]], "forbid_within": [0]},
            "are in a tier without edges",
        ),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "the cycle a -> b -> c -> a"),
        ({"required": [("a", "b"), ("b", "a")]}, "the cycle a -> b -> a"),
        ({"required": [("a", "a")]}, "a -> a joins a node to itself"),
        ({"forbidden": [("a", "a")]}, "a -> a joins a node to itself"),
        ({"tiers": [["a", "b"], ["a"]]}, "'a' is in the tiers 0 and 1"),
    ],
)
def test_contradictions_name_the_arcs(parts, message):
    with pytest.raises(KnowledgeError, match=message):
        Knowledge(**parts)


def test_unknown_names_come_with_the_nearest():
    known = Knowledge(tiers=[["age"], ["smok"]])
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        known.check(["age", "smoke"])
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        known.forbidden_matrix(["age", "smoke"])
    known.check(["age", "smok", "other"])


def test_questions_and_matrices_agree():
    known = Knowledge(
        tiers=[["a", "b"], ["c", "d"]],
        forbid_within=[1],
        required=[("a", "c")],
        forbidden=[("b", "a"), ("e", "a")],
    )
    nodes = list("abcdef")
    forbidden, required = known.forbidden_matrix(nodes), known.required_matrix(nodes)
    for (i, a), (j, b) in itertools.permutations(enumerate(nodes), 2):
        assert known.forbids(a, b) == forbidden[i, j]
        assert known.requires(a, b) == required[i, j]
        assert known.forbids_adjacency(a, b) == (forbidden[i, j] and forbidden[j, i])
    allowed = {(a, b) for a, b in itertools.permutations(nodes, 2) if not known.forbids(a, b)}
    assert ("a", "c") in allowed and ("c", "a") not in allowed  # required, and against the tiers
    assert ("a", "b") in allowed and ("b", "a") not in allowed  # forbidden
    assert known.forbids_adjacency("c", "d")
    assert {(a, b) for a, b in allowed if "f" in (a, b)} == {*itertools.product(nodes[:5], "f")} | {
        *itertools.product("f", nodes[:5])
    }


def test_knowledge_can_be_empty_compared_and_hashed():
    assert not NO_KNOWLEDGE and Knowledge(tiers=[["a"]])
    assert hash(Knowledge(tiers=[["a"]])) == hash(Knowledge(tiers=(("a",),)))
    pdag = np.array([[0, 1], [1, 0]])
    assert np.array_equal(orient_by_knowledge(pdag, ["a", "b"], NO_KNOWLEDGE), pdag)


def random_knowledge(rng, dag):
    """Knowledge that a DAG fulfils."""
    order = dag.topological_order()
    cut = int(rng.integers(1, dag.n))
    arcs = dag.arcs()
    chosen = [arc for arc in arcs if rng.random() < 0.2]
    return Knowledge(
        tiers=[order[:cut], order[cut:]] if rng.random() < 0.5 else [],
        required=chosen,
        forbidden=[(b, a) for a, b in arcs if rng.random() < 0.1],
    )


def members_of_class(dag):
    """All DAG matrices that are Markov equivalent to a DAG, by trying all directions."""
    wanted = dag_to_cpdag_matrix(dag)
    pairs = np.argwhere(np.triu(dag | dag.T)).tolist()
    for turned in itertools.product((False, True), repeat=len(pairs)):
        other = np.zeros_like(dag)
        for (i, j), turn in zip(pairs, turned, strict=True):
            other[(j, i) if turn else (i, j)] = 1
        if topological_order(other) is not None and np.array_equal(dag_to_cpdag_matrix(other), wanted):
            yield other


def test_orienting_keeps_exactly_the_dags_that_fit():
    rng = np.random.default_rng(1)
    for _ in range(60):
        dag = random_dag(rng, 5, 0.5)
        if dag.n_edges > 7:
            continue
        known = random_knowledge(rng, dag)
        nodes = dag.nodes
        forbidden, required = known.forbidden_matrix(nodes), known.required_matrix(nodes)
        fits = [
            d
            for d in members_of_class(dag.to_pdag_matrix())
            if not (d.astype(bool) & forbidden).any() and d[required].all()
        ]
        oriented = orient_by_knowledge(dag_to_cpdag(dag).to_pdag_matrix(), nodes, known)
        assert np.array_equal(oriented, np.any(fits, axis=0))
        assert np.array_equal(orient_by_knowledge(oriented, nodes, known), oriented)


@pytest.mark.parametrize(
    ("graph", "parts", "message"),
    [
        ("a -> b <- c", {"required": [("b", "a")]}, "the graph has a -> b, but b -> a is required"),
        ("a -> b <- c", {"tiers": [["b"], ["a"]]}, "the graph has a -> b, but a is in a later tier than b"),
        ("a -- b; c", {"required": [("a", "c")]}, "a -> c is required, but the graph has no edge there"),
        (
            "a -- b; c",
            {"tiers": [["a", "b"]], "forbid_within": [0]},
            "a and b are joined, but a and b are in a tier",
        ),
        ("a -- b -- c", {"required": [("a", "b"), ("c", "b")]}, "new v-structure a -> b <- c"),
        (
            "a -- b -- c; a -- c; c -> d",
            {"required": [("d", "c")]},
            "the graph has c -> d, but d -> c is required",
        ),
        ("a -> b -> c; a -- c; c -- d", {"required": [("c", "a")]}, "the cycle a -> b -> c -> a"),
    ],
)
def test_a_graph_against_knowledge_is_an_error_that_names_the_edge(graph, parts, message):
    g = Graph.parse(graph)
    with pytest.raises(KnowledgeError, match=message):
        orient_by_knowledge(g.to_pdag_matrix(), g.nodes, Knowledge(**parts))


def test_knowledge_wins_where_it_need_not_fit():
    for rng, dag in random_dags(300, (3, 7), seed=2):
        known = random_knowledge(rng, dag)
        pdag = dag_to_cpdag(random_dag(rng, dag.n, 0.5)).to_pdag_matrix()
        oriented = orient_by_knowledge(pdag, dag.nodes, known, strict=False)
        forbidden, required = known.forbidden_matrix(dag.nodes), known.required_matrix(dag.nodes)
        arrow = (oriented != 0) & (oriented.T == 0)
        assert (arrow[required]).all()
        assert not ((oriented != 0) & forbidden).any()
        possible = ~(forbidden & forbidden.T)
        assert np.array_equal((oriented | oriented.T)[possible], ((pdag | pdag.T) | required | required.T)[possible])
        start = np.where(required | ((pdag | pdag.T) & ~forbidden & forbidden.T), 1, pdag)
        start[forbidden] = 0
        if find_cycle((start != 0) & (start.T == 0)) is None:
            assert find_cycle(arrow) is None


def test_errors_keep_their_class():
    assert issubclass(KnowledgeError, ValueError)
    assert not issubclass(KnowledgeError, GraphError)
