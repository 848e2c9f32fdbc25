"""`paucal fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paucal.cli.loading import data_options
from paucal.cli.options import ListCommand
from paucal.cli.output import tell
from paucal.cli.progress import TerminalProgress

if TYPE_CHECKING:
    from paucal.cli.loading import Loader


@click.command("fit", cls=ListCommand)
@data_options
@click.option("--graph", metavar="FILE", help="A result or graph as JSON; without it one is learned.")
@click.option("-o", "--out", metavar="FILE", required=True, help="Where to write the network, as BIF.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the search.")
def command(load: Loader, graph: str | None, out: str, seed: int) -> None:
    """Fit a network to DATA: a graph with a table of probabilities for every column, written as a BIF file.

    \b
    Examples:
      paucal fit survey.csv -o survey.bif
      paucal fit survey.csv --graph graph.json -o survey.bif
    """
    from paucal.graphs.equivalence import pdag_to_dag
    from paucal.networks.bayesnet import BayesNet
    from paucal.networks.bif import write_bif
    from paucal.networks.sources import find_graph
    from paucal.search.learn import learn

    data = load()
    if graph is not None:
        found = find_graph(graph)
    else:
        with TerminalProgress() as progress:
            found = learn(data, seed=seed, progress=progress).graph
    net = BayesNet.fit(found if found.kind == "dag" else pdag_to_dag(found), data, name="learned")
    write_bif(net, out)
    tell(f"{net!r} written to {out}", err=True)
