"""A graph in the forms of other software and as a picture, as methods: `graph.to_` and the Tab key list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import networkx as nx

    from paucal.graphs.drawing.svg import Drawing
    from paucal.graphs.graph import Graph


class Written:
    """The part of `Graph` that writes and draws; what each needs is loaded when it is called."""

    __slots__ = ()

    def plot(self) -> Drawing:
        """Draw it, causes above effects: a notebook shows the drawing, `.save("graph.svg")` writes it.

        >>> from paucal import Graph
        >>> Graph.parse("A -> B <- C").plot()
        <Drawing: DAG with 3 nodes and 2 edges>
        """
        from paucal.graphs.drawing.svg import Drawing

        return Drawing.of(cast("Graph", self))

    def to_svg(self) -> str:
        """Draw it as SVG; see `paucal.graphs.to_svg`."""
        from paucal.graphs.drawing.svg import to_svg

        return to_svg(cast("Graph", self))

    def to_latex(self) -> str:
        """Draw it for LaTeX; see `paucal.graphs.to_latex`."""
        from paucal.graphs.drawing.latex import to_latex

        return to_latex(cast("Graph", self))

    def to_dot(self) -> str:
        """Write it for Graphviz; see `paucal.graphs.to_dot`."""
        from paucal.graphs.formats.export import to_dot

        return to_dot(cast("Graph", self))

    def to_mermaid(self) -> str:
        """Write it for Mermaid; see `paucal.graphs.to_mermaid`."""
        from paucal.graphs.formats.export import to_mermaid

        return to_mermaid(cast("Graph", self))

    def to_graphml(self) -> str:
        """Write it as GraphML; see `paucal.graphs.to_graphml`."""
        from paucal.graphs.formats.export import to_graphml

        return to_graphml(cast("Graph", self))

    def to_tetrad(self) -> str:
        """Write it as Tetrad's text; see `paucal.graphs.to_tetrad`."""
        from paucal.graphs.formats.export import to_tetrad

        return to_tetrad(cast("Graph", self))

    def to_networkx(self) -> nx.DiGraph:
        """Give it as a networkx DiGraph; see `paucal.graphs.to_networkx`."""
        from paucal.graphs.formats.export import to_networkx

        return to_networkx(cast("Graph", self))
