"""The Polya likelihood, its maximum, and the multinomials that stand in for it."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal.dirichlet import (
    alpha_star,
    approximate_polya,
    fitted_line,
    modified_counts,
    polya_log_likelihood,
    smoothed_parameters,
)
from paucal.errors import ParameterError
from twin import bayes

counts = st.lists(st.integers(0, 30), min_size=2, max_size=12).filter(lambda n: sum(n) > 0)


@pytest.mark.parametrize(("cells", "total"), [(2, 7), (3, 6), (4, 5)])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.0, 4.2])
def test_the_likelihood_sums_to_one(cells, total, alpha):
    vectors = [v for v in itertools.product(range(total + 1), repeat=cells) if sum(v) == total]
    probability = [math.exp(polya_log_likelihood(v, alpha, coefficient=True)) for v in vectors]
    assert math.fsum(probability) == pytest.approx(1, abs=1e-13)


def test_a_uniform_prior_makes_all_counts_equally_likely():
    values = {round(polya_log_likelihood(v, 1.0, coefficient=True), 12) for v in [(4, 0, 0), (2, 1, 1), (0, 1, 3)]}
    assert values == {round(-math.log(15), 12)}


@given(counts)
@settings(max_examples=40, deadline=None)
def test_alpha_star_is_the_best_of_a_fine_grid(n):
    best = alpha_star(n)
    logs = np.linspace(-12, 12, 601)
    values = np.array([polya_log_likelihood(n, math.exp(u)) for u in logs])
    top = logs[values.argmax()]
    if math.isnan(best):
        assert sum(n) <= 1
        assert np.ptp(values) < 1e-9
    elif best == 0:
        assert top == logs[0]
    elif best == math.inf:
        assert (np.diff(values) > -1e-9).all()  # rises, up to rounding
    else:
        assert polya_log_likelihood(n, best) >= values.max() - 1e-9
        if abs(math.log(best)) < 8:
            assert top == pytest.approx(math.log(best), abs=0.05)


@given(st.lists(st.integers(0, 400), min_size=2, max_size=40))
@settings(max_examples=150, deadline=None)
def test_alpha_star_is_that_of_the_twin(n):
    positive = np.array([v for v in n if v], dtype=np.uint32)
    if not len(positive):
        return
    assert alpha_star(n) == pytest.approx(bayes.alpha_star(positive, len(n)), rel=1e-9, nan_ok=True)


@given(st.integers(2, 60), st.integers(2, 30), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_alpha_star_near_the_boundary(level, cells, uneven):
    """Almost even counts: the maximum is far out, where digamma functions would cancel."""
    n = [level] * cells
    step = 1 + math.isqrt(level) * uneven
    n[0] += step
    n[1] = max(0, n[1] - step)
    expected = bayes.alpha_star(np.array([v for v in n if v]), cells)
    assert alpha_star(n) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [[5, 1, 0, 2], [10, 2, 3, 9], [40, 3, 0, 0, 17, 1], [3, 3, 0]])
def test_minkas_fixed_point_finds_the_same_maximum(n):
    assert bayes.minka_fixed_point(n) == pytest.approx(alpha_star(n), rel=1e-7)


def test_the_misprinted_fixed_point_is_not_used():
    # The printed update settles at 0.47340 on these counts, with a lower likelihood.
    assert alpha_star([5, 1, 0, 2]) == pytest.approx(1.07503926, abs=1e-8)
    assert polya_log_likelihood([5, 1, 0, 2], 1.07503926) == pytest.approx(-10.2286, abs=1e-4)
    assert polya_log_likelihood([5, 1, 0, 2], 0.47340) == pytest.approx(-10.4235, abs=1e-4)


def test_alpha_star_of_large_counts():
    n = np.random.default_rng(3).multinomial(10**6, [0.1, 0.2, 0.3, 0.4])
    assert 0.5 < alpha_star(n) < 20
    sparse = np.zeros(100_000, dtype=int)
    sparse[[5, 70, 4000]] = [1, 2, 1]
    assert 0 < alpha_star(sparse) < 0.01


@given(counts, st.sampled_from([0.5, 0.75, 1.0, 3.0]), st.sampled_from(["limit", "drop", "nought"]))
@settings(max_examples=100, deadline=None)
def test_modified_parameters_are_additive_smoothing(n, alpha, zero):
    theta = smoothed_parameters(n, alpha, zero=zero)
    slope, constant = fitted_line(n, alpha, zero=zero)
    assert theta.sum() == pytest.approx(1)
    assert (theta[np.array(n) > 0] > 0).all()
    assert constant >= 0
    assert theta * (slope * sum(n) + len(n) * constant) == pytest.approx(slope * np.array(n) + constant)


def test_limit_of_t_at_zero():
    # With one empty and one full cell the line goes through both points: its constant is t(0) itself.
    assert fitted_line([0, 7], 0.5)[1] == pytest.approx(0.140364870891721, rel=1e-12)
    assert fitted_line([0, 7], 0.5, zero="nought")[1] == pytest.approx(0, abs=1e-12)


def test_equal_counts_get_equal_parameters():
    assert smoothed_parameters([4, 4, 4, 4]).tolist() == [0.25] * 4
    # With empty cells left out there is one equation for two unknowns: a : b alpha = 3 : alpha^2.
    expected = [0.25 / 18.75, 9.25 / 18.75, 9.25 / 18.75]
    assert smoothed_parameters([0, 3, 3], zero="drop").tolist() == pytest.approx(expected)


def test_a_negative_constant_becomes_zero():
    # alpha far below 1/2 bends t(n) upwards: the plain line would give the smallest cell a negative share.
    theta = smoothed_parameters([1, 100, 10_000], 0.01)
    assert theta.tolist() == pytest.approx([1 / 10_101, 100 / 10_101, 10_000 / 10_101])


def test_approximations_of_the_likelihood():
    n = [12, 5, 9, 0]
    theta = smoothed_parameters(n, 0.5)
    assert approximate_polya(n, 0.5) == pytest.approx(sum(k * math.log(t) for k, t in zip(n, theta, strict=True) if k))
    assert approximate_polya(n, 0.5, by="counts") == pytest.approx(-math.log(4) * modified_counts(n, 0.5).sum())
    assert (modified_counts(n, 1e9).round(4) == n).all()  # no pull at all from a prior that is certain


@pytest.mark.parametrize("bad", [[], [1.5, 2], [-1, 3], [[1, 2], [3, 4]], "12"])
def test_counts_must_be_counts(bad):
    with pytest.raises(ParameterError, match="is not a list of whole numbers"):
        alpha_star(bad)


def test_parameters_must_make_sense():
    with pytest.raises(ParameterError, match="alpha=0"):
        polya_log_likelihood([1, 2], 0)
    with pytest.raises(ParameterError, match="zero='none'"):
        fitted_line([1, 2], zero="none")
    with pytest.raises(ParameterError, match="by='x'"):
        approximate_polya([1, 2], by="x")
    with pytest.raises(ParameterError, match="All counts are 0"):
        smoothed_parameters([0, 0])
