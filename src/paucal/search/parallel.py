"""The same work for many items: here, in several processes, or on a cluster, with the same results.

joblib does the sharing, and is loaded only where there is something to share. Whatever has a joblib backend can do the
work: within `joblib.parallel_config(backend="dask")` a bootstrap runs on the workers of a Dask cluster.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

from paucal import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
R = TypeVar("R")
_BETWEEN_LOOKS = 0.5  # seconds
_WATCHED: set[int] = set()  # processes that this one ends with


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
    return iter(share(delayed(_Work(work, os.getpid()))(item) for item in items))


class _Work(Generic[T, R]):
    """Work that ends if the process that shares it out is gone, however it went: a worker must not outlive it."""

    def __init__(self, work: Callable[[T], R], parent: int) -> None:
        self._work, self._parent = work, parent

    def __call__(self, item: T) -> R:
        if os.getppid() == self._parent and self._parent not in _WATCHED:  # a worker on this machine
            _WATCHED.add(self._parent)
            threading.Thread(target=_end_with, args=(self._parent,), daemon=True).start()
        return self._work(item)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_BETWEEN_LOOKS)
    os._exit(1)
