"""The smoothed chi-square with permutation moments: reference values, brute force, its twin, and what margins allow."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from coded_data import coded, make_coded
from paucal import _kernel, _reference
from paucal._reference_permutation import closed_form, level_sums
from paucal.errors import ParameterError
from paucal.independence.levels import BY_ORDER, levels
from small_tables import chance, random_table, smoothed_chi2, tables_with

NOBODY = _kernel.Columns([np.zeros(1, np.uint8)] * 2, [1, 1], 1)


def chi2_perm(alpha=0.05, *, guard=False, act=False):
    return _kernel.Tester.chi2_perm(NOBODY, alpha, guard, act)


def read(strata, order=0, **parameters) -> dict:
    names = ("statistic", "dof", "p", "threshold", "nearness", "strata", "decision", "flags")
    tables = np.asarray(strata, dtype=np.uint32)[None]
    return dict(zip(names, (v[0] for v in chi2_perm(**parameters).read(tables, order)), strict=True))


# T, mean, variance, third cumulant, p: computed with other code from the printed formulas, in 40 digits
REFERENCE = [
    (
        [[[10, 2], [3, 9]]],
        (6.440989577011, 0.8172684201531, 1.281139987525, 3.844395910898, 0.004186103991902),
    ),
    (
        [[[5, 1, 0], [2, 4, 3], [0, 2, 6]]],
        (9.70187017986, 2.887144664446, 3.594861081452, 7.869084712844, 0.005197902580226),
    ),
    (
        [[[4, 1], [1, 4]], [[3, 0], [2, 5]]],
        (5.3125, 1.500771604938, 1.956739771812, 4.242392802238, 0.02086181375468),
    ),
    (
        [[[3, 0, 1, 0], [0, 2, 0, 1]]],
        (3.825016664197, 1.760966197086, 0.7564407463305, 0.6887392420591, 0.0259634745682),
    ),
    (
        [[[2, 0], [0, 1]], [[1, 0], [0, 1]], [[6, 2], [1, 5]]],
        (4.83404223005, 1.502783702439, 1.398357782033, 3.144608946402, 0.02136989238292),
    ),
    (
        [[[20, 1, 0], [3, 0, 1], [1, 2, 2]]],
        (8.472199831791, 2.06139021172, 1.995206041361, 6.947473613291, 0.005403359827724),
    ),
]


@pytest.mark.parametrize("kernel", [_kernel, _reference])
@pytest.mark.parametrize(("strata", "wanted"), REFERENCE)
def test_reference_values(kernel, strata, wanted):
    sums = np.sum([kernel.permutation_cumulants(np.array(table, np.uint32)) for table in strata], axis=0)
    assert sums == pytest.approx(wanted[:4], rel=1e-11)
    assert kernel.pearson3_sf(*map(float, sums)) == pytest.approx(wanted[4], rel=1e-10)
    got = read(strata)
    assert (got["statistic"], got["p"]) == pytest.approx((wanted[0], wanted[4]), rel=1e-10)
    assert np.isnan(got["dof"])
    assert got["decision"] == 1


small = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(2, 11), st.tuples(st.integers(2, 4), st.integers(2, 4))
)


@given(small)
@settings(max_examples=150, deadline=None)
def test_cumulants_equal_enumeration(drawn):
    seed, n, shape = drawn
    table = random_table(np.random.default_rng(seed), n, shape)
    every = list(tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist())))
    weight = np.array([chance(t) for t in every])
    value = np.array([smoothed_chi2(t) for t in every])
    assert weight.sum() == pytest.approx(1)
    mean = weight @ value
    statistic, *cumulants = _kernel.permutation_cumulants(table.astype(np.uint32))
    if np.ptp(value) < 1e-9:  # says nothing, and is known to without any arithmetic
        assert (statistic, cumulants) == (0, [0, 0, 0])
        return
    assert statistic == pytest.approx(smoothed_chi2(table), rel=1e-12)
    wanted = [mean, weight @ (value - mean) ** 2, weight @ (value - mean) ** 3]
    assert cumulants == pytest.approx(wanted, rel=1e-9, abs=1e-11)


WIDE = {
    "a million samples": ([333_333, 333_333, 333_334], [100_000, 500_000, 400_000]),
    "two billion": ([2_000_000_000, 100_000_000], [1_000_000_000, 1_100_000_000]),
    "one against the rest": ([999_999, 1], [999_998, 2]),
    "nearly nothing": ([1000, 1], [499, 502]),
    "one pair among singles": ([2] + [1] * 998, [2] + [1] * 998),
    "singles and halves": ([2] + [1] * 998, [500, 500]),
    "all pairs": ([2] * 500, [2] * 500),
    "many levels": ([30] * 300, [100] * 90),
    "six": ([5, 1], [4, 2]),
}


@pytest.mark.parametrize("margins", WIDE.values(), ids=WIDE.keys())
def test_cumulants_lose_no_digits(margins):
    rows, columns = margins
    table = np.zeros((len(rows), len(columns)), dtype=np.uint32)
    left, i, j = [list(map(int, m)) for m in margins], 0, 0
    while i < len(rows) and j < len(columns):
        n = min(left[0][i], left[1][j])
        table[i, j] = n
        left[0][i] -= n
        left[1][j] -= n
        i, j = i + (left[0][i] == 0), j + (left[1][j] == 0)
    got = _kernel.permutation_cumulants(table)[1:]
    with mpmath.workdps(60):
        n = sum(rows)
        exact = [np.array([mpmath.mpf(v) for v in margin], dtype=object) for margin in margins]
        sums = (level_sums(margin, n, mpmath.sqrt(mpmath.mpf(n) / 10)) for margin in exact)
        mean, variance, third = closed_form(n, *sums)
        wanted = float(n * mean), float(n**2 * variance), float(n**3 * third)
    assert got[:2] == pytest.approx(wanted[:2], rel=1e-9)
    # the third matters through the skewness
    assert got[2] / got[1] ** 1.5 == pytest.approx(wanted[2] / wanted[1] ** 1.5, rel=1e-6, abs=1e-3)


@given(coded(most_rows=200), st.permutations(range(5)), st.booleans(), st.sampled_from([0.05, (0.01, 0.2)]))
@settings(max_examples=80, deadline=None)
def test_answers_equal_the_twins(data, order, guard, alpha):
    native, reference = (
        kernel.Tester.chi2_perm(kernel.Columns(data.columns, data.states, data.rows), alpha, guard, False)
        for kernel in (_kernel, _reference)
    )
    x, y, *rest = order
    for k in range(3):
        a, b = (t.ask(x, y, tuple(rest[:k]))[0] for t in (native, reference))
        for one, other in zip(a[:7], b[:7], strict=True):
            assert (math.isnan(one) and math.isnan(other)) or one == pytest.approx(other, rel=1e-7, abs=1e-7)
        p, q = (t.smallest_p(x, y, tuple(rest[:k])) for t in (native, reference))
        assert p == pytest.approx(q, rel=1e-6, abs=1e-9)
        if abs(p - a[3]) > 1e-9:
            assert a[7] == b[7]


@given(small, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_p_is_near_the_exact_one(drawn, seed):
    _, _, shape = drawn
    beside, _ = beside_the_exact_p(np.random.default_rng(seed), shape[0])
    assert beside < 0.2


def test_p_is_nearer_to_the_exact_one_as_a_rule_and_where_it_decides():
    found = [
        beside_the_exact_p(np.random.default_rng([seed, rows]), rows)
        for seed in range(60)
        for rows in (2, 3, 4)
    ]
    beside = np.array([distance for distance, _ in found])
    small_p = np.array([exact < 0.2 for _, exact in found])
    assert np.quantile(beside, 0.9) < 0.05
    assert small_p.sum() > 20
    assert beside[small_p].max() < 0.04


def beside_the_exact_p(rng, rows):
    """How far beside the exact p-value ours is, for a table of 14 samples; and the exact one.

    The distribution has steps, and the smooth p-value runs through them: anything within a step is no distance.
    """
    table = random_table(rng, 14, (rows, 2))
    every = list(tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist())))
    value = smoothed_chi2(table)
    exact = sum(chance(t) for t in every if smoothed_chi2(t) >= value - 1e-9)
    beyond = sum(chance(t) for t in every if smoothed_chi2(t) >= value + 1e-9)
    p = read([table])["p"]
    return max(beyond - p, p - exact, 0), exact


@given(small, st.integers(1, 2))
@settings(max_examples=100, deadline=None)
def test_the_guard_bounds_the_exact_p_from_below(drawn, n_strata):
    seed, n, shape = drawn
    rng = np.random.default_rng(seed)
    strata = [random_table(rng, n, shape) for _ in range(n_strata)]
    free, guarded = read(strata), read(strata, guard=True)
    assert guarded["statistic"] == free["statistic"]
    assert guarded["p"] >= free["p"]
    if n_strata == 1 and guarded["p"] > free["p"]:
        table = strata[0]
        assert guarded["p"] == pytest.approx(chance(table), rel=1e-9)
        every = tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist()))
        exact = sum(chance(t) for t in every if smoothed_chi2(t) >= free["statistic"] - 1e-9)
        assert guarded["p"] <= exact + 1e-9


@given(small, st.integers(1, 3), st.sampled_from([0.01, 0.05, 0.3]))
@settings(max_examples=150, deadline=None)
def test_powerless_means_that_no_table_reaches_the_level(drawn, n_strata, alpha):
    seed, n, shape = drawn
    rng = np.random.default_rng(seed)
    strata = [random_table(rng, n, shape) for _ in range(n_strata)]
    extreme = []
    for table in strata:
        every = tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist()))
        extreme.append(max(every, key=smoothed_chi2))
    got, most = read(strata, alpha=alpha), read(extreme, alpha=alpha)
    powerless = bool(got["flags"] & 16)
    if abs(most["p"] - alpha) < 1e-9:
        return
    if powerless:
        assert most["p"] > alpha
    if 2 in shape:  # the bound is exact
        assert powerless == (most["p"] > alpha)


def test_smallest_p_is_exact_for_two_levels_and_a_bound_otherwise():
    rng = np.random.default_rng(4)
    loose = []
    for shape in [(2, 2), (2, 5), (4, 2), (3, 3), (4, 3)] * 6:
        table = random_table(rng, 9, shape)
        every = tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist()))
        least = min(read([t])["p"] for t in every)
        data = rows_of([table])
        got = paucal.make_test(data, "chi2-perm").smallest_p_value("x", "y")
        if 2 in shape:
            assert got == pytest.approx(least, rel=1e-9)
        else:
            assert got <= least + 1e-12
            loose.append(least - got)
    assert np.median(loose) < 0.03


@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (5, 2), (16, 3), (17, 3)])
@pytest.mark.parametrize("samples", [0.15, 1, 6])
def test_strata_do_not_mix(shape, samples):
    # they are computed four at a time, one alone in another way
    rng = np.random.default_rng([*shape, int(10 * samples)])
    for strata in range(1, 10):
        tables = rng.poisson(samples, size=(strata, *shape)).astype(np.uint32)
        alone = np.array([_kernel.permutation_cumulants(table) for table in tables])
        got = read(tables)
        assert got["statistic"] == pytest.approx(alone[:, 0].sum(), rel=1e-13)
        if not got["flags"] & 8:  # constant
            assert got["strata"] == (tables.sum(axis=(1, 2)) > 0).sum()
        if alone[:, 2].any():
            assert got["p"] == pytest.approx(_kernel.pearson3_sf(*map(float, alone.sum(axis=0))), rel=1e-10)
        else:
            assert got["p"] == 1


@pytest.mark.parametrize("shape", [(1, 3, 2), (3, 2, 2), (9, 3, 4), (6, 17, 2)])
def test_every_instruction_set_gives_the_same_bits(shape):
    rng = np.random.default_rng(sum(shape))
    tables = rng.poisson(rng.gamma(1, 2, size=(300, *shape))).astype(np.uint32)
    answers = [chi2_perm().read(tables, 1) for name in ("portable", "v2", "v3") if _kernel.use_isa(name)]
    _kernel.use_isa("best")
    for other in answers[1:]:
        for one, two in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def rows_of(strata) -> paucal.Dataset:
    strata = np.asarray(strata)
    cells = np.argwhere(strata >= 0)
    rows = np.repeat(cells, strata.reshape(-1), axis=0)
    levels = [tuple(range(k)) for k in strata.shape]
    return paucal.Dataset.from_codes([rows[:, i].copy() for i in range(3)], ["z", "x", "y"], levels)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_symmetry_relabelling_and_row_order(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 9, size=rng.integers(1, 5, size=3))
    if table.sum() == 0:
        return
    data = rows_of(table)
    first = paucal.ci_test(data, "x", "y", ["z"], test="chi2-perm")
    others = [
        paucal.ci_test(data, "y", "x", ["z"], test="chi2-perm"),
        paucal.ci_test(rows_of(table[::-1, ::-1, ::-1]), "x", "y", ["z"], test="chi2-perm"),
        paucal.ci_test(data.take(rng.permutation(data.n_rows)), "x", "y", ["z"], test="chi2-perm"),
        paucal.ci_test(data.drop_unobserved(), "x", "y", ["z"], test="chi2-perm"),
    ]
    for other in others:
        assert other.statistic == pytest.approx(first.statistic, rel=1e-9, abs=1e-9)
        assert other.p_value == pytest.approx(first.p_value, rel=1e-7, abs=1e-12)
        assert other.decision == first.decision
        assert other.reliable == first.reliable


def test_levels_by_order():
    strata = [[[8, 3], [3, 8]]]
    p = read(strata)["p"]
    assert 0.03 < p < 0.09
    got = [read(strata, order=k, alpha=levels("by-order")) for k in range(6)]
    assert [g["threshold"] for g in got] == [*BY_ORDER, 0.2, 0.2]
    assert [g["decision"] for g in got] == [0, 0, 1, 1, 1, 1]
    data = make_coded(1, 300, [2, 3, 2, 2], 2.0)
    data = paucal.Dataset.from_codes(data.columns, "abcd", [range(k) for k in data.states])
    for method in ("g", "chi2", "chi2-perm", "permutation"):
        for given_, level in (((), 0.01), (("c",), 0.03), (("c", "d"), 0.09)):
            assert paucal.ci_test(data, "a", "b", given_, test=method, alpha="by-order").threshold == level
            assert paucal.ci_test(data, "a", "b", given_, test=method, alpha=[0.3]).threshold == 0.3


def test_a_constant_column_has_the_level_of_its_order():
    data = paucal.Dataset.from_codes([[0, 0, 0], [0, 1, 0], [0, 1, 1]], "abc", [(0, 1), (0, 1), (0, 1)])
    result = paucal.ci_test(data, "a", "b", ["c"], test="chi2-perm", alpha="by-order")
    assert (result.decision, result.p_value, result.threshold) == ("independent", 1, 0.03)
    assert not result.reliable


def test_what_cannot_be_decided_is_reported_or_acted_upon():
    strata = [[[2, 0], [0, 2]]]  # the most extreme table there is
    reported = paucal.make_test(rows_of(strata), "chi2-perm")
    result = reported("x", "y")
    assert (result.decision, result.reliable) == ("independent", False)
    assert result.reasons == ("no data with these margins could reach the level",)
    assert reported.ledger.n_powerless == reported.ledger.n_unreliable == 1
    assert reported.ledger.n_undecidable == 0
    assert reported.ledger.to_dict()["by_order"]["0"]["powerless"] == 1
    acted = paucal.make_test(rows_of(strata), "chi2-perm", undecidable="act")
    assert acted("x", "y").decision == "undecidable"
    assert acted.ledger.n_undecidable == 1
    enough = paucal.make_test(rows_of(strata), "chi2-perm", alpha=0.1)
    assert enough("x", "y").decision == "dependent"
    assert enough.ledger.n_powerless == 0


@pytest.mark.parametrize(
    "strata", [[[[5, 4], [0, 1]]], [[[1, 0], [0, 0]], [[0, 0], [0, 2]]], [np.eye(6, dtype=int)]]
)
def test_tables_that_say_nothing(strata):
    got = read(strata)
    assert (got["p"], got["statistic"], got["decision"]) == (1, 0, 0)
    assert got["flags"] & 2 and got["flags"] & 16


def test_search_is_the_same_for_any_number_of_threads():
    data = make_coded(5, 4000, [2, 3, 4, 2, 3, 2, 4, 3, 2, 2], 0.5)
    p = len(data.states)
    adjacency = (1 - np.eye(p)).astype(np.uint8)
    x, y = (v.astype(np.uint32) for v in np.nonzero(np.triu(adjacency)))
    answers = []
    for threads in (1, 3):
        columns = _kernel.Columns(data.columns, data.states, data.rows)
        search = _kernel.Tester.chi2_perm(columns, BY_ORDER, False, False)
        answers.append([search.search(x, y, x, adjacency, order, threads) for order in range(4)])
    for one, other in zip(*answers, strict=True):
        assert one[4] == other[4]
        for a, b in zip([*one[:3], *one[3]], [*other[:3], *other[3]], strict=True):
            np.testing.assert_array_equal(a, b)


def test_tables_read_as_asked():
    rng = np.random.default_rng(2)
    tables = rng.integers(0, 4, size=(40, 3, 3, 2))
    tables[:3, :, 1:] = 0  # constant x
    answers = paucal.make_test(rows_of(tables[5]), "chi2-perm").read(tables, order=1)
    for i, table in enumerate(tables):
        wanted = paucal.make_test(rows_of(table), "chi2-perm").ask(1, 2, (0,))
        np.testing.assert_allclose(answers.one(i), wanted, rtol=1e-12)


@pytest.mark.parametrize("levels_of", [(100_000, 100_000), (100_000, 3), (2, 50_000)])
def test_columns_with_a_hundred_thousand_levels(levels_of):
    rng = np.random.default_rng(0)
    columns = [rng.integers(k, size=200_000).astype(np.uint32) for k in levels_of]
    columns = [
        column if k > 65536 else column.astype(np.uint16)
        for column, k in zip(columns, levels_of, strict=True)
    ]
    search = _kernel.Tester.chi2_perm(_kernel.Columns(columns, levels_of, 200_000), 0.05, False, False)
    outcome, _ = search.ask(0, 1, ())
    assert 0.001 < outcome[2] < 0.999
    assert not outcome[7] & 18
    again = np.concatenate([columns[0][:1000] % 7, columns[0][1000:]])
    dependent = _kernel.Columns([columns[0], again.astype(columns[0].dtype)], [levels_of[0]] * 2, 200_000)
    assert _kernel.Tester.chi2_perm(dependent, 0.05, False, False).ask(0, 1, ())[0][2] < 1e-9


@pytest.mark.parametrize(
    ("shape", "n"), [((1, 2, 2), 40), ((4, 2, 3), 80), ((6, 3, 3), 60), ((9, 2, 2), 150)]
)
def test_level(shape, n):
    # benchmarks/level.py does this on a grid; here a few settings show that nothing is broken
    rng = np.random.default_rng(shape[0])
    strata, kx, ky = shape
    x, y = rng.dirichlet(np.full(kx, 5), size=strata), rng.dirichlet(np.full(ky, 5), size=strata)
    cells = (np.einsum("si,sj->sij", x, y) / strata).ravel()
    tables = rng.multinomial(n, cells, size=6000).reshape(-1, *shape).astype(np.uint32)
    rejected = (chi2_perm().read(tables, 1)[2] <= 0.05).mean()
    assert 0.033 < rejected < 0.067


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha=0 is not between"),
        ({"alpha": []}, "has no level"),
        ({"alpha": [0.05, 2]}, "alpha=2.0 is not between"),
        ({"alpha": "order"}, "alpha='order' is not known"),
        ({"undecidable": "ignore"}, "undecidable='ignore' is not known"),
        ({"df": "full"}, "has no parameter 'df'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        paucal.make_test(rows_of([[[3, 1], [1, 3]]]), "chi2-perm", **parameters)
