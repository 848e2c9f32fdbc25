"""What is said about missing values: rows that are left, and what their absence depends on."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

import paucal
from gappy_data import gappy_tables, with_gaps
from paucal import Dataset
from paucal.inspection.missingness import Missingness, rows_for
from paucal.report.page import page as page_of


@given(data=gappy_tables())
@settings(max_examples=50, deadline=None)
def test_numbers_are_those_of_a_plain_count(data):
    found = Missingness.of(data)
    gaps = np.array(data.gaps)
    if not gaps.any():
        assert found is None
        return
    assert found is not None
    assert found.cells == gaps.sum()
    assert found.share == pytest.approx(gaps.mean())
    assert found.complete_rows == (~gaps.any(axis=0)).sum()
    p = data.n_columns
    rows = {(a, b): int((~gaps[a] & ~gaps[b]).sum()) for a in range(p) for b in range(a + 1, p)}
    assert found.fewest_rows == min(rows.values())
    assert found.median_rows == int(np.median(list(rows.values())))
    assert found.fewest_pair is not None
    assert rows[tuple(sorted(map(data.index, found.fewest_pair)))] == found.fewest_rows
    json.dumps(found.to_dict())
    assert str(found.cells) in found.lines()[0].replace(",", "")


def test_by_chance_alone_dependence_is_rarely_found():
    net = paucal.load_network("child")
    found = [Missingness.of(with_gaps(net.sample(200, seed=seed), 0.15, seed)) for seed in range(60)]
    assert sum(bool(one.dependences) for one in found if one is not None) <= 8  # 3 expected at the level


def test_dependence_on_another_column_is_found_and_named():
    data = paucal.load_network("child").sample(400, seed=1)
    driver, losing = data.index("LungParench"), data.index("Grunting")
    rng = np.random.default_rng(0)
    chance = np.where(data.columns[driver] == 0, 0.05, 0.4)
    columns = [codes.astype(np.int64) for codes in data.columns]
    columns[losing] = np.where(rng.random(400) < chance, data.cardinalities[losing], columns[losing])
    gappy = Dataset.from_codes(columns, data.names, data.levels, missing="keep")
    found = Missingness.of(gappy)
    assert found is not None
    assert [(one.column, one.on) for one in found.dependences] == [("Grunting", "LungParench")]
    assert any("Grunting is missing more often at some levels of LungParench" in line for line in found.lines())


def test_names_and_order_of_columns_do_not_matter():
    data = with_gaps(paucal.load_network("asia").sample(300, seed=1), 0.2)
    one, other = Missingness.of(data), Missingness.of(data.select(data.names[::-1]))
    assert one is not None
    assert other is not None
    assert (one.cells, one.median_rows, one.fewest_rows) == (other.cells, other.median_rows, other.fewest_rows)


@given(data=gappy_tables(most_columns=4))
@settings(max_examples=30, deadline=None)
def test_rows_for_sets_of_columns(data):

    gaps = np.array(data.gaps)
    for size in range(1, data.n_columns + 1):
        rows = [data.n_rows - gaps[list(one)].any(axis=0).sum() for one in combinations(range(data.n_columns), size)]
        assert abs(rows_for(data, size) - np.median(rows)) <= 0.5


def test_results_and_pages_tell_what_was_missing():
    data = with_gaps(paucal.load_network("asia").sample(200, seed=3), 0.2)
    by_tests = paucal.learn(data, "pc-stable")
    assert "values are missing" in str(by_tests)
    page = page_of(by_tests, data=data)
    assert "What was missing" in page
    assert "every test used the rows" in page.lower()
    assert "missing at random" in page
    sampled = paucal.learn(data, "posterior", fillings=2, tolerance=1.0)
    assert "filled in 6 times" in str(sampled)
    page = page_of(sampled, data=data)
    assert "filled in 6 times" in page
    whole = paucal.load_network("asia").sample(200, seed=3)
    page = page_of(paucal.learn(whole, "pc-stable"), data=whole)
    assert "What was missing" not in page


def test_one_missing_value_is_one():
    table = {"a": [1, 0, None, 1] + [0, 1] * 8, "b": [0, 1] * 10}
    assert str(paucal.inspect(table)).count("1 of 40 values is missing") == 2
