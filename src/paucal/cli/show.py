"""`paucal show`."""

from __future__ import annotations

import sys

import click

from paucal.cli.files import FilesCommand
from paucal.cli.output import visible

FORMATS = ("text", "json", "dot", "mermaid", "graphml", "gml", "dagitty", "tetrad", "svg", "latex")


@click.command("show", cls=FilesCommand)
@click.argument("graph")
@click.option("--as", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Form of the graph.")
@click.option("--cpdag", is_flag=True, help="Show the equivalence class of a DAG.")
@click.option("-o", "--out", metavar="FILE", help="Write to a file instead of standard output.")
def command(graph: str, form: str, cpdag: bool, out: str | None) -> None:
    """Show GRAPH: a bundled network, a BIF file, or JSON that paucal wrote.

    \b
    Examples:
      paucal show asia
      paucal show asia --cpdag --as svg -o asia.svg
      paucal show graph.json --as mermaid
    """
    from paucal.atomic import write_text
    from paucal.errors import GraphError
    from paucal.graphs import dag_to_cpdag
    from paucal.graphs.formats.names import render
    from paucal.networks.sources import find_graph

    shown = find_graph(graph)
    if cpdag:
        if shown.kind != "dag":
            raise GraphError(f"{graph} is a {shown.kind.upper()}.", hint="--cpdag completes a DAG; leave it out.")
        shown = dag_to_cpdag(shown)
    if form == "text":
        alone = [node for node in shown.nodes if not shown.adjacent(node)]
        lines = [f"{shown.kind.upper()}: {len(shown)} nodes, {shown.n_edges} edges", *map(str, shown.edges())]
        text = "\n".join([*lines, *([f"without edges: {', '.join(alone)}"] if alone else [])])
    else:
        text = render(shown, form)
    if out is None:
        click.echo(visible(text) if sys.stdout.isatty() else text)
    else:
        write_text(out, text if text.endswith("\n") else text + "\n")
