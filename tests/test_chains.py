"""Chains of the posterior go on in other processes, and every bit is the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import cache

import joblib
import numpy as np
import pytest
from click.testing import CliRunner

import paucal
from gappy_data import with_gaps
from mixed_data import drawn
from paucal.cli import cli
from paucal.errors import ParameterError
from paucal.search.by_scores import chains as chains_module
from paucal.search.parallel import processes


@cache
def asia():
    return paucal.load_network("asia").sample(200, seed=2)


def experiment():
    rng = np.random.default_rng(4)
    a = rng.integers(0, 2, 240)
    setting = np.repeat(["none", "b"], 120)
    b = np.where(setting == "b", rng.integers(0, 2, 240), (a + (rng.random(240) < 0.15)) % 2)
    c = (b + (rng.random(240) < 0.2)) % 2
    return {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "setting": setting.tolist()}


def numbers(gaps=0.0):
    data, rng = drawn(1, 150), np.random.default_rng(5)
    values = {
        name: [None if rng.random() < gaps else levels[code] for code in codes]
        for name, codes, levels in zip(data.names, data.columns, data.levels, strict=True)
    }
    kinds = dict(zip(data.names, data.kinds, strict=True))
    return paucal.Dataset.of(values, kinds=kinds, missing="keep")


TARGETS = {"interventions": "setting", "targets": {"none": [], "b": ["b"]}}
TABLES = {
    "plain": (asia, {}),
    "knowledge": (asia, {"knowledge": paucal.Knowledge(required=[("asia", "tub")], forbidden=[("xray", "dysp")])}),
    "latent": (asia, {"latent": True}),
    "more chains": (asia, {"chains": 3}),
    "interventions": (experiment, TARGETS),
    "numbers": (numbers, {}),
    "gaps": (lambda: with_gaps(asia(), 0.1), {}),
    "gaps in numbers": (lambda: numbers(0.1), {}),
}
SHORT = {"rounds": 60, "burn_in": 20, "fillings": 4, "starts": 10, "seed": 3}


def learned(table, **arguments):
    make, options = TABLES[table]
    return content(paucal.learn(make(), "posterior", **SHORT | options | arguments))


def content(result):
    told = result.to_dict()
    told.pop("seconds")
    told["recipe"].pop("threads", None)
    return told


@pytest.mark.filterwarnings("ignore::paucal.errors.ConvergenceWarning")
@pytest.mark.parametrize("table", TABLES)
def test_two_processes_give_the_same_bits_as_one(table, monkeypatch):
    alone = learned(table)
    assert learned(table, threads=2, jobs=1) == alone
    packed = []
    real = chains_module.each
    monkeypatch.setattr(chains_module, "each", lambda work, items: packed.append(len(items)) or real(work, items))
    assert learned(table, jobs=2) == alone
    assert packed  # it went elsewhere


@pytest.mark.filterwarnings("ignore::paucal.errors.ConvergenceWarning")
@pytest.mark.parametrize("table", ["plain", "gaps"])
def test_the_length_of_slices_makes_no_difference(table, monkeypatch):
    alone = learned(table)
    monkeypatch.setattr(chains_module, "_SHORT", 0)  # they do not grow
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert learned(table) == alone
        assert learned(table, jobs=1) == alone


def test_one_job_is_this_process_whatever_surrounds_it(monkeypatch):
    monkeypatch.setattr(chains_module, "each", None)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        learned("plain", jobs=1)
        with pytest.raises(TypeError):
            learned("plain")
    learned("plain", chains=1, jobs=2)  # one chain has nobody to share with


def test_imputed_values_are_the_same():
    data = with_gaps(asia(), 0.1)
    alone = paucal.impute(data, 3, seed=1)
    with processes(2):
        assert paucal.impute(data, 3, seed=1) == alone


def test_who_shares_the_work_is_no_part_of_what_is_run():
    shared, alone = (paucal.learn(asia(), "posterior", jobs=jobs, **SHORT) for jobs in (2, None))
    assert shared.recipe == alone.recipe
    for search in ("posterior", "pc-stable", "auto"):
        for wrong in (0, 1.5, "two", True):
            with pytest.raises(ParameterError, match=r"jobs=.* is not a number of processes"):
                paucal.learn(asia(), search, jobs=wrong)


def test_searches_that_one_process_does_say_so():
    with pytest.raises(ParameterError, match=r"jobs=2 has no effect on the search 'pc-stable'.*threads"):
        paucal.learn(asia(), "pc-stable", jobs=2)
    assert paucal.learn(asia(), "pc-stable", jobs=1).graph == paucal.learn(asia(), "pc-stable").graph
    assert paucal.learn(asia(), "mmpc", jobs=2).graph == paucal.learn(asia(), "mmpc").graph


def test_the_command_line(tmp_path):
    file = tmp_path / "asia.csv"
    asia().to_frame("pandas").to_csv(file, index=False)

    def called(*words):
        result = CliRunner().invoke(cli, ["learn", str(file), "--option", "rounds=60", "--json", *words])
        assert result.exit_code == 0, result.output
        told = json.loads(result.stdout)
        told.pop("seconds")
        return told

    assert called("--search", "posterior", "--jobs", "2") == called("--search", "posterior")


@pytest.mark.filterwarnings("ignore::paucal.errors.ConvergenceWarning")
@pytest.mark.parametrize("table", ["plain", "gaps"])
def test_a_limit_of_time_holds_in_other_processes(table):
    make, options = TABLES[table]
    with processes(2):
        list(chains_module.each(abs, range(2)))  # the processes are there
        began = time.perf_counter()
        more = {"rounds": 90_000, "max_rounds": 90_000, "fillings": 90_000}
        result = paucal.learn(make(), "posterior", **SHORT | options | more, max_seconds=1.5)
    assert time.perf_counter() - began < 15
    assert "limit of 1.5 s" in result.unfinished
    assert result.evidence.n_graphs > 0


LONG = """
import signal, sys, paucal
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who started us in the background may have had it ignored
    data = paucal.load_network("asia").sample(200, seed=2)
    def told(stage, done, total):
        print(stage, flush=True)
    try:
        paucal.learn(data, "posterior", rounds=90_000, starts=10, jobs=2, progress=told)
    except paucal.Interrupted as stop:
        print("graphs:", stop.result.evidence.n_graphs > 0, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes have no groups that a signal reaches")
def test_ctrl_c_in_all_processes_gives_what_there_is(tmp_path):
    (tmp_path / "long.py").write_text(LONG)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "long.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for line in process.stdout:
        if line.startswith("sampling"):
            break
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=60)
    assert out.splitlines()[-1] == "graphs: True"
    assert "Traceback" not in err
