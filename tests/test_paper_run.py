"""Cells and their runs: keys, seeds, resuming, and results that do not depend on how the work was shared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paucal
from paucal.errors import ParameterError
from paucal.independence.settings import CISettings
from paucal.paper import version
from paucal.paper.cells.graphs import GraphCell, hidden_causes, network_called, sample
from paucal.paper.cells.seeds import seed_at
from paucal.paper.design import Scope, Search, quick_scope
from paucal.paper.run import complete
from paucal.paper.store import Store
from paucal.paper.version import code_of, key_of, modules_behind, version_of
from paucal.search.catalogue import find_search

PC = Search.of("PC-stable", "pc-stable", "chi2", options={"colliders": "standard"})
CELL = GraphCell("asia", 50, 0, PC, seed=1)


def grid(runs=4, sizes=(40, 60)):
    return [
        GraphCell("asia", size, run, Search.of("PC", "pc-stable", test), seed=1)
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
            replace(CELL, search=Search(PC.label, replace(PC.recipe, **change)))
            for change in (
                {"search": "pc"},
                {"test": CISettings("g", 0.05)},
                {"test": CISettings("chi2", 0.01)},
                {"test": CISettings("chi2", 0.05, {"df": "full"})},
                {"options": {}},
            )
        ),
    ]
    keys = [key_of(cell) for cell in [CELL, *changed]]
    assert len(set(keys)) == len(keys)
    assert key_of(replace(CELL, search=replace(PC, label="another name"))) == key_of(CELL)
    assert key_of(replace(CELL, network="ASIA")) == key_of(CELL)
    before = key_of(CELL)
    monkeypatch.setattr(version, "version_of", lambda _: "another")
    assert key_of(CELL) != before


# ---------------------------------------------------------------------------------- what a cell is computed with


def package(folder, **sources):
    """Write a package called paucal; a dot in a module's name is spelled with two underscores."""
    for name, source in {"__init__": "", **sources}.items():
        file = folder.joinpath("paucal", *name.split("__") if name != "__init__" else [name])
        file = file.with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        for parent in file.relative_to(folder).parents[:-1]:
            (folder / parent / "__init__.py").touch()
        file.write_text(source)
    return folder / "paucal"


def test_modules_are_found_through_every_kind_of_import(tmp_path):
    root = package(
        tmp_path,
        cell="""
from typing import TYPE_CHECKING
import numpy
from paucal.room import a
if TYPE_CHECKING:
    from paucal import types_only
else:
    import paucal.other
def late():
    from paucal.b import name
""",
        room__a="import paucal.c\n",
        b="HOMES = {'d': ('paucal.d', 'd')}\n",
        c="from paucal.report import page\nfrom paucal.cell import late\n",
        d="",
        other="",
        types_only="",
        nobody="",
        report__page="",
    )
    found = modules_behind(["paucal.cell"], root)
    expected = {"cell", "room", "room.a", "b", "c", "d", "other"}
    assert found == sorted(f"paucal.{name}" for name in expected)


@pytest.mark.parametrize(
    "other",
    [
        "x = 1\ny = '#'\ndef f(a):\n    return f'{a}#'\n",
        "# why\n\nx = 1  # one\ny = '#'  # a # in a string\n\n\ndef f(a):\n    # says\n    return f'{a}#'",
        '"""A module."""\nx = 1\ny = \'#\'\ndef f(a):\n    """Say.\n\n    # no code\n    """\n    return f\'{a}#\'\n',
    ],
)
def test_comments_docstrings_and_blank_lines_do_not_count(other):
    plain = b"x = 1\ny = '#'\ndef f(a):\n    return f'{a}#'"
    assert code_of(other.encode()) == plain


@given(st.text(alphabet="a#'\"\n \\é", max_size=12), st.text(alphabet="a#'\"\n \\é", max_size=12))
def test_every_character_of_a_string_counts(first, second):
    """Long strings keep their lines, blank ones too, and what looks like a comment."""
    sources = []
    for text in (first, second):
        body = text.replace("\\", "\\\\").replace('"', '\\"')
        sources.append(f'x = """{body}"""  # text\ny = b"#"\n')
    one, two = (code_of(s.encode()) for s in sources)
    assert (one == two) == (first == second)
    assert b"# text" not in one.replace(sources[0].split("  # text")[0].encode(), b"")


def test_the_kernel_counts_by_its_sources_and_not_by_its_build():
    """Cells that one machine has stored are good on another, where the compiler makes another file."""
    assert len(bytes.fromhex(version._kernel().decode())) == 32


def test_a_cell_is_computed_with_its_search_and_not_with_drawings():
    def behind(search):
        start = [GraphCell.__module__, find_search(search).__module__]
        return modules_behind(start, Path(paucal.__file__).parent)

    both = set(behind("mmhc")) & set(behind("pc"))
    assert {"paucal.networks.sampling", "paucal.graphs.rules.meek", "paucal.independence.registry"} <= both
    assert {"paucal.independence.tests.classical", "paucal.independence.tests.shrinkage"} <= both
    assert "paucal.search.by_tests.mmhc" in set(behind("mmhc")) - both
    for name in both:
        assert not name.startswith(("paucal.report", "paucal.graphs.drawing", "paucal.cli"))
    assert not both & {"paucal.search.by_scores.posterior", "paucal.paper.render", "paucal.search.estimators"}
    pc, mmhc = (replace(CELL, search=Search.of("", name, "g")) for name in ("pc", "mmhc"))
    assert version_of(pc) != version_of(mmhc)
    assert version_of(replace(CELL, size=51)) == version_of(CELL)


# ----------------------------------------------------------------------------------------------------------- cells


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
    chosen = {hidden_causes("alarm", net.graph, 4, seed=1, run=run) for run in range(6)}
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
    monkeypatch.setattr(version, "version_of", lambda _: "another")
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


def test_progress_counts_cells_by_their_cost(tmp_path):
    told = []
    with Store(tmp_path) as store:
        complete(grid(1), store, progress=lambda *numbers: told.append(numbers))
    assert [total for _, total in told] == [4] * 4
    assert told[-1][0] == 4
    assert sorted(told) == told


def test_what_a_graph_cell_measures_adds_up():
    result = replace(CELL, network="child", size=200).compute()
    assert result["shd"] == result["extra"] + result["missing"] + result["misdirected"]
    assert result["empty"] == 25
    assert result["tests"] >= result["distinct"] > 190
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize("bad", [{"runs": 0}, {"repetitions": 0}, {"seed": -1}, {"sizes": (1,)}, {"networks": ()}])
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
