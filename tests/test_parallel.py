"""Work is shared by whatever backend joblib has, and never changes for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import cache, partial

import joblib
import numpy as np
import pytest
from click.testing import CliRunner
from joblib._parallel_backends import ThreadingBackend

import paucal
from paucal.cli import cli
from paucal.errors import LostWorkError, ParameterError, UnsharedWorkWarning, not_allowed
from paucal.paper.run import complete
from paucal.paper.store import Store
from paucal.search.parallel import each


class ListBackend(ThreadingBackend):
    """A backend that gives lists only, as Ray's does."""

    supports_return_generator = False
    submitted = 0

    def submit(self, *arguments, **named):
        type(self).submitted += 1
        return super().submit(*arguments, **named)


joblib.register_parallel_backend("gives-lists", ListBackend)


def process_of(item):
    del item
    return os.getpid()


def thread_of(item):
    del item
    return threading.get_ident()


def refuse(item):
    raise not_allowed("item", item, "an item", hint="Give one.")


@cache
def asia():
    return paucal.load_network("asia").sample(200, seed=2)


def learned(**arguments):
    result = paucal.bootstrap(asia(), "pc-stable", replicates=5, **arguments)
    return {name: part for name, part in result.to_dict().items() if name != "seconds"}


def around(**arguments):
    found = paucal.blankets(asia(), ["lung", "xray"], **arguments)
    return {target: (one.parents, one.children, one.undetermined, one.spouses) for target, one in found.items()}


def test_without_a_word_to_joblib_work_is_done_here():
    assert set(each(thread_of, range(3))) == {threading.get_ident()}
    assert set(each(process_of, range(3), ordered=False)) == {os.getpid()}


def test_joblib_is_not_even_loaded():
    code = (
        "import sys, paucal; data = paucal.load_network('cancer').sample(50, seed=1);"
        "paucal.bootstrap(data, 'pc-stable', replicates=2); paucal.blankets(data);"
        "assert 'joblib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("number", [{}, {"n_jobs": 2}])
@pytest.mark.parametrize("backend", ["threading", "gives-lists"])
@pytest.mark.parametrize("ordered", [True, False])
def test_the_surrounding_backend_does_the_work(backend, number, ordered):
    with joblib.parallel_config(backend=backend, **number):
        threads = set(each(thread_of, range(6), ordered=ordered))
        assert sorted(each(abs, [-3, 2, -1], ordered=ordered)) == [1, 2, 3]
        assert list(each(abs, [-3, 2, -1])) == [3, 2, 1]
    assert threading.get_ident() not in threads


def test_an_explicit_number_of_jobs_uses_the_surrounding_backend_too():
    with joblib.parallel_config(backend="threading"):
        assert threading.get_ident() not in set(each(thread_of, range(6), 2))
        assert set(each(thread_of, range(6), 1)) == {threading.get_ident()}


def test_within_a_worker_nobody_starts_more_workers():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        inner = list(each(lambda _: set(each(thread_of, range(4))), range(2)))
    assert [len(threads) for threads in inner] == [1, 1]


@pytest.mark.parametrize("backend", ["threading", "gives-lists", "loky"])
def test_results_are_the_same_for_any_backend(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert learned() == learned(jobs=1)
        assert around() == around(jobs=1)
        bootstrap = paucal.Bootstrap(estimator=paucal.PCStable(), replicates=5).fit(asia())
    assert bootstrap.result_.probabilities() == paucal.bootstrap(asia(), "pc-stable", replicates=5).probabilities()


def test_a_bootstrap_really_goes_to_the_surrounding_backend():
    ListBackend.submitted = 0
    with joblib.parallel_config(backend="gives-lists", n_jobs=2):
        learned()
        assert ListBackend.submitted > 0
        before = ListBackend.submitted
        around()
        assert ListBackend.submitted > before


def test_a_dask_cluster_does_the_work():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        assert os.getpid() not in set(each(process_of, range(3)))
        assert learned() == learned(jobs=1)
        assert around() == around(jobs=1)
        with pytest.raises(ParameterError) as caught:
            list(each(refuse, range(2)))
    assert (caught.value.parameter, caught.value.allowed) == ("item", "an item")


def killed(item):
    del item
    os.kill(os.getpid(), signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)


def test_processes_that_never_come_back():
    with pytest.raises(
        LostWorkError, match=r"before it was done, 3 times in a row. Perhaps memory ran out.*fewer jobs"
    ):
        list(each(killed, range(2), 2))
    assert list(each(abs, [-1, 2], 2)) == [1, 2]


class StoppedError(Exception):
    """Raised by somebody who has seen enough."""


def stopping(_stage, done, _total):
    if done == 2:
        raise StoppedError


def in_threads(*calls):
    """Call all at once; give what they gave, or that they were stopped."""
    given, ready = {}, threading.Barrier(len(calls))

    def called(place, call):
        ready.wait()
        try:
            given[place] = call()
        except StoppedError as error:
            given[place] = error

    threads = [threading.Thread(target=called, args=one, daemon=True) for one in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return [given[place] for place in range(len(calls))]


def test_threads_that_want_different_numbers_of_processes():
    alone = learned(jobs=1)
    assert in_threads(*[partial(learned, jobs=jobs) for jobs in (2, 3, 2, 1, 3, -1)]) == 6 * [alone]


# a thread of joblib's own may stumble over work that was called off; it is replaced, and no result depends on it
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_stops_early_takes_no_process_from_another():
    stopped = partial(paucal.bootstrap, asia(), "pc-stable", replicates=500, jobs=3, progress=stopping)
    given = in_threads(*3 * [stopped, partial(learned, jobs=2)])
    assert given[1::2] == 3 * [learned(jobs=1)]
    assert {type(one) for one in given[::2]} == {StoppedError}


def test_who_keeps_an_error_does_not_keep_the_processes():
    """A notebook keeps the last error."""
    kept = []
    for call in (partial(paucal.bootstrap, search="pc-stable", replicates=50), paucal.blankets):
        with pytest.raises(StoppedError) as caught:
            call(asia(), jobs=2, progress=stopping)
        kept.append(caught)
        assert os.getpid() not in set(each(process_of, range(4), 2))


def test_who_shares_work_from_within_shared_work_does_it_alone():
    inner = []

    def nested(_stage, done, _total):
        if done == 2:
            inner.append(learned(jobs=3))

    assert learned(jobs=2, progress=nested) == learned()
    assert inner == [learned()]


TWO_LOAD = """
import threading, paucal
data = paucal.load_network("asia").sample(50, seed=2)
ready, failed = threading.Barrier(8), []
def learn(jobs):
    ready.wait()
    try:
        paucal.learn(data, "posterior", rounds=20, burn_in=0, starts=2, jobs=jobs)
    except ImportError as error:
        failed.append(error)
threads = [threading.Thread(target=learn, args=(jobs,)) for jobs in (2, None) * 4]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


def test_threads_that_load_joblib_at_the_same_time():
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TWO_LOAD], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == "[]", found.stderr


def test_errors_of_workers_arrive_whole():
    with pytest.raises(ParameterError) as caught:
        list(each(refuse, [7], 2))
    error = caught.value
    assert (str(error), error.parameter, error.value) == ("item=7 is not an item. Give one.", "item", 7)


def waited(_item):
    time.sleep(0.2)
    return os.getpid()


def test_work_that_cannot_travel_is_refused():
    lock = threading.Lock()
    with pytest.raises(ParameterError, match=r"jobs=2 sends the work to other processes.*lock.*Give jobs=1"):
        list(each(lambda item: (lock, item), range(4), 2))
    data = asia()
    own = paucal.make_test(data, "g")
    with pytest.raises(ParameterError, match=r"jobs=2 sends the work to other processes"):
        paucal.blankets(data, test="permutation", test_options={"statistic": own}, jobs=2)
    with pytest.raises(ParameterError, match=r"jobs=2 cannot share a function as a test. Give jobs=1"):
        paucal.blankets(data, test=lambda x, y, given: (x, y, given) == (y, x, given), jobs=2)
    assert sorted(each(str, range(4), 2)) == ["0", "1", "2", "3"]  # the processes are free again


def test_no_process_starts_that_has_nothing_to_do():
    assert len(set(each(waited, range(2), 1000))) == 2
    assert set(each(process_of, [1], 1000)) == {os.getpid()}
    assert list(each(process_of, [], 2)) == []


@pytest.mark.parametrize("jobs", [0, True, 1.5, "2", 10**6])
def test_what_is_no_number_of_processes(jobs, tmp_path):
    with Store(tmp_path) as store:
        calls = (
            lambda: each(abs, [1], jobs),
            lambda: paucal.bootstrap(asia(), "pc-stable", replicates=2, jobs=jobs),
            lambda: paucal.blankets(asia(), jobs=jobs),
            lambda: paucal.blankets(paucal.make_test(asia(), "g"), jobs=jobs),
            lambda: complete([], store, jobs=jobs),
        )
        for call in calls:
            with pytest.raises(ParameterError, match=r"jobs=.* is not a number of processes"):
                call()


def test_numbers_of_numpy_are_numbers():
    assert learned(jobs=np.int64(1)) == learned()


def test_a_finished_test_is_asked_here():
    with joblib.parallel_config(backend="gives-lists", n_jobs=2):
        ListBackend.submitted = 0
        paucal.blankets(paucal.make_test(asia(), "g"), ["lung"])
    assert ListBackend.submitted == 0


def test_processes_that_the_chosen_search_does_not_need_are_told(tmp_path):
    with pytest.warns(UnsharedWorkWarning, match=r"^jobs=2 changed nothing: 'pc-stable', which was chosen, runs"):
        result = paucal.learn(asia(), test="g", jobs=2)
    assert result.graph == paucal.learn(asia(), test="g", jobs=1).graph  # one process is no offer
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "a,b\nc,d\na,d\n" * 20)
    told = CliRunner().invoke(cli, ["learn", str(table), "--test", "g", "--jobs", "2"])
    assert told.exit_code == 0
    assert "--jobs 2 changed nothing: 'pc-stable', which was chosen, runs in one process." in told.output
