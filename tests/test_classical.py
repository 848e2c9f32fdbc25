"""G and chi-square against SciPy and against high-precision reference values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

import paucal
from coded_data import rows_of
from paucal.errors import ParameterError
from paucal.independence.tests.classical import CONVENTIONS
from reference_data import reference_cases


def test_a_thousand_random_tables_equal_scipy():
    rng = np.random.default_rng(7)
    compared = 0
    while compared < 1000:
        shape = rng.integers(2, 7, size=2)
        table = rng.multinomial(rng.integers(20, 3000), rng.dirichlet(np.ones(shape.prod()))).reshape(shape)
        if 0 in table.sum(0) or 0 in table.sum(1):
            continue
        data = rows_of(table[None])
        for method, power in (("chi2", None), ("g", "log-likelihood")):
            wanted = chi2_contingency(table, correction=False, lambda_=power)
            got = paucal.ci_test(data, "x", "y", test=method, df="full")
            assert got.statistic == pytest.approx(wanted.statistic, rel=1e-10, abs=1e-10)
            assert got.dof == wanted.dof
            # SciPy's own p-values lose digits in the far tail; test_chi2_tail.py compares with mpmath there.
            assert got.p_value == pytest.approx(wanted.pvalue, rel=1e-9, abs=1e-300)
        compared += 1


def test_reference_values():
    cases = reference_cases()
    assert len(cases) >= 20
    for case in cases:
        data = rows_of(case["strata"])
        given_ = ["z"] if len(case["strata"]) > 1 else []
        for method, key in (("g", "G"), ("chi2", "chi2")):
            constant = 1 in (len(np.unique(data.columns[1])), len(np.unique(data.columns[2])))
            for df, dof_key in (("full", "df_full"), ("adjusted", "df_adj"), ("nonempty", "df_nonempty")):
                got = paucal.ci_test(data, "x", "y", given_, test=method, df=df)
                assert got.statistic == pytest.approx(float(case[key]["stat"]), rel=1e-9, abs=1e-12)
                if constant:  # decided before any formula, whatever the degrees of freedom
                    assert (got.dof, got.p_value) == (0, 1)
                    continue
                assert got.dof == case[dof_key]
                if (p := case[key].get(f"p_{dof_key}")) is not None:
                    assert got.p_value == pytest.approx(float(p), rel=1e-9)


tables = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).integers(
        0, 12, size=np.random.default_rng(seed + 1).integers(1, 5, size=3)
    )
)


@given(tables, st.sampled_from(["g", "chi2"]), st.sampled_from(["full", "nonempty", "adjusted"]))
@settings(max_examples=150, deadline=None)
def test_symmetry_relabelling_and_row_order(table, method, df):
    if table.sum() == 0:
        return
    ask = {"test": method, "df": df}
    first = paucal.ci_test(rows_of(table), "x", "y", ["z"], **ask)
    assert np.isfinite(first.statistic)
    assert 0 <= first.p_value <= 1
    swapped = paucal.ci_test(rows_of(table), "y", "x", ["z"], **ask)
    relabelled = paucal.ci_test(rows_of(table[::-1, ::-1, ::-1]), "x", "y", ["z"], **ask)
    data = rows_of(table)
    shuffled = data.take(np.random.default_rng(0).permutation(data.n_rows))
    reordered = paucal.ci_test(shuffled, "x", "y", ["z"], **ask)
    for other in (swapped, relabelled, reordered):
        assert other.statistic == pytest.approx(first.statistic, rel=1e-9, abs=1e-9)
        assert other.dof == first.dof
        assert other.p_value == pytest.approx(first.p_value, rel=1e-7, abs=1e-12)


@given(tables, st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_duplicated_rows_multiply_the_statistic(table, times):
    if table.sum() == 0:
        return
    for method in ("g", "chi2"):
        once = paucal.ci_test(rows_of(table), "x", "y", ["z"], test=method)
        often = paucal.ci_test(rows_of(table * times), "x", "y", ["z"], test=method)
        assert often.statistic == pytest.approx(times * once.statistic, rel=1e-9, abs=1e-8)
        assert often.dof == once.dof


def test_a_large_sample_loses_no_digits():
    # G of this table to 30 digits: mpmath, sum of 2 n ln(n / e)
    table = np.array([[[250_000, 250_100], [249_900, 250_200]]])
    import mpmath

    with mpmath.workdps(40):
        cells = [[mpmath.mpf(int(v)) for v in row] for row in table[0]]
        total = sum(map(sum, cells))
        rows, columns = [sum(r) for r in cells], [cells[0][j] + cells[1][j] for j in range(2)]
        exact = 2 * sum(
            cells[i][j] * mpmath.log(cells[i][j] * total / (rows[i] * columns[j])) for i in range(2) for j in range(2)
        )
    assert paucal.ci_test(rows_of(table), "x", "y", test="g").statistic == pytest.approx(float(exact), rel=1e-10)


STRATA = [[[8, 2], [1, 9]], [[1, 0], [0, 1]], [[0, 0], [0, 0]]]  # 22 samples, 12 cells, one empty stratum


@pytest.mark.parametrize(
    ("convention", "decision", "dof"),
    [
        ("bnlearn", "dependent", 3),  # tests whatever the table, every configuration counts
        ("bnlearn-adf", "independent", 2),  # 22 < 5 * 12
        ("pcalg", "independent", 3),  # 22 < 10 * 3
        ("causal-learner", "undecidable", 2),  # its NaN keeps the edge
        ("causal-learn", "dependent", 2),
    ],
)
def test_conventions_of_other_programs(convention, decision, dof):
    got = paucal.ci_test(rows_of(STRATA), "x", "y", ["z"], test="g", convention=convention)
    assert (got.decision, got.dof) == (decision, dof)
    assert got.independent == (decision == "independent")
    assert not got.reliable
    assert set(CONVENTIONS) >= {convention}


def test_what_makes_a_result_unreliable_is_said():
    got = paucal.ci_test(rows_of(STRATA), "x", "y", ["z"], test="g")
    assert (got.n, got.cells, got.strata, got.observed_strata) == (22, 12, 3, 2)
    assert got.reasons == ("1.83 samples per cell", "1 of 3 strata are empty")
    nothing = paucal.ci_test(rows_of([[[3, 0], [0, 0]], [[0, 0], [0, 4]]]), "x", "y", ["z"], test="g")
    assert nothing.decision == "independent"
    assert nothing.dof == 0
    assert "no stratum has two observed levels of both columns" in nothing.reasons


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha=0 is not between 0 and 1"),
        ({"alpha": 1.5}, "alpha=1.5"),
        ({"df": "most"}, "df='most' is not known"),
        ({"sparse": "skip"}, "sparse='skip'"),
        ({"per": "row"}, "per='row'"),
        ({"min_samples": -1}, "min_samples=-1"),
        ({"convention": "bnlern"}, "convention='bnlern'"),
        ({"convention": "pcalg", "df": "full"}, "Give one or the other"),
        ({"dof": 3}, "has no parameter 'dof'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        paucal.ci_test(rows_of(STRATA), "x", "y", test="g", **parameters)
