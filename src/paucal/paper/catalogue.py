"""All experiments by name, and running some of them: cells, reports, files."""

from __future__ import annotations

import hashlib
import platform
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import paucal
from paucal.atomic import write_text
from paucal.errors import FileError, ParameterError, unknown_name
from paucal.paper import classification, figures, networks, polya, synthetic
from paucal.paper.cells.graphs import network_called
from paucal.paper.design import SUPPLEMENT
from paucal.paper.page import page, read_reports
from paucal.paper.report import write_report
from paucal.paper.run import complete
from paucal.paper.store import NAME, Store
from paucal.paper.version import version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from paucal.paper.design import Cell, Plain, Scope
    from paucal.paper.report import Experiment, Report
    from paucal.search.run import Progress

EXPERIMENTS: tuple[Experiment, ...] = (*networks.TABLES, *classification.TABLES, *polya.FIGURES, *synthetic.FIGURES)
_REPORTS = (*(e.name for e in EXPERIMENTS), *(f"{e.name}-{SUPPLEMENT}" for e in EXPERIMENTS if e.on_networks))


def find(name: str) -> Experiment:
    """Give the experiment of a name or alias.

    >>> find("global").name
    'table2'
    """
    by_name = {word: e for e in EXPERIMENTS for word in (e.name, e.alias)}
    if name.lower() not in by_name:
        raise unknown_name("table or figure", name, [*by_name, "all"])
    return by_name[name.lower()]


def choose(names: Sequence[str], scope: Scope) -> tuple[Experiment, ...]:
    """Give the experiments of some names, each once; on the supplement's samples `all` are those that use networks.

    >>> from paucal.paper.design import Scope
    >>> [experiment.name for experiment in choose(["global", "table2", "figure7"], Scope())]
    ['table2', 'figure7']
    """
    able = [e for e in EXPERIMENTS if e.on_networks or not scope.supplement]
    found: dict[str, Experiment] = {}
    for name in names:
        found |= {e.name: e for e in (able if name.lower() == "all" else [find(name)])}
    for experiment in found.values():
        if experiment not in able:
            raise ParameterError(
                f"{experiment.name} uses no samples of networks, and so none of the supplement.",
                hint="Leave --samples and --data out.",
            )
    return tuple(found.values())


def reproduce(
    experiments: Sequence[Experiment],
    scope: Scope,
    out: Path,
    *,
    jobs: int | None = None,
    command: str = "",
    page_at: Path | None = None,
    draw: bool = True,
    progress: Callable[[], AbstractContextManager[Progress | None]] = nullcontext,
) -> Iterator[Report]:
    """Run experiments one after the other; yield each report when its files are written.

    All files go to the folder `out`, and the summary page to `reproduction.md` in it or `page_at`; finished cells that
    are there are not computed again. `command` tells in the record how the run was called. `progress` gives a context
    whose value is told how far an experiment is: stage, done, total.
    """
    for network in scope.networks:
        network_called(network)  # an unknown one is told before anything is written
    wanted = [(experiment, experiment.cells(scope)) for experiment in experiments]
    _refuse_foreign(out, [experiment.named(scope) for experiment in experiments])
    if draw and any(experiment.name.startswith("figure") for experiment in experiments):
        figures.require_matplotlib()
    target = page_at or out / "reproduction.md"
    with Store(out) as store:
        every = [cell for _, cells in wanted for cell in cells]
        run = {"command": command, **environment(every), "scope": scope.describe()}
        store.note_run(run)
        for experiment, cells in wanted:
            with progress() as told:
                results = complete(cells, store, jobs=jobs, progress=told and partial(told, experiment.title))
            report = replace(experiment.report(scope, results), run={**run, "quick": scope.quick})
            if draw and figures.have_matplotlib():
                for figure in report.figures:
                    figures.save(figure, out)
            else:
                report = replace(report, figures=())
            write_report(report, out)
            write_text(target, page(read_reports(out, _REPORTS), out, target))
            yield report


def environment(cells: Iterable[Cell]) -> dict[str, Plain]:
    """Give the versions and the kind of machine that cells are computed with."""
    import numpy as np

    codes = sorted({version_of(cell) for cell in cells})
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "code": f"{paucal.__version__}+{hashlib.sha256(' '.join(codes).encode()).hexdigest()[:12]}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
    }


def _refuse_foreign(out: Path, names: Sequence[str]) -> None:
    """Refuse a folder that has files of our names but no cells: somebody else wrote them."""
    if (out / NAME).exists():
        return
    files = [f"{name}.{ending}" for name in names for ending in ("json", "md", "html", "tex", "svg", "png")]
    there = [file for file in files if (out / file).exists()]
    if there:
        raise FileError(
            f"{out / there[0]} exists, but {out} holds no results of `paucal reproduce`.",
            hint="Nothing was changed. Choose another folder with --out.",
        )
