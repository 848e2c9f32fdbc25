"""Every value of the reference file (50-digit arithmetic) to its stated precision, natively and by the twin."""

import math

import numpy as np
import pytest

import paucal
from coded_data import rows_of
from paucal.dirichlet import alpha_star, fitted_line, smoothed_parameters
from reference_data import reference_cases
from twin import bayes
from twin.asking import STATISTICS
from twin.tables import cells_of

CASES = {case["id"]: case for case in reference_cases()}

CLOSED_FORM = {"rel": 1e-9, "abs": 1e-12}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)

# what to ask, and where its value stands
QUESTIONS = [
    ("mi-eb", {"conditional": "stratum"}, ("mi_eB", "stratum")),
    ("mi-eb", {"conditional": "joint", "threshold": "spec"}, ("mi_eB", "joint")),
    ("mi-eb", {"conditional": "pooled", "threshold": "spec"}, ("mi_eB", "pooled")),
    ("mi-fixed", {"prior": 0.5}, ("mi_hutter_0.5", "weighted")),
    ("mi-fixed", {"prior": 0.5, "conditional": "joint", "threshold": "spec"}, ("mi_hutter_0.5", "joint")),
    ("mi-fixed", {"prior": 1}, ("mi_hutter_1", "weighted")),
    ("mi-fixed", {"prior": 1, "conditional": "joint", "threshold": "spec"}, ("mi_hutter_1", "joint")),
    ("mi", {}, ("mi_mle",)),
    ("bf", {}, ("log_bf",)),
    ("bf", {"bf_style": "stripped"}, ("log_bf_reduced",)),
    ("bf-chi2", {"tables": "literal"}, ("bfchi2", "literal", "stat")),
    ("bf-chi2", {"tables": "reduced"}, ("bfchi2", "reduced", "stat")),
    ("bf-chi2", {"tables": "literal", "zero": "drop"}, ("bfchi2", "drop", "stat")),
]


def value_at(case, path):
    for key in path:
        case = case[key]
    return float(case)


def given_of(case):
    return ["z"] if len(case["strata"]) > 1 else []


def has_constant_column(case):
    table = np.array(case["strata"]).sum(axis=0)
    return 1 in ((table.sum(axis=0) > 0).sum(), (table.sum(axis=1) > 0).sum())


@every_case
def test_statistics(case):
    data = rows_of(case["strata"])
    for method, parameters, path in QUESTIONS:
        result = paucal.ci_test(data, "x", "y", given_of(case), test=method, **parameters)
        if has_constant_column(case):  # decided before any formula; the twin below shows what it would have said
            assert (result.decision, result.statistic) == ("independent", 0)
        else:
            assert result.statistic == pytest.approx(value_at(case, path), **CLOSED_FORM), (
                method,
                parameters,
            )


@every_case
def test_statistics_of_the_twin(case):
    cells = cells_of(rows_of(case["strata"]), 1, 2, (0,))
    for method, parameters, path in QUESTIONS:
        value = STATISTICS[method](cells, **parameters).statistic
        assert value == pytest.approx(value_at(case, path), **CLOSED_FORM), path


@every_case
def test_p_values_and_degrees_of_freedom(case):
    if has_constant_column(case):
        return
    data = rows_of(case["strata"])
    for tables, zero, key in (
        ("literal", "limit", "literal"),
        ("reduced", "limit", "reduced"),
        ("literal", "drop", "drop"),
    ):
        for df, name in (("full", "df_full"), ("nonempty", "df_nonempty"), ("adjusted", "df_adj")):
            if (p := case["bfchi2"][key].get(f"p_{name}")) is None:
                continue
            result = paucal.ci_test(data, "x", "y", given_of(case), test="bf-chi2", tables=tables, zero=zero, df=df)
            assert result.dof == case[name]
            assert result.p_value == pytest.approx(float(p), rel=1e-9)


@every_case
def test_alpha_star(case):
    strata = np.array(case["strata"])
    for table, expected in zip(strata, case["alpha_star"]["per_stratum"], strict=True):
        value = math.nan if expected is None else float(expected)
        assert alpha_star(table.ravel()) == pytest.approx(value, rel=1e-9, nan_ok=True)
    assert alpha_star(strata.ravel()) == pytest.approx(float(case["alpha_star"]["joint"]), rel=1e-9)
    tables = [table[table > 0] for table in strata if table.any()]
    pooled = case["alpha_star"]["pooled"]
    value = math.nan if pooled is None else float(pooled)
    assert bayes.alpha_star_pooled(tables, strata[0].size) == pytest.approx(value, rel=1e-7, nan_ok=True)


@every_case
def test_full_bayes(case):
    # The file's own quadrature agrees with ours in eight digits; a dense integral is in test_paper_tests.py.
    if "mi_fB_nsb" in case and not has_constant_column(case):
        result = paucal.ci_test(rows_of(case["strata"]), "x", "y", test="mi-full")
        assert result.statistic == pytest.approx(float(case["mi_fB_nsb"]), rel=1e-8)


@every_case
def test_modified_parameters(case):
    if "theta_tilde_literal" not in case:
        return
    (table,) = np.array(case["strata"])
    for key, counts in (("x", table.sum(axis=1)), ("y", table.sum(axis=0)), ("xy", table.ravel())):
        expected = case["theta_tilde_literal"][key]
        slope, constant = fitted_line(counts)
        assert slope == pytest.approx(float(expected["slope_a"]), rel=1e-9)
        assert constant == pytest.approx(float(expected["intercept_b_alpha"]), rel=1e-9)
        assert smoothed_parameters(counts) == pytest.approx([float(v) for v in expected["theta"]], rel=1e-9)
