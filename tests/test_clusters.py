"""A cluster of real processes does the work, and a worker that is killed in the middle changes no number."""

from __future__ import annotations

import json
import os
import signal
from contextlib import nullcontext
from functools import cache

import joblib
import pytest
from click.testing import CliRunner

import paucal
from gappy_data import with_gaps
from paucal.cli import cli
from paucal.errors import MissingDependencyError, ParameterError
from paucal.paper import run as paper_run
from paucal.paper.cells.graphs import GraphCell
from paucal.paper.design import Search
from paucal.paper.store import Store
from paucal.search import bootstrap as bootstrap_module
from paucal.search import parallel
from paucal.search.by_scores import chains
from paucal.search.by_tests import stitched
from paucal.search.local import blanket as blanket_module
from paucal.search.local import narrowing
from paucal.search.parallel import cluster, each, processes
from paucal.search.recipe import Recipe

CLUSTERS = ["processes", "dask", pytest.param("ray", marks=pytest.mark.slow)]  # Ray alone takes half a minute to start
SURVIVED = 3  # pieces of work before a worker dies


@pytest.fixture(scope="module")
def dask():
    """Give the address of a scheduler with two workers."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made.scheduler_address


@pytest.fixture(scope="module")
def ray():
    """Let Ray start workers on this machine, as it does where it is given no address."""
    pytest.importorskip("ray")


@pytest.fixture
def connected(request):
    """Connect to the cluster of that name, or share with processes here."""
    if request.param == "processes":
        with processes(2):
            yield request.param
        return
    address = request.getfixturevalue(request.param)
    with cluster(request.param, address):
        yield request.param


@cache
def asia():
    return paucal.load_network("asia").sample(200, seed=2)


def learned(**arguments):
    result = paucal.bootstrap(asia(), "pc-stable", replicates=12, **arguments)
    return {name: part for name, part in result.to_dict().items() if name != "seconds"}


def around(**arguments):
    found = paucal.blankets(asia(), **arguments)
    return {target: (one.mb, one.parents, one.children, one.ledger.n_tests) for target, one in found.items()}


def computed(folder, **arguments):
    cells = [GraphCell("asia", 40, run, Search.of("PC", "pc-stable", "chi2"), seed=1) for run in range(8)]
    with Store(folder) as store:
        found = paper_run.complete(cells, store, **arguments)
        assert len(store.cells) == len(cells)
    return {cell: {k: v for k, v in result.items() if k != "seconds"} for cell, result in found.items()}


def fatal(work, log):
    """Give the same work, but the process that begins the last piece but the survived ones is killed."""

    def fatal_once(*arguments, **named):
        with open(log, "ab", buffering=0) as file:  # noqa: PTH123 - nothing of the tests travels with the function
            file.write(b"x")
            begun = file.tell()
        if begun == SURVIVED + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return work(*arguments, **named)

    return fatal_once


@pytest.mark.parametrize("connected", CLUSTERS, indirect=True)
def test_a_worker_dies_in_the_middle_and_nothing_is_lost(connected, monkeypatch, tmp_path):
    del connected
    shared = (
        (bootstrap_module, "_replicate", learned),
        (blanket_module, "found_by", around),
        (paper_run, "_compute", lambda **arguments: computed(tmp_path / str(len(arguments)), **arguments)),
    )
    for module, name, call in shared:
        alone = call(jobs=1)
        log = tmp_path / name
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fatal(getattr(module, name), str(log)))
            assert call() == alone
        pieces = {"_replicate": 12}.get(name, 8)
        assert log.stat().st_size > pieces  # what the dead worker had begun was done again, by another


@pytest.mark.parametrize("connected", CLUSTERS, indirect=True)
def test_the_work_is_done_elsewhere(connected):
    del connected
    elsewhere = set(each(lambda _: os.getpid(), range(6)))
    assert os.getpid() not in elsewhere
    assert sorted(each(abs, [-3, 2, -1], ordered=False)) == [1, 2, 3]
    assert list(each(abs, [-3, 2, -1])) == [3, 2, 1]


@pytest.mark.parametrize("connected", CLUSTERS, indirect=True)
def test_blankets_for_a_graph_around_columns_are_found_elsewhere(connected, monkeypatch, tmp_path):
    del connected
    monkeypatch.setattr(narrowing, "_TOGETHER", 1)
    targets, recipe = ["lung", "xray", "smoke", "bronc", "dysp"], Recipe.of("pc-stable")
    alone = narrowing.narrowed(recipe, asia(), targets, jobs=1)
    monkeypatch.setattr(narrowing, "_members", fatal(narrowing._members, str(tmp_path / "log")))
    assert narrowing.narrowed(recipe, asia(), targets) == alone
    assert (tmp_path / "log").stat().st_size > len(targets)


@pytest.mark.parametrize("connected", CLUSTERS, indirect=True)
def test_a_stitched_graph_is_found_elsewhere(connected, monkeypatch, tmp_path):
    del connected

    def found():
        result = paucal.learn(asia(), "mmpc")
        return {name: part for name, part in result.to_dict().items() if name != "seconds"}

    monkeypatch.setattr(stitched, "_TOGETHER", 2)
    with joblib.parallel_config(backend="sequential"):
        alone = found()
    real, logs = stitched.each, {name: tmp_path / name for name in ("given_nothing", "around")}
    monkeypatch.setattr(stitched, "each", lambda work, *rest: real(fatal(work, str(logs[work.__name__])), *rest))
    assert found() == alone
    for log in logs.values():
        assert log.stat().st_size > 4  # parts: what the dead worker had begun was done again


@pytest.mark.filterwarnings("ignore::paucal.errors.ConvergenceWarning")
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
@pytest.mark.parametrize("connected", CLUSTERS, indirect=True)
def test_chains_of_the_posterior_go_on_elsewhere(connected, gaps, monkeypatch, tmp_path):
    del connected
    data = with_gaps(asia(), 0.1) if gaps else asia()

    def found(**arguments):
        result = paucal.learn(data, "posterior", rounds=200, starts=10, fillings=6, **arguments)
        return plain({name: part for name, part in result.to_dict().items() if name != "recipe"})

    alone = found(jobs=1)
    monkeypatch.setattr(chains, "_SHORT", 0)  # slices stay short, so that there are many
    begun, real = [], chains.each
    monkeypatch.setattr(chains, "each", lambda work, items: begun.extend(items) or real(work, items))
    monkeypatch.setattr(chains, "_gone_on", fatal(chains._gone_on, str(tmp_path / "log")))
    assert found() == alone
    assert (
        (tmp_path / "log").stat().st_size > len(begun) > SURVIVED + 1
    )  # what the dead worker had begun was done again


def test_the_command_line_uses_a_dask_cluster(dask, monkeypatch, tmp_path):
    file = tmp_path / "asia.csv"
    asia().to_frame("pandas").to_csv(file, index=False)
    kept = []
    real = parallel.each
    monkeypatch.setattr(bootstrap_module, "each", lambda *a, **k: kept.append(backend()) or real(*a, **k))
    monkeypatch.setattr(blanket_module, "each", lambda *a, **k: kept.append(backend()) or real(*a, **k))
    monkeypatch.setattr(paper_run, "each", lambda *a, **k: kept.append(backend()) or real(*a, **k))
    monkeypatch.setattr(chains, "each", lambda *a, **k: kept.append(backend()) or real(*a, **k))
    learn = ["learn", str(file), "--search", "pc-stable", "--bootstrap", "6", "--json"]
    posterior = ["learn", str(file), "--search", "posterior", "--option", "rounds=60", "--json"]
    blanket = ["blanket", str(file), "--all", "--json"]
    reproduce = ["reproduce", "table2", "--runs", "1", "--networks", "asia", "--sizes", "50", "--no-figures", "--json"]
    there = ["--backend", "dask", "--scheduler", dask]
    for words in (learn, blanket):
        assert plain(called([*words, *there])) == plain(called(words))
    called([*reproduce, "--out", tmp_path / "there", *there])
    called([*reproduce, "--out", tmp_path / "here"])
    assert stored(tmp_path / "there") == stored(tmp_path / "here")
    assert kept == 3 * ["DaskDistributedBackend", "LokyBackend"]
    kept.clear()
    assert plain(called([*posterior, *there])) == plain(called(posterior))
    assert set(kept) == {"DaskDistributedBackend"}  # without a cluster, nothing is shared out


def stored(folder):
    with Store(folder) as store:
        return plain({key: record["result"] for key, record in store.cells.items()})


def backend():
    return type(joblib.parallel.get_active_backend()[0]).__name__


def called(words):
    result = CliRunner().invoke(cli, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def plain(value):
    """Leave out what depends on the clock."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k != "seconds"}
    return [plain(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--backend", "dask"], "Dask needs the address of a scheduler."),
        (["--backend", "dask", "--scheduler", "tcp://127.0.0.1:9"], "Dask at tcp://127.0.0.1:9 does not answer"),
        (["--backend", "dask", "--scheduler", "no address"], "Dask at no address does not answer"),
        (["--scheduler", "tcp://127.0.0.1:9"], "says where a cluster is, but not of which kind"),
        (["--backend", "spark"], "'spark' is not one of 'dask', 'ray'"),
    ],
)
def test_what_is_no_cluster(words, said, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_LONGEST_CONNECTING", 1)
    file = tmp_path / "asia.csv"
    asia().to_frame("pandas").to_csv(file, index=False)
    result = CliRunner().invoke(cli, ["blanket", str(file), "--target", "lung", *words])
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_a_backend_that_is_not_installed(monkeypatch):
    def absent(_scheduler):
        raise ImportError("no such module")

    monkeypatch.setattr(parallel, "_dask", absent)
    with (
        pytest.raises(MissingDependencyError, match="distributed is not installed"),
        cluster("dask", "tcp://head:8786"),
    ):
        pass


def test_a_cluster_is_for_shared_work(tmp_path):
    file = tmp_path / "asia.csv"
    asia().to_frame("pandas").to_csv(file, index=False)
    there = ["--backend", "dask", "--scheduler", "tcp://head:8786"]
    result = CliRunner().invoke(cli, ["learn", str(file), "--search", "pc-stable", *there])
    assert result.exit_code == 2
    assert "--backend shares the work of --bootstrap" in result.stderr
    with pytest.raises(ParameterError, match="backend='slurm'"), cluster("slurm"):
        pass


def test_a_client_of_dask_that_does_not_begin_is_made_again(monkeypatch):
    distributed = pytest.importorskip("distributed")
    tried = []

    def client(address, timeout):
        tried.append(address)
        if len(tried) == 1:
            raise AssertionError
        return nullcontext()

    monkeypatch.setattr(distributed, "Client", client)
    assert isinstance(parallel._dask("tcp://127.0.0.1:1"), nullcontext)
    assert tried == ["tcp://127.0.0.1:1"] * 2
