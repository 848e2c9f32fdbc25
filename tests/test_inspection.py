"""Samples per cell against brute force."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.inspection import sufficiency


def brute_force(n, cardinalities, order):
    """Every question, one by one."""
    cells = []
    for x, y in combinations(range(len(cardinalities)), 2):
        others = [v for v in range(len(cardinalities)) if v not in (x, y)]
        cells += [math.prod(cardinalities[v] for v in (x, y, *given_)) for given_ in combinations(others, order)]
    cells.sort()
    return (
        n / cells[(len(cells) - 1) // 2],
        n / cells[-1],
        sum(n >= 5 * c for c in cells) / len(cells),
        len(cells),
    )


@given(st.integers(1, 2000), st.lists(st.integers(1, 9), min_size=2, max_size=7), st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_equal_to_asking_every_question(n, cardinalities, order):
    if order > len(cardinalities) - 2:
        return
    median, worst, enough, questions = brute_force(n, cardinalities, order)
    found = sufficiency(n, cardinalities, order)
    assert found.exact
    assert found.questions == questions
    assert found.worst == pytest.approx(worst)
    assert found.enough == pytest.approx(enough)
    assert found.median == pytest.approx(median)


def test_varied_cardinalities_are_sampled_and_said_to_be():
    cardinalities = list(range(2, 150))
    found = sufficiency(1000, cardinalities, 3)
    assert not found.exact
    assert found.worst == pytest.approx(1000 / math.prod(range(145, 150)))
    rng = np.random.default_rng(1)
    draws = [math.prod(rng.choice(cardinalities, 5, replace=False).tolist()) for _ in range(4000)]
    assert found.median == pytest.approx(1000 / np.median(draws), rel=0.25)


def test_thousands_of_columns_are_no_problem():
    found = sufficiency(500, [2, 3, 4, 5] * 2500, 3)
    assert found.exact
    assert found.questions == math.comb(10_000, 5) * 10


def test_columns_are_summarised():
    data = {"a": ["x", "y", "x", None], "b": [1, 1, 2, 3]}
    found = paucal.inspect(paucal.Dataset.of(data, missing="level"))
    a, b = found.columns
    assert (a.levels, a.observed, a.missing, a.mode, a.mode_share) == (2, 2, 1, "x", 0.5)
    assert (b.levels, b.mode) == (3, 1)
    assert [s.order for s in found.sufficiency] == [0]
    assert found.to_dict()["columns"][0]["name"] == "a"


def test_one_column_leaves_nothing_to_test():
    found = paucal.inspect({"a": [0, 1, 0]})
    assert found.sufficiency == ()
