"""The smoothed chi-square with permutation moments: reference values, brute force, its twin, and what margins allow."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from coded_data import coded, dataset_of, make_coded, rows_of
from paucal import _kernel
from paucal.errors import ParameterError
from paucal.independence.answers import CONSTANT, NO_INFORMATION, POWERLESS, Answer
from paucal.independence.levels import BY_ORDER
from small_tables import chance, random_table, tables_with
from twin import moments
from twin.asking import answer
from twin.moments import closed_form, level_sums, smoothed_chi2
from twin.tables import cells_of

NOBODY = dataset_of([np.zeros(1, dtype=int)] * 2, [1, 1])


def chi2_perm(**parameters):
    """A test without data of its own, which reads tables."""
    return paucal.make_test(NOBODY, "chi2-perm", **parameters)


def read(strata, order=0, **parameters) -> Answer:
    return chi2_perm(**parameters).read(np.asarray(strata)[None], order).one(0)


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


@pytest.mark.parametrize("formulas", [_kernel, moments])
@pytest.mark.parametrize(("strata", "wanted"), REFERENCE)
def test_reference_values(formulas, strata, wanted):
    sums = np.sum([formulas.permutation_cumulants(np.array(table, np.uint32)) for table in strata], axis=0)
    assert sums == pytest.approx(wanted[:4], rel=1e-11)
    assert formulas.pearson3_sf(*map(float, sums)) == pytest.approx(wanted[4], rel=1e-10)
    got = read(strata)
    assert (got.statistic, got.p_value) == pytest.approx((wanted[0], wanted[4]), rel=1e-10)
    assert np.isnan(got.dof)
    assert got.decision == 1


small = st.tuples(st.integers(0, 2**32 - 1), st.integers(2, 11), st.tuples(st.integers(2, 4), st.integers(2, 4)))


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
    native = paucal.make_test(data, "chi2-perm", alpha=alpha, guard=guard)
    x, y, *rest = order
    for k in range(3):
        given_ = tuple(rest[:k])
        a, b = native.ask(x, y, given_), answer(data, "chi2-perm", x, y, given_, alpha=alpha, guard=guard)
        assert a[:7] == pytest.approx(b[:7], rel=1e-7, abs=1e-7, nan_ok=True)
        if a.flags & CONSTANT:
            assert b.flags & CONSTANT
            continue
        p = native.smallest_p_value(*(data.names[v] for v in (x, y)), [data.names[v] for v in given_])
        smallest = moments.chi2_perm_smallest(cells_of(data, x, y, given_), guard=guard)
        assert p == pytest.approx(smallest, rel=1e-6, abs=1e-9)
        if abs(p - a.threshold) > 1e-9:
            assert a.flags == b.flags


@given(small, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_p_is_near_the_exact_one(drawn, seed):
    _, _, shape = drawn
    beside, _ = beside_the_exact_p(np.random.default_rng(seed), shape[0])
    assert beside < 0.2


def test_p_is_nearer_to_the_exact_one_as_a_rule_and_where_it_decides():
    found = [beside_the_exact_p(np.random.default_rng([seed, rows]), rows) for seed in range(60) for rows in (2, 3, 4)]
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
    p = read([table]).p_value
    return max(beyond - p, p - exact, 0), exact


@given(small, st.integers(1, 2))
@settings(max_examples=100, deadline=None)
def test_the_guard_bounds_the_exact_p_from_below(drawn, n_strata):
    seed, n, shape = drawn
    rng = np.random.default_rng(seed)
    strata = [random_table(rng, n, shape) for _ in range(n_strata)]
    free, guarded = read(strata), read(strata, guard=True)
    assert guarded.statistic == free.statistic
    assert guarded.p_value >= free.p_value
    if n_strata == 1 and guarded.p_value > free.p_value:
        table = strata[0]
        assert guarded.p_value == pytest.approx(chance(table), rel=1e-9)
        every = tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist()))
        exact = sum(chance(t) for t in every if smoothed_chi2(t) >= free.statistic - 1e-9)
        assert guarded.p_value <= exact + 1e-9


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
    powerless = bool(got.flags & POWERLESS)
    if abs(most.p_value - alpha) < 1e-9:
        return
    if powerless:
        assert most.p_value > alpha
    if 2 in shape:  # the bound is exact
        assert powerless == (most.p_value > alpha)


def test_smallest_p_is_exact_for_two_levels_and_a_bound_otherwise():
    rng = np.random.default_rng(4)
    loose = []
    for shape in [(2, 2), (2, 5), (4, 2), (3, 3), (4, 3)] * 6:
        table = random_table(rng, 9, shape)
        every = tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist()))
        least = min(read([t]).p_value for t in every)
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
        assert got.statistic == pytest.approx(alone[:, 0].sum(), rel=1e-13)
        if not got.flags & CONSTANT:
            assert got.strata == (tables.sum(axis=(1, 2)) > 0).sum()
        if alone[:, 2].any():
            assert got.p_value == pytest.approx(_kernel.pearson3_sf(*map(float, alone.sum(axis=0))), rel=1e-10)
        else:
            assert got.p_value == 1


@pytest.mark.parametrize("shape", [(1, 3, 2), (3, 2, 2), (9, 3, 4), (6, 17, 2)])
def test_every_instruction_set_gives_the_same_bits(shape):
    rng = np.random.default_rng(sum(shape))
    tables = rng.poisson(rng.gamma(1, 2, size=(300, *shape))).astype(np.uint32)
    answers = [chi2_perm().read(tables, 1) for name in ("portable", "v2", "v3", "v4") if _kernel.use_isa(name)]
    _kernel.use_isa("best")
    for other in answers[1:]:
        for one, two in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


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
    p = read(strata).p_value
    assert 0.03 < p < 0.09
    got = [read(strata, order=k, alpha="by-order") for k in range(6)]
    assert [g.threshold for g in got] == [*BY_ORDER, 0.2, 0.2]
    assert [g.decision for g in got] == [0, 0, 1, 1, 1, 1]
    data = make_coded(1, 300, [2, 3, 2, 2], 2.0)
    for method in ("g", "chi2", "chi2-perm", "permutation"):
        for given_, level in (((), 0.01), (("v2",), 0.03), (("v2", "v3"), 0.09)):
            assert paucal.ci_test(data, "v0", "v1", given_, test=method, alpha="by-order").threshold == level
            assert paucal.ci_test(data, "v0", "v1", given_, test=method, alpha=[0.3]).threshold == 0.3


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


@pytest.mark.parametrize("strata", [[[[5, 4], [0, 1]]], [[[1, 0], [0, 0]], [[0, 0], [0, 2]]], [np.eye(6, dtype=int)]])
def test_tables_that_say_nothing(strata):
    got = read(strata)
    assert (got.p_value, got.statistic, got.decision) == (1, 0, 0)
    assert got.flags & NO_INFORMATION and got.flags & POWERLESS


def test_search_is_the_same_for_any_number_of_threads():
    data = make_coded(5, 4000, [2, 3, 4, 2, 3, 2, 4, 3, 2, 2], 0.5)
    x, y = np.triu_indices(data.n_columns, 1)
    joined = ~np.eye(data.n_columns, dtype=bool)
    one, many = (paucal.make_test(data, "chi2-perm", alpha=BY_ORDER, threads=k) for k in (1, 3))
    for order in range(4):
        a, b = (test.search(x, y, x, joined, order) for test in (one, many))
        for part, other in zip([*a[:3], *a.answers], [*b[:3], *b.answers], strict=True):
            np.testing.assert_array_equal(part, other)
    assert one.ledger.by_order == many.ledger.by_order


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
    x, y = (rng.integers(k, size=200_000) for k in levels_of)
    got = paucal.make_test(dataset_of([x, y], levels_of), "chi2-perm").ask(0, 1)
    assert 0.001 < got.p_value < 0.999
    assert not got.flags & (NO_INFORMATION | POWERLESS)
    again = np.concatenate([x[:1000] % 7, x[1000:]])
    dependent = paucal.make_test(dataset_of([x, again], [levels_of[0]] * 2), "chi2-perm")
    assert dependent.ask(0, 1).p_value < 1e-9


@pytest.mark.parametrize(("shape", "n"), [((1, 2, 2), 40), ((4, 2, 3), 80), ((6, 3, 3), 60), ((9, 2, 2), 150)])
def test_level(shape, n):
    # benchmarks/level.py does this on a grid; here a few settings show that nothing is broken
    rng = np.random.default_rng(shape[0])
    strata, kx, ky = shape
    x, y = rng.dirichlet(np.full(kx, 5), size=strata), rng.dirichlet(np.full(ky, 5), size=strata)
    cells = (np.einsum("si,sj->sij", x, y) / strata).ravel()
    tables = rng.multinomial(n, cells, size=6000).reshape(-1, *shape).astype(np.uint32)
    rejected = (chi2_perm().read(tables, 1).p_value <= 0.05).mean()
    assert 0.033 < rejected < 0.067


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha=0 is not between"),
        ({"alpha": []}, "has no level"),
        ({"alpha": [0.05, 2]}, "alpha=2 is not between"),
        ({"alpha": "order"}, "alpha='order' is not known"),
        ({"undecidable": "ignore"}, "undecidable='ignore' is not known"),
        ({"df": "full"}, "has no parameter 'df'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        paucal.make_test(rows_of([[[3, 1], [1, 3]]]), "chi2-perm", **parameters)
