"""The incomplete gamma functions against mpmath, and the Pearson III tail that stands on them."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal import _kernel
from twin.moments import pearson3_sf


def exact(shape: float, x: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    with mpmath.workdps(60):
        upper = mpmath.gammainc(mpmath.mpf(shape), mpmath.mpf(x), mpmath.inf, regularized=True)
        lower = mpmath.gammainc(mpmath.mpf(shape), 0, mpmath.mpf(x), regularized=True)
        return lower, upper


@given(st.floats(-9, 3.5), st.floats(-1.5, 1.5))
@settings(max_examples=400, deadline=None)
def test_both_tails_have_all_digits(log_shape, spread):
    shape = 10.0**log_shape
    x = shape * 10.0**spread if shape > 1 else 10.0 ** (2 * spread)
    lower, upper = exact(shape, x)
    for got, wanted in ((_kernel.gamma_p(shape, x), lower), (_kernel.gamma_q(shape, x), upper)):
        if wanted > mpmath.mpf("1e-290"):
            assert got == pytest.approx(float(wanted), rel=2e-12)


@pytest.mark.parametrize("shape", [11.9, 12.0, 12.1, 57.3, 1000.5, 30_000.25])
@pytest.mark.parametrize("z", [-8, -5, -2, -0.1, 0, 1e-3, 1.645, 4, 9])
def test_around_the_shape(shape, z):
    x = shape + z * math.sqrt(shape)
    if x > 0:
        lower, upper = exact(shape, x)
        assert _kernel.gamma_p(shape, x) == pytest.approx(float(lower), rel=1e-11)
        assert _kernel.gamma_q(shape, x) == pytest.approx(float(upper), rel=1e-11)


@pytest.mark.parametrize(
    ("shape", "x", "lower"), [(2, 0, 0), (2, -1, 0), (0, 3, 1), (1e-300, 1, 1), (4e8, 4e9, 1), (0.5, 1e5, 1)]
)
def test_edges(shape, x, lower):
    assert _kernel.gamma_p(shape, x) == lower
    assert _kernel.gamma_q(shape, x) == pytest.approx(1 - lower, abs=1e-200)


# Below a skewness of 0.01 SciPy's own series stops too early: gammainc(4e6, 3.99e6) is off by 0.3 %.
@given(st.floats(-4, 8), st.floats(-2, 3), st.sampled_from([-1, 1]))
@settings(max_examples=200, deadline=None)
def test_pearson_tail_equals_the_twins(z, log_skewness, sign):
    skewness = sign * 10.0**log_skewness
    got = _kernel.pearson3_sf(3 + 2 * z, 3, 4, 8 * skewness)
    assert 0 <= got <= 1
    assert got == pytest.approx(pearson3_sf(3 + 2 * z, 3, 4, 8 * skewness), rel=1e-9, abs=1e-300)


def test_a_large_shape_by_integration():
    with mpmath.workdps(30):
        shape, x = mpmath.mpf(4_000_000), 3_990_000
        log_gamma = mpmath.loggamma(shape)
        points = [x - d for d in (200_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 0)]
        tail = mpmath.quad(lambda t: mpmath.exp((shape - 1) * mpmath.log(t) - t - log_gamma), points)
    assert _kernel.gamma_p(4e6, x) == pytest.approx(float(tail), rel=1e-11)


def test_pearson_tail_of_known_distributions():
    # an exponential distribution has skewness 2, a normal one 0
    assert _kernel.pearson3_sf(3, 1, 1, 2) == pytest.approx(math.exp(-3), rel=1e-14)
    assert _kernel.pearson3_sf(-0.5, 1, 1, 2) == 1
    assert _kernel.pearson3_sf(-1, 1, 1, -2) == pytest.approx(1 - math.exp(-3), rel=1e-14)
    assert _kernel.pearson3_sf(3.5, 1, 1, -2) == 0
    assert _kernel.pearson3_sf(2.96, 1, 1, 0) == pytest.approx(0.0249978951, rel=1e-8)
    # just beyond the switch to the normal distribution there is no jump
    near, far = (_kernel.pearson3_sf(3, 1, 1, s) for s in (0.99e-4, 1.01e-4))
    assert near == pytest.approx(far, rel=1e-3)
