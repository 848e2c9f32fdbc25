"""Synthetic tables: what is drawn, what is measured on it, and thresholds chosen without cheating."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paucal.paper.cells.graphs import GraphCell
from paucal.paper.cells.synthetic import (
    EstimationCell,
    NullCell,
    PolyaCell,
    RejectionCell,
    as_dataset,
    ask,
    draw,
    log_errors,
    mutual_information,
    parameters,
)
from paucal.paper.design import Search
from paucal.paper.summary import Entries
from paucal.paper.tuned import cross_fitted
from paucal.paper.version import key_of

RNG = np.random.default_rng


def test_tables_are_distributions_and_products_where_they_should_be():
    independent = np.array([True, False, True, False])
    theta = parameters(RNG(1), 4, independent)
    assert theta.sum(axis=(1, 2)) == pytest.approx(np.ones(4))
    information = mutual_information(theta)
    assert (information[independent] < 1e-12).all()
    assert (information[~independent] > 0.01).all()


def test_rows_spell_out_the_counts():
    theta = parameters(RNG(2), 3, np.array([True, False]))
    counts = draw(RNG(3), theta, 25)
    data = as_dataset(counts)
    assert data.cardinalities == (3, 3, 3, 3)  # declared, drawn or not
    for i, table in enumerate(counts):
        x, y = data.columns[2 * i].astype(int), data.columns[2 * i + 1].astype(int)
        assert np.array_equal(np.bincount(3 * x + y, minlength=9).reshape(3, 3), table)


def test_the_plug_in_estimate_is_the_information_of_the_shares():
    counts = draw(RNG(4), parameters(RNG(5), 3, np.zeros(20, bool)), 40)
    estimate = ask(as_dataset(counts), "mi", threshold="spec").statistic
    assert estimate == pytest.approx(mutual_information(counts / 40))


def test_cells_of_other_shapes_have_other_keys_and_the_same_cell_the_same_numbers():
    cells = [EstimationCell(3, 20, 30, 0), EstimationCell(3, 20, 30, 1), EstimationCell(5, 20, 30, 0)]
    cells += [PolyaCell(3, 20, 30, 0), PolyaCell(3, 20, 30, 0, alpha=1.0), NullCell(3, 20, 30, 0)]
    assert len({key_of(cell) for cell in cells}) == len(cells)
    first, again = (
        {name: {k: v for k, v in numbers.items() if k != "seconds"} for name, numbers in result.items()}
        for result in (cells[0].compute(), cells[0].compute())
    )
    assert first == again


def test_calibrated_tests_keep_their_level():
    result = RejectionCell(3, 100, 2000, seed=1).compute()
    for name, rates in result.items():
        # both quantile and rate are estimated from 2,000 tables: a standard error of 0.007
        assert abs(rates["type1_calibrated"] - 0.05) < 0.025, name
        assert rates["power_calibrated"] > 0.8


def test_g_follows_chi2_on_large_samples():
    result = NullCell(3, 1000, 1000, seed=1).compute()
    assert result["G"]["distance"] < 0.06
    assert 0.02 < result["G"]["beyond"] < 0.08
    assert result["BF_chi2, alpha = 0.5"]["distance"] < 0.12
    width = np.diff(NullCell(3, 1000, 1000, seed=1).edges())
    assert (np.array(result["G"]["density"]) * width).sum() == pytest.approx(1.0, abs=0.01)


def test_exact_probabilities_of_the_picture():
    cell = PolyaCell(2, 10, 5, seed=3, alpha=0.7, independent=False)
    rng = cell.rng("polya False")
    counts = draw(rng, parameters(rng, 2, np.zeros(5, bool), uneven=True), 10).reshape(5, 4)
    expected = sorted(
        math.lgamma(2.8) - math.lgamma(12.8) + sum(math.lgamma(n + 0.7) - math.lgamma(0.7) for n in row.tolist())
        for row in counts
    )
    shown = cell.compute()["Polya"]["shown"]
    assert shown == pytest.approx([value / math.log(10) for value in expected])


def test_relative_errors_beyond_all_bounds():
    assert log_errors(np.array([1e4, 1e4]))["mean"] == pytest.approx(1e4 / math.log(10))
    small = log_errors(np.log1p(np.array([-0.5, 0.5])))
    assert 10 ** small["mean"] == pytest.approx(0.5)


def test_cross_fitting_does_not_choose_on_the_runs_it_judges():
    """Each threshold is best by luck in its own half of the runs: chosen honestly, none gains."""
    shd = {"a": [0.0, 10.0, 0.0, 10.0], "b": [10.0, 0.0, 10.0, 0.0]}
    rows = [
        (GraphCell("child", 100, run, Search.of(label, "rai", "bf"), seed=0), label, {"shd": value})
        for label, values in shd.items()
        for run, value in enumerate(values)
    ]
    assert cross_fitted(Entries(rows), "child", ["a", "b"]) == 10.0
    assert math.isnan(cross_fitted(Entries(r for r in rows if r[0].run == 0), "child", ["a", "b"]))
