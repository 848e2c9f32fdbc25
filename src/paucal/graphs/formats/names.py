"""The text formats a graph can be written in, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal import checks
from paucal.graphs.drawing.latex import to_latex
from paucal.graphs.drawing.svg import to_svg
from paucal.graphs.formats.dagitty import to_dagitty
from paucal.graphs.formats.export import to_dot, to_gml, to_graphml, to_mermaid, to_tetrad
from paucal.graphs.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from paucal.graphs.drawing.sureness import Faint
    from paucal.graphs.formats.export import EdgeNumbers

WRITERS: dict[str, Callable[[Graph], str]] = {
    "json": Graph.to_json,
    "dot": to_dot,
    "mermaid": to_mermaid,
    "graphml": to_graphml,
    "gml": to_gml,
    "dagitty": to_dagitty,
    "tetrad": to_tetrad,
    "svg": to_svg,
    "latex": to_latex,
}
_WITH_NUMBERS: dict[str, Callable[[Graph, EdgeNumbers], str]] = {
    "dot": to_dot,
    "graphml": to_graphml,
    "gml": to_gml,
}


def render(graph: Graph, form: str, numbers: EdgeNumbers | None = None, faint: Faint = ()) -> str:
    """Write a graph as text in a named format; DOT, GraphML and GML tell numbers about edges too, SVG shows them."""
    checks.known("graph format", form, WRITERS)
    if form == "svg":
        return to_svg(graph, numbers=numbers, faint=faint)
    if numbers is not None and form in _WITH_NUMBERS:
        return _WITH_NUMBERS[form](graph, numbers)
    return WRITERS[form](graph)
