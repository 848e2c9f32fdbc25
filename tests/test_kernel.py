"""The native kernel against its readable twin, on every instruction set this machine has."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from coded_data import coded, dataset_of, make_coded
from paucal import _kernel, make_test
from paucal.independence.answers import CONSTANT, THIN
from paucal.independence.protocol import RememberingTest
from paucal.tables import counts_of
from twin.asking import answer
from twin.tables import cells_of

DF = ["full", "nonempty", "adjusted"]
LEVELS = [name for name in ("portable", "v2", "v3", "v4") if _kernel.use_isa(name)]
_kernel.use_isa("best")

ROUNDED = 1e-6  # a statistic of 0 and one of 2e-13 are the same sum rounded, and have p-values 4e-7 apart


@pytest.fixture(params=LEVELS)
def isa(request):
    assert _kernel.use_isa(request.param)
    assert _kernel.isa() == request.param
    yield request.param
    _kernel.use_isa("best")


class Formula(RememberingTest):
    """A formula of the twin, with the plain searches and the ledger that every test has."""

    def __init__(self, data, test):
        super().__init__(test, data.names)
        self.data = data

    def decide(self, x, y, given):
        return answer(self.data, self.name, x, y, given)


def assert_same(native, twin):
    for name, a, b in zip(native._fields, native, twin, strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=ROUNDED, nan_ok=True), name


def everything(columns):
    """All pairs of columns, all joined."""
    x, y = np.triu_indices(columns, 1)
    return x, y, ~np.eye(columns, dtype=bool)


# -- counting ------------------------------------------------------------------------------------------------------


@given(coded(), st.permutations(range(5)), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_counts_equal_the_twins(data, order, k):
    x, y, *rest = order
    native = counts_of(data).table(x, y, rest[:k])
    twin = cells_of(data, x, y, rest[:k])
    for name in ("stratum", "x", "y", "n", "kx", "ky", "configurations"):
        np.testing.assert_array_equal(getattr(native, name), getattr(twin, name))
    assert native.total == data.n_rows
    rows = [tuple(int(data.columns[v][i]) for v in rest[:k]) for i in range(data.n_rows)]
    assert [tuple(levels) for levels in native.strata.tolist()] == sorted(set(rows))


# -- asking --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["g", "chi2"])
@pytest.mark.parametrize("df", DF)
@given(data=coded(), order=st.permutations(range(5)))
@settings(max_examples=40, deadline=None)
def test_answers_equal_the_twins(test, df, data, order):
    native = make_test(data, test, df=df)
    x, y, *rest = order
    for k in range(4):
        assert_same(native.ask(x, y, tuple(rest[:k])), answer(data, test, x, y, tuple(rest[:k]), df=df))
    assert native.ledger.n_tests == 4


@pytest.mark.parametrize("rows", [63, 64, 65, 511, 1000, 9000])
@pytest.mark.parametrize("states", [[2, 3, 4, 2, 3], [16, 16, 3, 2, 2], [17, 5, 11, 2, 9], [300, 4, 2, 3, 2]])
def test_every_instruction_set_counts_the_same(isa, rows, states):
    data = make_coded(rows, rows, states, 0.7)
    native = make_test(data, "g", df="full")
    for given_ in [(), (2,), (2, 3), (2, 3, 4)]:
        assert_same(native.ask(0, 1, given_), answer(data, "g", 0, 1, given_, df="full"))


# Bits or rows, by cost; several stretches of bits; pair tables are kept for up to 2000 columns only.
@pytest.mark.parametrize(("columns", "rows"), [(6, 300), (6, 5000), (6, 40_000), (2001, 5000)])
@pytest.mark.parametrize("states", [[2, 2, 2, 2, 2, 2], [3, 2, 4, 2, 3, 2], [2, 5, 3, 1, 2, 2]])
def test_bits_and_rows_count_the_same(isa, columns, rows, states):
    data = make_coded(rows, rows, states, 0.6)
    more = columns - 6
    data = dataset_of([*data.columns, *[data.columns[0]] * more], [*states, *[states[0]] * more])
    for test in ("g", "chi2"):
        native = make_test(data, test)
        for given_ in [(2,), (3, 2), (2, 4), (5, 4, 2), (5, 2, 4, 3)]:
            for x, y in [(0, 1), (1, 0)]:
                assert_same(native.ask(x, y, given_), answer(data, test, x, y, given_))


def test_a_batch_equals_single_questions():
    data = make_coded(9, 700, [2, 3, 4, 2, 3, 2], 0.6)
    rng = np.random.default_rng(1)
    for order in range(4):
        batch, single = make_test(data, "g"), make_test(data, "g")
        questions = np.array([rng.permutation(6)[: order + 2] for _ in range(2500)])
        answers = batch.ask_many(questions[:, 0], questions[:, 1], questions[:, 2:])
        for i, (x, y, *given_) in enumerate(questions.tolist()):
            assert answers.one(i) == single.ask(x, y, tuple(given_))
        assert batch.ledger.by_order == single.ledger.by_order
        assert batch.ledger.n_calls == 2500


def test_repeated_questions_are_counted_once():
    test = make_test(make_coded(9, 300, [2, 3, 2, 2], 1.0), "g")
    assert test.ask(0, 1, (2, 3)) == test.ask(1, 0, (3, 2))
    assert (test.ledger.n_calls, test.ledger.n_tests) == (2, 1)
    x, y, nothing = np.array([0, 1, 0, 2]), np.array([1, 0, 2, 0]), np.zeros((4, 0), dtype=int)
    test.ask_many(x, y, nothing)
    assert test.ledger.by_order[0][:2] == (4, 2)
    test.ask_many(x, y, nothing)
    assert test.ledger.by_order[0][:2] == (8, 2)


@pytest.mark.parametrize(
    ("sparse", "per", "decision"),
    [("test", "cell", 1), ("independent", "cell", 0), ("undecidable", "cell", 2), ("undecidable", "dof", 2)],
)
def test_thin_tables(sparse, per, decision):
    data = dataset_of([np.array([0, 0, 1, 1] * 3)] * 2, [2, 2])
    rule = {"df": "full", "sparse": sparse, "min_samples": 13, "per": per}
    for outcome in (make_test(data, "g", **rule).ask(0, 1), answer(data, "g", 0, 1, **rule)):
        assert outcome.decision == decision
        assert outcome.flags & THIN


@pytest.mark.parametrize("test", ["g", "chi2"])
def test_constant_columns_are_independent_of_everything(test):
    data = dataset_of([np.zeros(50, dtype=int), np.arange(50) % 3, np.ones(50, dtype=int)], [3, 3, 2])
    for outcome in (make_test(data, test).ask(0, 1, (2,)), answer(data, test, 0, 1, (2,))):
        assert outcome[:3] == (0.0, 0.0, 1.0)
        assert outcome.independent
        assert outcome.flags & CONSTANT


def test_many_wide_conditioners_take_kilobytes():
    # 11^12 configurations: a dense table would need terabytes, and 24 such conditioners leave 64 bits behind.
    data = make_coded(1, 1000, [11] * 26, 1.0)
    native = make_test(data, "g")
    for k in (12, 24):
        given_ = tuple(range(2, 2 + k))
        assert_same(native.ask(0, 1, given_), answer(data, "g", 0, 1, given_))
    outcome = make_test(data, "g", df="full").ask(0, 1, tuple(range(2, 26)))
    assert outcome.dof == pytest.approx(100 * 11.0**24)
    assert outcome.p_value == 1


def test_a_hundred_thousand_levels():
    rows = 100_000
    names = np.arange(rows)
    test = make_test(dataset_of([names, names[::-1], names % 2], [rows, rows, 2]), "g")
    outcome = test.ask(0, 1)
    assert outcome.statistic == pytest.approx(2 * rows * math.log(rows))
    assert outcome.dof == (rows - 1) ** 2
    assert test.ask(0, 1, (2,)).statistic == pytest.approx(2 * rows * math.log(rows / 2))


# -- searching -----------------------------------------------------------------------------------------------------


@given(
    coded(columns=6),
    st.sampled_from(["g", "chi2"]),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=80, deadline=None)
def test_search_equals_the_twins(data, test, order, either_end, seed):
    rng = np.random.default_rng(seed)
    adjacency = np.triu(rng.random((6, 6)) < 0.7, 1)
    adjacency |= adjacency.T
    x, y = np.nonzero(np.triu(adjacency))
    owner = None if either_end else np.where(rng.random(len(x)) < 0.5, x, y)
    native, twin = make_test(data, test, threads=2), Formula(data, test)
    a, b = (t.search(x, y, owner, adjacency, order) for t in (native, twin))
    assert native.ledger.by_order == twin.ledger.by_order
    assert (a.found == b.found).all()
    assert (a.asked == b.asked).all()
    # Where nothing separated, ties in p decide which set came nearest, and a tie is broken by the last bit.
    assert (a.given[a.found] == b.given[b.found]).all()
    for one, other in zip(a.answers[:5], b.answers[:5], strict=True):
        np.testing.assert_allclose(one[a.found], other[b.found], rtol=1e-9, atol=ROUNDED)
    near = a.asked
    np.testing.assert_allclose(a.answers.nearness[near], b.answers.nearness[near], rtol=1e-9, atol=ROUNDED)


def test_merged_rows_change_no_bit():
    # Order 2 on many rows goes through merged families; a single question does not.
    data = make_coded(3, 3000, [2, 3, 2, 3, 2, 4], 0.5)
    single = make_test(data, "g")
    x, y, joined = everything(6)
    found = make_test(data, "g").search(x, y, x, joined, 2)
    for i in range(len(x)):
        assert single.ask(int(x[i]), int(y[i]), tuple(found.given[i].tolist())) == found.answers.one(i)


@pytest.mark.parametrize(("rows", "weighted"), [(300, False), (3000, False), (30_000, False), (3000, True)])
def test_many_sets_for_a_pair_are_answered_as_each_alone(rows, weighted):
    data = paucal.load_network("asia").sample(rows, seed=3)
    data = data.counted() if weighted else data
    together, alone = make_test(data, "g"), make_test(data, "g")
    for columns, order in ((6, 2), (8, 2), (8, 3), (8, 4), (7, 3)):  # rows merged for one call may serve the next
        pairs = [(0, 1), (5, 2)]
        others = [sorted(set(range(columns)) - set(pair)) for pair in pairs]
        sets = np.array(
            [(*pair, *z) for pair, rest in zip(pairs, others, strict=True) for z in combinations(rest, order)]
        )
        answers = together.ask_many(sets[:, 0], sets[:, 1], sets[:, 2:])
        for i, (x, y, *given_) in enumerate(sets.tolist()):
            assert alone.ask(x, y, tuple(given_)) == answers.one(i)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_no_bit(threads):
    data = make_coded(5, 4000, [2, 3, 4, 2, 3, 2, 4, 3, 2, 2, 3, 5], 0.5)
    one, many = make_test(data, "g"), make_test(data, "g", threads=threads)
    x, y, joined = everything(data.n_columns)
    for order in range(4):
        a, b = (test.search(x, y, x, joined, order) for test in (one, many))
        for part, other in zip([*a[:3], *a.answers], [*b[:3], *b.answers], strict=True):
            np.testing.assert_array_equal(part, other)
    rng = np.random.default_rng(0)
    asked = np.array([rng.permutation(data.n_columns)[:4] for _ in range(5000)])
    a, b = (test.ask_many(asked[:, 0], asked[:, 1], asked[:, 2:]) for test in (one, many))
    for part, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(part, other)
    assert one.ledger.by_order == many.ledger.by_order
