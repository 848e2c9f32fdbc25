"""The same work for many items: here, in several processes, or on a cluster, with the same results.

joblib does the sharing, and is loaded only where there is something to share. Whatever has a joblib backend can do the
work: within `joblib.parallel_config(backend="dask")` a bootstrap runs on the workers of a Dask cluster.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

from paucal import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    T = TypeVar("T")
    R = TypeVar("R")


def each(work: Callable[[T], R], items: Iterable[T], jobs: int | None = None, *, ordered: bool = True) -> Iterator[R]:
    """Do the work for every item; give each result as soon as it is there, if the backend can.

    Work and items travel to other processes: as many as `jobs`, -1 for all cores. None takes the backend and the number
    that a surrounding `joblib.parallel_config` names (all that the backend has, if it names no number), and does the
    work here if there is none. Results come in the order of the items if `ordered`, otherwise as they are ready.
    """
    jobs = checks.jobs(jobs)
    # nobody has said anything to joblib if nobody has loaded it
    if jobs == 1 or (jobs is None and "joblib" not in sys.modules):
        return map(work, items)
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, number = get_active_backend()
    if jobs is None and number is None:
        # a backend that somebody named is the same every time, the default is made anew; within a worker it is 1 deep
        named = get_active_backend()[0] is backend and not backend.nesting_level
        jobs = -1 if named else 1
    result = "generator" if ordered else "generator_unordered"
    # a result that waits for others of its batch would be lost in a crash: who wants each at once gets each alone
    share = Parallel(
        n_jobs=jobs,
        return_as=result if backend.supports_return_generator else "list",
        batch_size="auto" if ordered else 1,
    )
    return iter(share(delayed(work)(item) for item in items))
