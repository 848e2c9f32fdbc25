"""Appendix H: reading the data sets, folds without leaks, exact class posteriors, scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal.data import Dataset
from paucal.errors import UnknownNameError
from paucal.graphs import Graph
from paucal.networks import BayesNet
from paucal.paper import methods, published
from paucal.paper.cells import uci
from paucal.paper.cells.classifiers import (
    CLASS,
    ClassifierCell,
    auc,
    class_posterior,
    cut_points,
    encoded,
    f1_score,
    folds_of,
)
from paucal.paper.classification import TABLES
from paucal.paper.design import Scope
from paucal.paper.version import key_of

# ------------------------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize("name", uci.DATA_SETS)
def test_sizes_are_those_of_the_paper(name):
    records = uci.load(name)
    samples, attributes, most, least = published.UCI_SIZES[name]
    assert len(records.target) == samples
    assert len(records.features) == (22 if name == "parkinsons" else attributes)  # the paper counts one more
    assert (int((records.target == 0).sum()), int(records.target.sum())) == (most, least)
    assert np.isnan(records.values).sum() == (16 if name == "breast-w" else 0)


def test_recordings_of_a_subject_are_alike():
    """Subjects told apart by position differ in their voices: the pitch varies less within them than by chance."""
    records = uci.load("parkinsons")
    assert sorted(np.bincount(records.groups)) == [6] * 29 + [7] * 3
    pitch = np.log(records.values[:, 0])

    def within(groups):
        return sum(((pitch[groups == g] - pitch[groups == g].mean()) ** 2).sum() for g in range(32))

    ours = within(records.groups)
    for k in (14, 19, 24):  # give the seventh recording to a neighbour instead: the fit gets worse
        sizes = np.bincount(records.groups)
        sizes[k] -= 1
        sizes[k + 1] += 1
        assert within(np.repeat(np.arange(32), sizes)) > ours


def test_an_unknown_data_set_is_told():
    with pytest.raises(UnknownNameError, match="iris"):
        uci.load("iris")


def test_source_and_licence_of_every_table_are_named():
    folder = Path(uci.__file__).parents[1] / "data"
    said = (folder / "SOURCES.md").read_text()
    for name in uci.DATA_SETS:
        (line,) = [line for line in said.splitlines() if line.startswith(f"| `{name}.csv.gz`")]
        assert "CC BY 4.0" in line or "public domain" in line
    assert {file.name for file in folder.glob("*.gz")} == {f"{name}.csv.gz" for name in uci.DATA_SETS}


# --------------------------------------------------------------------------------------------------------- folds


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=12, max_size=60), st.integers(0, 5))
def test_folds_part_the_rows_and_keep_the_shares(labels, seed):
    target = np.array(labels, dtype=np.intp)
    tests = []
    for train, test in folds_of(target, None, np.random.default_rng(seed)):
        assert sorted([*train, *test]) == list(range(len(target)))
        tests.append(test)
    assert sorted(np.concatenate(tests)) == list(range(len(target)))
    for label in (0, 1):
        counts = [int((target[test] == label).sum()) for test in tests]
        assert max(counts) - min(counts) <= 1


def test_grouped_folds_never_part_a_subject():
    records = uci.load("parkinsons")
    plain_leaks = 0
    for seed in range(3):
        for train, test in folds_of(records.target, records.groups, np.random.default_rng(seed)):
            assert not set(records.groups[train]) & set(records.groups[test])
            assert 0 < records.target[test].sum() < len(test)
        for train, test in folds_of(records.target, None, np.random.default_rng(seed)):
            plain_leaks += bool(set(records.groups[train]) & set(records.groups[test]))
    assert plain_leaks == 9


def test_test_rows_change_nothing_that_is_learned():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 4))
    values[rng.random(values.shape) < 0.1] = np.nan
    target = (rng.random(60) < 0.4).astype(np.intp)
    train, test = np.arange(40), np.arange(40, 60)
    before, _ = encoded(uci.Records("x", ("a", "b", "c", "d"), values, target), train, test)
    spoiled = values.copy()
    spoiled[test] = 1e6
    after, rows = encoded(uci.Records("x", ("a", "b", "c", "d"), spoiled, 1 - target), train, test)
    assert before.select(list("abcd")) == after.select(list("abcd"))
    assert all((codes == 2).all() for codes in rows.values())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=1, max_size=40))
def test_no_interval_is_empty(values):
    column = np.array(values, dtype=float)
    cuts = cut_points(column)
    assert len(cuts) <= 2
    codes = np.searchsorted(cuts, column, side="right")
    assert set(codes) == set(range(len(cuts) + 1))
    assert len(cuts) > 0 or len(set(values)) == 1


# ------------------------------------------------------------------------------------------ prediction and scores


def test_the_posterior_is_exact():
    names = ["a", "b", "c", "d", CLASS]
    graph = Graph.dag(names, [("a", CLASS), (CLASS, "b"), ("c", "b"), (CLASS, "d"), ("a", "d")])
    rng = np.random.default_rng(1)
    data = Dataset.from_codes([rng.integers(0, 2, 80) for _ in names], names, [["0", "1"]] * 5)
    net = BayesNet.fit(graph, data)
    whole = net.joint([*"abcd", CLASS])
    grid = np.indices((2, 2, 2, 2)).reshape(4, -1)
    expected = whole.reshape(16, 2)[:, 1] / whole.reshape(16, 2).sum(axis=1)
    assert class_posterior(net, dict(zip("abcd", grid, strict=True))) == pytest.approx(expected)


def test_scores_by_hand():
    said, true = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 0, 1, 1], bool)
    assert f1_score(said, true) == pytest.approx(2 / 3)
    assert f1_score(~true, true) == 0.0
    score = np.array([0.9, 0.1, 0.5, 0.5])
    assert auc(score, np.array([1, 0, 1, 0], bool)) == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert auc(-score, np.array([1, 0, 1, 0], bool)) == pytest.approx(1 - 3.5 / 4)


def test_a_telling_column_is_found_and_used(monkeypatch):
    rng = np.random.default_rng(2)
    label = (rng.random(150) < 0.3).astype(np.intp)
    values = np.column_stack([label, rng.integers(0, 4, 150)]).astype(float)
    monkeypatch.setattr(uci, "load", lambda name: uci.Records(name, ("a", "b"), values, label))
    for model, perfect in ((methods.CLASSIFIERS[3], True), ("naive", True), ("majority", False)):
        result = ClassifierCell("breast-w", 0, model, 0).compute()
        assert (result["f1"] == 1.0) == perfect
        assert result["auc"] == (1.0 if perfect else 0.5)


def test_the_key_tells_apart_data_sets_models_and_splits():
    cell = ClassifierCell("parkinsons", 0, "naive", 0)
    others = [replace(cell, dataset="spect"), replace(cell, model="majority"), replace(cell, grouped=True)]
    others += [replace(cell, model=methods.CLASSIFIERS[0]), replace(cell, run=1), replace(cell, seed=1)]
    assert len({key_of(c) for c in [cell, *others]}) == 7


def test_reports_lay_ours_beside_the_papers():
    scope = Scope(runs=1)
    uci_sizes, experiment = TABLES
    sizes = uci_sizes.report(scope, {}).tables[0]
    row = dict(zip((c.name for c in sizes.columns), sizes.rows[3], strict=True))
    assert (row["attributes"], row["attributes_paper"]) == (22, 23)
    cells = experiment.cells(scope)
    assert len(cells) == (4 + 1) * 6
    scores = dict.fromkeys(("f1", "auc", "f1_minority", "accuracy", "neighbours"), 0.5)
    table = experiment.report(scope, dict.fromkeys(cells, scores)).tables[0]
    rows = [dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows]
    assert [row["f1_paper"] for row in rows[:6]] == [0.42, 0.84, 0.40, 0.47, None, None]
    assert {row["split"] for row in rows if row["dataset"] == "parkinsons"} == {"plain", "by subject"}
    assert all(row["f1_paper"] is None for row in rows if row["split"] == "by subject")
