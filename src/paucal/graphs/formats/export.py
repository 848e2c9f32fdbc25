"""Graphs in the formats of other software. Names may hold anything; each format quotes them by its own rules.

A name that a format cannot hold, such as one with control characters in GraphML, is written with visible signs and
once more, exactly, beside it (`exact.py`). Only Tetrad's text has no room for that: there it is an error.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from paucal import checks
from paucal.errors import GraphError, MissingDependencyError, not_allowed
from paucal.graphs.formats.exact import UNHOLDABLE, exact, shown
from paucal.graphs.graph import Graph
from paucal.graphs.language import Edge, quoted
from paucal.graphs.marks import ARROW, TAIL, Mark
from paucal.graphs.relations import refuse_other_than_graph

if TYPE_CHECKING:
    import networkx as nx

    from paucal.graphs.building import Kind
    from paucal.graphs.language import Triple

# (a, b) of an edge as the graph lists it -> what is known about it, such as {"probability": 0.9}
EdgeNumbers: TypeAlias = Mapping[tuple[str, str], Mapping[str, float]]

_WORD = {Mark.TAIL: "tail", Mark.ARROW: "arrow", Mark.CIRCLE: "circle"}
_MARK = {word: mark for mark, word in _WORD.items()}


def to_networkx(graph: Graph) -> nx.DiGraph:
    """Give the graph as a networkx DiGraph, which `from_networkx` reads back exactly.

    `a -> b` becomes the arc (a, b). Any other edge becomes the two arcs (a, b) and (b, a), each with an attribute
    `mark`, which is `"tail"`, `"arrow"` or `"circle"`: the mark where that arc ends. The kind is `.graph["kind"]`.

    >>> list(to_networkx(Graph.parse("A -> B; B -- C")).edges(data=True))
    [('A', 'B', {}), ('B', 'C', {'mark': 'tail'}), ('C', 'B', {'mark': 'tail'})]
    """
    refuse_other_than_graph("graph", graph)
    try:
        import networkx as nx
    except ImportError as error:
        raise MissingDependencyError("networkx is not installed.", hint='pip install "paucal[networkx]"') from error
    other = nx.DiGraph(kind=graph.kind)
    other.add_nodes_from(graph.nodes)
    for e in graph.edges():
        if e.directed:
            other.add_edge(e.a, e.b)
        else:
            other.add_edge(e.a, e.b, mark=_WORD[e.mark_b])
            other.add_edge(e.b, e.a, mark=_WORD[e.mark_a])
    return other


def from_networkx(other: nx.Graph | nx.DiGraph, kind: Kind | None = None) -> Graph:
    """Read a networkx graph: arcs are directed edges, arcs both ways or edges of an undirected graph are `--`.

    The attribute `mark` of an arc, if it has one, is the mark where it ends. Nodes that are no strings are
    named by `str()`. Without `kind` it is the one that `to_networkx` noted, or what the marks suggest.

    >>> import networkx as nx
    >>> from_networkx(nx.DiGraph([(1, 2), (2, 1), (2, 3)]))
    Graph.pdag(3 nodes, 2 edges: 1 -- 2; 2 -> 3)
    """
    if not all(hasattr(other, part) for part in ("nodes", "edges", "get_edge_data")):
        raise not_allowed("other", other, "a graph of networkx")
    names = {node: str(node) for node in other.nodes}
    edges: dict[frozenset[Any], Triple] = {}
    for a, b, data in other.edges(data=True):
        if frozenset((a, b)) in edges:
            continue
        back = other.get_edge_data(b, a) if other.has_edge(b, a) else None
        mark_b = _read_mark(data.get("mark"), ARROW if back is None else TAIL)
        mark_a = TAIL if back is None else _read_mark(back.get("mark"), TAIL)
        edge = Edge(names[a], names[b], Mark(mark_a), Mark(mark_b))
        edges[frozenset((a, b))] = (edge.a, edge.symbol, edge.b)
    return Graph.from_triples(names.values(), edges.values(), other.graph.get("kind") if kind is None else kind)


def _read_mark(word: str | None, otherwise: int) -> int:
    if word is None:
        return otherwise
    if word not in _MARK:
        raise GraphError(f"{word!r} is not a mark.", hint='Marks are "tail", "arrow" and "circle".')
    return _MARK[word]


def to_dot(graph: Graph, numbers: EdgeNumbers | None = None) -> str:
    """Write the graph in Graphviz's language.

    `numbers` are written as attributes of the edges, by the names of their ends; of `probability` the label tells too.
    A name that no quoted identifier can hold is the label of a made-up one, and stands in its attribute `exact` as the
    inside of a JSON string.

    >>> print(to_dot(Graph.parse("A -> B; B o-> C")))
    digraph {
      "A";
      "B";
      "C";
      "A" -> "B";
      "B" -> "C" [dir=both, arrowtail=odot, arrowhead=normal];
    }
    """
    refuse_other_than_graph("graph", graph)
    numbers = checks.numbers_of_pairs("numbers", numbers)
    ids = _dot_ids(graph)
    shape = {Mark.TAIL: "none", Mark.ARROW: "normal", Mark.CIRCLE: "odot"}
    lines = ["digraph {"]
    for name, identifier in ids.items():
        label = f' [label={_dot_label(name)}, exact="{exact(name)}"]' if identifier != f'"{name}"' else ""
        lines.append(f"  {identifier}{label};")
    for e in graph.edges():
        ends = [f"arrowtail={shape[e.mark_a]}", f"arrowhead={shape[e.mark_b]}"]
        ends = [] if e.directed else ["dir=both", *ends]
        told = numbers.get((e.a, e.b), {})
        if "probability" in told:
            ends.append(f'label="{told["probability"]:.2f}"')
        ends += [f'{key}="{value:.6g}"' for key, value in told.items()]
        attributes = f" [{', '.join(ends)}]" if ends else ""
        lines.append(f"  {ids[e.a]} -> {ids[e.b]}{attributes};")
    return "\n".join([*lines, "}"])


def _dot_ids(graph: Graph) -> dict[str, str]:
    # Quoted identifiers know no escape but \", labels read backslashes and & as codes, and a leading % marks
    # Graphviz's own names; such names become labels of identifiers that no node has as its name.
    prefix = "node"
    while any(name.startswith(prefix) for name in graph.nodes):
        prefix += "_"
    plain = re.compile(r'(?!%)[^"\\&\x00-\x1f\x7f\ud800-\udfff]+')
    return {n: f'"{n}"' if plain.fullmatch(n) else f'"{prefix}{i}"' for i, n in enumerate(graph.nodes)}


def _dot_label(name: str) -> str:
    text = name.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    lines = re.split(r"\r\n|\r|\n", text)
    return '"' + "\\n".join(map(shown, lines)) + '"'


def to_mermaid(graph: Graph) -> str:
    """Write the graph in Mermaid's language, which Markdown viewers draw.

    Mermaid has no edge `o->`; it is drawn as an arrow with that label. A name with control characters is shown with
    signs for them, and stands in a comment `%% n0 = ...` as the inside of a JSON string.

    >>> print(to_mermaid(Graph.parse("A -> B; B -- C")))
    flowchart TD
      n0["A"]
      n1["B"]
      n2["C"]
      n0 --> n1
      n1 --- n2
    """
    refuse_other_than_graph("graph", graph)
    lines = ["flowchart TD"]
    for i, name in enumerate(graph.nodes):
        if not name or UNHOLDABLE.search(name):
            lines.append(f"  %% n{i} = {exact(name)}")
        # anything but letters, digits and a few harmless characters becomes a numeric code
        text = re.sub(r"[^\w .,:()/+*=-]", lambda match: f"#{ord(match[0])};", shown(name))
        lines.append(f'  n{i}["{text or " "}"]')
    line = {"->": "-->", "--": "---", "<->": "<-->", "o-o": "o--o", "--o": "--o", "o->": '-->|"o-#gt;"|'}
    lines += [f"  n{graph.index(e.a)} {line[e.symbol]} n{graph.index(e.b)}" for e in graph.edges()]
    return "\n".join(lines)


def to_graphml(graph: Graph, numbers: EdgeNumbers | None = None) -> str:
    """Write the graph as GraphML: the attribute `name` of the nodes, `mark_source` and `mark_target` of the edges.

    `numbers` are written as further attributes of the edges, by the names of their ends. A name with characters that
    XML cannot hold has signs for them in `name`, and stands in the attribute `exact` as the inside of a JSON string.

    >>> "<data key='name'>A</data>" in to_graphml(Graph.parse("A -> B")).replace('"', "'")
    True
    """
    refuse_other_than_graph("graph", graph)
    numbers = checks.numbers_of_pairs("numbers", numbers)
    keys = dict.fromkeys(key for told in numbers.values() for key in told)
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="name" for="node" attr.name="name" attr.type="string"/>',
        '<key id="exact" for="node" attr.name="exact" attr.type="string"/>',
        '<key id="mark_source" for="edge" attr.name="mark_source" attr.type="string"/>',
        '<key id="mark_target" for="edge" attr.name="mark_target" attr.type="string"/>',
        *(f'<key id="{key}" for="edge" attr.name="{key}" attr.type="double"/>' for key in keys),
        f'<graph id="{graph.kind}" edgedefault="directed">',
    ]
    parts += [
        f'<node id="n{i}"><data key="name">{escape(shown(name))}</data>{_xml_exact(name)}</node>'
        for i, name in enumerate(graph.nodes)
    ]
    parts += [
        f'<edge source="n{graph.index(e.a)}" target="n{graph.index(e.b)}">'
        f'<data key="mark_source">{_WORD[e.mark_a]}</data>'
        f'<data key="mark_target">{_WORD[e.mark_b]}</data>{_xml_numbers(numbers, e)}</edge>'
        for e in graph.edges()
    ]
    return "\n".join([*parts, "</graph>", "</graphml>"])


def _xml_numbers(numbers: EdgeNumbers, edge: Edge) -> str:
    told = numbers.get((edge.a, edge.b), {})
    return "".join(f'<data key="{key}">{value:.6g}</data>' for key, value in told.items())


def _xml_exact(name: str) -> str:
    return f'<data key="exact">{exact(name)}</data>' if UNHOLDABLE.search(name) else ""


def to_gml(graph: Graph, numbers: EdgeNumbers | None = None) -> str:
    """Write the graph as GML: names are labels, `markSource` and `markTarget` tell the marks of an edge.

    `numbers` are written as further attributes of the edges, by the names of their ends. Characters beyond ASCII, and
    those that GML keeps for itself, are written as entities.

    >>> print(to_gml(Graph.parse("A -> B")))
    graph [
      directed 1
      kind "dag"
      node [ id 0 label "A" ]
      node [ id 1 label "B" ]
      edge [ source 0 target 1 markSource "tail" markTarget "arrow" ]
    ]
    """
    refuse_other_than_graph("graph", graph)
    numbers = checks.numbers_of_pairs("numbers", numbers)
    lines = ["graph [", "  directed 1", f'  kind "{graph.kind}"']
    lines += [f'  node [ id {i} label "{_gml_text(name)}" ]' for i, name in enumerate(graph.nodes)]
    for e in graph.edges():
        told = "".join(
            f" {re.sub('_(.)', lambda found: found[1].upper(), key)} {float(value):.6f}"
            for key, value in numbers.get((e.a, e.b), {}).items()
        )
        ends = f"source {graph.index(e.a)} target {graph.index(e.b)}"
        marks = f'markSource "{_WORD[e.mark_a]}" markTarget "{_WORD[e.mark_b]}"'
        lines.append(f"  edge [ {ends} {marks}{told} ]")
    return "\n".join([*lines, "]"])


def _gml_text(name: str) -> str:
    return "".join(c if " " <= c <= "~" and c not in '"&' else f"&#{ord(c)};" for c in name)


def to_edge_list(graph: Graph) -> str:
    """Write one edge a line, and every node without edges; `Graph.parse` reads it back.

    >>> print(to_edge_list(Graph.parse("A -> B; C")))
    A -> B
    C
    """
    refuse_other_than_graph("graph", graph)
    lonely = [quoted(name) for name in graph.nodes if not graph.adjacent(name)]
    return "\n".join([*map(str, graph.edges()), *lonely])


def to_edge_csv(graph: Graph) -> str:
    """Write the edges as CSV with the columns source, target, mark_source and mark_target.

    >>> to_edge_csv(Graph.parse("A o-> B")).splitlines()
    ['source,target,mark_source,mark_target', 'A,B,circle,arrow']
    """
    refuse_other_than_graph("graph", graph)
    rows = [(e.a, e.b, _WORD[e.mark_a], _WORD[e.mark_b]) for e in graph.edges()]
    return _csv([("source", "target", "mark_source", "mark_target"), *rows])


def to_matrix_csv(graph: Graph) -> str:
    """Write the matrix of marks as CSV with the names on top and in the first column.

    Row i, column j is the mark at the j end of the edge between i and j: 0 no edge, 1 circle, 2 arrow, 3 tail.

    >>> to_matrix_csv(Graph.parse("A -> B")).splitlines()
    [',A,B', 'A,0,2', 'B,3,0']
    """
    refuse_other_than_graph("graph", graph)
    rows = [(name, *row) for name, row in zip(graph.nodes, graph.marks.tolist(), strict=True)]
    return _csv([("", *graph.nodes), *rows])


def _csv(rows: list[tuple[object, ...]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def to_tetrad(graph: Graph) -> str:
    """Write the graph as Tetrad's text format; `from_tetrad` reads it back.

    >>> print(to_tetrad(Graph.parse("A -> B; B o-o C")))
    Graph Nodes:
    A;B;C
    <BLANKLINE>
    Graph Edges:
    1. A --> B
    2. B o-o C
    """
    refuse_other_than_graph("graph", graph)
    for name in graph.nodes:
        if not re.fullmatch(r"[^\s;,]+", name):
            raise GraphError(
                f"Tetrad's text cannot hold the name {name!r}.", hint="rename() it without blanks, commas, semicolons."
            )
    symbol = {"->": "-->", "--": "---"}
    edges = [f"{k}. {e.a} {symbol.get(e.symbol, e.symbol)} {e.b}" for k, e in enumerate(graph.edges(), 1)]
    return "\n".join(["Graph Nodes:", ";".join(graph.nodes), "", "Graph Edges:", *edges])


def from_tetrad(text: str, kind: Kind | None = None) -> Graph:
    r"""Read Tetrad's text format; what follows an edge on its line is ignored.

    >>> from_tetrad("Graph Nodes:\nA;B\n\nGraph Edges:\n1. A o-> B nl\n")
    Graph.pag(2 nodes, 1 edge: A o-> B)
    """
    checks.text("text", text)
    match = re.search(r"Graph Nodes:\s*?\n(.*?)\n\s*Graph Edges:[^\n]*(.*)", text + "\n", re.DOTALL)
    if match is None:
        raise GraphError("This is not Tetrad's text.", hint='It needs "Graph Nodes:" and "Graph Edges:".')
    nodes = [name.strip() for name in re.split(r"[;,\n]", match[1]) if name.strip()]
    edges: list[Triple] = []
    for line in match[2].splitlines():
        words = line.split()
        if not words:
            if edges:
                break  # attributes may follow after a blank line
            continue
        if not re.fullmatch(r"\d+\.", words[0]) or len(words) < 4:
            raise GraphError(f"{line.strip()!r} is not an edge of Tetrad.", hint="Edges look like 1. A --> B.")
        edges.append((words[1], words[2], words[3]))
    return Graph.from_triples(nodes, edges, kind)
