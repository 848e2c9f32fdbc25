"""The same work for many items: here, in several processes, or on a cluster, with the same results.

joblib does the sharing, and is loaded only where there is something to share. Whatever has a joblib backend can do the
work: within `joblib.parallel_config(backend="dask")` a bootstrap runs on the workers of a Dask cluster. What a worker
does depends on its item alone, so an item may be done again where a worker was lost; nothing changes for it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from paucal import checks
from paucal.errors import Argument, LostWorkError, MissingDependencyError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

Backend = Literal["dask", "ray"]

T = TypeVar("T")
R = TypeVar("R")
_BETWEEN_LOOKS = 0.5  # seconds
_WATCHED: set[int] = set()  # processes that this one ends with
_BATCH = 16  # items per worker at a time, where a backend gives nothing before all are done
_LONGEST_CONNECTING = 5  # seconds; a scheduler that is there answers at once
_PROCESSES = threading.Lock()  # those of this machine are in use
_MOST_LOST = 3  # times in a row that a process may end before it has done anything
_RESTARTS = {"max_restarts": 5, "max_task_retries": 5}  # of a worker of Ray; Dask has such limits of its own


def each(
    work: Callable[[T], R], items: Iterable[T], jobs: int | None = None, *, ordered: bool = True
) -> Generator[R, None, None]:
    """Do the work for every item; give each result as soon as it is there, if the backend can.

    Work and items travel to other processes: as many as `jobs`, -1 for all cores. None takes the backend and the number
    that a surrounding `joblib.parallel_config` names (all that the backend has, if it names no number), and does the
    work here if there is none. Results come in the order of the items if `ordered`, otherwise as they are ready. Who
    may stop before the last one closes the generator, so that an error that somebody keeps does not keep the workers.
    """
    jobs = checks.jobs(jobs)
    if _nobody_shares(jobs):
        return (work(item) for item in items)
    from joblib import Parallel, delayed

    backend, number, jobs = _asked(jobs)
    workers = backend.effective_n_jobs(number if jobs is None else jobs)
    # a result that waits for others of its batch would be lost in a crash: who wants each at once gets each alone
    about = {"return_as": _kind(backend, ordered=ordered), "batch_size": "auto" if ordered else 1}
    if type(backend).__name__ == "LokyBackend" and workers > 1:
        todo = list(items)
        return _in_processes(work, todo, min(workers, len(todo)), about)
    share = Parallel(n_jobs=jobs, **about)
    tasks = (delayed(_Work(work, os.getpid()))(item) for item in items)
    if backend.supports_return_generator:
        return cast("Generator[R, None, None]", share(tasks))
    return _in_batches(share, tasks, _BATCH * workers)


def goes_elsewhere() -> bool:
    """Say whether others would do what is shared out here, and not this thread alone."""
    if _nobody_shares(None):
        return False
    backend, number, jobs = _asked(None)
    return bool(backend.effective_n_jobs(number if jobs is None else jobs) > 1)


def _nobody_shares(jobs: int | None) -> bool:
    # nobody has said anything to joblib if nobody has loaded it
    return jobs == 1 or (jobs is None and "joblib" not in sys.modules)


def _asked(jobs: int | None) -> tuple[Any, int | None, int | None]:
    """Give the backend, the number of jobs that somebody has told joblib, and the one to ask it for."""
    from joblib import parallel  # the whole of it: another thread may be loading it at this moment

    backend, number = parallel.get_active_backend()
    if jobs is None and number is None:
        # a backend that somebody named is the same every time, the default is made anew; within a worker it is 1 deep
        named = parallel.get_active_backend()[0] is backend and not backend.nesting_level
        jobs = -1 if named else 1
    _prepared(backend)
    return backend, number, jobs


def _in_processes(
    work: Callable[[T], R], items: list[T], number: int, about: dict[str, Any]
) -> Generator[R, None, None]:
    """Do the work in processes of this machine, and again what is lost with one of them, as clusters do by themselves.

    All threads have the same processes, and if one of them wanted another number, or no more results, joblib could let
    the others wait for ever. So one thread at a time uses them; another one works by itself meanwhile.
    """
    if not _PROCESSES.acquire(blocking=False):
        yield from map(work, items)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left, lost = dict(enumerate(items)), 0
    numbered = _Work(partial(_numbered, work), os.getpid())
    try:
        _refuse_unmovable((work, items), number)
        while left:
            share = Parallel(n_jobs=number, **about)
            vars(share)["_warn_exit_early"] = bool  # who has enough results needs no warning that others are not used
            try:
                with closing(share([delayed(numbered)(item) for item in left.items()])) as results:
                    for place, result in results:
                        del left[place]
                        lost = 0
                        yield result
            except TerminatedWorkerError as error:
                lost += 1
                if lost == _MOST_LOST:
                    raise LostWorkError(
                        f"Processes that shared the work ended before it was done, {lost} times in a row.",
                        hint=("Perhaps memory ran out: give fewer ", Argument("jobs"), "."),
                    ) from error
    finally:
        _PROCESSES.release()


def _refuse_unmovable(work: object, number: int) -> None:
    """Refuse work that no other process can get; joblib would not recover from it."""
    from joblib.externals.loky.backend.reduction import get_loky_pickler

    try:
        get_loky_pickler()(_Nowhere()).dump(work)
    except Exception as error:  # an object of somebody's own may fail in any way
        raise ParameterError(
            (Argument("jobs", number), f" sends the work to other processes, and some of it cannot go there: {error}."),
            hint=("Give ", Argument("jobs", 1), ", or no function, test or other object of your own."),
            parameter="jobs",
            value=number,
        ) from error


class _Nowhere:
    """A file that forgets what is written into it."""

    def write(self, content: Any) -> int:
        """Say that all of it was written."""
        return memoryview(content).nbytes


def _numbered(work: Callable[[T], R], item: tuple[int, T]) -> tuple[int, R]:
    return item[0], work(item[1])


def _prepared(backend: Any) -> None:
    """Let Ray start a lost worker again; and let a cluster of Dask do the work even if it has one worker at the moment.

    joblib does what one worker would do in this process, which is not what a cluster is for.
    """
    if getattr(backend, "ray_remote_args", ...) is None:
        backend.ray_remote_args = _RESTARTS
    if type(backend).__name__ == "DaskDistributedBackend" and "effective_n_jobs" not in vars(backend):
        workers = backend.effective_n_jobs
        backend.effective_n_jobs = lambda number: max(2, workers(number))


def _kind(backend: Any, *, ordered: bool) -> str:
    """Say how results come back: at once if the backend can, and in which order."""
    if not backend.supports_return_generator:
        return "list"
    return "generator" if ordered else "generator_unordered"


def _in_batches(share: Any, todo: Iterator[Any], size: int) -> Generator[Any, None, None]:
    """Give results batch by batch, so that there is something to tell, and to keep, before the end."""
    while batch := list(islice(todo, size)):
        yield from share(batch)


@contextmanager
def processes(jobs: int | None) -> Iterator[None]:
    """Let what is shared out within the context go to so many processes, 1 for this one; None leaves all as it is."""
    jobs = checks.jobs(jobs)
    if jobs is None or (jobs == 1 and "joblib" not in sys.modules):
        yield
        return
    from joblib import parallel_config

    with parallel_config(backend="sequential") if jobs == 1 else parallel_config(n_jobs=jobs):
        yield


@contextmanager
def cluster(backend: Backend | None, scheduler: str | None = None) -> Iterator[None]:
    """Connect to a cluster; whatever is shared out within the context goes to its workers.

    `scheduler` is the address of Dask's scheduler, or of a Ray cluster. Without one Ray takes the cluster that the
    environment names (RAY_ADDRESS), and starts one on this machine if there is none. No backend is no cluster.
    """
    if backend is None:
        if scheduler is not None:
            raise ParameterError(
                (Argument("scheduler", scheduler), " says where a cluster is, but not of which kind."),
                hint=("Give ", Argument("backend", "dask"), " or ", Argument("backend", "ray"), "."),
                parameter="scheduler",
                value=scheduler,
            )
        yield
        return
    checks.choice("backend", backend, ("dask", "ray"))
    if backend == "dask" and scheduler is None:
        raise ParameterError(
            "Dask needs the address of a scheduler.",
            hint=("Start one with `dask scheduler`, and give ", Argument("scheduler", "tcp://HOST:8786"), "."),
            parameter="scheduler",
        )
    try:
        connected = _dask(str(scheduler)) if backend == "dask" else _ray(scheduler)
    except ImportError as error:
        needed = "distributed" if backend == "dask" else "ray"
        raise MissingDependencyError(f"{needed} is not installed.", hint=f"pip install {needed} joblib") from error
    except Exception as error:  # Ray has no class of its own for a cluster that does not start
        where = "Ray" if scheduler is None else f"{backend.capitalize()} at {scheduler}"
        raise ParameterError(
            f"{where} does not answer: {str(error).rstrip('.') or type(error).__name__}.",
            hint="Check the address, and that the cluster runs.",
            parameter="scheduler",
            value=scheduler,
        ) from error
    from joblib import parallel_config

    with connected, parallel_config(backend=backend):
        yield


def _dask(scheduler: str) -> Any:
    client = partial(import_module("distributed").Client, scheduler, timeout=_LONGEST_CONNECTING)
    try:
        return client()
    except AssertionError:  # seldom, the thread of a client does not begin within ten seconds; the next one does
        return client()


def _ray(scheduler: str | None) -> Any:
    import_module("ray.util.joblib").register_ray()
    return import_module("ray").init(scheduler, logging_level="ERROR", log_to_driver=False)


class _Work(Generic[T, R]):
    """Work that ends if the process that shares it out is gone, however it went: a worker must not outlive it."""

    def __init__(self, work: Callable[[T], R], parent: int) -> None:
        self._work, self._parent = work, parent

    def __call__(self, item: T) -> R:
        if os.getppid() == self._parent and self._parent not in _WATCHED:  # a worker on this machine
            _WATCHED.add(self._parent)
            if threading.current_thread() is threading.main_thread():
                # Ctrl-C reaches all processes of a terminal; the one that shares out decides what ends, and when
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            threading.Thread(target=_end_with, args=(self._parent,), daemon=True).start()
        return self._work(item)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_BETWEEN_LOOKS)
    os._exit(1)
