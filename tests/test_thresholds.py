"""Thresholds of information: what they are, and the type-1 error that they give."""

import math

import numpy as np
import pytest

import paucal
from coded_data import rows_of
from paucal.errors import ParameterError
from paucal.independence.registry import make_test
from paucal.independence.thresholds import calibration

CALIBRATED = ["mi", "mi-eb", "mi-fixed", "mi-full"]


def null_data(seed, repetitions, kx, ky, n, strata):
    """Independent x and y in every stratum: for each repetition three columns, x, y and z."""
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(repetitions):
        z = np.sort(rng.integers(0, strata, n))
        x, y = (
            np.concatenate(
                [rng.choice(k, size=m, p=rng.dirichlet(np.ones(k))) for m in np.bincount(z, minlength=strata)]
            )
            for k in (kx, ky)
        )
        columns += [x, y, z]
    levels = [range(kx), range(ky), range(strata)] * repetitions
    return paucal.Dataset.from_codes(columns, [str(i) for i in range(len(columns))], levels)


def type_1_error(data, method, **parameters):
    x = np.arange(0, data.n_columns, 3)
    answers = make_test(data, method, **parameters).ask_many(x, x + 1, x[:, None] + 2)
    return (answers.decision != 0).mean()


def test_the_curve_and_the_number():
    strata = np.full((3, 2, 4), 5)
    strata[1] += [[9, 0, 0, 3], [0, 9, 9, 0]]
    ask = lambda **parameters: paucal.ci_test(rows_of(strata), "x", "y", ["z"], **parameters)  # noqa: E731
    samples_per_configuration = strata.sum() / strata.size
    assert ask(test="mi-eb", threshold="spec").threshold == pytest.approx(0.75 / (samples_per_configuration + 1.2))
    estimate = ask(test="mi-eb", threshold=0.5).statistic
    assert ask(test="mi-eb", threshold=0.5).threshold == 0.5
    assert ask(test="mi-eb", threshold=estimate * 1.001).decision == "independent"
    assert ask(test="mi-eb", threshold=estimate * 0.999).decision == "dependent"


@pytest.mark.parametrize("method", CALIBRATED)
def test_a_stricter_level_has_a_higher_threshold(method):
    table = np.array([[[9, 3, 4], [2, 8, 5]]])
    limits = [
        paucal.ci_test(rows_of(table), "x", "y", test=method, alpha=alpha).threshold
        for alpha in (0.2, 0.15, 0.1, 0.05, 0.03, 0.01)
    ]
    assert limits == sorted(limits)
    assert limits[0] > 0


@pytest.mark.parametrize("method", CALIBRATED)
@pytest.mark.parametrize(
    ("kx", "ky", "n", "strata"),
    [(2, 2, 60, 1), (3, 3, 100, 1), (5, 5, 200, 1), (2, 4, 300, 4), (3, 3, 300, 9)],
)
def test_calibrated_type_1_error(method, kx, ky, n, strata):
    data = null_data(3, 400, kx, ky, n, strata)
    assert 0.015 <= type_1_error(data, method) <= 0.095  # 400 repetitions at 0.05: three standard errors are 0.033


def test_levels_by_number_of_conditioners():
    strata = np.random.default_rng(1).integers(0, 9, (3, 3, 3))
    data = rows_of(strata)
    for method in CALIBRATED:
        for given, alpha in (([], 0.01), (["z"], 0.1)):
            one, schedule = (paucal.ci_test(data, "x", "y", given, test=method, alpha=a) for a in (alpha, [0.01, 0.1]))
            assert one.threshold == schedule.threshold
    assert make_test(data, "mi-eb", alpha="by-order")("x", "y", ["z"]).threshold > 0


def test_other_levels_keep_their_type_1_error():
    data = null_data(4, 800, 3, 3, 120, 2)
    assert 0.14 <= type_1_error(data, "mi-eb", alpha=0.2) <= 0.26
    assert type_1_error(data, "mi-eb", alpha=0.01) <= 0.025


def test_the_plain_curve_does_not_keep_a_level():
    """One curve for all tables cannot: too strict for small tables, too lenient for large ones."""
    errors = [type_1_error(null_data(5, 300, k, k, 8 * k * k, 1), "mi-eb", threshold="spec") for k in (2, 8)]
    assert errors[0] < 0.04
    assert errors[1] > 0.1


def test_the_calibration_is_complete():
    data = calibration()
    shape = (len(data["levels"]), len(data["levels"]), 13)
    for estimate in ("mi", "mi-eb", "mi-fixed-0.5", "mi-fixed-1", "mi-full"):
        mean, deviation, quantile = (data[f"{estimate}/{key}"] for key in ("mean", "deviation", "quantile"))
        assert mean.shape == deviation.shape == shape
        assert quantile.shape == (len(data["alphas"]), *shape)
        for table in (mean, deviation, quantile):
            assert np.isfinite(table).all()
            assert np.array_equal(table, table.swapaxes(-2, -3))  # symmetric in x and y
        # In large samples the plug-in estimate is a chi-square, and a posterior mean has as much again on top.
        assert mean[..., -1] == pytest.approx(1 if estimate == "mi" else 2, abs=0.25)
        assert deviation[..., -1] == pytest.approx(1, abs=0.15)


def test_levels_outside_the_calibration_are_refused():
    with pytest.raises(ParameterError, match=r"alpha=0\.001 is outside the calibrated levels 0\.01 to 0\.2"):
        make_test({"a": [0, 1], "b": [1, 0]}, "mi-eb", alpha=0.001)
    assert math.isfinite(
        make_test({"a": [0, 1], "b": [1, 0]}, "mi-eb", alpha=0.001, threshold="spec")("a", "b").threshold
    )


def test_thresholds_must_be_thresholds():
    for bad in (0, -1, float("nan"), float("inf"), "tight", True):
        with pytest.raises(ParameterError, match="threshold="):
            make_test({"a": [0, 1], "b": [1, 0]}, "mi-eb", threshold=bad)
