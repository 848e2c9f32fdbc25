"""`paucal learn`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import click

from paucal.cli.interrupting import partial_result
from paucal.cli.known import ask_about_background, intervention_options, knowledge_options, read_table, read_targets
from paucal.cli.loading import data_options
from paucal.cli.options import (
    ListCommand,
    budget_options,
    cluster_options,
    read_recipe,
    recipe_options,
    search_options,
    shared_by,
)
from paucal.cli.output import print_json, tell
from paucal.cli.progress import TerminalProgress
from paucal.errors import ParameterError, listing

if TYPE_CHECKING:
    from paucal.cli.loading import Loader
    from paucal.data import Dataset
    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.search.parallel import Backend
    from paucal.search.result import SearchResult

_FORMS = ("dot", "mermaid", "graphml", "svg", "latex")
_NAMED = 4  # doubtful pairs that are named one by one
_LOOKED_THROUGH = 200  # columns; looking through all pairs of more takes longer than learning from them


@click.command("learn", cls=ListCommand)
@data_options
@click.option(
    "--search",
    metavar="NAME",
    help="Search; auto: one that suits the size of the data, or PC-stable if a test is named.  [default: auto]",
)
@click.option("--test", metavar="NAME", help="Independence test.  [default: auto, if the search uses tests]")
@search_options("colliders=standard")
@knowledge_options
@intervention_options
@click.option("--latent", is_flag=True, help="Allow for hidden common causes; the graph is then a PAG.")
@click.option(
    "--around",
    multiple=True,
    metavar="COLUMN...",
    help="Only the graph of these columns and their Markov blankets, for tables with many columns.",
)
@click.option("--max-order", type=click.IntRange(min=0), metavar="K", help="Most conditioning columns in a test.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all random numbers.  [default: 0]")
@click.option(
    "--threads", type=click.IntRange(min=1), help="Threads; the result does not depend on them.  [default: 1]"
)
@budget_options
@click.option(
    "--bootstrap",
    "replicates",
    type=int,
    metavar="N",
    help="Learn N times from 63 % of the rows, drawn at random, and say how often each edge was found.",
)
@click.option(
    "--jobs",
    type=int,
    help="Processes for --bootstrap, --around, --search posterior or mmpc; -1: all cores.  [default: 1]",
)
@cluster_options
@recipe_options
@click.option("--out", metavar="FILE", help="Write graph, tests and reasons as JSON.")
@click.option("--dot", metavar="FILE", help="Write the graph for Graphviz.")
@click.option("--mermaid", metavar="FILE", help="Write the graph for Mermaid.")
@click.option("--graphml", metavar="FILE", help="Write the graph as GraphML.")
@click.option("--svg", metavar="FILE", help="Write a picture of the graph.")
@click.option("--report", metavar="FILE", help="Write a page that explains every edge.")
@click.option("--latex", metavar="FILE", help="Write the graph as a TikZ picture.")
@click.option("--explain", nargs=2, metavar="X Y", help="Print why X and Y are joined or not, instead of the graph.")
@click.option(
    "--all-tests",
    is_flag=True,
    help="Keep every test in the JSON; otherwise, with more than 200 columns, only decisive ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    load: Loader,
    search: str | None,
    test: str | None,
    alpha: Alpha | None,
    test_options: tuple[str, ...],
    options: tuple[str, ...],
    knowledge: Knowledge | None,
    interventions: str | None,
    targets: str | None,
    latent: bool,
    around: tuple[str, ...],
    max_order: int | None,
    seed: int | None,
    threads: int | None,
    max_seconds: float | None,
    max_tests: int | None,
    replicates: int | None,
    jobs: int | None,
    backend: Backend | None,
    scheduler: str | None,
    recipe: str | None,
    save_recipe: str | None,
    out: str | None,
    report: str | None,
    explain: tuple[str, str] | None,
    all_tests: bool,
    as_json: bool,
    **files: str | None,
) -> None:
    """Learn a graph from the columns of DATA.

    \b
    Examples:
      paucal learn survey.csv
      paucal learn survey.csv --search rai --test chi2 --test-option df=full --out graph.json
      paucal learn survey.csv --outcome death --exogenous age sex --svg graph.svg
      paucal learn trial.csv --randomised rx --time rx , week4 , week12
      paucal learn cells.csv --interventions drug --targets drugs.toml
      paucal learn survey.csv --report page.html
      paucal learn survey.csv --explain smoke cancer
      paucal learn survey.csv --search posterior --jobs 2 --dot graph.dot
      paucal learn survey.csv --latent
      paucal learn genes.csv --around TP53 BRCA1
      paucal learn survey.csv --search pc-stable --bootstrap 200 --jobs 2
      paucal learn survey.csv --bootstrap 1000 --backend dask --scheduler tcp://head:8786
      paucal learn - --json < survey.csv
    """
    from paucal.atomic import write_text
    from paucal.search.catalogue import SHARED
    from paucal.search.learn import run, told_unshared
    from paucal.search.parallel import cluster, processes
    from paucal.search.recipe import AUTO

    wanted = read_recipe(
        recipe,
        (*options, "latent=true") if latent else options,
        test_options,
        max_order=max_order,
        search=search,
        test=test,
        alpha=alpha,
        knowledge=knowledge,
        interventions=interventions,
        targets=None if targets is None else read_targets(targets),
        seed=seed,
        threads=threads,
        max_seconds=max_seconds,
        max_tests=max_tests,
        replicates=replicates,
    )
    for option, value in (("--jobs", jobs), ("--backend", backend), ("--scheduler", scheduler)):
        if value is not None and wanted.replicates is None and not around and wanted.search not in (AUTO, *SHARED):
            raise ParameterError(
                f"{option} shares the work of --bootstrap, --around, --search posterior or mmpc; none was given.",
                hint="Leave it out.",
            )
    known = () if wanted.knowledge is None else wanted.knowledge.names
    data = read_table(wanted, load, kept=(*known, *around, *(explain or ())))
    for name in explain or ():
        data.index(name)  # refuse an unknown name before the work begins
    n_columns, shared = data.n_columns, shared_by(jobs, backend)
    with cluster(backend, scheduler), TerminalProgress() as progress, partial_result() as caught:
        if around:
            from paucal.search.local.narrowing import narrowed, with_narrowing

            data = narrowed(wanted, data, around, jobs=shared, progress=progress)
        if wanted.replicates is not None:
            from paucal.search.bootstrap import repeated

            result = repeated(wanted, data, jobs=shared, progress=progress)
        else:
            with processes(shared):
                result = cast("SearchResult", run(wanted, data, progress=progress))
            if not around:
                told_unshared(result, jobs=jobs, backend=backend)
        result = with_narrowing(result, around, n_columns) if around else result
    if caught.result is not None:
        result = cast("SearchResult", caught.result)
    if save_recipe is not None:
        write_text(save_recipe, result.recipe.to_toml())
    if out is not None:
        write_text(out, result.to_json(all_tests=all_tests) + "\n")
    for form in _FORMS:
        if files[form] is not None:
            from paucal.graphs.formats.names import render

            write_text(str(files[form]), render(result.graph, form, result.edge_numbers(), result.near_misses()))
    if report is not None:
        from paucal.report.page import write_report

        write_report(result, report, data=data)
    if explain is not None:
        told = result.why(*explain, data=data)
        if as_json:
            print_json(told.to_dict())
        else:
            tell(str(told))
    elif as_json:
        click.echo(result.to_json(all_tests=all_tests))
    else:
        tell(str(result))
        _advise(result, data)
    caught.leave()


def _advise(result: SearchResult, data: Dataset) -> None:
    """Tell which pairs to doubt, what to ask, and a person at a terminal where to look next."""
    tests = result.doubtful() if result.graph.n <= _LOOKED_THROUGH else ()
    for joined, verb in ((True, "kept"), (False, "separated")):
        pairs = [f"{t.x} and {t.y}" for t in tests if (result.graph.edge(t.x, t.y) is not None) == joined]
        if pairs:
            tell(f"paucal: note: unreliable tests {verb} {listing(pairs, _NAMED)}", err=True)
    facts = result.ask(data=data) if result.graph.n <= _LOOKED_THROUGH else []
    ask_about_background(facts, "learn again")
    for fact in facts:
        if not fact.about_background:
            tell(f"paucal: ask: {fact}", err=True)
    if sys.stdout.isatty():
        tell("--report page.html explains every edge, --explain X Y one pair.", err=True)
