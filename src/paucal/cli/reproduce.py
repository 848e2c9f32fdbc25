"""`paucal reproduce`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paucal.cli.options import ListCommand, cluster_options, shared_by
from paucal.cli.output import print_json, print_table, tell
from paucal.cli.progress import TerminalProgress

if TYPE_CHECKING:
    from paucal.paper.design import Scope
    from paucal.paper.report import Report
    from paucal.search.parallel import Backend


@click.command("reproduce", cls=ListCommand)
@click.argument("names", metavar="NAME...", nargs=-1)
@click.option("--list", "listed", is_flag=True, help="List the tables and figures.")
@click.option("--runs", type=click.IntRange(min=1), default=10, show_default=True, help="Data sets per size.")
@click.option("--jobs", type=int, help="Processes; -1 for all cores.  [default: 1]")
@cluster_options
@click.option("--networks", multiple=True, metavar="NAME...", help="Networks; the paper's six by default.")
@click.option("--sizes", multiple=True, type=int, metavar="N...", help="Numbers of rows; the paper's by default.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reproduction"),
    show_default=True,
    help="Folder for results; a run that was stopped continues where it was.",
)
@click.option("--page", type=click.Path(path_type=Path), help="Summary page; OUT/reproduction.md by default.")
@click.option(
    "--samples",
    type=click.Choice(["drawn", "supplement"]),
    default="drawn",
    show_default=True,
    help="Draw samples from the networks, or also use those of the supplement to Tsamardinos et al. (2006), in --data.",
)
@click.option("--data", type=click.Path(path_type=Path), help="Folder with the supplement's zip files.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all random numbers.")
@click.option("--repetitions", type=click.IntRange(min=1), help="Synthetic tables per point; 1000 by default.")
@click.option("--shuffle", is_flag=True, help="Columns in random order instead of the file's.")
@click.option("--quick", is_flag=True, help="Few runs and small sizes, to see that everything works.")
@click.option("--no-figures", is_flag=True, help="Numbers only; needs no matplotlib.")
@click.option("--details", is_flag=True, help="Print all tables, not only the overviews.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    names: tuple[str, ...],
    listed: bool,
    runs: int,
    jobs: int | None,
    backend: Backend | None,
    scheduler: str | None,
    networks: tuple[str, ...],
    sizes: tuple[int, ...],
    out: Path,
    page: Path | None,
    samples: str,
    data: Path | None,
    seed: int | None,
    repetitions: int | None,
    shuffle: bool,
    quick: bool,
    no_figures: bool,
    details: bool,
    as_json: bool,
) -> None:
    """Compute tables and figures of the paper, each number beside the printed one.

    NAME is one that --list shows (table1 to table12, figure1 to figure8 and some more), or all. Finished parts are
    kept in OUT, so that the same command continues after an interruption. OUT receives each table as Markdown, CSV,
    LaTeX and HTML, and each figure as SVG and PNG.

    With --samples supplement, tables about networks show three of our numbers beside the paper's: two on the public
    samples of the MMHC supplement, scored against its graph files as published and again in the order of the columns,
    and one on drawn samples.

    \b
    Examples:
      paucal reproduce table2 --jobs 2
      paucal reproduce table2 --networks alarm child --runs 3 --sizes 100 200
      paucal reproduce all --quick
      paucal reproduce all --backend dask --scheduler tcp://head:8786
      paucal reproduce table2 --samples supplement --data DIR
    """
    from paucal.paper.catalogue import choose, reproduce
    from paucal.paper.design import SEED, Scope, quick_scope
    from paucal.paper.published import NETWORKS, SYNTHETIC_RUNS
    from paucal.search.parallel import cluster

    if listed:
        _list(as_json=as_json)
        return
    if not names:
        raise click.UsageError("Name a table or figure, or all; --list shows them.")
    scope = Scope(
        runs=runs,
        networks=tuple(dict.fromkeys(name.lower() for name in networks)) or NETWORKS,
        sizes=tuple(dict.fromkeys(sizes)) or None,
        shuffle=shuffle,
        samples=samples,
        data=data,
        seed=SEED if seed is None else seed,
        repetitions=SYNTHETIC_RUNS if repetitions is None else repetitions,
    )
    scope = quick_scope(scope) if quick else scope
    reports = reproduce(
        choose(names, scope),
        scope,
        out,
        jobs=shared_by(jobs, backend),
        command=_command(names, scope, shared_by(jobs, backend), backend, seed=seed),
        page_at=page,
        draw=not no_figures,
        progress=TerminalProgress,
    )
    told = []
    try:
        with cluster(backend, scheduler):
            for report in reports:
                told.append(report.to_dict())
                if not as_json:
                    _show(report, out, details=details)
    except KeyboardInterrupt:
        tell(f"Stopped. Finished cells are in {out}; the same command continues from there.", err=True)
        sys.exit(130)
    if as_json:
        print_json(told)


def _list(*, as_json: bool) -> None:
    from paucal.paper.catalogue import EXPERIMENTS

    if as_json:
        print_json([{"name": e.name, "alias": e.alias, "title": e.title} for e in EXPERIMENTS])
        return
    print_table(["name", "other name", "what"], [[e.name, e.alias, e.title] for e in EXPERIMENTS], left=3)


def _show(report: Report, out: Path, *, details: bool) -> None:
    from paucal.paper.render import cells_of

    tell(f"\n{report.title}")
    for line in (*report.about, *report.findings):
        tell(f"  {line}")
    for table in report.tables:
        if details or not table.name.endswith("-details"):
            headings = [column.heading for column in table.columns]
            left = sum(column.left for column in table.columns)
            print_table(headings, cells_of(table), left=left, title=table.title)
    tell(f"  More: {out / report.name}.md, .html, .tex, .csv")


def _command(names: tuple[str, ...], scope: Scope, jobs: int | None, backend: str | None, *, seed: int | None) -> str:
    """Write the command down as it would be given again, without the folders of this machine."""
    from paucal.paper.published import NETWORKS

    words = ["paucal reproduce", *names]
    words += ["--quick"] if scope.quick else ["--runs", str(scope.runs)]
    words += [] if jobs is None else ["--jobs", str(jobs)]
    words += [] if backend is None else ["--backend", backend]
    if not scope.quick and scope.networks != NETWORKS:
        words += ["--networks", *scope.networks]
    if not scope.quick and scope.sizes is not None:
        words += ["--sizes", *map(str, scope.sizes)]
    words += ["--seed", str(seed)] if seed is not None else []
    words += ["--shuffle"] if scope.shuffle else []
    words += ["--samples supplement --data DIR"] if scope.supplement else []
    return " ".join(words)
