"""Cells and their runs: keys, seeds, resuming, and results that do not depend on how the work was shared."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from paucal.errors import ParameterError
from paucal.paper import design
from paucal.paper.cells.graphs import GraphCell, hidden_causes, network_called, sample
from paucal.paper.cells.seeds import seed_at
from paucal.paper.design import Scope, Search, key_of, quick_scope
from paucal.paper.run import complete
from paucal.paper.store import Store

PC = Search("PC-stable", "pc-stable", "chi2", options=(("colliders", "standard"),))
CELL = GraphCell("asia", 50, 0, PC, seed=1)


def grid(runs=4, sizes=(40, 60)):
    return [
        GraphCell("asia", size, run, replace(PC, test=test), seed=1)
        for size in sizes
        for run in range(runs)
        for test in ("chi2", "g")
    ]


def without_seconds(results):
    return {cell: {k: v for k, v in result.items() if k != "seconds"} for cell, result in results.items()}


def test_keys_tell_apart_everything_that_matters(monkeypatch):
    changed = [
        replace(CELL, network="cancer"),
        replace(CELL, size=51),
        replace(CELL, run=1),
        replace(CELL, seed=2),
        replace(CELL, shuffle=True),
        replace(CELL, hidden=1),
        *(
            replace(CELL, search=replace(PC, **change))
            for change in (
                {"search": "pc"},
                {"test": "g"},
                {"alpha": 0.01},
                {"options": ()},
                {"test_options": (("df", "full"),)},
            )
        ),
    ]
    keys = [key_of(cell) for cell in [CELL, *changed]]
    assert len(set(keys)) == len(keys)
    assert key_of(replace(CELL, search=replace(PC, label="another name"))) == key_of(CELL)
    assert key_of(replace(CELL, network="ASIA")) == key_of(CELL)
    before = key_of(CELL)
    monkeypatch.setattr(design, "code_version", lambda: "0.0.0")
    assert key_of(CELL) != before


def test_code_version_is_the_version_and_a_digest():
    import paucal

    version, digest = design.code_version().split("+")
    assert version == paucal.__version__
    assert len(bytes.fromhex(digest)) == 6


def test_methods_of_a_run_see_the_same_data():
    net = network_called("asia")
    assert sample(net, 50, 1, 0) == sample(net, 50, 1, 0)
    assert sample(net, 50, 1, 0) != sample(net, 50, 1, 1)
    assert sample(net, 50, 1, 0) != sample(net, 50, 2, 0)
    shuffled = sample(net, 50, 1, 0, shuffle=True)
    assert shuffled.names != net.names
    assert shuffled.select(net.names) == sample(net, 50, 1, 0)


def test_seeds_of_positions_differ():
    positions = [("data", "a", 1), ("data", "a", 2), ("data", "b", 1), ("columns", "a", 1)]
    draws = {float(np.random.default_rng(seed_at(0, *position)).random()) for position in positions}
    assert len(draws) == len(positions)


def test_hidden_nodes_are_common_causes_and_differ_between_runs():
    net = network_called("alarm")
    chosen = {hidden_causes(net, 4, seed=1, run=run) for run in range(6)}
    assert len(chosen) > 1
    for latent in chosen:
        assert len(latent) == 4
        assert all(len(net.graph.children(name)) > 1 for name in latent)


def test_results_do_not_depend_on_jobs_or_order(tmp_path):
    cells = grid()
    with Store(tmp_path / "one") as store:
        one = complete(cells, store, jobs=1)
    with Store(tmp_path / "two") as store:
        two = complete(cells[::-1], store, jobs=2)
    assert without_seconds(one) == without_seconds(two)


def test_work_goes_through_the_backend_that_joblib_was_told_to_use(tmp_path):
    import joblib

    with joblib.parallel_config(backend="threading", n_jobs=2), Store(tmp_path / "threads") as store:
        shared = complete(grid(2), store, jobs=None)
    with Store(tmp_path / "plain") as store:
        assert without_seconds(complete(grid(2), store)) == without_seconds(shared)


def test_finished_cells_are_not_computed_again(tmp_path, monkeypatch):
    cells = grid()
    with Store(tmp_path) as store:
        first = complete(cells[:5], store)
    computed = []
    whole = GraphCell.compute
    monkeypatch.setattr(GraphCell, "compute", lambda cell: computed.append(cell) or whole(cell))
    with Store(tmp_path) as store:
        second = complete(cells, store)
    assert set(computed) == set(cells[5:])
    assert {cell: second[cell] for cell in first} == first


def test_another_version_of_the_code_does_not_mix(tmp_path, monkeypatch):
    with Store(tmp_path) as store:
        complete([CELL], store)
    monkeypatch.setattr(design, "code_version", lambda: "another")
    with Store(tmp_path) as store:
        assert key_of(CELL) not in store.cells
        complete([CELL], store)
        assert len(store.cells) == 2


def test_two_labels_of_one_method_are_one_cell(tmp_path):
    twin = replace(CELL, search=replace(PC, label="twin"))
    with Store(tmp_path) as store:
        results = complete([CELL, twin], store)
        assert len(store.cells) == 1
    assert results[CELL] == results[twin]


def test_progress_counts_cost_and_cells(tmp_path):
    told = []
    with Store(tmp_path) as store:
        complete(grid(1), store, progress=lambda *numbers: told.append(numbers))
    done, total, finished, of = told[-1]
    assert finished == of == 4
    assert done == pytest.approx(total)
    assert [t[2] for t in told] == [1, 2, 3, 4]


def test_what_a_graph_cell_measures_adds_up():
    result = replace(CELL, network="child", size=200).compute()
    assert result["shd"] == result["extra"] + result["missing"] + result["misdirected"]
    assert result["empty"] == 25
    assert result["tests"] >= result["distinct"] > 190
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize(
    "bad", [{"runs": 0}, {"repetitions": 0}, {"seed": -1}, {"sizes": (1,)}, {"networks": ()}]
)
def test_scopes_that_make_no_sense_are_refused(bad):
    with pytest.raises(ParameterError):
        Scope(**bad)


def test_no_jobs_are_refused(tmp_path):
    with Store(tmp_path) as store, pytest.raises(ParameterError, match="jobs=0"):
        complete([CELL], store, jobs=0)


def test_a_quick_scope_is_small_and_keeps_what_was_asked_for():
    quick = quick_scope(Scope(sizes=(70,), seed=5, shuffle=True))
    assert quick.runs <= 2
    assert (quick.sizes, quick.seed, quick.shuffle, quick.quick) == ((70,), 5, True, True)
    assert quick_scope(Scope(networks=("alarm",))).networks == ("alarm",)
