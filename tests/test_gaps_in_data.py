"""Kept gaps in data sets: there and back, chosen and refused."""

from __future__ import annotations

import copy
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import paucal
from gappy_data import with_gaps
from paucal import Dataset
from paucal.cli import cli
from paucal.data.write import write
from paucal.errors import DataError, EmptyRowsWarning, ManyMissingWarning, ParameterError

TABLE = {"a": ["x", None, "y", "x"], "b": [1, 2, None, 2], "c": [True, False, True, None]}


def run(*words: object, data: str | None = None):
    return CliRunner().invoke(cli, [str(word) for word in words], input=data)


def test_a_gap_is_the_code_after_the_last_level():
    data = Dataset.of(TABLE, missing="keep")
    assert [codes.tolist() for codes in data.columns] == [[0, 2, 1, 0], [0, 1, 2, 1], [1, 0, 1, 2]]
    assert data.levels == (("x", "y"), (1, 2), (False, True))
    assert (data.has_gaps, data.gap_counts, data.missing, data.n_missing, data.n_complete) == (
        True,
        (1, 1, 1),
        (1, 1, 1),
        3,
        1,
    )
    assert [gap.tolist() for gap in data.gaps] == [[False, True, False, False], [0, 0, 1, 0], [0, 0, 0, 1]]
    with pytest.raises(ValueError, match="read-only"):
        data.gaps[0][0] = True
    assert "3 values missing" in repr(data)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "dict", "numpy"])
def test_there_and_back(kind):
    data = Dataset.of(TABLE, missing="keep")
    frame = data.to_frame(kind)
    again = (
        Dataset.from_numpy(frame, data.names, missing="keep") if kind == "numpy" else Dataset.of(frame, missing="keep")
    )
    assert again.gap_counts == data.gap_counts
    assert again == data
    assert copy.deepcopy(data) == data


@pytest.mark.parametrize("name", ["data.csv", "data.tsv", "data.parquet", "data.feather"])
def test_files_hold_gaps(tmp_path, name):
    data = Dataset.of({"a": ["x", None, "y", "x"], "b": [1, 2, None, 2]}, missing="keep")
    write(data, tmp_path / name)
    assert paucal.read(tmp_path / name, missing="keep") == data


def test_rows_and_columns_keep_their_gaps():
    data = Dataset.of(TABLE, missing="keep")
    assert data.take([1, 1, 0]).gap_counts == (2, 0, 0)
    assert data.select(["c", "a"]).gap_counts == (1, 1)
    declared = Dataset.from_codes([[0, 3, 2]], ["dose"], [["low", "mid", "high"]], missing="keep")
    dropped = declared.drop_unobserved()
    assert (dropped.levels, dropped.gap_counts, dropped.columns[0].tolist()) == ((("low", "high"),), (1,), [0, 2, 1])


def test_256_levels_and_a_gap_need_more_than_a_byte():
    table = {"x": [*(f"v{i:03}" for i in range(256)), None, "v000"], "y": [0, 1] * 129}
    data = Dataset.of(table, missing="keep", kinds={"x": "levels"})
    assert data.columns[0].dtype == np.uint16
    assert data.gap_counts == (1, 0)
    assert paucal.ci_test(data, "x", "y", test="g").n == 257


def test_without_gaps_it_is_as_without_the_word():
    table = {"a": [0, 1, 1], "b": [1, 1, 0]}
    kept = Dataset.of(table, missing="keep")
    assert kept == Dataset.of(table)
    assert not kept.has_gaps
    assert kept.columns[0].dtype == np.uint8


def test_bad_input():
    with pytest.raises(DataError, match=r"No row has a value in 1 of 2 columns: 'a'"):
        Dataset.of({"a": [None, None], "b": [0, 1]}, missing="keep")
    with pytest.raises(DataError, match="No row has a value in 'a'"):
        Dataset.from_codes([[2, 2], [0, 1]], ["a", "b"], [[0, 1]] * 2, missing="keep")
    with pytest.raises(DataError, match=r"run from 0 to 2, with 2 levels"):
        Dataset.from_codes([[0, 2]], ["a"], [[0, 1]])
    with pytest.raises(DataError, match=r"run from 0 to 3.*2 is a missing value"):
        Dataset.from_codes([[0, 3]], ["a"], [[0, 1]], missing="keep")
    with pytest.raises(ParameterError, match="missing='drop' is not known"):
        Dataset.from_codes([[0, 1]], ["a"], [[0, 1]], missing="drop")
    with pytest.warns(ManyMissingWarning, match=r"1 of 2 columns: 'a' \(75%\)"):
        Dataset.of({"a": [0, 1, *[None] * 6], "b": [0, 1] * 4}, missing="keep")
    with pytest.warns(EmptyRowsWarning, match="1 of 5 rows have no value at all"):
        data = Dataset.of({"a": [0, None, 1, 1, 0], "b": [0, None, None, 0, 1]}, missing="keep")
    assert (data.n_rows, data.gap_counts) == (4, (0, 1))


def test_a_constant_with_gaps_stays_alone():
    rng = np.random.default_rng(0)
    table = {"a": [None, *["x"] * 59], "b": rng.integers(0, 2, 60).tolist(), "c": rng.integers(0, 2, 60).tolist()}
    with pytest.warns(paucal.errors.ConstantColumnWarning):
        data = Dataset.of(table, missing="keep")
    for search in ("posterior", "pc-stable"):
        assert not paucal.learn(data, search).graph.adjacent("a")
    assert not paucal.ci_test(data, "a", "b").reliable


def test_a_bootstrap_may_lose_all_values_of_a_column():
    rng = np.random.default_rng(1)
    a = [0, 1, *[None] * 58]
    table = {"a": a, "b": rng.integers(0, 2, 60).tolist(), "c": rng.integers(0, 2, 60).tolist()}
    with pytest.warns(ManyMissingWarning):
        data = Dataset.of(table, missing="keep")
    empty = data.take(np.arange(2, 60))
    assert paucal.ci_test(empty, "a", "b").n == 0
    assert not paucal.learn(empty, "posterior", fillings=2, tolerance=1.0).graph.adjacent("a")
    assert paucal.bootstrap(data, "pc-stable", replicates=5).evidence.n_graphs == 5


def test_power_counts_the_rows_of_the_question():
    data = with_gaps(paucal.load_network("asia").sample(200, seed=1), 0.3)
    whole = paucal.power(paucal.load_network("asia").sample(200, seed=1), max_order=0, sample=8)
    gappy = paucal.power(data, max_order=0, sample=8)
    assert gappy.orders[0].effect is not None
    assert whole.orders[0].effect is not None
    assert gappy.orders[0].effect > whole.orders[0].effect


def test_networks_sum_gaps_out():
    net = paucal.load_network("asia")
    data = net.sample(20, seed=3).select(["smoke", "bronc", "dysp"])
    columns = [codes.astype(np.int64) for codes in data.columns]
    columns[1][:] = 2
    columns[1][0] = 0
    gappy = Dataset.from_codes(columns, data.names, data.levels, missing="keep")
    without = net.predict(data.select(["smoke", "dysp"]), "lung")
    assert net.predict(gappy, "lung")[1:] == pytest.approx(without[1:])


@pytest.mark.parametrize("command", ["learn", "inspect"])
def test_the_command_line_keeps_gaps(tmp_path, command):
    data = with_gaps(paucal.load_network("cancer").sample(100, seed=1), 0.2)
    path = tmp_path / "gappy.csv"
    write(data, path)
    result = run(command, path, "--missing", "keep", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    cells = sum(data.gap_counts)
    assert (told["details"]["missing"] if command == "learn" else told["missing"])["cells"] == cells


def test_a_search_that_cannot_is_refused_in_one_line(tmp_path):
    path = tmp_path / "gappy.csv"
    write(with_gaps(paucal.load_network("cancer").sample(100, seed=1), 0.2), path)
    result = run("learn", path, "--search", "order", "--missing", "keep")
    assert result.exit_code == 2
    assert "needs complete data" in result.stderr
    assert "--missing drop leaves" in result.stderr
    assert "Traceback" not in result.output


def test_estimators_and_learn_take_nan():
    frame = with_gaps(paucal.load_network("cancer").sample(200, seed=1), 0.1).to_frame("pandas")
    assert frame.isna().any(axis=None)
    with pytest.warns(paucal.errors.PaucalWarning):
        learned = paucal.learn(frame)
    assert learned.recipe.preparation.missing == "keep"
    with pytest.warns(paucal.errors.PaucalWarning):
        assert paucal.PCStable().fit(frame).graph_.n == 5
    numbers = pd.DataFrame({"a": [0.0, 1.0, np.nan, 1.0] * 10, "b": [0.0, 1.0, 1.0, np.nan] * 10})
    assert Dataset.of(numbers, missing="keep").gap_counts == (10, 10)
