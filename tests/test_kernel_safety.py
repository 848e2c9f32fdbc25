"""No call of a bound method may crash, whatever its arguments: what makes no sense is refused with a sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paucal import _kernel, make_test
from paucal.errors import ParameterError, QuestionError
from paucal.independence.registry import test_names as names_of_tests

ROWS = 60
LEVELS = (2, 3, 2, 1, 20, 300)  # bits, constant, bytes, wide

REFUSED = (ValueError, IndexError, TypeError, OverflowError, MemoryError)


def make_columns(rows=ROWS, levels=LEVELS):
    rng = np.random.default_rng(1)
    kinds = [np.uint8 if k <= 256 else np.uint16 for k in levels]
    codes = [rng.integers(0, k, rows).astype(kind) for k, kind in zip(levels, kinds, strict=True)]
    return _kernel.Columns(codes, list(levels), rows)


OPTIONS = {
    "g": {"df": "adjusted"},
    "chi2": {"df": "full"},
    "chi2-perm": {"guard": True},
    "chi2-pooled": {"guard": False},
    "trend": {},
    "chi2-trend": {"guard": False},
    "auto": {"guard": False},
    "permutation": {
        "of": _kernel.statistic("chi2-perm", guard=False),
        "permutations": 19,
        "exceedances": 5,
        "seed": 0,
    },
    "bf": {"prior": 0.5, "stripped": False, "each": True},
    "bf-chi2": {"prior": 1.0, "zero": "limit", "reduced": True, "df": "nonempty"},
    "mi": {},
    "mi-eb": {"conditional": "pooled"},
    "mi-fixed": {"conditional": "joint", "prior": 0.5, "shared": True},
    "mi-full": {"conditional": "stratum"},
    "mi-adaptive": {"by_frequency": True, "split": 3.8},
    "mi-sh": {"df": "adjusted"},
    "sci": {},
}
STATISTICS = {name: _kernel.statistic(name, **options) for name, options in OPTIONS.items()}
EVIDENCE, LEVEL, SPEC = _kernel.Evidence(least=0.0), _kernel.Level(0.05), _kernel.Threshold.spec()
CRITERIA = {name: SPEC for name in STATISTICS if name.startswith("mi")} | {
    "bf": EVIDENCE,
    "sci": EVIDENCE,
    "mi-sh": LEVEL,
}


def make_tester(name="g", columns=None):
    criterion = CRITERIA.get(name, LEVEL)
    return _kernel.Tester(columns or make_columns(), STATISTICS[name], criterion=criterion)


def index(*values):
    return np.array(values, dtype=np.uint32)


def matrix(n, value=0):
    return np.full((n, n), value, dtype=np.uint8)


N = len(LEVELS)
NOBODY = np.zeros((1, 0), np.uint32)


# -- questions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "given_", "error", "said"),
    [
        (3, 3, (), ValueError, "column 3 is asked about itself"),
        (0, 1, (1,), ValueError, "column 1 is asked about and conditioned on"),
        (0, 1, (0, 2), ValueError, "column 0 is asked about and conditioned on"),
        (0, 1, (2, 4, 2), ValueError, "column 2 is conditioned on twice"),
        (0, N, (), IndexError, f"there is no column {N}; the data have {N}"),
        (2**32 - 1, 0, (), IndexError, "there is no column 4294967295"),
        (0, 1, (77,), IndexError, "there is no column 77"),
    ],
)
def test_a_question_is_between_different_columns_of_the_data(x, y, given_, error, said):
    tester, k = make_tester(), len(given_)
    rows = np.array([given_], dtype=np.uint32).reshape(1, k)
    with pytest.raises(error, match=said):
        tester.ask(x, y, given_)
    with pytest.raises(error, match=said):
        tester.smallest_p(x, y, given_)
    with pytest.raises(error, match=said):
        tester.ask_many(index(x), index(y), rows, 1)
    with pytest.raises(error, match=said):
        tester.first_separator(x, y, given_, k)
    with pytest.raises(error, match=said):
        tester.grow([x], [[y]], [given_[1:]], [given_[:1]], least=1, most=3, threads=1)
    with pytest.raises(error, match=said):
        make_columns().count(x, y, given_)
    if k == 0:
        with pytest.raises(error, match=said):
            tester.search(index(x), index(y), None, matrix(N, 1), 0, 1)


def test_the_public_test_names_the_question():
    test = make_test({"a": [0, 1, 0], "b": [0, 1, 1]}, "g")
    with pytest.raises(QuestionError, match="column 1 is asked about itself"):
        test.ask(1, 1)
    with pytest.raises(QuestionError, match="there is no column 5"):
        test.ask(0, 5)


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**9])
def test_threads_have_a_limit(threads):
    tester = make_tester()
    with pytest.raises(ValueError, match=f"threads is {threads}; it must be from 1 to 1024"):
        tester.ask_many(index(0), index(1), NOBODY, threads)
    with pytest.raises(ValueError, match="threads"):
        tester.search(index(0), index(1), None, matrix(N, 1), 0, threads)
    with pytest.raises(ParameterError, match="threads"):
        make_test({"a": [0, 1], "b": [0, 1]}, "g", threads=threads)


def test_batches_and_searches_refuse_other_shapes():
    tester = make_tester()
    with pytest.raises(ValueError, match="differ in length"):
        tester.ask_many(index(0, 1), index(1), NOBODY, 1)
    with pytest.raises(ValueError, match="differ in length"):
        tester.ask_many(index(0), index(1), np.zeros((2, 0), np.uint32), 1)
    with pytest.raises(ValueError, match="differ in length"):
        tester.search(index(0), index(1, 2), None, matrix(N), 0, 1)
    with pytest.raises(ValueError, match="differ in length"):
        tester.search(index(0), index(1), index(), matrix(N), 0, 1)
    for wrong in (matrix(N - 1), np.zeros((N, N - 1), np.uint8), np.zeros((0, 0), np.uint8)):
        with pytest.raises(ValueError, match="adjacency must be a square matrix over the 6 columns"):
            tester.search(index(0), index(1), None, wrong, 0, 1)
    with pytest.raises(IndexError):
        tester.search(index(0), index(1), index(N), matrix(N), 1, 1)
    for order in (-1, N + 1, 2**31 - 1):
        with pytest.raises(ValueError, match="order"):
            tester.search(index(0), index(1), None, matrix(N), order, 1)
    with pytest.raises(ValueError, match="order is -1"):
        tester.first_separator(0, 1, [2], -1)
    assert tester.first_separator(0, 1, [2], 2**31 - 1)[1] is None
    sizes = {"least": 1, "most": 2**31 - 1, "threads": 1}
    assert tester.grow([0], [[1]], [[2]], [[]], **sizes)[1].tolist() == [1]
    with pytest.raises(ValueError, match="differ in length"):
        tester.grow([0], [[1]], [[2]], [], **sizes)
    with pytest.raises(ValueError, match="column 0 comes twice"):
        tester.grow([0, 0], [[1], [2]], [[], []], [[], []], **sizes)
    with pytest.raises(ValueError, match="least is 0"):
        tester.grow([0], [[1]], [[2]], [[]], **sizes | {"least": 0})


@pytest.mark.parametrize(
    "wrong",
    [
        np.array([0.5]),
        np.array([-1]),
        np.array([0], dtype=np.int64),
        [0],
        None,
        "0",
        np.array([[0]], np.uint32),
    ],
)
def test_batches_take_arrays_of_uint32_only(wrong):
    with pytest.raises(TypeError):
        make_tester().ask_many(wrong, index(1), NOBODY, 1)


def test_nothing_may_be_asked_too():
    tester = make_tester()
    outcomes, tally = tester.ask_many(index(), index(), np.zeros((0, 3), np.uint32), 4)
    assert [len(values) for values in outcomes] == [0] * 9
    assert tally == (0, 0, 0, 0, 0)
    assert len(tester.search(index(), index(), None, matrix(N), 2, 4)[0]) == 0


# -- data ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "states", "rows", "error", "said"),
    [
        ([np.array([0, 5], np.uint8)], [3], 2, ValueError, "the code 5 is not below the number of states, 3"),
        ([np.array([0, 1], np.uint8)], [2], 3, ValueError, "a column has 2 rows; the data have 3"),
        ([np.array([0, 1], np.uint8)], [2, 2], 2, ValueError, "there are 1 columns, but 2 numbers of states"),
        ([np.array([0, 1], np.uint8)] * 2, [2], 2, ValueError, "more columns than the 1 numbers of states"),
        ([np.array([0, 0], np.uint8)], [0], 2, ValueError, "it needs 1 to"),
        ([np.array([0, 0], np.uint8)], [2**32 - 1], 2, ValueError, "it needs 1 to"),
        ([], [], 2**32, ValueError, r"at most 2\^32 - 1"),
        ([np.array([0, 1], np.float64)], [2], 2, TypeError, "uint8, uint16 or uint32"),
        ([np.array([0, 9, 1], np.uint8)[::2]], [2], 2, TypeError, "contiguous"),
        ([[0, 1]], [2], 2, TypeError, "contiguous"),
        ([np.array([0, 1], np.uint8)], [-2], 2, TypeError, "incompatible"),
    ],
)
def test_columns_that_cannot_be_counted(columns, states, rows, error, said):
    with pytest.raises(error, match=said):
        _kernel.Columns(columns, states, rows)


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_hardly_any_rows(name, rows):
    tester = make_tester(name, make_columns(rows))
    for k in range(4):
        outcome, fresh = tester.ask(0, 4, (1, 2, 5)[:k])
        assert fresh
        assert outcome[6] in {0, 1, 2}
        assert 0 <= tester.smallest_p(0, 4, (1, 2, 5)[:k]) <= 1


def test_no_columns():
    columns = _kernel.Columns([], [], 5)
    with pytest.raises(IndexError):
        make_tester("g", columns).ask(0, 1, ())
    with pytest.raises(IndexError):
        _kernel.Scorer.qnml(columns, []).local(0, ())


# -- tables from elsewhere -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STATISTICS)
def test_tables_may_hold_more_samples_than_the_data(name):
    tester = make_tester(name)
    many = 2**20 if name == "permutation" else 2**30
    for table in ([[9000, 1], [2, 9000]], [[many, 0], [0, many]], [[many, 1], [1, 1]], [[many // 2] * 2] * 2):
        numbers = tester.read(np.array([[table]], dtype=np.uint32), 0)
        assert math.isfinite(numbers[0][0])
        assert numbers[6][0] in {0, 1, 2}


@pytest.mark.parametrize("name", ["g", "bf", "mi", "chi2"])
def test_large_tables_scale(name):
    """A table of ten thousand times the counts: what was clear stays clear."""
    tester = make_tester(name)
    small = np.array([[[[30, 2], [1, 25]]]], dtype=np.uint32)
    for scale in (1, 100, 10_000, 10_000_000):
        assert tester.read(small * np.uint32(scale), 0)[6][0] == 1


def test_tables_that_are_none():
    tester = make_tester()
    for shape in ((1, 0, 2, 2), (1, 1, 0, 2), (1, 1, 2, 0)):
        with pytest.raises(ValueError, match="at least one stratum, one row and one column"):
            tester.read(np.zeros(shape, np.uint32), 0)
    with pytest.raises(ValueError, match=r"at most 2\^32 - 1 samples"):
        tester.read(np.full((1, 1, 2, 2), 2**31, np.uint32), 0)
    with pytest.raises(ValueError, match="order"):
        tester.read(np.ones((1, 1, 2, 2), np.uint32), -1)
    with pytest.raises(TypeError):
        tester.read(np.ones((1, 1, 2, 2)), 0)
    with pytest.raises(TypeError):
        tester.read(np.ones((1, 2, 2), np.uint32), 0)
    test = make_test({"a": [0, 1], "b": [0, 1]}, "g")
    for wrong in (
        np.full((1, 1, 2, 2), -1),
        np.full((1, 1, 2, 2), 0.5),
        np.ones((2, 2), int),
        np.ones((1, 0, 2, 2), int),
    ):
        with pytest.raises(ParameterError):
            test.read(wrong)
    assert len(tester.read(np.zeros((0, 1, 2, 2), np.uint32), 0)[0]) == 0


@given(
    st.sampled_from(sorted(set(STATISTICS) - {"permutation"})),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 4),
    st.data(),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_has_an_answer(name, strata, kx, ky, data):
    count = st.one_of(st.integers(0, 4), st.integers(0, 2**26))
    size = strata * kx * ky
    cells = data.draw(st.lists(count, min_size=size, max_size=size))
    outcome = make_tester(name).read(np.array(cells, dtype=np.uint32).reshape(1, strata, kx, ky), 1)
    assert math.isfinite(outcome[0][0])
    assert outcome[6][0] in {0, 1, 2}
    if not math.isnan(outcome[2][0]):
        assert 0 <= outcome[2][0] <= 1


# -- parameters ----------------------------------------------------------------------------------------------------

BAD = [math.nan, math.inf, -math.inf, -1.0]


@pytest.mark.parametrize("bad", BAD)
def test_numbers_that_make_no_sense(bad):
    columns = make_columns()
    wrong = [
        lambda: _kernel.statistic("bf", **OPTIONS["bf"] | {"prior": bad}),
        lambda: _kernel.statistic("bf-chi2", **OPTIONS["bf-chi2"] | {"prior": bad}),
        lambda: _kernel.statistic("mi-fixed", **OPTIONS["mi-fixed"] | {"prior": bad}),
        lambda: _kernel.statistic("mi-adaptive", **OPTIONS["mi-adaptive"] | {"split": bad}),
        lambda: _kernel.Level(bad),
        lambda: _kernel.Level([0.05, bad]),
        lambda: _kernel.Scorer.dirichlet(columns, [2.0] * N, sizes=[bad]),
        lambda: _kernel.Scorer.dirichlet(columns, [bad] * N, sizes=[1.0]),
        lambda: _kernel.Scorer.family(columns, [2.0] * N, shared=True, size=bad),
        lambda: _kernel.alpha_star(index(1, 2), bad),
        lambda: _kernel.log_multinomial_regret(10, bad),
    ]
    if bad != -1:
        wrong += [
            lambda: _kernel.Evidence(least=bad),
            lambda: _kernel.Threshold.fixed(bad),
            lambda: _kernel.Scorer.fit(columns, [2.0] * N, per_parameter=bad),
        ]
    if bad != math.inf:
        wrong.append(
            lambda: _kernel.Tester(
                columns, STATISTICS["g"], criterion=_kernel.Level(0.05), thin=_kernel.ThinRule(least=bad)
            )
        )
    for call in wrong:
        with pytest.raises(ValueError, match=r"."):
            call()


def test_levels_lie_between_0_and_1():
    for bad in (0.0, 1.0, 2.0, []):
        with pytest.raises(ValueError, match="level"):
            _kernel.Level(bad)


def test_a_tester_needs_what_fits():
    columns = make_columns()
    with pytest.raises(ValueError, match="goes by a Level"):
        _kernel.Tester(columns, STATISTICS["g"], criterion=_kernel.Threshold.spec())
    with pytest.raises(ValueError, match="without a p-value"):
        _kernel.Tester(columns, STATISTICS["mi"], criterion=_kernel.Level(0.05))
    thin = _kernel.ThinRule(least=5.0, per_dof=True)
    with pytest.raises(ValueError, match="no degrees of freedom"):
        _kernel.Tester(columns, STATISTICS["chi2-perm"], criterion=_kernel.Level(0.05), thin=thin)
    for bad in (None, 1, "g"):
        with pytest.raises(TypeError):
            _kernel.Tester(columns, bad, criterion=_kernel.Level(0.05))
        with pytest.raises(TypeError):
            _kernel.Tester(bad, STATISTICS["g"], criterion=_kernel.Level(0.05))
        with pytest.raises(TypeError):
            _kernel.Tester(columns, STATISTICS["g"], criterion=bad)


def test_every_test_has_a_statistic():
    assert set(STATISTICS) == set(names_of_tests())


def test_a_statistic_needs_a_name_that_is_known():
    for bad in ("foo", "", "chi2_perm", "G"):
        with pytest.raises(ValueError, match=r"there is no statistic .*; there are g, chi2, "):
            _kernel.statistic(bad)
    for bad in (None, 1, b"g"):
        with pytest.raises(TypeError):
            _kernel.statistic(bad)


@pytest.mark.parametrize("name", OPTIONS)
def test_a_statistic_needs_its_options_and_no_others(name):
    options = OPTIONS[name]
    for left_out in options:
        rest = {key: value for key, value in options.items() if key != left_out}
        with pytest.raises(ValueError, match=f"{name} needs the option {left_out}"):
            _kernel.statistic(name, **rest)
    with pytest.raises(ValueError, match=f"{name} has no option foo; it has "):
        _kernel.statistic(name, **options, foo=1)


@pytest.mark.parametrize(("name", "option"), [(name, option) for name in OPTIONS for option in OPTIONS[name]])
def test_a_statistic_refuses_values_of_another_kind(name, option):
    """Also those that Python would take for others: 1 for True, True for 1."""
    good = type(OPTIONS[name][option])
    for bad in (None, "nonsense", -1, -0.5, 2**80, math.nan, [], b"g", True, 0, 0.5, STATISTICS["g"]):
        number = good is float and type(bad) in (int, float) and bad >= 0
        if type(bad) is good and bad in (0, True, STATISTICS["g"]):
            continue
        if number and not (bad == 0 and name.startswith("bf")):
            continue
        with pytest.raises(ValueError, match=f"{option}.* is .*; it must be"):
            _kernel.statistic(name, **OPTIONS[name] | {option: bad})


def test_numbers_of_permutations():
    for option, most in (("permutations", 2**32 - 1), ("exceedances", 2**32 - 1), ("seed", 2**64 - 1)):
        least = 0 if option == "seed" else 1
        for good in (least, most):
            _kernel.statistic("permutation", **OPTIONS["permutation"] | {option: good})
        for bad in (least - 1, most + 1):
            with pytest.raises(ValueError, match=f"{option} .* a whole number from {least} to {most}"):
                _kernel.statistic("permutation", **OPTIONS["permutation"] | {option: bad})


def test_only_one_estimate_has_a_pooled_prior():
    for name in ("mi-full", "mi-fixed"):
        with pytest.raises(ValueError, match="one of stratum, joint"):
            _kernel.statistic(name, **OPTIONS[name] | {"conditional": "pooled"})


def test_a_calibration_has_one_shape():
    levels, cube, normal = np.array([2.0, 3.0]), np.ones((2, 2, 3)), np.ones(1)
    good = [levels, 0.0, 1.0, cube, cube, cube[None], normal]
    _kernel.Threshold.calibrated(*good)
    for at, bad in [
        (0, levels[::-1].copy()),
        (0, np.array([0.0, 3.0])),
        (0, np.array([])),
        (1, math.nan),
        (2, 0.0),
        (3, np.ones((2, 2, 1))),
        (3, cube * math.nan),
        (4, np.ones((2, 3, 3))),
        (5, np.ones((2, 2, 2, 3))),
        (6, np.array([])),
    ]:
        with pytest.raises(ValueError, match=r"."):
            _kernel.Threshold.calibrated(*(bad if i == at else value for i, value in enumerate(good)))


def test_functions_of_counts():
    with pytest.raises(ValueError, match="must be positive"):
        _kernel.alpha_star(index(1, 0), 4.0)
    with pytest.raises(ValueError, match="at least the number of counts"):
        _kernel.alpha_star(index(1, 2, 3), 2.0)
    with pytest.raises(ValueError, match=r"2\^32 - 1 samples"):
        _kernel.permutation_cumulants(np.full((2, 2), 2**31, np.uint32))
    assert _kernel.permutation_cumulants(np.zeros((0, 3), np.uint32)) == (0, 0, 0, 0)
    assert math.isnan(_kernel.alpha_star(index(), 4.0))
    with pytest.raises(ValueError, match=r"2\^32 - 1 rows"):
        _kernel.log_multinomial_regret(2**40, 3.0)
    assert _kernel.log_multinomial_regret(2**32 - 1, 2.0) == pytest.approx(
        math.log(math.sqrt(math.pi * (2**32 - 1) / 2) + 2 / 3), rel=1e-9
    )
    assert math.isfinite(_kernel.log_multinomial_regret(10, 1e300))
    for numbers in ((math.nan,) * 4, (1, 0, -1, 0), (1, 0, 0, 0), (1, 0, 1, math.inf), (math.inf, 0, 1, 1)):
        _kernel.pearson3_sf(*numbers)


# -- scores, orders, samples ---------------------------------------------------------------------------------------


def make_scorer(levels=(2, 3, 2, 4)):
    return _kernel.Scorer.dirichlet(make_columns(ROWS, levels), [float(k) for k in levels], sizes=[1.0])


def test_families_have_different_members():
    scorer = make_scorer()
    with pytest.raises(ValueError, match="column 1 occurs twice"):
        scorer.set((1, 1))
    with pytest.raises(ValueError, match="column 0 occurs twice"):
        scorer.local(0, (0,))
    with pytest.raises(ValueError, match="column 2 occurs twice"):
        scorer.local(0, (2, 1, 2))
    with pytest.raises(ValueError, match="at most 64"):
        scorer.set(tuple(range(65)))
    for wrong in (lambda: scorer.set((4,)), lambda: scorer.local(4, ()), lambda: scorer.local(0, (9,))):
        with pytest.raises(IndexError, match="there is no column"):
            wrong()
    by_family = _kernel.Scorer.family(make_columns(ROWS, (2, 2)), [2.0, 2.0], shared=True, size=1.0)
    with pytest.raises(ValueError, match="not of sets"):
        by_family.set((0, 1))
    with pytest.raises(ValueError, match="3 numbers of levels for 2 columns"):
        _kernel.Scorer.qnml(make_columns(ROWS, (2, 2)), [2.0] * 3)
    with pytest.raises(ValueError, match="sample size is needed"):
        _kernel.Scorer.dirichlet(make_columns(ROWS, (2, 2)), [2.0] * 2, sizes=[])


CYCLE = matrix(4)
CYCLE[[0, 1, 2], [1, 2, 0]] = 1
LOOP = matrix(4)
LOOP[1, 1] = 1


@pytest.mark.parametrize(
    ("allowed", "required", "said"),
    [
        (np.zeros((0, 0), np.uint8), np.zeros((0, 0), np.uint8), "at least one column"),
        (matrix(3, 1), matrix(3), "over the 4 columns"),
        (matrix(5, 1), matrix(5), "over the 4 columns"),
        (matrix(4, 1), matrix(3), "required must be a square matrix"),
        (np.ones((4, 3), np.uint8), matrix(4), "it must be square"),
        (matrix(4, 1), CYCLE, "cycle"),
        (matrix(4, 1), LOOP, "cycle"),
    ],
)
def test_rules_of_arcs(allowed, required, said):
    with pytest.raises(ValueError, match=said):
        _kernel.OrderSearch(make_scorer(), allowed, required, penalty=0.0, most_parents=3, most_candidates=10)
    n = len(allowed)
    starts = [(np.arange(n, dtype=np.uint32), matrix(n))]
    with pytest.raises(ValueError, match=said):
        make_sampler(allowed=allowed, required=required, starts=starts, groups=[[]] * n)


def test_an_order_search_refuses():
    for key, bad in (("penalty", math.nan), ("most_parents", 17)):
        options = {"penalty": 0.0, "most_parents": 3, "most_candidates": 10} | {key: bad}
        with pytest.raises(ValueError, match=key):
            _kernel.OrderSearch(make_scorer(), matrix(4, 1), matrix(4), **options)
    search = _kernel.OrderSearch(
        make_scorer(), matrix(4, 1), matrix(4), penalty=0.0, most_parents=3, most_candidates=10
    )
    for order in (index(0, 1, 2), index(0, 1, 2, 2), index(0, 1, 2, 9)):
        with pytest.raises(ValueError, match="an order"):
            search.improve(0, [(order, matrix(4))], 5)
        with pytest.raises(ValueError, match="an order"):
            search.near((index(0, 1, 2, 3), matrix(4)), (order, matrix(4)))
    with pytest.raises(ValueError, match="patience"):
        search.improve(0, [(index(0, 1, 2, 3), matrix(4))], 2**21)
    with pytest.raises(ValueError, match="at least one DAG"):
        search.improve(0, [], 5)
    crowd = make_columns(ROWS, (2,) * 60)
    scorer, required = _kernel.Scorer.qnml(crowd, [2.0] * 60), matrix(60)
    required[:59, 59] = 1
    with pytest.raises(ValueError, match="column 59 has 59 required parents"):
        _kernel.OrderSearch(scorer, matrix(60, 1), required, penalty=0.0, most_parents=1, most_candidates=1)


START = (np.arange(4, dtype=np.uint32), matrix(4))


def test_dags_with_more_parents_than_a_family_has_room_for_are_refused():
    n = 70
    full = np.triu(np.ones((n, n), dtype=np.uint8), 1)
    order = np.arange(n, dtype=np.uint32)
    codes = [np.arange(8, dtype=np.uint8) % 2 for _ in range(n)]
    scorer = _kernel.Scorer.dirichlet(_kernel.Columns(codes, [2] * n, 8), [2.0] * n, sizes=[1.0])
    rules = {"forbidden": None, "penalty": 0.0, "most_candidates": 3, "most_parents": 3, "heats": [1.0], "chains": 1}
    rules["groups"] = [[]] * n
    for dags in ({"starts": [(order, full)], "met": [[]]}, {"starts": [(order, matrix(n))], "met": [[full]]}):
        with pytest.raises(ValueError, match="at most 62"):
            _kernel.DagSampler(scorer, matrix(n, 1), matrix(n), seed=0, **rules, **dags)


def make_sampler(**changed):
    options = {
        "allowed": matrix(4, 1),
        "required": matrix(4),
        "forbidden": None,
        "penalty": 0.0,
        "starts": [START],
        "met": [[]],
        "groups": [[]] * 4,
        "most_candidates": 3,
        "most_parents": 3,
        "heats": [1.0, 0.5],
        "chains": 2,
        "seed": 0,
    } | changed
    return _kernel.DagSampler(make_scorer(), options.pop("allowed"), options.pop("required"), **options)


BACKWARDS = matrix(4)
BACKWARDS[3, 0] = 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"starts": []}, "at least one start"),
        ({"starts": [(index(0, 1, 2), matrix(4))]}, "an order names 3 of 4"),
        ({"starts": [(index(0, 1, 2, 2), matrix(4))]}, "no permutation"),
        ({"starts": [(index(0, 1, 2, 9), matrix(4))]}, "no permutation"),
        ({"starts": [(START[0], matrix(3))]}, "square matrix"),
        ({"starts": [(START[0], BACKWARDS)]}, "3 stands behind its child 0"),
        ({"met": [[matrix(3)]]}, "square matrix"),
        ({"met": []}, "0 lists of DAGs"),
        ({"met": [[], [], []]}, "3 lists of DAGs for 2 chains"),
        ({"groups": []}, "groups of parents for 0 of 4 columns"),
        ({"groups": [[[1, 9]], [], [], []]}, "possible parents"),
        ({"groups": [[[0, 1]], [], [], []]}, "possible parents"),
        ({"groups": [[[2, 1]], [], [], []]}, "ascending order"),
        ({"groups": [[[1, 1]], [], [], []]}, "ascending order"),
        ({"met": [[matrix(4, 1)]]}, "cycle"),
        ({"required": BACKWARDS}, "3 stands behind its child 0"),
        ({"forbidden": matrix(3)}, "forbidden must be a square matrix"),
        ({"penalty": math.inf}, "penalty"),
        ({"most_candidates": 17}, "most_candidates is 17"),
        ({"most_parents": -1}, "most_parents is -1"),
        ({"most_parents": 99}, "most_parents is 99"),
        ({"heats": []}, "one heat"),
        ({"heats": [math.nan]}, "a heat is nan"),
        ({"heats": [-1.0]}, "a heat is -1"),
        ({"chains": 0}, "chains is 0"),
        ({"chains": 10**9}, "chains is"),
    ],
)
def test_a_sampler_refuses(changed, said):
    with pytest.raises(ValueError, match=said):
        make_sampler(**changed)


def test_a_sampler_that_runs():
    sampler = make_sampler()
    for rounds, threads in ((-1, 1), (2**30, 1), (1, 0), (1, 10**9)):
        with pytest.raises(ValueError, match=r"rounds|threads"):
            sampler.run(rounds, record=True, threads=threads)
    with pytest.raises(ValueError, match="nothing was recorded"):
        sampler.central(np.zeros((4, 4)), np.zeros((4, 4)))
    sampler.run(0, record=True, threads=2)
    sampler.run(3, record=True, threads=1000)
    for wrong in (sampler.tallies, sampler.rates, sampler.dags):
        for chain in (2, 10**9):
            with pytest.raises(IndexError, match="there is no chain"):
                wrong(chain)
    for shape in ((3, 3), (4, 3), (0, 0)):
        with pytest.raises(ValueError, match="square matrix"):
            sampler.central(np.zeros(shape), np.zeros((4, 4)))
        with pytest.raises(ValueError, match="square matrix"):
            sampler.central(np.zeros((4, 4)), np.zeros(shape))
    dags = sampler.dags(1)
    assert dags.shape == (6, 4, 4)
    ends = np.array([0, 1, 0], np.uint32), np.array([1, 2, 3], np.uint32)
    joined = dags | dags.transpose(0, 2, 1)
    assert (sampler.joined(1, *ends) == joined[:, ends[0], ends[1]]).all()
    assert sampler.joined(0, ends[0][:0], ends[1][:0]).shape == (0, 0)
    with pytest.raises(IndexError, match="no chain"):
        sampler.joined(2, *ends)
    with pytest.raises(IndexError, match="no column 4"):
        sampler.joined(1, ends[0] + np.uint32(4), ends[1])
    with pytest.raises(ValueError, match="second"):
        sampler.joined(1, ends[0][:2], ends[1])
    arrow, line, _, total = sampler.tallies(1)
    assert total == 6
    assert (dags.sum(axis=0) + dags.sum(axis=0).T == arrow + arrow.T + line).all()
    assert all(len(candidates) == 3 for candidates in sampler.candidates(0))


PLAN = {"looks": 100, "nodes": 100, "slack": 0.0}


def test_classes_are_of_dags():
    for wrong in (CYCLE, LOOP):
        with pytest.raises(ValueError, match="cycle"):
            _kernel.completed(wrong, None)
        with pytest.raises(ValueError, match="cycle"):
            _kernel.consensus(np.zeros((4, 4)), np.zeros((4, 4)), matrix(4, 1), matrix(4), None, [wrong], **PLAN)
    with pytest.raises(ValueError, match="square"):
        _kernel.completed(np.zeros((2, 3), np.uint8), None)
    with pytest.raises(ValueError, match="forbidden"):
        _kernel.completed(matrix(3), matrix(2))
    assert _kernel.completed(matrix(0), None).shape == (0, 0)
    good = [np.zeros((4, 4)), np.zeros((4, 4)), matrix(4, 1), matrix(4), None, [matrix(4)]]
    for at, bad in (
        (0, np.zeros((3, 3))),
        (1, np.zeros((4, 5))),
        (2, matrix(3, 1)),
        (3, matrix(3)),
        (3, CYCLE),
        (4, matrix(3)),
        (5, []),
        (5, [matrix(3)]),
    ):
        with pytest.raises(ValueError, match=r"."):
            _kernel.consensus(*(bad if i == at else value for i, value in enumerate(good)), **PLAN)
    nobody_knows = np.full((4, 4), math.nan)
    _kernel.consensus(nobody_knows, nobody_knows, matrix(4, 1), matrix(4), None, [matrix(4)], **PLAN)
    for slack in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="slack"):
            _kernel.consensus(*good, **PLAN | {"slack": slack})


# -- everything, with anything -------------------------------------------------------------------------------------

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 8),
    st.sampled_from([2**31, 2**32, 2**64, -(2**40)]),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers(-2, 8), max_size=4),
    st.lists(st.integers(0, 8), max_size=4).map(tuple),
    st.tuples(
        st.sampled_from([np.uint8, np.uint32, np.int64, np.float64]),
        st.lists(st.integers(0, 6), min_size=0, max_size=4).map(tuple),
        st.integers(0, 6),
    ).map(lambda t: np.full(t[1], t[2], dtype=t[0])),
)
KEEP_SMALL = {"permutation", "run"}  # huge numbers are legal there, and take long


def _targets():
    tester, scorer, sampler = make_tester(), make_scorer(), make_sampler()
    objects = [
        _kernel,
        make_columns(),
        tester,
        scorer,
        sampler,
        _kernel.Statistic,
        _kernel.Threshold,
        _kernel.Scorer,
    ]
    for owner in objects:
        for name in dir(owner):
            if not name.startswith("_") and callable(getattr(owner, name)) and name not in KEEP_SMALL:
                yield getattr(owner, name)


TARGETS = list(_targets())


@given(st.sampled_from(TARGETS), st.lists(ANYTHING, max_size=6))
@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_crashes(target, arguments):
    try:
        target(*arguments)
    except REFUSED:
        pass
    finally:
        _kernel.use_isa("best")
