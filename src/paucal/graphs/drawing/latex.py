"""A drawing of a graph for LaTeX, in the language of TikZ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paucal.graphs.drawing.layout import Engine, Point, layered_layout
from paucal.graphs.formats.exact import exact, shown
from paucal.graphs.marks import Mark
from paucal.graphs.relations import refuse_other_than_graph

if TYPE_CHECKING:
    from paucal.graphs.graph import Graph

_ACROSS, _DOWN = 0.19, 1.3  # centimetres per letter and per layer
_TIPS = {Mark.TAIL: "", Mark.ARROW: "Latex", Mark.CIRCLE: "Circle[open]"}
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": r"-{}",  # two of them would become a dash
    ",": r",{}",
    "!": r"!{}",
    "?": r"?{}",
}


def to_latex(graph: Graph, *, engine: Engine | None = None) -> str:
    r"""Draw a graph as a TikZ picture, causes above effects.

    The document needs `\usepackage{tikz}` and `\usetikzlibrary{arrows.meta}`; names in other scripts than Latin need
    XeLaTeX or LuaLaTeX. A name with control characters or line ends is drawn without them, and stands in a comment
    `% n0 = ...` as the inside of a JSON string.

    The `engine` sorts the nodes of a layer, as for `to_svg`.

    >>> print(to_latex(Graph.parse("a_1 -> B")))
    \begin{tikzpicture}[node/.style={draw, rounded corners, inner sep=4pt}, edge/.style={rounded corners}]
      \node[node] (n0) at (0.665, 0.0) {a\_1};
      \node[node] (n1) at (0.665, -1.3) {B};
      \draw[edge, -{Latex}] (n0) -- (n1);
    \end{tikzpicture}
    """
    refuse_other_than_graph("graph", graph)
    widths = [max(len(name), 1) + 4.0 for name in graph.nodes]
    layout = layered_layout(graph, widths=widths, engine=engine)
    lines = [r"\begin{tikzpicture}[node/.style={draw, rounded corners, inner sep=4pt}, edge/.style={rounded corners}]"]
    for i, name in enumerate(graph.nodes):
        if spoken(name) != name:
            lines.append(f"  % n{i} = {exact(name)}")
        lines.append(rf"  \node[node] (n{i}) at {_place(layout.nodes[i])} {{{tex(name)}}};")
    for edge in graph.edges():
        i, j = graph.index(edge.a), graph.index(edge.b)
        trail = [f"(n{i})", *map(_place, layout.bends[i, j]), f"(n{j})"]
        tips = "-".join(f"{{{_TIPS[mark]}}}" if _TIPS[mark] else "" for mark in (edge.mark_a, edge.mark_b))
        lines.append(rf"  \draw[edge, {tips}] {' -- '.join(trail)};")
    return "\n".join([*lines, r"\end{tikzpicture}"])


def tex(name: str) -> str:
    r"""Write a name so that LaTeX prints it as it is, blanks and all.

    >>> tex("50 %  of_x")
    '50 \\%\\ \\ of\\_x'
    """
    written = "".join(_TEX.get(c, c) for c in spoken(name))
    return re.sub(r"(?<= ) | (?= )|^ | $", lambda _: r"\ ", written)


def spoken(name: str) -> str:
    """Give the part of a name that TeX can print: line ends and tabs are blanks, other control characters signs."""
    return re.sub("[\t\n]", " ", shown(name))


def _place(point: Point) -> str:
    x, y = point
    return f"({x * _ACROSS:.3f}, {-y * _DOWN:.1f})".replace("-0.0)", "0.0)")
