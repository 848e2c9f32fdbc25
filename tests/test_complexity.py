"""Shrinkage information and stochastic complexity: by hand, by mpmath, against the twins, and in large samples."""

from __future__ import annotations

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from coded_data import coded, rows_of
from paucal import make_test
from twin.asking import answer


def told(table, test, **options):
    return paucal.ci_test(rows_of(np.array([table])), "x", "y", test=test, **options)


@pytest.mark.parametrize("test", ["mi-sh", "sci"])
@given(data=coded(), order=st.permutations(range(5)))
@settings(max_examples=40, deadline=None)
def test_answers_equal_the_twins(test, data, order):
    native = make_test(data, test)
    x, y, *rest = order
    for k in range(4):
        got = native.ask(x, y, tuple(rest[:k]))
        wanted = answer(data, test, x, y, tuple(rest[:k]))
        assert got.statistic == pytest.approx(wanted.statistic, rel=1e-9, abs=1e-9)  # entropies cancel
        # near 0 a p-value follows the root of the statistic, and of its rounding
        assert got[1:5] == pytest.approx(wanted[1:5], rel=1e-6, abs=5e-5, nan_ok=True)
        if abs(got.statistic) > 1e-9:
            assert got[5:] == wanted[5:]


# -- mi-sh -----------------------------------------------------------------------------------------------------------


def test_shrinkage_by_hand():
    # Shares of [[6, 2], [1, 3]]: sum of squares 50/144, so w = (94/144) / (11 (50/144 - 1/4)) = 94/154.
    with mpmath.workdps(30):
        w = mpmath.mpf(94) / 154
        p = [[(1 - w) * mpmath.mpf(n) / 12 + w / 4 for n in row] for row in ([6, 2], [1, 3])]
        rows, columns = [sum(row) for row in p], [sum(column) for column in zip(*p, strict=True)]
        information = sum(
            p[i][j] * mpmath.log(p[i][j] / (rows[i] * columns[j])) for i, j in product(range(2), repeat=2)
        )
        wanted = float(24 * information)
    result = told([[6, 2], [1, 3]], "mi-sh")
    assert result.statistic == pytest.approx(wanted, rel=1e-13)
    assert result.dof == 1
    assert result.p_value == pytest.approx(math.erfc(math.sqrt(wanted / 2)), rel=1e-12)


def test_shrinkage_of_little_goes_all_the_way():
    assert told([[1, 0], [0, 1]], "mi-sh").statistic == 0  # 1 - sum t^2 = 1/2, and (n - 1)(1/2 - 1/4) is less
    assert told([[5, 5], [5, 5]], "mi-sh").statistic == 0


def test_shrinkage_vanishes_in_large_samples():
    table = np.array([[30, 20, 4], [10, 25, 9]])
    for scale, near in ((1, 0.5), (100, 0.01), (100_000, 1e-5)):
        by_g, shrunk = (
            make_test({"x": [0, 1], "y": [0, 1]}, test).read((table * scale)[None, None]) for test in ("g", "mi-sh")
        )
        assert shrunk.statistic[0] < by_g.statistic[0]
        assert shrunk.statistic[0] == pytest.approx(by_g.statistic[0], rel=near)


# -- sci -------------------------------------------------------------------------------------------------------------


def regret(n, k):
    """The sum over all samples of the likelihood that fits each best, for two or three levels."""
    total = mpmath.mpf(0)
    for counts in product(range(n + 1), repeat=k):
        if sum(counts) == n:
            term = mpmath.factorial(n)
            for c in counts:
                term *= (mpmath.mpf(c) / n) ** c / mpmath.factorial(c) if c else 1
            total += term
    return mpmath.log(total)


def test_complexity_by_hand():
    table = [[6, 2, 0], [1, 3, 4]]
    with mpmath.workdps(30):

        def cost(counts, k):
            n = sum(counts)
            return -sum(c * mpmath.log(mpmath.mpf(c) / n) for c in counts if c) + regret(n, k)

        columns = list(zip(*table, strict=True))
        x = sum(cost(column, 2) for column in columns) - cost([sum(row) for row in table], 2)
        y = sum(cost(row, 3) for row in table) - cost([sum(column) for column in columns], 3)
        wanted = float(min(x, y))
    result = told(table, "sci")
    assert result.statistic == pytest.approx(wanted, rel=1e-12)
    assert result.p_value is None
    assert result.decision == ("independent" if wanted > 0 else "dependent")


def test_one_sample_a_stratum_is_independence():
    data = {"x": [0, 1, 0, 1], "y": [0, 1, 1, 0], "z": list("abcd")}
    result = paucal.ci_test(data, "x", "y", ["z"], test="sci")
    assert result.statistic == pytest.approx(0, abs=1e-12)
    assert result.decision == "independent"


def test_the_penalty_grows_slower_than_a_dependence():
    test = make_test({"x": [0, 1], "y": [0, 1]}, "sci")
    weak, none = np.array([[27, 23], [23, 27]]), np.array([[25, 25], [25, 25]])
    assert [int(test.read((weak * s)[None, None]).decision[0]) for s in (1, 100)] == [0, 1]
    assert [int(test.read((none * s)[None, None]).decision[0]) for s in (1, 100, 10_000)] == [0, 0, 0]
