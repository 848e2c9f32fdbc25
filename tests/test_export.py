"""Every format is read back: by networkx, by an XML parser, by csv, or by a small reader of the format's own rules."""

from __future__ import annotations

import csv
import html
import io
import re
import sys
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paucal.errors import GraphError, MissingDependencyError
from paucal.graphs import (
    Graph,
    dag_to_cpdag,
    dag_to_pag,
    from_networkx,
    from_tetrad,
    to_dot,
    to_edge_csv,
    to_edge_list,
    to_graphml,
    to_html,
    to_matrix_csv,
    to_mermaid,
    to_networkx,
    to_svg,
    to_tetrad,
)
from paucal.graphs.drawing.layout import layered_layout
from paucal.graphs.drawing.names import shortened
from paucal.graphs.formats.dagitty import to_dagitty
from paucal.graphs.formats.exact import read_exact
from paucal.graphs.formats.export import to_gml
from paucal.graphs.formats.names import render
from paucal.graphs.knowledge import Knowledge
from paucal.graphs.language import Edge
from paucal.graphs.marks import ARROW, CIRCLE, TAIL, Mark
from random_graphs import AWKWARD_NAMES, dags, marked_graphs, network_dag, random_dags

SVG = "{http://www.w3.org/2000/svg}"

# ------------------------------------------------------------------------------------------------- networkx


@settings(deadline=None)
@given(marked_graphs())
def test_networkx_round_trip_is_exact(g):
    copy = from_networkx(to_networkx(g))
    assert copy.nodes == g.nodes and copy.kind == g.kind
    assert np.array_equal(copy.marks, g.marks)


@settings(deadline=None)
@given(dags())
def test_a_dag_is_a_plain_digraph(g):
    other = to_networkx(g)
    assert set(other.edges) == set(g.arcs())
    assert all(not data for *_, data in other.edges(data=True))
    assert nx.is_directed_acyclic_graph(other)


def test_foreign_networkx_graphs():
    assert from_networkx(nx.path_graph(3)) == Graph.parse("0 -- 1 -- 2")
    assert from_networkx(nx.DiGraph([("a", "b"), ("b", "c")])).kind == "dag"
    assert from_networkx(nx.DiGraph([("a", "b"), ("b", "a")])) == Graph.parse("a -- b")
    with pytest.raises(GraphError, match="'star' is not a mark"):
        from_networkx(nx.DiGraph([("a", "b", {"mark": "star"})]))
    with pytest.raises(GraphError, match="itself"):
        from_networkx(nx.DiGraph([("a", "a")]))
    with pytest.raises(GraphError, match="two nodes '1'"):
        from_networkx(nx.DiGraph([(1, "1")]))


def test_missing_libraries_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingDependencyError, match=r"paucal\[networkx\]"):
        to_networkx(Graph.parse("A -> B"))
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(MissingDependencyError, match=r"paucal\[layout\]"):
        layered_layout(Graph.parse("A -> B"), engine="igraph")


# ------------------------------------------------------------------------------------------ DOT and Mermaid


def read_dot(text):
    """Read the part of Graphviz's language that quoted identifiers, labels and arrow shapes make up."""
    token = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[\[\]{};,=]|\w+)', re.DOTALL)
    tokens, position = [], 0
    while text[position:].strip():
        match = token.match(text, position)
        tokens.append(match[1])
        position = match.end()
    assert tokens[:2] == ["digraph", "{"] and tokens[-1] == "}"
    statements, current = [], []
    for word in tokens[2:-1]:
        if word == ";":
            statements.append(current)
            current = []
        else:
            current.append(word)
    assert not current
    mark = {"none": TAIL, "normal": ARROW, "odot": CIRCLE}
    names, edges = {}, []
    for first, *rest in statements:
        identifier = first[1:-1].replace('\\"', '"')
        options = (
            dict(zip(rest[rest.index("[") + 1 :: 4], rest[rest.index("[") + 3 :: 4], strict=False))
            if "[" in rest
            else {}
        )
        if rest[:1] == ["->"]:
            target = rest[1][1:-1].replace('\\"', '"')
            ends = mark[options.get("arrowtail", "none")], mark[options.get("arrowhead", "normal")]
            edges.append(Edge(names[identifier], names[target], *map(Mark, ends)))
        else:
            label = options.get("label", '"\\N"')[1:-1]
            unescaped = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], label, flags=re.DOTALL)
            named = html.unescape(unescaped) if label != "\\N" else identifier
            exact = options.get("exact")
            names[identifier] = named if exact is None else read_exact(exact[1:-1])
    return list(names.values()), edges


def read_mermaid(text):
    header, *lines = text.split("\n")
    assert header == "flowchart TD"
    ends = {
        "-->": (TAIL, ARROW),
        "---": (TAIL, TAIL),
        "<-->": (ARROW, ARROW),
        "o--o": (CIRCLE, CIRCLE),
        "--o": (TAIL, CIRCLE),
        '-->|"o-#gt;"|': (CIRCLE, ARROW),
    }
    names, edges = {}, []
    exactly = {}
    for line in lines:
        node = re.fullmatch(r'  (n\d+)\["([^"]*)"\]', line)
        comment = re.fullmatch(r"  %% (n\d+) = (.*)", line)
        if comment:
            exactly[comment[1]] = read_exact(comment[2])
        elif node:
            names[node[1]] = (
                exactly[node[1]] if node[1] in exactly else re.sub(r"#(\d+);", lambda m: chr(int(m[1])), node[2])
            )
        else:
            a, symbol, b = re.fullmatch(r"  (n\d+) (\S+) (n\d+)", line).groups()
            edges.append(Edge(names[a], names[b], *map(Mark, ends[symbol])))
    return list(names.values()), edges


@settings(max_examples=100, deadline=None)
@given(marked_graphs())
def test_dot_is_read_back(g):
    names, edges = read_dot(to_dot(g))
    assert names == list(g.nodes)
    assert edges == g.edges()


@settings(max_examples=100, deadline=None)
@given(marked_graphs())
def test_mermaid_is_read_back(g):
    names, edges = read_mermaid(to_mermaid(g))
    assert names == list(g.nodes)
    assert [str(e) for e in edges] == [str(e) for e in g.edges()]


def test_generated_identifiers_meet_no_name():
    g = Graph.dag(["node0", 'a"b', "node_1"], [("node0", 'a"b')])
    names, edges = read_dot(to_dot(g))
    assert names == list(g.nodes) and [(e.a, e.b) for e in edges] == g.arcs()


# ---------------------------------------------------------------------------------------------------- files


@settings(max_examples=100, deadline=None)
@given(marked_graphs())
def test_graphml_is_read_back_by_networkx(g):
    other = nx.parse_graphml(to_graphml(g)) if g.n else nx.DiGraph()
    # an empty <data> element is read as None or as an empty text, depending on the version
    names = {
        node: read_exact(data["exact"]) if "exact" in data else data.get("name") or ""
        for node, data in other.nodes(data=True)
    }
    assert list(names.values()) == list(g.nodes)
    word = {"tail": Mark.TAIL, "arrow": Mark.ARROW, "circle": Mark.CIRCLE}
    edges = {
        Edge(names[a], names[b], word[data["mark_source"]], word[data["mark_target"]])
        for a, b, data in other.edges(data=True)
    }
    assert edges == set(g.edges())


@settings(max_examples=100, deadline=None)
@given(marked_graphs())
def test_gml_is_read_back_by_networkx(g):
    other = nx.parse_gml(to_gml(g))
    assert list(other.nodes) == list(g.nodes)
    assert other.graph["kind"] == g.kind
    word = {"tail": Mark.TAIL, "arrow": Mark.ARROW, "circle": Mark.CIRCLE}
    edges = {Edge(a, b, word[data["markSource"]], word[data["markTarget"]]) for a, b, data in other.edges(data=True)}
    assert edges == set(g.edges())


def test_gml_tells_numbers_about_edges(tmp_path):
    graph = Graph.parse('A -> B; B -- "body mass"')
    path = tmp_path / "graph.gml"
    path.write_text(render(graph, "gml", {("A", "B"): {"probability": 0.75, "lowest_p": 1e-7}}), encoding="ascii")
    other = nx.read_gml(path)
    assert other.edges["A", "B"] == {
        "markSource": "tail",
        "markTarget": "arrow",
        "probability": 0.75,
        "lowestP": 0.0,
    }
    assert "probability" not in other.edges["B", "body mass"]


DAGITTY_NAMES = st.lists(
    st.text(st.characters(exclude_characters=';[]{}"\\\n\r', exclude_categories=["Cc", "Cs", "Z"]), min_size=1)
    .filter(lambda name: not re.search("->|<-|--", name))
    .map(lambda name: f"{name} (of a clinic)"),
    min_size=8,
    max_size=8,
    unique=True,
)


@settings(max_examples=100, deadline=None)
@given(dags(), DAGITTY_NAMES)
def test_a_dag_in_the_language_of_dagitty_is_read_back(g, names):
    g = g.rename(dict(zip(g.nodes, names, strict=False)))
    read = Knowledge.from_text(to_dagitty(g))
    assert {(edge.a, edge.b) for edge in g.edges()} == set(read.required)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pgmpy's own
def test_pgmpy_reads_the_language_of_dagitty():
    base = pytest.importorskip("pgmpy.base")
    graph = Graph.parse('smoke -> lung; lung -> xray; smoke -> "short of breath"; x.1 -> xray')
    read = base.DAG.from_dagitty(to_dagitty(graph))
    assert set(read.nodes()) == set(graph.nodes)
    assert set(read.edges()) == {(edge.a, edge.b) for edge in graph.edges()}


def test_every_mark_has_its_sign_in_the_language_of_dagitty():
    graph = Graph.parse("A o-> B; B <-> C; C o-o D; A -> D", kind="pag")
    assert to_dagitty(graph).splitlines()[5:-1] == ["  A @-> B", "  A -> D", "  B <-> C", "  C @-@ D"]
    for name in ("a;b", 'say "hi"', "->", "", "two\nlines", "{x}"):
        with pytest.raises(GraphError, match="DAGitty cannot read the name"):
            to_dagitty(Graph.dag([name], []))


@settings(deadline=None)
@given(marked_graphs())
def test_edge_list_is_read_back(g):
    copy = Graph.parse(to_edge_list(g), kind=g.kind)
    assert copy == g


@settings(deadline=None)
@given(marked_graphs())
def test_csv_is_read_back(g):
    assume(not any("\x00" in name for name in g.nodes))  # csv itself refuses it in some versions
    header, *rows = csv.reader(io.StringIO(to_edge_csv(g), newline=""))
    assert header == ["source", "target", "mark_source", "mark_target"]
    word = {"tail": Mark.TAIL, "arrow": Mark.ARROW, "circle": Mark.CIRCLE}
    assert [Edge(a, b, word[x], word[y]) for a, b, x, y in rows] == g.edges()
    header, *rows = csv.reader(io.StringIO(to_matrix_csv(g), newline=""))
    assert header[1:] == [row[0] for row in rows] == list(g.nodes)
    assert [[int(cell) for cell in row[1:]] for row in rows] == g.marks.tolist()


@settings(deadline=None)
@given(dags())
def test_tetrad_round_trip(g):
    for graph in (g, dag_to_cpdag(g), dag_to_pag(g)):
        copy = from_tetrad(to_tetrad(graph), kind=graph.kind)
        assert copy == graph and copy.nodes == graph.nodes


def test_tetrad_text_as_tetrad_writes_it():
    text = """
Graph Nodes:
X1,X2,X3,X4

Graph Edges:
1. X1 --> X2 dd nl
2. X2 <-> X3
3. X3 o-o X4

Graph Attributes:
BIC: -12.5
"""
    assert from_tetrad(text) == Graph.parse("X1 -> X2 <-> X3 o-o X4")


@pytest.mark.parametrize("name", ["two words", "a;b", "a,b", "", "two\nlines"])
def test_names_that_tetrad_cannot_hold(name):
    with pytest.raises(GraphError, match="cannot hold the name"):
        to_tetrad(Graph.empty([name]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A --> B", "not Tetrad's text"),
        ("Graph Nodes:\nA;B\n\nGraph Edges:\n1. A B\n", "not an edge of Tetrad"),
        ("Graph Nodes:\nA;B\n\nGraph Edges:\n1. A ==> B\n", "'==>' is not an edge"),
    ],
)
def test_broken_tetrad_text(text, message):
    with pytest.raises(GraphError, match=message):
        from_tetrad(text)


# ------------------------------------------------------------------------------------------------- drawings


def boxes(svg):
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "node":
            rect = group.find(f"{SVG}rect")
            yield group, tuple(float(rect.get(key)) for key in ("x", "y", "width", "height"))


@settings(max_examples=100, deadline=None)
@given(marked_graphs(), st.sampled_from(["plain", "igraph"]))
def test_svg_has_every_name_and_every_mark(g, engine):
    root = ET.fromstring(to_svg(g, engine=engine))  # noqa: S314
    titles = [group.find(f"{SVG}title").text or "" for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
    printable = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+")
    assert titles == [printable.sub(" ", name) for name in g.nodes]
    assert len(list(root.iter(f"{SVG}path"))) == g.n_edges
    assert len(list(root.iter(f"{SVG}polygon"))) == (g.marks == ARROW).sum()
    assert len(list(root.iter(f"{SVG}circle"))) == (g.marks == CIRCLE).sum()


@pytest.mark.parametrize("engine", ["plain", "igraph", None])
def test_drawn_nodes_do_not_overlap_and_causes_stand_above(engine):
    for _, g in random_dags(40, (2, 12), seed=1):
        drawn = dict(zip(g.nodes, (box for _, box in boxes(to_svg(g, engine=engine))), strict=True))
        places = list(drawn.values())
        for k, (x, y, w, h) in enumerate(places):
            assert x >= 0 and y >= 0
            for x2, y2, w2, h2 in places[k + 1 :]:
                assert x + w < x2 or x2 + w2 < x or y + h < y2 or y2 + h2 < y
        assert all(drawn[a][1] < drawn[b][1] for a, b in g.arcs())


def test_lines_stay_inside_the_drawing():
    for _, g in random_dags(40, (8, 16), seed=3):
        first, last = g.nodes[0], g.nodes[-1]
        faint = [] if g.adjacent(first) and last in g.adjacent(first) else [(first, last, 0.4)]
        svg = to_svg(g, engine="plain", faint=faint)
        width, height = (float(re.search(rf'{side}="(\d+)"', svg)[1]) for side in ("width", "height"))
        for x, y, cx, cy, u, v in re.findall(r'd="M([\d.-]+) ([\d.-]+) Q([\d.-]+) ([\d.-]+) ([\d.-]+) ([\d.-]+)"', svg):
            for t in np.linspace(0, 1, 50):
                on = [
                    (1 - t) ** 2 * float(p) + 2 * t * (1 - t) * float(c) + t**2 * float(q)
                    for p, c, q in ((x, cx, u), (y, cy, v))
                ]
                assert -0.5 <= on[0] <= width + 0.5 and -0.5 <= on[1] <= height + 0.5
        for path in re.findall(r' d="([^"Q]+)"', svg):
            numbers = [float(v) for v in re.findall(r"-?[\d.]+", path)]
            assert all(0 <= x <= width for x in numbers[::2]) and all(0 <= y <= height for y in numbers[1::2])


def test_long_names_that_begin_alike_have_labels_that_differ():
    names = [f"how often did you feel this way in the last week, item {k} of 9" for k in range(9)]
    labels = [group.find(f"{SVG}text").text for group, _ in boxes(to_svg(Graph.empty(names)))]
    assert len(set(labels)) == 9 and all(len(label) <= 22 for label in labels)


@given(st.lists(st.text(max_size=60), max_size=6, unique=True), st.integers(8, 40))
def test_short_names_are_short(names, longest):
    assert all(len(short) <= longest for short in shortened(names, longest))


def test_arrowheads_touch_the_box_they_point_at():
    for _, g in random_dags(40, (2, 8), seed=2):
        svg = to_svg(g, engine="plain")
        drawn = dict(zip(g.nodes, (box for _, box in boxes(svg)), strict=True))
        root = ET.fromstring(svg)  # noqa: S314
        groups = [group for group in root.iter(f"{SVG}g") if group.get("class") == "edge"]
        for e, group in zip(g.edges(), groups, strict=True):
            tip = group.find(f"{SVG}polygon").get("points").split()[0]
            tx, ty = map(float, tip.split(","))
            x, y, w, h = drawn[e.b]
            assert x - 0.2 <= tx <= x + w + 0.2 and y - 0.2 <= ty <= y + h + 0.2
            assert min(abs(tx - x), abs(tx - x - w), abs(ty - y), abs(ty - y - h)) < 0.2


def test_labels_cannot_break_out_of_the_drawing():
    g = Graph.complete([*AWKWARD_NAMES, "<script>alert(1)</script>", "]]>", "x" * 100], "dag")
    root = ET.fromstring(to_svg(g))  # noqa: S314
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "g", "path", "polygon", "rect", "text"}
    assert "<script" not in to_html(g)
    labels = [text.text for text in root.iter(f"{SVG}text")]
    assert labels[-1] == "x" * 21 + "…"


def test_many_lonely_nodes_do_not_make_one_long_row():
    g = Graph.parse("a -> b", nodes=["a", "b", *(f"n{i}" for i in range(60))])
    width = float(re.search(r'width="(\d+)"', to_svg(g))[1])
    assert width < 1000
    assert len({box for _, box in boxes(to_svg(g))}) == 62


def test_cyclic_and_undirected_graphs_are_drawn():
    for text in ("A -> B -> C -> A", "A -- B -- C -- D -- A", "A <-> B <-> C; C o-o A"):
        g = Graph.parse(text, kind="pag")
        assert len(list(boxes(to_svg(g)))) == g.n


def test_notebooks_show_small_graphs_and_describe_large_ones():
    g = network_dag("alarm")
    assert "DAG with 37 nodes and 46 edges: 46 directed" in g._repr_html_()
    assert g._repr_svg_().startswith("<svg") and "<svg" in g._repr_html_()
    large = Graph.empty([f"x{i}" for i in range(151)])
    assert large._repr_svg_() is None and "<svg" not in large._repr_html_()


def test_a_drawing_shows_how_sure_edges_are():
    g = Graph.parse("A -> B; C -> B; D -- A; E")
    numbers = {
        ("A", "B"): {"probability": 1.0, "probability_of_marks": 0.9},
        ("C", "B"): {"probability": 0.6, "probability_of_marks": 0.45},
        ("D", "A"): {"probability": 0.8, "probability_of_marks": 0.5},
    }
    numbers |= {(b, a): told for (a, b), told in numbers.items()}
    svg = to_svg(g, numbers=numbers, faint=[("E", "B", 0.4)])
    root = ET.fromstring(svg)  # noqa: S314
    drawn = {title_of(part): part for part in root.iter("{http://www.w3.org/2000/svg}g") if part.get("class") == "edge"}
    widths = {words: float(part.find("{*}path").get("stroke-width")) for words, part in drawn.items()}
    assert widths["A -> B: joined 1.00, in this direction 0.90"] > widths["C -> B: joined 0.60, in this direction 0.45"]
    heads = {words[:6]: [tip.get("class") for tip in part.findall("{*}polygon")] for words, part in drawn.items()}
    assert heads["A -> B"] == ["arrow back", "arrow sure"]
    assert heads["C -> B"] == ["arrow back", "arrow open"]
    (faint,) = [part for part in root.findall("{*}g") if part.get("class") == "faint"]
    assert title_of(faint) == "E, B: not in the graph, joined 0.40"
    assert faint.get("data-pair") == f"{g.index('B')},{g.index('E')}"
    assert "arrow 80 % or more" in svg and "left out, but" in svg
    plain = to_svg(g)
    assert "arrow 80 % likely or more" not in plain and 'class="faint"' not in plain


def title_of(part) -> str:
    return part.find("{*}title").text
