"""The chi-square tail against 50 digits of mpmath."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal import _kernel


def exact(statistic: float, dof: float) -> mpmath.mpf:
    with mpmath.workdps(50):
        return mpmath.gammainc(mpmath.mpf(dof) / 2, mpmath.mpf(statistic) / 2, regularized=True)


@given(st.floats(1e-6, 1400), st.integers(1, 400))
@settings(max_examples=300, deadline=None)
def test_relative_accuracy(statistic, dof):
    wanted = exact(statistic, dof)
    if wanted > mpmath.mpf("1e-300"):
        assert _kernel.chi2_sf(statistic, dof) == pytest.approx(float(wanted), rel=1e-10)


@pytest.mark.parametrize("dof", [1, 2, 3, 7, 50, 199, 200, 201, 1000, 5000, 100_000])
@pytest.mark.parametrize("tail", [0.9, 0.5, 0.05, 1e-6, 1e-20, 1e-100, 1e-299])
def test_far_tails(dof, tail):
    # find a statistic with roughly that tail, then compare there
    low, high = 0.0, 10.0 * dof + 4000
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _kernel.chi2_sf(middle, dof) > tail else (low, middle)
    assert _kernel.chi2_sf(low, dof) == pytest.approx(float(exact(low, dof)), rel=1e-10)


@pytest.mark.parametrize(("statistic", "dof", "p"), [(0, 3, 1), (-1, 3, 1), (5, 0, 1), (1e6, 2, 0), (3, 1e12, 1)])
def test_edges(statistic, dof, p):
    assert _kernel.chi2_sf(statistic, dof) == p
