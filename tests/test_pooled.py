"""The test that adds strata up before it squares: exact moments, what it sees, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.independence.registry import make_test
from twin import trend
from twin.pooled import pooled_p


@given(seed=st.integers(0, 10**6), rows=st.integers(4, 9), levels=st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_the_moments_are_those_of_all_permutations(seed, rows, levels):
    rng = np.random.default_rng(seed)
    stratum = np.arange(rows) % 2
    tables = np.zeros((2, levels, 3), dtype=int)
    np.add.at(tables, (stratum, rng.integers(0, levels, rows), rng.integers(0, 3, rows)), 1)
    informative = sum(min(np.count_nonzero(t.sum(0)), np.count_nonzero(t.sum(1))) > 1 for t in tables)
    read = {name: paucal.ci_test(table=tables, test=name) for name in ("chi2-perm", "chi2-pooled")}
    pooled = pooled_p(tables) if informative == 2 else None
    table = read["chi2-perm"].p_value
    if pooled is None:
        assert read["chi2-pooled"].p_value == table
        return
    wanted = {trend.combined(table, pooled), trend.combined(pooled, pooled) if table == 1 else -1}
    assert any(read["chi2-pooled"].p_value == pytest.approx(p, rel=1e-6, abs=1e-9) for p in wanted)


def test_both_ways_to_add_up_pairs_of_strata_agree():
    """Tables of up to 45 x 45 levels have the covariances of all cells, larger ones go through pairs of strata."""
    rng = np.random.default_rng(0)
    x, y, z = rng.integers(0, 40, 600), rng.integers(0, 45, 600), rng.integers(0, 6, 600)
    one = paucal.Dataset.from_codes([x, y, z], "xyz", [range(40), range(45), range(6)])
    other = paucal.Dataset.from_codes([x, y, z], "xyz", [range(60), range(60), range(6)])
    p = [paucal.ci_test(data, "x", "y", ["z"], test="chi2-pooled").p_value for data in (one, other)]
    assert p[0] == pytest.approx(p[1], rel=1e-9)


def test_an_effect_that_is_the_same_in_every_stratum():
    rng = np.random.default_rng(3)
    found = {"chi2-perm": 0, "chi2-pooled": 0}
    for _ in range(60):
        z = rng.integers(0, 9, 300)
        x = rng.integers(0, 3, 300)
        y = np.where(rng.random(300) < 0.2, x, rng.integers(0, 3, 300))
        data = paucal.Dataset.from_codes([x, y, z], "xyz", [range(3), range(3), range(9)])
        for name in found:
            found[name] += paucal.ci_test(data, "x", "y", ["z"], test=name).decision == "dependent"
    assert found["chi2-pooled"] > found["chi2-perm"] + 10


def test_with_one_stratum_it_is_chi2_perm():
    data = paucal.load_network("survey").sample(80, seed=2)
    one, other = (paucal.ci_test(data, "A", "E", test=name) for name in ("chi2-pooled", "chi2-perm"))
    assert (one.p_value, one.decision) == (other.p_value, other.decision)


@given(seed=st.integers(0, 10**6), rows=st.integers(4, 80))
@settings(max_examples=40, deadline=None)
def test_bounds_and_orders(seed, rows):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, k, rows) for k in (4, 3, 5)]
    data = paucal.Dataset.from_codes(codes, "xyz", [range(4), range(3), range(5)])
    test = make_test(data, "chi2-pooled")
    result = test("x", "y", ["z"])
    assert test.smallest_p_value("x", "y", ["z"]) <= result.p_value * (1 + 1e-9)
    assert test("y", "x", ["z"]).p_value == pytest.approx(result.p_value, rel=1e-12)
    order = rng.permutation(rows)
    assert make_test(data.take(order), "chi2-pooled")("x", "y", ["z"]).p_value == result.p_value


def test_searches_take_it_by_name():
    data = paucal.load_network("asia").sample(300, seed=1)
    assert paucal.learn(data, "pc-stable", test="chi2-pooled").test == "chi2-pooled"
