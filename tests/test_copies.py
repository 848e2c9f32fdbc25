"""Columns that are copies of each other: found whatever their labels, warned about once, told in the result."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paucal
from paucal import Dataset
from paucal.data.copies import copies_among
from paucal.errors import CopiedColumnWarning
from search_data import dependent_columns


def with_copy(seed: int = 1) -> paucal.Dataset:
    data = dependent_columns(seed, 4, 100)
    copied = 2 - data.columns[1].astype(int)
    levels = [*data.levels, ("c", "b", "a")]
    return paucal.Dataset.from_codes([*data.columns, copied], [*data.names, "copy"], levels)


@given(
    columns=st.lists(st.lists(st.integers(0, 2), min_size=12, max_size=12), min_size=1, max_size=5),
)
def test_copies_are_the_pairs_whose_table_has_one_cell_per_level(columns):
    arrays = [np.array(column) for column in columns]
    together = {(i, j) for group in copies_among(arrays) for i in group for j in group if i < j}
    for i, x in enumerate(arrays):
        for j, y in enumerate(arrays[i + 1 :], i + 1):
            cells = len(set(zip(x.tolist(), y.tolist(), strict=True)))
            levels = len(set(x.tolist())), len(set(y.tolist()))
            assert ((i, j) in together) == (cells == levels[0] == levels[1] > 1)


def test_few_rows_have_no_copies():
    assert copies_among([np.array([0, 1])] * 2) == []
    assert copies_among([]) == []


@pytest.mark.parametrize("search", ["pc-stable", "hill-climbing", "posterior"])
def test_a_search_warns_once_and_the_result_tells(search):
    data = with_copy()
    assert data.copies == (("v1", "copy"),)
    data = with_copy()  # one that nobody has asked yet
    with pytest.warns(CopiedColumnWarning, match="'v1' and 'copy'") as caught:
        result = paucal.learn(data, search)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paucal.learn(data, search)  # the same data set again
    assert result.details["copies"] == [["v1", "copy"]]
    told = "v1 and copy are the same except for their labels: an edge to one of them "
    told += "could just as well be an edge to the other"
    assert str(result.open_questions()[0]) == told
    assert told in str(result)
    assert result.to_dict()["open_questions"][0] == {"kind": "copies", "columns": ("v1", "copy"), "text": told}
    assert paucal.SearchResult.from_json(result.to_json()) == result


def test_a_bootstrap_and_a_blanket_warn_once_too():
    with pytest.warns(CopiedColumnWarning) as caught:
        result = paucal.bootstrap(with_copy(), "pc-stable", replicates=3)
    assert len(caught) == 1
    assert result.details["copies"] == [["v1", "copy"]]
    with pytest.warns(CopiedColumnWarning):
        found = paucal.blanket(with_copy(), "v0")
    assert found.result.details["copies"] == [["v1", "copy"]]


def test_nothing_is_said_where_there_are_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = paucal.learn(dependent_columns(1, 4, 100), "pc-stable")
    assert "copies" not in result.details


def test_measurements_are_copies_only_in_the_same_or_the_opposite_order():
    rng = np.random.default_rng(1)
    ranks, others = rng.permutation(50), rng.permutation(50)
    assert copies_among([ranks, others]) == []
    assert copies_among([ranks, others, 49 - ranks, others.copy()]) == [[0, 2], [1, 3]]


def test_numbers_that_share_their_repeats_are_copies_in_any_order():
    rng = np.random.default_rng(2)
    earned = np.where(rng.random(300) < 0.3, 0.0, rng.gamma(1.0, 3.0, 300))
    logs = np.where(earned > 0, np.log(np.maximum(earned, 1e-9)), 0.0)  # 0 is among the logarithms, not the smallest
    data = Dataset.of({"earned": earned, "logs": logs, "other": rng.permutation(earned)})
    assert data.copies == (("earned", "logs"),)


def test_numbers_that_share_their_zeros_or_gaps_alone_are_no_copies():
    rng = np.random.default_rng(3)
    works = rng.random(300) < 0.6
    hours, wage, other = (np.where(works, rng.gamma(3.0, 5.0, 300), 0.0) for _ in range(3))
    asked = rng.random(300) < 0.7
    for gone in (np.zeros(300, bool), ~asked):
        table = {"other": other, "hours": np.where(gone, np.nan, hours), "wage": np.where(gone, np.nan, wage)}
        table |= {"minutes": table["hours"] * 60, "idle": np.where(gone, np.nan, np.where(works, 168 - hours, -1.0))}
        data = Dataset.of(table, kinds=dict.fromkeys(table, "number"), missing="keep")
        assert data.copies == (("hours", "minutes", "idle"),)
        found = [one for one in paucal.inspect(table).findings if one.kind in ("recoding", "duplicate")]
        assert [one.columns for one in found] == [("minutes", "hours"), ("idle", "hours")]
