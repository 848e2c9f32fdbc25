"""`paucal blanket`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from paucal.cli.interrupting import partial_result
from paucal.cli.known import knowledge_options
from paucal.cli.loading import data_options
from paucal.cli.options import (
    ListCommand,
    budget_options,
    cluster_options,
    read_recipe,
    recipe_options,
    search_options,
    shared_by,
    stored_recipe,
)
from paucal.cli.output import print_json, print_table, tell
from paucal.cli.progress import TerminalProgress
from paucal.errors import ParameterError

if TYPE_CHECKING:
    from paucal.cli.loading import Loader
    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.search.local.result import BlanketResult
    from paucal.search.parallel import Backend

_PARTS = ("parents", "children", "undetermined", "spouses")


@click.command("blanket", cls=ListCommand)
@data_options
@click.option("--target", "targets", multiple=True, metavar="COLUMN...", help="Columns whose blankets to find.")
@click.option("--all", "every", is_flag=True, help="Find the blankets of all columns.")
@click.option("--search", metavar="NAME", help="Search.  [default: cmb]")
@click.option("--test", metavar="NAME", help="Independence test.  [default: auto]")
@search_options("neighbours=stmb")
@knowledge_options
@click.option(
    "--max-order", type=click.IntRange(min=0), metavar="K", help="Most columns in a conditioning subset.  [default: 3]"
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed, for tests that draw random numbers.")
@budget_options
@click.option("--jobs", type=int, help="Processes that share the targets; -1: all cores.  [default: 1]")
@cluster_options
@recipe_options
@click.option("--out", metavar="FILE", help="Write blankets, tests and reasons as JSON.")
@click.option("--report", metavar="FILE", help="Write a page that explains the blanket of one column.")
@click.option(
    "--all-tests",
    is_flag=True,
    help="Keep every test in the file of --out; otherwise, with more than 200 columns, only decisive ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    load: Loader,
    targets: tuple[str, ...],
    every: bool,
    search: str | None,
    test: str | None,
    alpha: Alpha | None,
    test_options: tuple[str, ...],
    options: tuple[str, ...],
    knowledge: Knowledge | None,
    max_order: int | None,
    seed: int | None,
    max_seconds: float | None,
    max_tests: int | None,
    jobs: int | None,
    backend: Backend | None,
    scheduler: str | None,
    recipe: str | None,
    save_recipe: str | None,
    out: str | None,
    report: str | None,
    all_tests: bool,
    as_json: bool,
) -> None:
    """Find the causes, effects and other close relatives of columns of DATA.

    The Markov blanket of a column holds all that is worth knowing to predict it: its parents, its children, neighbours
    that may be either, and the other parents of its children (spouses).

    \b
    Examples:
      paucal blanket survey.csv --target cancer
      paucal blanket survey.csv --target cancer smoke --search hiton --test chi2
      paucal blanket survey.csv --target cancer --outcome death --exogenous age sex
      paucal blanket survey.csv --target cancer --report page.html
      paucal blanket survey.csv --all --jobs 2 --json
      paucal blanket survey.csv --all --backend ray
    """
    from paucal.atomic import write_text
    from paucal.search.local.blanket import around
    from paucal.search.parallel import cluster

    if recipe is not None and not targets and not every:
        stored = stored_recipe(recipe).target
        targets = () if stored is None else (stored,)
    if save_recipe is not None and len(targets) != 1:
        raise ParameterError(
            f"A recipe is about one column, not about {'all' if every else len(targets)}.",
            hint="Name one with --target.",
        )
    if bool(targets) == every:
        raise ParameterError(
            "No target was named." if not every else "Both --all and --target were given.",
            hint="Name columns with --target, or give --all.",
        )
    if report is not None and len(targets) != 1:
        raise ParameterError(
            f"A page is about one column, not about {'all' if every else len(targets)}.", hint="Name one with --target."
        )
    wanted = read_recipe(
        recipe,
        options,
        test_options,
        max_order=max_order,
        search="cmb" if search is None and recipe is None else search,
        test=test,
        alpha=alpha,
        knowledge=knowledge,
        seed=seed,
        max_seconds=max_seconds,
        max_tests=max_tests,
        target=targets[0] if targets else "",
    )
    known = () if wanted.knowledge is None else wanted.knowledge.names
    data = load(wanted.preparation, named=targets, kept=known)
    with cluster(backend, scheduler), TerminalProgress() as progress, partial_result() as caught:
        found = around(wanted, data, targets or data.names, jobs=shared_by(jobs, backend), progress=progress)
    if caught.result is not None:
        found = caught.result
    if save_recipe is not None:
        write_text(save_recipe, next(iter(found.values())).result.recipe.to_toml())
    if out is not None:
        content = [result.to_dict(all_tests=all_tests) for result in found.values()]
        write_text(out, json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")
    if report is not None:
        found[targets[0]].report(report, data=data)
    if as_json:
        print_json([_plain(result) for result in found.values()])
    else:
        rows = []
        for target, result in found.items():
            parts = [", ".join(getattr(result, part)) or "-" for part in _PARTS]
            rows.append([target, *parts, f"{result.ledger.n_tests:,}", f"{result.ledger.n_unreliable:,}"])
        print_table(["target", *_PARTS, "tests", "unreliable"], rows, left=1 + len(_PARTS))
        for target, result in found.items():
            for one in result.lost:
                tell(f"paucal: note: {one}", err=True)
            if result.result.unfinished is not None:
                tell(f"paucal: note: {target} is unfinished: {result.result.unfinished}", err=True)
    caught.leave()


def _plain(result: BlanketResult) -> dict[str, Any]:
    """Give what does not depend on the clock."""
    return {
        "target": result.target,
        **{part: list(getattr(result, part)) for part in _PARTS},
        "search": result.search,
        "test": result.result.test,
        "unfinished": result.result.unfinished,
        "lost": [one.to_dict() for one in result.lost],
        **result.ledger.to_dict(),
    }
