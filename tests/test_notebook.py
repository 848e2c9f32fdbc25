"""Every public object shows itself in a notebook, and pictures and forms are methods that the Tab key finds."""

from __future__ import annotations

import html5lib
import pytest

import paucal
from paucal import Graph
from paucal.graphs import to_dot, to_graphml, to_latex, to_mermaid, to_svg, to_tetrad

NET = paucal.load_network("asia")
DATA = NET.sample(200, seed=1)


def objects() -> dict[str, object]:
    result = paucal.learn(DATA, "posterior")
    test = paucal.make_test(DATA, "g")
    return {
        "Dataset": DATA,
        "Preparation": DATA.preparation,
        "Graph": NET.graph,
        "BayesNet": NET,
        "Knowledge": paucal.Knowledge(outcome=["<b>"], time=[["x"], ["y"]]),
        "Blanket": paucal.markov_blanket(NET.graph, "either"),
        "Separation": paucal.Separation(NET.graph),
        "CITest": test,
        "CIResult": test("asia", "tub"),
        "Oracle": paucal.Oracle(NET.graph),
        "Table": paucal.Table.from_dense([[10, 2], [3, 9]]),
        "SearchResult": result,
        "BlanketResult": paucal.blanket(DATA, "either"),
        "Recipe": result.recipe,
        "Explanation": result.why("asia", "tub"),
        "Effect": result.effect("smoke", "bronc", data=DATA),
        "Groups": paucal.learn(DATA, "posterior", randomised=["smoke"], outcome=["bronc"]).groups[0],
        "Inspection": paucal.inspect(DATA),
        "PowerReport": paucal.power(DATA, max_order=0, sample=3),
        "PCStable": paucal.PCStable(),
        "Posterior": paucal.Posterior(),
        "Fact": result.ask()[0],
        "OpenQuestion": paucal.learn(NET.sample(300, seed=4)).open_questions()[0],
    }


OBJECTS = objects()


@pytest.mark.parametrize("name", OBJECTS)
def test_every_object_shows_itself_in_a_notebook(name):
    shown = OBJECTS[name]._repr_html_()
    document = html5lib.HTMLParser(strict=True).parseFragment(shown)
    assert "".join(document.itertext()).strip()


def test_every_public_class_is_among_them():
    classes = {name for name in paucal.__all__ if isinstance(getattr(paucal, name), type)}
    classes -= {name for name in classes if issubclass(getattr(paucal, name), BaseException)}
    assert all(hasattr(getattr(paucal, name), "_repr_html_") for name in classes)


def test_names_are_escaped():
    assert "&lt;b&gt;" in OBJECTS["Knowledge"]._repr_html_()


def test_plots_are_drawings_that_save_themselves(tmp_path):
    result = OBJECTS["SearchResult"]
    for one in (NET.graph, NET, result, OBJECTS["BlanketResult"]):
        drawing = one.plot()
        assert drawing._repr_svg_() == str(drawing) and str(drawing).startswith("<svg")
        assert drawing.save(tmp_path / "graph.svg").read_text(encoding="utf-8") == str(drawing)
    assert str(result.plot()) == result.to_svg()
    assert repr(NET.plot()) == "<Drawing: DAG with 8 nodes and 8 edges>"


def test_forms_are_methods_of_a_graph():
    g = Graph.parse("A -> B <- C")
    forms = {"dot": to_dot, "mermaid": to_mermaid, "graphml": to_graphml, "latex": to_latex, "tetrad": to_tetrad}
    for name, function in (forms | {"svg": to_svg}).items():
        assert f"to_{name}" in dir(g) and getattr(g, f"to_{name}")() == function(g)
    assert list(g.to_networkx().edges) == [("A", "B"), ("C", "B")]


def test_tab_finds_what_is_public_and_nothing_else():
    assert dir(paucal) == sorted(paucal.__all__)
    assert all(hasattr(paucal, name) for name in dir(paucal))
