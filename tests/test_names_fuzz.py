"""Column and level names may be anything: every output parses with a parser that is not ours, and gives them back.

Parsers: html5lib (strict), json, pydot, networkx, pylatexenc. Mermaid has none in Python; its documented rules (a node
a line, entity codes as in HTML) are applied with the standard library.
"""

from __future__ import annotations

import html
import json
import re
import warnings
from dataclasses import replace
from itertools import pairwise

import html5lib
import networkx as nx
import pydot
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.latexwalker import LatexWalker

import paucal
from paucal.graphs import Graph, read_exact, to_dot, to_graphml, to_latex, to_mermaid
from paucal.graphs.drawing.latex import spoken
from paucal.graphs.formats.exact import shown
from paucal.independence.settings import CISettings
from paucal.report import page
from paucal.search.evidence.graphs import Graphs

HTML = "{http://www.w3.org/1999/xhtml}"
AWKWARD = [
    "",
    " ",
    "  two  blanks  ",
    "tab\tand\nline\r\nends\r",
    "\x00\x01\x07\x1b[31m\x7f\x85\x9f",
    "<script>alert(1)</script>",
    "</script><!-- ]]> &amp; &#60; -->",
    "\"quoted\" and 'quoted' and `quoted`",
    'back\\slash \\n \\N \\u0041 \\"',
    "a:b:c;d,e|f{g}[h](i)",
    "100% #1 $5 ~x ^y _z -- --- ?` !`",
    "n0",
    "node",
    "graph",
    "digraph",
    "subgraph",
    "strict",
    "edge",
    "end",
    "{a}",
    "%%{init: {}}%%",
    "עברית و العربية",
    "\u202eright to left override\u202c",
    "\u2066\u2067\u200e\u200f\u2028\u2029\ufeff",
    "😀👩‍👩‍👧‍👦🇩🇪",
    "e\u0301 n\u0303 ﬁ ﷽",
    "中文变量",
    "\ud800",
    "x" * 10_000,
    "=1+1",
]
names = st.lists(
    st.one_of(st.sampled_from(AWKWARD), st.text(max_size=20), st.text(st.characters(), min_size=1, max_size=4)),
    min_size=2,
    max_size=5,
    unique=True,
)
fuzz = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def chain(names: list[str]) -> Graph:
    """A -> B o-> C <-> D ...: every mark occurs."""
    symbols = ["->", "o->", "<->", "o-o", "--"]
    edges = [(a, symbols[i % 5], b) for i, (a, b) in enumerate(pairwise(names))]
    return Graph.from_triples(names, edges, "pag")


def numbers(names: list[str]) -> dict[tuple[str, str], dict[str, float]]:
    """Probabilities beside the edges of the chain, as searches that sample graphs write them."""
    marks = [chain(names).marks, Graph.empty(names).marks]
    sure = Graphs.of_marks(marks, names=tuple(names), means=CISettings("g"))
    return {(edge.a, edge.b): sure.edge_columns(edge) for edge in chain(names).edges()}


# ------------------------------------------------------------------------------------------------------ graphs


@fuzz
@given(names)
@example(AWKWARD)
def test_json(names):
    text = chain(names).to_json()
    assert json.loads(text)["nodes"] == names
    assert Graph.from_json(text) == chain(names)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")  # pydot's own use of pyparsing
@fuzz
@given(names)
@example(AWKWARD)
def test_dot(names):
    (parsed,) = pydot.graph_from_dot_data(to_dot(chain(names), numbers(names)))
    found = {}
    for node in parsed.get_nodes():
        identifier = node.get_name()
        exact = node.get_attributes().get("exact")
        found[identifier] = identifier[1:-1] if exact is None else read_exact(exact[1:-1])
    assert list(found.values()) == names
    edges = [(found[e.get_source()], found[e.get_destination()]) for e in parsed.get_edges()]
    assert sorted(edges) == sorted((e.a, e.b) for e in chain(names).edges())
    assert {e.get_attributes()["probability"] for e in parsed.get_edges()} == {'"0.5"'}


@fuzz
@given(names)
@example(AWKWARD)
def test_mermaid(names):
    first, *lines = to_mermaid(chain(names)).splitlines()
    assert first == "flowchart TD"
    found, exactly = {}, {}
    for line in lines:
        if comment := re.fullmatch(r"  %% (n\d+) = ([ -~]*)", line):
            exactly[comment[1]] = read_exact(comment[2])
        elif node := re.fullmatch(r'  (n\d+)\["([^"\[\]{}<>|;]*(?:#\d+;[^"\[\]{}<>|;]*)*)"\]', line):
            found[node[1]] = html.unescape(re.sub(r"#(\d+);", r"&#\1;", node[2]))
        else:
            assert re.fullmatch(r'  n\d+ (-->|---|<-->|o--o|--o|-->\|"o-#gt;"\|) n\d+', line)
    assert [exactly.get(key, name) for key, name in found.items()] == names
    assert [name or " " for name in map(shown, names)] == list(found.values())


@fuzz
@given(names)
@example(AWKWARD)
def test_graphml(names):
    parsed = nx.parse_graphml(to_graphml(chain(names), numbers(names)))
    # an empty <data> element is read as None or as an empty text, depending on the version
    found = [
        read_exact(data["exact"]) if "exact" in data else data.get("name") or "" for _, data in parsed.nodes(data=True)
    ]
    assert found == names
    assert {data["probability"] for *_, data in parsed.edges(data=True)} == {0.5}


# commands of LaTeX's kernel that pylatexenc does not know, or reads as another sign
KERNEL = {"textless": "<", "textgreater": ">", "textbar": "|", "textquotedbl": '"', "textquotesingle": "'"}
KERNEL |= {"textasciigrave": "`", "textasciicircum": "^"}


def latex_reader() -> LatexNodes2Text:
    known = get_default_latex_context_db()
    known.add_context_category("kernel", prepend=True, macros=[MacroTextSpec(k, v) for k, v in KERNEL.items()])
    return LatexNodes2Text(known, strict_latex_spaces=True)


@fuzz
@given(names)
@example(AWKWARD)
def test_latex(names):
    written = to_latex(chain(names), engine="plain")
    LatexWalker(written, tolerant_parsing=False).get_latex_nodes()
    exactly = dict(re.findall(r"^  % (n\d+) = (.*)$", written, re.MULTILINE))
    nodes = re.findall(r"^  \\node\[node\] \((n\d+)\) at \([^)]*\) \{(.*)\};$", written, re.MULTILINE)
    assert len(nodes) == len(names)
    printed = latex_reader()
    for (key, inside), name in zip(nodes, names, strict=True):
        assert printed.latex_to_text(inside) == spoken(name)
        assert (read_exact(exactly[key]) if key in exactly else spoken(name)) == name


# ------------------------------------------------------------------------------------------------------ results


def names_on(document) -> list[str]:
    (script,) = [s for s in document.iter(f"{HTML}script") if s.get("type") == "application/json"]
    return json.loads(script.text)["nodes"]


@settings(max_examples=25, deadline=None)
@given(names)
@example(AWKWARD[:12])
@example(AWKWARD[12:])
def test_report_and_result(names):
    learned = paucal.learn(paucal.Oracle(Graph.dag(names, pairwise(names))), max_order=1)
    marks = [learned.graph.marks, Graph.empty(names, "cpdag").marks]
    sampled = replace(learned, evidence=Graphs.of_marks(marks, names=tuple(names), means=CISettings("g")))
    for result in (learned, sampled):
        text = page(result, title=names[0])
        text.encode()
        document = html5lib.HTMLParser(strict=True).parse(text)
        assert names_on(document) == names
        assert len(list(document.iter(f"{HTML}script"))) == 2
        assert paucal.SearchResult.from_json(result.to_json()) == result


# A name with half of a surrogate pair is in no file, and blanks around names are nobody's intention: both are for
# the data layer to judge. What it lets through must come out again.
@settings(max_examples=25, deadline=None)
@given(names, st.lists(st.sampled_from([a for a in AWKWARD if a.strip()]), min_size=2, max_size=3, unique=True))
@example(AWKWARD[1:14], ["<b>", "</script>"])
def test_columns_and_levels_from_the_data(names, levels):
    rows = {name: [levels[(row >> i) % len(levels)] for row in range(32)] for i, name in enumerate(names)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paucal.errors.PaucalWarning)
        try:
            data = paucal.Dataset.from_columns(rows)
        except paucal.errors.DataError:
            return
        results = [paucal.learn(data, max_order=1), paucal.learn(data, rounds=10, burn_in=2, starts=1)]
        pages = [page(result, data=data) for result in results]
    assert [result.search for result in results] == ["pc-stable", "posterior"]
    for result, text in zip(results, pages, strict=True):
        document = html5lib.HTMLParser(strict=True).parse(text)
        assert names_on(document) == list(data.names)
        assert json.loads(result.to_json())["evidence"]["columns"] == list(data.names)


@pytest.mark.parametrize("name", [a for a in AWKWARD if a != "\ud800"], ids=lambda name: repr(name[:20]))
def test_names_survive_files_on_disk(tmp_path, name):
    result = paucal.learn(paucal.Oracle(Graph.dag([name, "other"], [(name, "other")])))
    path = result.report(tmp_path / "page.html")
    assert names_on(html5lib.HTMLParser(strict=True).parse(path.read_bytes())) == [name, "other"]
