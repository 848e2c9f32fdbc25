"""Work is shared by whatever backend joblib has, and never changes for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from functools import cache

import joblib
import numpy as np
import pytest
from joblib._parallel_backends import ThreadingBackend

import paucal
from paucal.errors import ParameterError, not_allowed
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


def test_errors_of_workers_arrive_whole():
    with pytest.raises(ParameterError) as caught:
        list(each(refuse, [7], 2))
    error = caught.value
    assert (str(error), error.parameter, error.value) == ("item=7 is not an item. Give one.", "item", 7)


@pytest.mark.parametrize("jobs", [0, True, 1.5, "2"])
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
