"""Compute the cells that are missing, in parallel, and write each one down when it is finished.

Workers compute (`paucal.search.parallel` tells where); only this process writes. Which worker computes a cell, and
when, does not show in its numbers, except in the seconds it took.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from paucal import checks
from paucal.paper.design import cell_record, key_of
from paucal.search.parallel import each

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from paucal.paper.design import Cell, Plain
    from paucal.paper.store import Store

# Told after each cell: the cost of what is done and of everything, and the number of cells of both.
Progress: TypeAlias = Callable[[float, float, int, int], None]


def complete(
    cells: Iterable[Cell],
    store: Store,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[Cell, Mapping[str, Any]]:
    """Give the result of every cell, from the store or by computing it.

    Parameters
    ----------
    cells
        The cells; one that is named twice is computed once.
    store
        Where finished cells are, and where new ones go.
    jobs
        Processes; -1 for all cores. By default one, or what a surrounding `joblib.parallel_config` says.
    progress
        Called after each cell with the cost done, the cost in all, the cells done, the cells in all.
    """
    jobs = checks.jobs(jobs)
    keys = {cell: key_of(cell) for cell in cells}
    by_key = {key: cell for cell, key in keys.items() if key not in store.cells}
    missing = list(by_key.values())  # two labels of one method are one cell
    missing.sort(key=lambda cell: -cell.cost)  # the long ones first, so that no core waits at the end
    total, done = sum(cell.cost for cell in missing), 0.0
    jobs = 1 if len(missing) < 2 else jobs
    for finished, (position, result) in enumerate(each(_compute, enumerate(missing), jobs, ordered=False), 1):
        store.append(cell_record(missing[position], result))
        done += missing[position].cost
        if progress is not None:
            progress(done, total, finished, len(missing))
    return {cell: store.cells[key]["result"] for cell, key in keys.items()}


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a bar with the time that is left on a terminal; elsewhere nothing."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[cells]} cells"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None, cells="0")

        def show(done: float, total: float, finished: int, of: int) -> None:
            bar.update(task, completed=done, total=total, cells=f"{finished}/{of}")

        yield show


def _compute(numbered: tuple[int, Cell]) -> tuple[int, dict[str, Plain]]:
    position, cell = numbered
    return position, cell.compute()
