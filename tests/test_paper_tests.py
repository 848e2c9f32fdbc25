"""What every test of the paper must keep: symmetries, limits, its twin, and integrals done another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import paucal
from coded_data import rows_of
from paucal import _kernel
from paucal.dirichlet import alpha_star
from paucal.errors import ParameterError
from paucal.independence.protocol import CITest
from paucal.independence.registry import make_test
from paucal.independence.registry import test_names as names_of_tests
from twin.asking import answer

VARIANTS = [
    ("g", {}),
    ("chi2", {}),
    ("bf", {}),
    ("bf", {"prior": 1.3, "bf_style": "stripped_strict", "eta": 0.2}),
    ("bf", {"strata": "each", "eta": 0.8}),
    ("bf-chi2", {}),
    ("bf-chi2", {"tables": "literal", "prior": "uniform"}),
    ("bf-chi2", {"tables": "literal", "zero": "drop", "df": "nonempty", "prior": 0.1}),
    ("bf-chi2", {"zero": "nought"}),
    ("mi", {}),
    ("mi-eb", {}),
    ("mi-eb", {"conditional": "joint", "threshold": "spec"}),
    ("mi-eb", {"conditional": "pooled", "threshold": 0.03}),
    ("mi-fixed", {}),
    ("mi-fixed", {"prior": "perks", "conditional": "joint", "threshold": "spec"}),
    ("mi-fixed", {"prior": "haldane", "threshold": "spec"}),
    ("mi-adaptive", {}),
    ("mi-adaptive", {"arrange": "index", "split": 2.0}),
    ("mi-full", {}),
    ("mi-full", {"conditional": "joint", "threshold": "spec"}),
]
every_variant = pytest.mark.parametrize(
    ("method", "parameters"), VARIANTS, ids=[f"{m}{i}" for i, (m, _) in enumerate(VARIANTS)]
)
KINDS = list(dict.fromkeys(method for method, _ in VARIANTS))


@st.composite
def datasets(draw):
    """Few rows, up to five levels, some never observed, x and y more or less dependent, two conditioners."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.one_of(st.integers(1, 6), st.integers(7, 120)))
    levels = draw(st.lists(st.integers(2, 5), min_size=4, max_size=4))
    skew = draw(st.sampled_from([0.2, 1.0, 10.0]))
    codes = [rng.choice(k, size=rows, p=rng.dirichlet(np.full(k, skew))) for k in levels]
    follow = rng.random(rows) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    codes[1] = np.where(follow, codes[0] % levels[1], codes[1])
    return codes, levels


def dataset(codes, levels, names="xyzw"):
    return paucal.Dataset.from_codes([c.astype(np.uint8) for c in codes], list(names), [range(k) for k in levels])


def same(first, second, **tolerance):
    tolerance = {"rel": 1e-9, "abs": 1e-11, **tolerance}
    for name in ("statistic", "dof", "p_value", "threshold"):
        one, other = getattr(first, name), getattr(second, name)
        assert (one is None) == (other is None)
        if one is not None:
            assert one == pytest.approx(other, **tolerance), name
    # A statistic that lies on its threshold up to rounding may fall on either side of it.
    limit = first.threshold if first.p_value is None else None
    if limit is None or abs(first.statistic - limit) > 1e-9:
        assert first.decision == second.decision
    assert (first.reliable, first.observed_strata) == (second.reliable, second.observed_strata)


def test_all_tests_are_here():
    assert set(KINDS) <= set(names_of_tests())
    assert {"bf", "bf-chi2", "mi", "mi-eb", "mi-fixed", "mi-adaptive", "mi-full"} <= set(KINDS)


@every_variant
@given(datasets(), st.integers(0, 2), st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_symmetries(method, parameters, drawn, order, random):
    codes, levels = drawn
    given_ = ["z", "w"][:order]
    ask = lambda data, g=given_: paucal.ci_test(data, "x", "y", g, test=method, **parameters)  # noqa: E731
    result = ask(dataset(codes, levels))

    assert math.isfinite(result.statistic)
    if result.p_value is not None:
        assert 0 <= result.p_value <= 1
    if method.startswith("mi"):
        assert result.statistic >= 0

    swapped = dataset([codes[i] for i in (3, 1, 2, 0)], [levels[i] for i in (3, 1, 2, 0)], "wyzx")
    same(ask(swapped), result)  # y before x, and w before z
    same(ask(swapped, given_[::-1]), result)

    shuffled = list(range(len(codes[0])))
    random.shuffle(shuffled)
    same(ask(dataset([c[shuffled] for c in codes], levels)), result)

    constant = dataset([*codes, np.zeros(len(codes[0]), dtype=int)], [*levels, 1], "xyzwc")
    same(ask(constant, [*given_, "c"]), result)


@pytest.mark.parametrize(("method", "parameters"), [v for v in VARIANTS if v[0] != "mi-adaptive"])
@given(datasets(), st.integers(0, 2), st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_names_of_levels_do_not_matter(method, parameters, drawn, order, random):
    codes, levels = drawn
    renamed = []
    for c, k in zip(codes, levels, strict=True):
        new = list(range(k))
        random.shuffle(new)
        renamed.append(np.array(new)[c])
    given_ = ["z", "w"][:order]
    first, second = (
        paucal.ci_test(dataset(c, levels), "x", "y", given_, test=method, **parameters) for c in (codes, renamed)
    )
    same(first, second)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_names_of_levels_do_not_matter_to_adaptive_partitions(seed):
    """As long as no two levels are equally frequent: those are cut in the order of the levels."""
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, 40, (2, *rng.integers(2, 6, 2)))
    for axis in (1, 2):
        assume(all(len(set(m)) == len(m) for m in strata.sum(axis=axis).tolist()))
    renamed = strata[:, rng.permutation(strata.shape[1])][:, :, rng.permutation(strata.shape[2])]
    first, second = (paucal.ci_test(rows_of(t), "x", "y", ["z"], test="mi-adaptive") for t in (strata, renamed))
    same(first, second)


# counts exactly as uneven as those of a uniform multinomial: the best alpha is infinite, and only just
BORDERLINE = (
    [np.array([1, 0, 1, 0]), np.array([1, 0, 0, 0]), np.array([1, 1, 1, 2]), np.array([1, 3, 1, 3])],
    [2, 3, 3, 5],
)


@every_variant
@given(drawn=datasets(), order=st.integers(0, 2))
@example(drawn=BORDERLINE, order=0)
@settings(max_examples=8, deadline=None)
def test_the_kernel_equals_its_twin(method, parameters, drawn, order):
    codes, levels = drawn
    data = dataset(codes, levels)
    given_ = (2, 3)[:order]
    native = make_test(data, method, **parameters)
    twin = answer(data, method, 0, 1, given_, **parameters)
    first, second = (native.describe(0, 1, given_, said) for said in (native.ask(0, 1, given_), twin))
    same(first, second)
    assert first.reasons == second.reasons


@pytest.mark.parametrize("method", [name for name in KINDS if name not in ("bf", "mi-adaptive")])
@pytest.mark.parametrize("alpha", ["by-order", [0.02, 0.15], 0.07])
def test_levels_by_order_are_the_twins(method, alpha):
    data = dataset([c % 3 for c in np.random.default_rng(3).integers(0, 9, (4, 40))], [3] * 4)
    native = make_test(data, method, alpha=alpha)
    for given_ in ((), (2,), (2, 3)):
        twin = answer(data, method, 0, 1, given_, alpha=alpha)
        assert native.ask(0, 1, given_) == pytest.approx(twin, rel=1e-9, nan_ok=True)


def test_rounding_does_not_lift_a_p_value_above_1():
    assert _kernel.chi2_sf(1.0739265996669385, 60) == 1


@pytest.mark.parametrize("method", KINDS)
def test_a_million_rows(method):
    rng = np.random.default_rng(5)
    codes = [rng.choice(k, size=10**6, p=rng.dirichlet(np.ones(k))) for k in (3, 4, 2)]
    codes[1][:2000] = codes[0][:2000]
    for given_ in ([], ["z"]):
        result = paucal.ci_test(dataset(codes, [3, 4, 2], "xyz"), "x", "y", given_, test=method)
        assert math.isfinite(result.statistic)
        assert result.reliable
    if method.startswith("mi-") and method != "mi-adaptive":  # priors do not matter any more
        plug_in = paucal.ci_test(dataset(codes, [3, 4, 2], "xyz"), "x", "y", ["z"], test="mi")
        assert result.statistic == pytest.approx(plug_in.statistic, abs=3e-5)


@pytest.mark.parametrize("method", KINDS)
def test_a_hundred_thousand_levels(method):
    """Ten thousand million cells, two thousand samples: the work must follow the samples."""
    rng = np.random.default_rng(6)
    codes = [rng.integers(0, 100_000, 2000) for _ in range(3)]
    codes = [c.astype(np.uint32) for c in codes]
    data = paucal.Dataset.from_codes(codes, list("xyz"), [range(100_000)] * 3)
    for given_ in ([], ["z"]):
        result = paucal.ci_test(data, "x", "y", given_, test=method)
        assert math.isfinite(result.statistic)
        assert not result.reliable


@pytest.fixture(scope="module")
def overflowing():
    """Sixty-three conditioners with 100,000 levels each: 1e315 configurations, one row in each that occurs."""
    rng = np.random.default_rng(7)
    codes = [rng.integers(0, k, 30).astype(np.uint32) for k in (2, 3, *[100_000] * 63)]
    levels = [range(2), range(3), *[range(100_000)] * 63]
    return paucal.Dataset.from_codes(codes, [str(i) for i in range(65)], levels)


@every_variant
def test_more_configurations_than_numbers(method, parameters, overflowing):
    result = paucal.ci_test(overflowing, "0", "1", overflowing.names[2:], test=method, **parameters)
    assert math.isfinite(result.statistic)
    assert not result.reliable


@every_variant
@pytest.mark.parametrize("table", [[[[1, 0], [0, 0]]], [[[0, 1], [0, 3]]], [[[1, 0], [0, 0]], [[0, 0], [0, 1]]]])
def test_nothing_to_be_seen_is_independence(method, parameters, table):
    if parameters.get("bf_style", "").endswith("strict") and len(table) > 1:
        return  # a tie is dependence there: that is what the variant is for
    result = paucal.ci_test(rows_of(table), "x", "y", ["z"][: len(table) - 1], test=method, **parameters)
    assert result.decision == "independent"
    assert not result.reliable


@pytest.mark.parametrize("method", KINDS)
def test_threads_and_instruction_sets_do_not_change_a_bit(method):
    data = paucal.load_network("alarm").sample(300, seed=2)
    rng = np.random.default_rng(1)
    questions = np.array([rng.permutation(data.n_columns)[:4] for _ in range(60 if method == "mi-full" else 600)])
    answers = []
    for isa, threads in (("best", 1), ("best", 2), ("portable", 1)):
        assert _kernel.use_isa(isa)
        test = make_test(data, method, threads=threads)
        answers.append(test.ask_many(questions[:, 0], questions[:, 1], questions[:, 2:]))
    _kernel.use_isa("best")
    for other in answers[1:]:
        for one, two in zip(answers[0], other, strict=True):
            assert np.array_equal(one, two, equal_nan=True)


@pytest.mark.parametrize("method", [m for m in KINDS if m != "mi-full"])
def test_native_searches_find_what_asking_finds(method):
    data = paucal.load_network("asia").sample(200, seed=3)
    native, asked = make_test(data, method), make_test(data, method)
    x, y = np.triu_indices(data.n_columns, 1)
    everything = ~np.eye(data.n_columns, dtype=bool)
    for order in (0, 1, 2):
        first = native.search(x, y, x, everything, order)
        second = CITest.search(asked, x, y, x, everything, order)
        assert np.array_equal(first.found, second.found)
        assert np.array_equal(first.given, second.given)
        assert np.array_equal(first.answers.statistic, second.answers.statistic)
    assert native.ledger.by_order == asked.ledger.by_order


# -- Bayes factors -----------------------------------------------------------------------------------------------


def test_the_bayes_factor_is_a_ratio_of_integrals():
    """By simulation: the mean likelihood over the prior of independent and of dependent variables."""
    table = np.array([[3, 1], [0, 2]])
    rng = np.random.default_rng(4)
    x, y = (rng.dirichlet([0.5, 0.5], 400_000) for _ in range(2))
    joint = rng.dirichlet([0.5] * 4, 400_000).reshape(-1, 2, 2)
    null = np.prod((x[:, :, None] * y[:, None, :]) ** table, axis=(1, 2))
    other = np.prod(joint**table, axis=(1, 2))
    expected = math.log(null.mean() / other.mean())
    error = math.hypot(null.std() / null.mean(), other.std() / other.mean()) / math.sqrt(400_000)
    result = paucal.ci_test(rows_of(table[None]), "x", "y", test="bf")
    assert result.statistic == pytest.approx(expected, abs=5 * error)


@pytest.mark.parametrize(("method", "parameters"), [("bf", {}), ("bf-chi2", {"tables": "literal"}), ("g", {})])
def test_statistics_add_up_over_strata(method, parameters):
    strata = np.random.default_rng(8).integers(0, 9, (4, 3, 2))
    strata[:, [0, 1], [0, 1]] += 1  # no constant columns
    parts = [paucal.ci_test(rows_of(s[None]), "x", "y", test=method, **parameters).statistic for s in strata]
    whole = paucal.ci_test(rows_of(strata), "x", "y", ["z"], test=method, **parameters)
    assert whole.statistic == pytest.approx(sum(parts))


def test_one_stratum_is_enough_where_each_is_asked():
    strata = np.full((4, 2, 2), 5)
    strata[0] = [[7, 3], [3, 7]]  # ln BF -1.0, those of the others +0.6
    together, each = (
        paucal.ci_test(rows_of(strata), "x", "y", ["z"], test="bf", strata=way) for way in ("together", "each")
    )
    alone = [paucal.ci_test(rows_of(s[None]), "x", "y", test="bf").statistic for s in strata]
    assert together.statistic == pytest.approx(sum(alone))
    assert each.statistic == pytest.approx(min(alone))
    assert (together.decision, each.decision) == ("independent", "dependent")


def test_ties_of_the_bayes_factor():
    """Strata with one sample have the factor 1 exactly, but for rounding."""
    strata = np.zeros((40, 3, 3), dtype=int)
    strata[np.arange(40), np.arange(40) % 3, np.arange(40) // 3 % 3] = 1
    ask = lambda style: paucal.ci_test(rows_of(strata), "x", "y", ["z"], test="bf", bf_style=style)  # noqa: E731
    assert [ask(style).decision for style in ("full", "stripped", "full_strict", "stripped_strict")] == [
        "independent",
        "independent",
        "dependent",
        "dependent",
    ]


def test_a_uniform_table_has_no_statistic():
    for variant in ("limit", "drop", "nought"):
        result = paucal.ci_test(rows_of([[[5, 5], [5, 5]]]), "x", "y", test="bf-chi2", zero=variant)
        assert (result.statistic, result.p_value) == (0, 1)


@pytest.mark.parametrize(("size", "levels", "low", "high"), [(1000, 3, 0.035, 0.065), (30, 5, 0.0, 0.01)])
def test_size_of_the_chi_square_form(size, levels, low, high):
    rng = np.random.default_rng(12)
    codes = [rng.choice(levels, size=size, p=rng.dirichlet(np.ones(levels))) for _ in range(2 * 2000)]
    data = paucal.Dataset.from_codes(codes, [str(i) for i in range(len(codes))], [range(levels)] * len(codes))
    x = np.arange(0, len(codes), 2)
    test = make_test(data, "bf-chi2", tables="literal")
    rejected = test.ask_many(x, x + 1, np.zeros((len(x), 0), dtype=int)).decision.mean()
    assert low <= rejected <= high


# -- information -------------------------------------------------------------------------------------------------


def information_of(theta):
    """Of many joint distributions, the last two axes being x and y."""
    rows, columns = theta.sum(axis=-1, keepdims=True), theta.sum(axis=-2, keepdims=True)
    total = theta.sum(axis=(-1, -2), keepdims=True)
    ratio = np.where(theta > 0, theta * total / np.maximum(rows * columns, 1e-300), 1)
    return np.sum(theta * np.log(ratio), axis=(-1, -2))


@pytest.mark.parametrize("table", [[[10, 2], [3, 9]], [[8, 1, 0], [2, 6, 3]], [[3, 0, 1], [0, 2, 2], [5, 1, 0]]])
def test_empirical_bayes_is_a_posterior_mean(table):
    table = np.array(table)
    posterior = np.random.default_rng(9).dirichlet(table.ravel() + alpha_star(table.ravel()), 200_000)
    values = information_of(posterior.reshape(-1, *table.shape))
    result = paucal.ci_test(rows_of(table[None]), "x", "y", test="mi-eb")
    assert result.statistic == pytest.approx(values.mean(), abs=5 * values.std() / math.sqrt(len(values)))


def test_joint_empirical_bayes_is_a_posterior_mean_of_conditional_information():
    strata = np.array([[[5, 1], [2, 6]], [[0, 0], [0, 0]], [[1, 0], [0, 4]]])
    posterior = np.random.default_rng(10).dirichlet(strata.ravel() + alpha_star(strata.ravel()), 200_000)
    values = information_of(posterior.reshape(-1, *strata.shape)).sum(axis=1)
    result = paucal.ci_test(rows_of(strata), "x", "y", ["z"], test="mi-eb", conditional="joint", threshold="spec")
    assert result.statistic == pytest.approx(values.mean(), abs=5 * values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize("table", [[[10, 2], [3, 9]], [[30, 12, 8], [11, 25, 14]], [[1, 0], [0, 1]], [[6, 1], [0, 0]]])
def test_full_bayes_is_a_dense_integral(table):
    from mpmath import mp, mpf

    table = np.array(table)
    k, n = table.size, int(table.sum())

    def weight(a):
        likelihood = mp.rf(1, 0)
        for count in table.ravel().tolist():
            likelihood *= mp.rf(a, count)
        return likelihood / mp.rf(k * a, n) * (k * mp.psi(1, k * a + 1) - mp.psi(1, a + 1)) * a

    def mean(a):
        kx, ky = table.shape
        parts = (
            (table, a, 1),
            (table.sum(1), a * ky, -1),
            (table.sum(0), a * kx, -1),
            (table.sum(), a * k, 1),
        )
        terms = [s * (int(c) + b) * mp.psi(0, int(c) + b + 1) for m, b, s in parts for c in np.ravel(m)]
        return sum(terms) / (n + k * a)

    with mp.workdps(25):
        nodes = [mp.exp(mpf(i) / 6) for i in range(-80, 300)]
        weights = [weight(a) for a in nodes]
        expected = sum(w * mean(a) for w, a in zip(weights, nodes, strict=True)) / sum(weights)
    result = paucal.ci_test(
        rows_of(np.stack([table, np.eye(*table.shape, dtype=int)])), "x", "y", ["z"], test="mi-full"
    )
    other = paucal.ci_test(rows_of(np.eye(*table.shape, dtype=int)[None]), "x", "y", test="mi-full").statistic
    value = (result.statistic * result.n - other * min(table.shape)) / n  # of the first stratum alone
    assert value == pytest.approx(float(expected), rel=1e-9)


def test_adaptive_partitions():
    # A block of dependence: one cut tells all, and what is left of both halves looks independent.
    table = [[[20, 20, 0, 0], [20, 20, 0, 0], [0, 0, 20, 20], [0, 0, 20, 20]]]
    assert paucal.ci_test(rows_of(table), "x", "y", test="mi-adaptive").statistic == pytest.approx(math.log(2))
    assert paucal.ci_test(rows_of(table), "x", "y", test="mi-adaptive", split=1000).statistic == 0
    # The levels in another order: cutting by index cannot see the blocks at once.
    mixed = np.array(table)[:, [0, 2, 1, 3]][:, :, [0, 2, 3, 1]]
    result = paucal.ci_test(rows_of(mixed), "x", "y", test="mi-adaptive", arrange="index")
    assert result.statistic < math.log(2)


# -- parameters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        ("bf", {"eta": 0}, "eta=0"),
        ("bf", {"prior": -1}, "prior=-1"),
        ("bf", {"prior": "haldane"}, "prior='haldane'"),
        ("bf", {"bf_style": "thin"}, "bf_style='thin'"),
        ("bf", {"strata": "all"}, "strata='all'"),
        ("bf-chi2", {"tables": "none"}, "tables='none'"),
        ("bf-chi2", {"zero": "one"}, "zero='one'"),
        ("bf-chi2", {"df": "none"}, "df='none'"),
        ("mi-eb", {"conditional": "other"}, "conditional='other'"),
        ("mi-fixed", {"conditional": "pooled"}, "conditional='pooled'"),
        ("mi-fixed", {"prior": "perks"}, "no calibrated threshold"),
        ("mi-fixed", {"conditional": "joint"}, "no calibrated threshold"),
        ("mi-eb", {"conditional": "joint"}, "no calibrated threshold"),
        ("mi-eb", {"conditional": "pooled"}, "no calibrated threshold"),
        ("mi-full", {"conditional": "joint"}, "no calibrated threshold"),
        ("mi-adaptive", {"arrange": "name"}, "arrange='name'"),
        ("mi-adaptive", {"threshold": "calibrated"}, "no calibrated threshold"),
        ("mi", {"threshold": -1}, "threshold=-1"),
        ("mi", {"sparse": "never"}, "sparse='never'"),
        ("mi-full", {"min_samples": -1}, "min_samples=-1"),
        ("mi", {"df": "full"}, "has no parameter 'df'"),
    ],
)
def test_parameters_are_checked(method, parameters, message):
    with pytest.raises(ParameterError, match=message):
        make_test({"a": [0, 1], "b": [1, 0]}, method, **parameters)


@pytest.mark.parametrize("method", ["bf", "bf-chi2", "mi", "mi-eb", "mi-fixed", "mi-adaptive", "mi-full"])
def test_thin_tables(method):
    table = [[[3, 1], [1, 3]]]  # two samples per cell
    decisions = {
        rule: paucal.ci_test(rows_of(table), "x", "y", test=method, sparse=rule)
        for rule in ("test", "independent", "undecidable")
    }
    assert [d.decision for d in decisions.values()][1:] == ["independent", "undecidable"]
    assert all(not d.reliable and d.reasons == ("2 samples per cell",) for d in decisions.values())
    enough = paucal.ci_test(rows_of(table), "x", "y", test=method, sparse="undecidable", min_samples=2)
    assert enough.reliable
    assert enough.decision == decisions["test"].decision
