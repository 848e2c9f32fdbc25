"""The graph type: checked construction, questions, derived graphs, exact exchange."""

from __future__ import annotations

import json
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal.errors import GraphError, UnknownNameError
from paucal.graphs import Edge, Graph, Mark, dag_to_cpdag, to_networkx
from paucal.graphs.acyclic import ancestor_matrix, find_cycle, topological_order
from paucal.graphs.bits import bits_of_rows, matrix_of_bits
from paucal.graphs.language import parse_symbol, quoted, split_statements
from paucal.graphs.marks import ARROW, CIRCLE, TAIL
from random_graphs import dags, marked_graphs, random_dags

# --------------------------------------------------------------------------------------------------- making


def test_marks_stand_at_the_second_index():
    g = Graph.parse("A -> B; B o-> C; C <-> D; D -- E", kind="pag")
    a, b, c, d, e = range(5)
    assert (g.marks[a, b], g.marks[b, a]) == (ARROW, TAIL)
    assert (g.marks[b, c], g.marks[c, b]) == (ARROW, CIRCLE)
    assert (g.marks[c, d], g.marks[d, c]) == (ARROW, ARROW)
    assert (g.marks[d, e], g.marks[e, d]) == (TAIL, TAIL)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph.dag("ABCD", [("A", "B"), ("B", "C"), ("C", "A")]), "the cycle A -> B -> C -> A"),
        (lambda: Graph.dag("AB", [("A", "B"), ("B", "A")]), "B -> A -> B are a cycle"),
        (lambda: Graph.dag("AB", [("A", "B"), ("A", "B")]), "joined twice"),
        (lambda: Graph.dag("AB", [("A", "A")]), "joins a node to itself"),
        (lambda: Graph.dag(["A", "A"]), "two nodes 'A'"),
        (lambda: Graph.dag(["A", 3]), "3 is not a string"),
        (lambda: Graph.pdag("AB", [("A", "B")], [("A", "B")]), "joined twice"),
        (lambda: Graph.cpdag("AB", directed=[("A", "B")]), "A -> B where the class has A -- B"),
        (
            lambda: Graph.cpdag("ABC", [("A", "B")], [("B", "C")]),
            "B -- C where the class has B -> C|A -> B where",
        ),
        (
            lambda: Graph.cpdag("ABCD", undirected=[("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")]),
            "every orientation of the edges among A, B, C, D",
        ),
        (lambda: Graph.mag("AB", [("A", "o->", "B")]), "A o-> B, which a MAG cannot have"),
        (
            lambda: Graph.mag("ABC", [("A", "->", "B"), ("B", "->", "C"), ("A", "<->", "C")]),
            "A is an ancestor of C",
        ),
        (lambda: Graph.mag("ABC", [("A", "->", "B"), ("B", "--", "C")]), "an arrow points at B"),
        (
            lambda: Graph.mag(
                "ABCD",
                [("A", "<->", "B"), ("B", "<->", "C"), ("C", "<->", "D"), ("B", "->", "D"), ("C", "->", "A")],
            ),
            "no edge between A and D although nothing separates them",
        ),
        (lambda: Graph("AB", [[0, 2], [2, 0]], "pdag"), "A <-> B, which a PDAG cannot have"),
        (lambda: Graph("AB", [[0, 2], [0, 0]], "pag"), "a mark at one end only"),
        (lambda: Graph("AB", [[1, 2], [3, 0]], "pag"), "'A' is joined to itself"),
        (lambda: Graph("AB", [[0, 7], [3, 0]], "pag"), "other than 0, 1, 2, 3"),
        (lambda: Graph("AB", [[0, 2.5], [3, 0]], "pag"), "other than 0, 1, 2, 3"),
        (lambda: Graph("ABC", [[0, 2], [3, 0]]), r"3 x 3 marks, this one has the shape \(2, 2\)"),
        (lambda: Graph.from_pdag_matrix("AB", [[0, 2], [0, 0]]), "holds 0 and 1 only"),
        (lambda: Graph.from_pdag_matrix("AB", [0, 1]), "not square"),
        (lambda: Graph.parse("A -> B C"), "'A -> B C' is not an edge"),
        (lambda: Graph.parse("A => B"), "'=>' is not an edge"),
        (lambda: Graph.parse('A -> "B'), "never closed"),
        (lambda: Graph.parse(r'A -> "\q"'), "not a quoted name"),
    ],
)
def test_wrong_graphs_are_refused_with_the_reason(make, message):
    with pytest.raises(GraphError, match=message):
        make()


def test_unknown_names_come_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"no node 'smok'\. Did you mean 'smoke'"):
        Graph.dag(["smoke", "age"], [("smok", "age")])
    with pytest.raises(UnknownNameError, match="no node 'smok'"):
        Graph.empty(["smoke"]).parents("smok")
    with pytest.raises(UnknownNameError, match=r"no kind of graph 'dga'\. Did you mean 'dag'"):
        Graph.empty("AB", kind="dga")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A -> B", "dag"),
        ("A -- B", "pdag"),
        ("A -> B -> C -> A", "pdag"),
        ("A <-> B", "mag"),
        ("A o-> B", "pag"),
    ],
)
def test_parse_chooses_the_kind_by_the_marks(text, kind):
    assert Graph.parse(text).kind == kind


@pytest.mark.parametrize("symbol", ["->", "-->", "--->"])
def test_long_and_short_symbols_are_the_same(symbol):
    assert Graph.parse(f"A {symbol} B") == Graph.dag("AB", [("A", "B")])


def test_complete_and_empty_graphs_of_each_kind():
    for kind in ("dag", "cpdag", "pdag", "mag", "pag"):
        assert Graph.complete("ABCD", kind).n_edges == 6
        assert Graph.complete("ABCD", kind).problems() == []
        assert Graph.empty("ABCD", kind).n_edges == 0
        assert Graph.empty((), kind).problems() == []


# --------------------------------------------------------------------------------------------- immutability


def test_a_graph_cannot_be_changed():
    source = np.zeros((2, 2), dtype=np.int8)
    g = Graph("AB", source)
    source[0, 1] = source[1, 0] = TAIL
    assert g.n_edges == 0
    with pytest.raises(ValueError, match="read-only"):
        g.marks[0, 1] = TAIL
    with pytest.raises(AttributeError):
        g.kind = "dag"


def test_equality_ignores_order_and_kind_and_nothing_else():
    g = Graph.parse("A -> B; C")
    same = Graph.parse("A -> B; C", nodes="CBA", kind="pdag")
    assert g == same and hash(g) == hash(same)
    assert g != Graph.parse("A <- B; C")
    assert g != Graph.parse("A -> B")
    assert g != Graph.parse("A -> B; D")
    assert g != "A -> B; C"


# ------------------------------------------------------------------------------------------------ questions


def test_relations_of_a_mixed_graph():
    g = Graph.parse("A -> B; C -> B; B -- D; B <-> E; F o-> B; B -> G; H -> G; A -> H", kind="pag")
    assert g.parents("B") == ("A", "C")
    assert g.children("B") == ("G",)
    assert g.neighbours("B") == ("D",)
    assert g.siblings("B") == ("E",)
    assert g.adjacent("B") == ("A", "C", "D", "E", "F", "G")
    assert g.spouses("B") == ("H",)
    assert g.spouses("A") == ("C",)
    assert g.ancestors("G") == ("A", "B", "C", "H")
    assert g.descendants("A") == ("B", "G", "H")
    assert (g.n_edges, g.n_directed, g.n_undirected) == (8, 5, 1)
    assert g.edge("B", "F") == Edge("B", "F", Mark.ARROW, Mark.CIRCLE)
    assert g.edge("A", "C") is None and not g.has_edge("A", "C")
    assert len(g) == 8 and "A" in g and "Z" not in g


def test_a_parent_that_is_also_joined_is_no_spouse():
    g = Graph.dag("ABC", [("A", "B"), ("A", "C"), ("B", "C")])
    assert g.spouses("A") == ()


def test_order_paths_and_relatives_agree_with_networkx():
    for rng, g in random_dags(300, (2, 7), seed=1):
        twin = to_networkx(g)
        x, y = rng.choice(g.nodes, 2, replace=False).tolist()
        assert set(g.ancestors(x)) == nx.ancestors(twin, x)
        assert set(g.descendants(x)) == nx.descendants(twin, x)
        assert sorted(g.paths(x, y, directed=True)) == sorted(map(tuple, nx.all_simple_paths(twin, x, y)))
        assert sorted(g.paths(x, y)) == sorted(map(tuple, nx.all_simple_paths(twin.to_undirected(), x, y)))
        place = {name: k for k, name in enumerate(g.topological_order())}
        assert all(place[a] < place[b] for a, b in g.arcs())
        closure = nx.to_numpy_array(nx.transitive_closure(twin, reflexive=True), nodelist=g.nodes) > 0
        assert np.array_equal(ancestor_matrix(g.to_pdag_matrix()), closure)


def test_no_path_from_a_node_to_itself():
    assert list(Graph.parse("A -> B -> C; A -> C").paths("A", "A")) == []


@settings(deadline=None)
@given(st.integers(1, 7), st.data())
def test_cycles_are_found_and_are_shortest(n, data):
    arcs = np.array(data.draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))).reshape(n, n)
    np.fill_diagonal(arcs, val=False)
    twin = nx.from_numpy_array(arcs, create_using=nx.DiGraph)
    cycle = find_cycle(arcs)
    if cycle is None:
        assert nx.is_directed_acyclic_graph(twin)
        assert sorted(topological_order(arcs)) == list(range(n))
    else:
        assert topological_order(arcs) is None
        assert all(arcs[a, b] for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
        assert len(cycle) == min(len(c) for c in nx.simple_cycles(twin))
        reach = nx.to_numpy_array(nx.transitive_closure(twin, reflexive=True), nodelist=range(n)) > 0
        assert np.array_equal(ancestor_matrix(arcs), reach)


def test_a_cyclic_pdag_exists_but_tells():
    g = Graph.parse("A -> B -> C -> A; C -- D")
    assert g.problems() == ["the cycle A -> B -> C -> A"]
    with pytest.raises(GraphError, match="no order, because of the cycle A -> B -> C -> A"):
        g.topological_order()


# ------------------------------------------------------------------------------------------- derived graphs


def test_derived_graphs():
    g = Graph.parse("A -> B -> C; A -> D")
    assert g.skeleton() == Graph.parse("A -- B -- C; A -- D")
    assert g.subgraph("DA").nodes == ("D", "A")
    assert g.subgraph("DA") == Graph.parse("A -> D")
    assert g.reorder("DCBA") == g and g.reorder("DCBA").nodes == tuple("DCBA")
    assert g.rename({"A": "B", "B": "A"}) == Graph.parse("B -> A -> C; B -> D")
    assert dag_to_cpdag(g).subgraph("AB").kind == "pdag"
    with pytest.raises(GraphError, match=r"leaves out \['D'\]"):
        g.reorder("ABC")
    with pytest.raises(GraphError, match="two nodes 'B'"):
        g.rename({"A": "B"})
    with pytest.raises(UnknownNameError):
        g.rename({"Z": "B"})


def test_a_pdag_matrix_has_no_place_for_other_marks():
    for text in ("A <-> B", "A o-> B", "A o-o B", "A o-- B"):
        with pytest.raises(GraphError, match="no place for the edge"):
            Graph.parse(text).to_pdag_matrix()


@settings(deadline=None)
@given(dags())
def test_pdag_matrix_round_trip(g):
    for graph in (g, dag_to_cpdag(g)):
        assert Graph.from_pdag_matrix(graph.nodes, graph.to_pdag_matrix(), graph.kind) == graph


# ------------------------------------------------------------------------------------------------- exchange


@settings(deadline=None)
@given(marked_graphs())
def test_json_pickle_and_text_round_trips_are_exact(g):
    for copy in (Graph.from_json(g.to_json()), pickle.loads(pickle.dumps(g))):  # noqa: S301
        assert copy.nodes == g.nodes and copy.kind == g.kind
        assert np.array_equal(copy.marks, g.marks)
    text = "; ".join([*map(str, g.edges()), *map(quoted, g.nodes)])
    assert Graph.parse(text, nodes=g.nodes, kind="pag") == g


@settings(deadline=None)
@given(st.lists(st.text(), max_size=5))
def test_quoted_names_are_read_back(names):
    assert split_statements(";".join(map(quoted, names))) == [[name] for name in names]


@pytest.mark.parametrize("symbol", ["->", "<-", "--", "<->", "o->", "<-o", "o-o", "o--", "--o"])
def test_symbols_round_trip(symbol):
    assert Edge("A", "B", *parse_symbol(symbol)).symbol == symbol


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a graph of paucal"),
        ({"version": 99}, "version 99"),
        ({"kind": "dga"}, "damaged: kind is 'dga'"),
        ({"edges": [["A", "B"]]}, "damaged"),
        ({"edges": None}, "damaged"),
        ({"nodes": ["A", "A"]}, "two nodes"),
        ({"edges": [["A", "=>", "B"]]}, "not an edge"),
    ],
)
def test_damaged_json_is_refused(change, message):
    content = json.loads(Graph.parse("A -> B").to_json())
    with pytest.raises(GraphError, match=message):
        Graph.from_json(json.dumps({**content, **change}))


def test_text_that_is_no_json_is_refused():
    for text in ("", "{", "[1]", b"\xff"):
        with pytest.raises(GraphError, match=r"not JSON|not a graph"):
            Graph.from_json(text)


def test_repr_is_short():
    assert repr(Graph.empty(())) == "Graph.dag(0 nodes, 0 edges)"
    assert repr(Graph.parse('"a b" -> c')) == 'Graph.dag(2 nodes, 1 edge: "a b" -> c)'
    assert repr(Graph.complete([f"x{i}" for i in range(50)])).endswith("x0 -- x6; ...)")


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 70), st.data())
def test_bit_sets_and_matrices_are_the_same(n, data):
    rows = data.draw(st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n))
    assert bits_of_rows(matrix_of_bits(rows)) == rows
