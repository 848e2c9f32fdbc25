"""The special functions of the kernel against 40 digits of mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal import _kernel

POSITIVE = st.one_of(st.floats(-12, 9).map(lambda e: 10.0**e), st.floats(0.4, 20))


def exact(function, *arguments) -> float:
    with mpmath.workdps(40):
        return float(function(*map(mpmath.mpf, arguments)).real)


@given(POSITIVE)
@settings(max_examples=300, deadline=None)
def test_the_logarithm_of_gamma_has_all_digits_even_near_its_zeros(x):
    assert _kernel.lgamma(x) == pytest.approx(exact(mpmath.loggamma, x), rel=2e-15, abs=0)


@given(POSITIVE)
@settings(max_examples=200, deadline=None)
def test_digamma(x):
    assert _kernel.digamma(x) == pytest.approx(exact(mpmath.digamma, x), rel=3e-15, abs=3e-15)


@given(st.integers(1, 20), st.floats(-5, 7).map(lambda e: 10.0**e))
@settings(max_examples=200, deadline=None)
def test_polygamma(n, x):
    assert _kernel.polygamma(n, x) == pytest.approx(exact(mpmath.psi, n, x), rel=3e-15, abs=0)


@given(st.one_of(st.floats(-6, 26.5), st.floats(-0.5, 0.5), st.floats(0.44, 0.46), st.floats(3.99, 4.01)))
@settings(max_examples=400, deadline=None)
def test_the_complement_of_the_error_function(x):
    assert _kernel.erfc(x) == pytest.approx(exact(mpmath.erfc, x), rel=8e-16, abs=0)  # 3.6 units in the last place


def test_the_complement_of_the_error_function_on_a_grid_and_at_its_ends():
    x = np.linspace(-7, 27, 34_001)
    np.testing.assert_allclose(_kernel.erfc(x), [math.erfc(v) for v in x.tolist()], rtol=1.5e-15, atol=1e-307)
    assert [_kernel.erfc(v) for v in (-math.inf, -40, 0, 40, math.inf)] == [2, 2, 1, 0, 0]
    assert math.isnan(_kernel.erfc(math.nan))


@pytest.mark.parametrize("dof", [0.1, 0.5, 1, 2, 3, 10, 50, 200, 201, 1000, 100_000])
@pytest.mark.parametrize("p", [1e-300, 1e-100, 1e-10, 1e-4, 0.05, 0.3, 0.5, 0.7, 0.999, 1 - 1e-10])
def test_the_inverse_of_the_chi_square_tail(p, dof):
    with mpmath.workdps(40):
        shape, half = mpmath.mpf(dof) / 2, mpmath.mpf(_kernel.chi2_isf(p, dof)) / 2
        ends = (half, mpmath.inf) if p <= 0.5 else (0, half)
        tail = mpmath.gammainc(shape, *ends, regularized=True)
        wanted = p if p <= 0.5 else 1 - mpmath.mpf(p)
        slope = half**shape * mpmath.exp(-half) / mpmath.gamma(shape) / tail  # of ln tail in ln half
        assert abs((tail - wanted) / wanted / slope) < 1e-12  # how far off the answer is, relatively


def test_ends():
    assert _kernel.lgamma(0) == math.inf == _kernel.lgamma(math.inf)
    assert _kernel.lgamma(1) == 0 == _kernel.lgamma(2)
    assert _kernel.digamma(0) == -math.inf
    assert [_kernel.polygamma(n, 0) for n in (0, 1, 2)] == [-math.inf, math.inf, -math.inf]
    assert [_kernel.chi2_isf(p, 3) for p in (0, 1)] == [math.inf, 0]
    assert all(map(math.isnan, (_kernel.lgamma(math.nan), _kernel.digamma(math.nan), _kernel.chi2_isf(math.nan, 1))))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_arrays_of_any_shape_and_kind(dtype):
    x = np.arange(1, 7, dtype=dtype).reshape(2, 3)
    for function in (_kernel.lgamma, _kernel.digamma, lambda v: _kernel.polygamma(1, v)):
        got = function(x.T)
        assert got.shape == (3, 2)
        assert got.tolist() == [[function(float(v)) for v in row] for row in x.T]
    assert _kernel.gamma_p(2, x).tolist() == [[_kernel.gamma_p(2, float(v)) for v in row] for row in x]
    assert _kernel.chi2_isf(0.05, x[0]).tolist() == [_kernel.chi2_isf(0.05, float(v)) for v in x[0]]
    assert _kernel.chi2_sf(x[0], x[0]).shape == (3,)
    assert _kernel.digamma(np.zeros((0, 2))).shape == (0, 2)


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"digamma is for numbers from 0 on, not -1"):
        _kernel.digamma(-1)
    with pytest.raises(ValueError, match="from 0 on"):
        _kernel.lgamma(np.array([1.0, -1e300]))
    with pytest.raises(ValueError, match="n from 0 to 20"):
        _kernel.polygamma(21, 1.0)
    with pytest.raises(ValueError, match="same shape"):
        _kernel.chi2_sf(np.zeros(2), np.zeros(3))
    for wrong in ("1", None, [1.0], 1j):
        with pytest.raises(TypeError):
            _kernel.digamma(wrong)
