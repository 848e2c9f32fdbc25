"""Numbers cut into intervals: equal shares, equal widths, given cut points."""

from __future__ import annotations

import math
import re
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paucal.data import Dataset
from paucal.errors import DataError, DiscretizationWarning, ParameterError, UnknownNameError

NUMBER = r"[-+.0-9e]+|inf|-inf"


def bounds(label: str) -> tuple[float, float]:
    """Read an interval label: closed on the left, open on the right."""
    if match := re.fullmatch(rf"< ({NUMBER})", label):
        return -math.inf, float(match[1])
    if match := re.fullmatch(rf">= ({NUMBER})", label):
        return float(match[1]), math.inf
    match = re.fullmatch(rf"\[({NUMBER}), ({NUMBER})\)", label)
    assert match, label
    return float(match[1]), float(match[2])


def cut(values: list[Any], how: Any, **options: Any) -> Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Dataset.from_columns({"x": values}, discretize={"x": how}, **options)


numbers = st.lists(st.integers(-50, 50) | st.floats(-1e6, 1e6), min_size=2, max_size=60)
rules = st.sampled_from(["quantile:2", "quantile:3", "quantile:7", "width:2", "width:5"]) | st.lists(
    st.floats(-100, 100), min_size=1, max_size=4, unique=True
).map(sorted)


@settings(max_examples=150, deadline=None)
@given(values=numbers, how=rules)
def test_every_value_lies_in_the_interval_it_is_given(values: list[float], how: Any) -> None:
    assume(len({float(v) for v in values}) > 1)
    labels = cut(values, how).to_frame("dict")["x"]
    for value, label in zip(values, labels, strict=True):
        low, high = bounds(label)
        assert low <= value < high


@settings(max_examples=150, deadline=None)
@given(values=numbers, how=rules)
def test_intervals_join_without_gaps(values: list[float], how: Any) -> None:
    assume(len({float(v) for v in values}) > 1)
    ends = [bounds(label) for label in cut(values, how).levels[0]]
    assert ends[0][0] == -math.inf
    assert ends[-1][1] == math.inf
    assert all(left[1] == right[0] for left, right in pairwise(ends))
    assert all(low < high for low, high in ends)


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.floats(-1e6, 1e6), min_size=12, max_size=60, unique=True), n=st.integers(2, 6))
def test_quantiles_share_equally(values: list[float], n: int) -> None:
    counts = np.bincount(cut(values, f"quantile:{n}").columns[0], minlength=n)
    assert len(counts) == n
    assert max(counts) - min(counts) <= 1


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.integers(0, 6), min_size=4, max_size=40), n=st.integers(2, 5))
def test_quantiles_of_tied_values_leave_no_interval_empty(values: list[int], n: int) -> None:
    assume(len(set(values)) > 1)
    data = cut(values, f"quantile:{n}")
    assert 2 <= data.cardinalities[0] <= n
    assert len(set(data.columns[0].tolist())) == data.cardinalities[0]


def test_widths_are_equal() -> None:
    data = cut([0, 1, 2, 3.5, 6, 7, 8], "width:4")
    assert data.levels == (("< 2", "[2, 4)", "[4, 6)", ">= 6"),)
    assert data.columns[0].tolist() == [0, 0, 1, 1, 3, 3, 3]
    assert cut([0, 1, 8], "width:4", drop_unobserved=True).levels == (("< 2", ">= 6"),)


def test_cut_points_belong_to_the_right() -> None:
    data = cut([17.9, 18, 39, 40, 65], [18, 40, 65.5])
    assert data.levels == (("< 18", "[18, 40)", "[40, 65.5)", ">= 65.5"),)
    assert data.columns[0].tolist() == [0, 1, 1, 2, 2]


def test_labels_are_as_short_as_the_data_allow() -> None:
    values = [0.123456789, 0.2345678, 0.3456789, 0.456789, 0.56789, 0.6789]
    assert cut(values, "quantile:3").levels == (("< 0.3", "[0.3, 0.5)", ">= 0.5"),)
    close = [1000.00001, 1000.00002, 1000.00003, 1000.00004]
    assert cut(close, "quantile:2").levels == (("< 1000.00003", ">= 1000.00003"),)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_one_rule_for_all_takes_continuous_columns_only(frame: Any) -> None:
    columns = {
        "fraction": [i / 7 for i in range(1, 25)],
        "few fractions": [0.5, 1.5] * 12,
        "whole floats": [1.0, 2.0] * 12,
        "many whole floats": [float(i) for i in range(24)],
        "integers": [1, 2, 3] * 8,
        "text": ["a", "b"] * 12,
    }
    data = Dataset.of(frame(columns), discretize="quantile:2")
    assert [len(levels) for levels in data.levels] == [2, 2, 2, 2, 3, 2]
    assert data.levels[0] == ("< 1.8", ">= 1.8")
    assert data.levels[1] == ("< 1", ">= 1")
    assert data.levels[2] == (1, 2)
    assert data.levels[3] == ("< 12", ">= 12")


def test_each_column_its_own_rule() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(0, 90, 200), "income": rng.lognormal(8, 1, 200)})
    data = Dataset.of(frame, discretize={"age": [18, 40, 65], "income": "quantile:3"})
    assert data.levels[0] == ("< 18", "[18, 40)", "[40, 65)", ">= 65")
    assert sorted(np.bincount(data.columns[1])) == [66, 67, 67]


def test_missing_values_stay_missing() -> None:
    values = [1.5, None, 2.5, float("nan"), 3.5]
    data = cut(values, "quantile:3", missing="level")
    assert data.columns[0].tolist() == [0, 3, 1, 3, 2]
    assert data.levels[0][-1] is None
    assert cut(values, "quantile:3", missing="drop").columns[0].tolist() == [0, 1, 2]


def test_ties_are_said_in_one_warning() -> None:
    columns = {"a": [0.0] * 8 + [5.5, 7.0], "b": [1.5, 2.5] * 5}
    with pytest.warns(DiscretizationWarning) as caught:
        data = Dataset.of(columns, discretize="quantile:3")
    assert len(caught) == 1
    assert "'a' (2 of 3), 'b' (2 of 3)" in str(caught[0].message)
    assert data.levels == (("< 5", ">= 5"), ("< 2", ">= 2"))


def test_infinite_values() -> None:
    values = [-math.inf, 1.5, 2.5, math.inf]
    assert cut(values, [2]).columns[0].tolist() == [0, 0, 1, 1]
    assert cut(values, "quantile:2").columns[0].tolist() == [0, 0, 1, 1]
    assert cut(values, "quantile:4").levels[0][-1] == ">= inf"
    with pytest.raises(DataError, match="'x' has infinite values"):
        cut(values, "width:2")


def test_extreme_values() -> None:
    assert cut([-1.7e308, 1.7e308, 0.0], "width:2").columns[0].tolist() == [0, 1, 1]
    assert cut([5e-324, 0.0, 1e-323], "width:2").cardinalities[0] >= 1
    assert cut([2.5, 2.5], "quantile:3").levels == ((2.5,),)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("median", "'median' is not a rule"),
        ("quantile:1", "asks for 1 intervals"),
        ("width:1001", "2 to 1,000"),
        ("quantile:", "not a rule"),
        ({"x": "quantile:-3"}, "not a rule"),
        ({"x": []}, "increasing order"),
        ({"x": [3, 1]}, "increasing order"),
        ({"x": [1, 1]}, "increasing order"),
        ({"x": [1, math.nan]}, "finite numbers"),
        ({"x": ["a"]}, "not a rule"),
        ({"x": 4}, "not a rule"),
        ({"x": None}, "not a rule"),
        ([1, 2], "names no column"),
        (3, "names no column"),
    ],
)
def test_rules_that_make_no_sense(how: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Dataset.from_columns({"x": [1.5, 2.5]}, discretize=how)


def test_columns_that_cannot_be_cut() -> None:
    columns = {"x": [1, 2], "word": ["01", "02"], "yes": [True, False], "huge": [10**400, 1]}
    for name, value in {"word": "'01'", "yes": "False", "huge": "1000"}.items():
        with pytest.raises(DataError, match=rf"'{name}' cannot be cut into intervals: {value}"):
            Dataset.from_columns(columns, discretize={name: "quantile:2"})
    with pytest.raises(UnknownNameError, match="no column 'y'"):
        Dataset.from_columns(columns, discretize={"y": "quantile:2"})
