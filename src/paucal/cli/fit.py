"""`paucal fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from paucal.cli.known import intervention_options, knowledge_options, read_table, read_targets
from paucal.cli.loading import data_options
from paucal.cli.options import ListCommand
from paucal.cli.output import tell
from paucal.cli.progress import TerminalProgress

if TYPE_CHECKING:
    from paucal.cli.loading import Loader
    from paucal.graphs.knowledge import Knowledge
    from paucal.networks.bayesnet import BayesNet


@click.command("fit", cls=ListCommand)
@data_options
@click.option("--graph", metavar="FILE", help="A result or graph as JSON; without it one is learned.")
@knowledge_options
@intervention_options
@click.option("-o", "--out", metavar="FILE", required=True, help="Where to write the network, as BIF.")
@click.option(
    "--safe-names",
    is_flag=True,
    help="Write names that every BIF reader accepts; FILE.names.json says what they stand for.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the search.")
def command(
    load: Loader,
    graph: str | None,
    knowledge: Knowledge | None,
    interventions: str | None,
    targets: str | None,
    out: str,
    safe_names: bool,
    seed: int,
) -> None:
    """Fit a network to DATA: a graph with a table of probabilities for every column, written as a BIF file.

    \b
    Examples:
      paucal fit survey.csv -o survey.bif
      paucal fit survey.csv --graph graph.json -o survey.bif
      paucal fit survey.csv -o survey.bif --safe-names
    """
    from paucal.atomic import write_text
    from paucal.networks.bif import with_safe_names, write_bif
    from paucal.search.recipe import Recipe

    recipe = Recipe.of(
        knowledge=knowledge,
        interventions=interventions,
        targets=None if targets is None else read_targets(targets),
        seed=seed,
    )
    data = read_table(recipe, load, kept=() if knowledge is None else knowledge.names)
    net = _fitted(recipe, data, graph)
    if safe_names:
        safe = with_safe_names(net)
        net = safe.net
        write_text(f"{out}.names.json", safe.to_json() + "\n")
    write_bif(net, out)
    beside = f", what its names stand for to {out}.names.json" if safe_names else ""
    tell(f"{net!r} written to {out}{beside}", err=True)


def _fitted(recipe: Any, data: Any, graph: str | None) -> BayesNet:
    """Fit the graph of a file, or one that is learned."""
    from paucal.errors import ParameterError
    from paucal.graphs.equivalence import pdag_to_dag
    from paucal.networks.bayesnet import BayesNet
    from paucal.networks.sources import find_graph, result_in
    from paucal.search.learn import run
    from paucal.search.result import SearchResult

    if graph is None:
        with TerminalProgress() as progress:
            result = run(recipe, data, progress=progress)
        if not isinstance(result, SearchResult):  # a recipe without a target is about a graph
            raise TypeError(type(result).__name__)
        return result.network(data)
    if recipe.knowledge is not None or recipe.interventions is not None:
        raise ParameterError("--graph gives the graph, so nothing is learned.", hint="Leave out what else is known.")
    content = result_in(graph)
    if content is not None:  # it knows more than its graph: in which steps numbers were read
        return SearchResult.from_json(content).network(data)
    found = find_graph(graph)
    return BayesNet.fit(found if found.kind in ("dag", "pag", "mag") else pdag_to_dag(found), data, name="learned")
