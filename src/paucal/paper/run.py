"""Compute the cells that are missing, in parallel, and write each one down when it is finished.

Workers compute (`paucal.search.parallel` tells where); only this process writes. Which worker computes a cell, and
when, does not show in its numbers, except in the seconds it took.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.paper.version import cell_record, key_of
from paucal.search.parallel import each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paucal.paper.design import Cell, Plain
    from paucal.paper.store import Store


def complete(
    cells: Iterable[Cell], store: Store, *, jobs: int | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[Cell, Mapping[str, Any]]:
    """Give the result of every cell, from the store or by computing it; one that is named twice is computed once.

    `progress` is called after each cell with how much is done, and of how much: in cells, weighted by their cost.
    """
    jobs = checks.jobs(jobs)
    keys = {cell: key_of(cell) for cell in cells}
    by_key = {key: cell for cell, key in keys.items() if key not in store.cells}
    missing = list(by_key.values())  # two labels of one method are one cell
    missing.sort(key=lambda cell: -cell.cost)  # the long ones first, so that no core waits at the end
    total, done = sum(cell.cost for cell in missing), 0.0
    jobs = 1 if len(missing) < 2 else jobs
    with closing(each(_compute, enumerate(missing), jobs, ordered=False)) as results:
        for position, result in results:
            store.append(cell_record(missing[position], result))
            done += missing[position].cost
            if progress is not None:
                progress(round(len(missing) * done / total), len(missing))
    return {cell: store.cells[key]["result"] for cell, key in keys.items()}


def _compute(numbered: tuple[int, Cell]) -> tuple[int, dict[str, Plain]]:
    position, cell = numbered
    return position, cell.compute()
