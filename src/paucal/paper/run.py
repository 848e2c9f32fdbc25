"""Compute the cells that are missing, in parallel, and write each one down when it is finished.

The work goes through joblib, and so to its own processes or, inside `joblib.parallel_config(backend=...)`, to Dask, Ray
or whatever else has a backend. Workers compute; only this process writes. Which worker computes a cell, and when, does
not show in its numbers, except in the seconds it took.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paucal.errors import ParameterError
from paucal.paper.version import cell_record, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from paucal.paper.design import Cell, Plain
    from paucal.paper.store import Store


def complete(
    cells: Iterable[Cell],
    store: Store,
    *,
    jobs: int | None = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Cell, Mapping[str, Any]]:
    """Give the result of every cell, from the store or by computing it.

    Parameters
    ----------
    cells
        The cells; one that is named twice is computed once.
    store
        Where finished cells are, and where new ones go.
    jobs
        Processes; -1 for all cores, None for what a surrounding `joblib.parallel_config` says.
    progress
        Called after each cell with how much is done, and of how much: in cells, weighted by their cost.
    """
    if jobs == 0:
        raise ParameterError("jobs=0 does nothing.", hint="Give 1 or more, or -1 for all cores.")
    keys = {cell: key_of(cell) for cell in cells}
    by_key = {key: cell for cell, key in keys.items() if key not in store.cells}
    missing = list(by_key.values())  # two labels of one method are one cell
    missing.sort(key=lambda cell: -cell.cost)  # the long ones first, so that no core waits at the end
    total, done = sum(cell.cost for cell in missing), 0.0
    for position, result in _computed(missing, jobs):
        store.append(cell_record(missing[position], result))
        done += missing[position].cost
        if progress is not None:
            progress(round(len(missing) * done / total), len(missing))
    return {cell: store.cells[key]["result"] for cell, key in keys.items()}


def _computed(cells: Sequence[Cell], jobs: int | None) -> Iterator[tuple[int, dict[str, Plain]]]:
    """Yield position and result of each cell as soon as it is there."""
    if jobs == 1 or len(cells) < 2:
        for position, cell in enumerate(cells):
            yield _compute(position, cell)
        return
    from joblib import Parallel, delayed

    # one cell a batch: a finished cell that waits for others in its batch would be lost if the run were killed
    work = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
    yield from work(delayed(_compute)(position, cell) for position, cell in enumerate(cells))


def _compute(position: int, cell: Cell) -> tuple[int, dict[str, Plain]]:
    return position, cell.compute()
