"""The native kernel against its readable twin, on every instruction set this machine has."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coded_data import Coded, coded, make_coded
from paucal import _kernel, _reference

DF = ["full", "nonempty", "adjusted"]
LEVELS = [name for name in ("portable", "v2", "v3") if _kernel.use_isa(name)]
_kernel.use_isa("best")


@pytest.fixture(params=LEVELS)
def isa(request):
    assert _kernel.use_isa(request.param)
    assert _kernel.isa() == request.param
    yield request.param
    _kernel.use_isa("best")


def both(data: Coded, method: str, df: str = "full", sparse: str = "test", least: float = 5.0, per_dof=False):
    made = []
    for module in (_kernel, _reference):
        columns = module.Columns(data.columns, data.states, data.rows)
        build = getattr(module.Tester, method)
        made.append(build(columns, 0.05, module.DofRule[df], module.Sparse[sparse], least, per_dof))
    return made


ROUNDED = 1e-7  # a statistic of 0 and one of 1e-15 are the same sum rounded, and have p-values 3e-8 apart


def assert_same(native, reference):
    for a, b in zip(native, reference, strict=True):
        assert (math.isnan(a) and math.isnan(b)) or a == pytest.approx(b, rel=1e-9, abs=ROUNDED)


def sorted_cells(count):
    """Cells by (first row of the stratum's configuration, x, y): strata are numbered differently."""
    stratum, x, y, n, first = count
    return sorted(zip(first[stratum].tolist(), x.tolist(), y.tolist(), n.tolist(), strict=True))


@given(coded(), st.permutations(range(5)), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_counts_equal_the_twins(data, order, k):
    x, y, *rest = order
    native = _kernel.Columns(data.columns, data.states, data.rows).count(x, y, tuple(rest[:k]))
    reference = _reference.Columns(data.columns, data.states, data.rows).count(x, y, tuple(rest[:k]))
    assert sorted_cells(native) == sorted_cells(reference)
    assert native[3].sum() == data.rows


@pytest.mark.parametrize("method", ["g", "chi2"])
@pytest.mark.parametrize("df", DF)
@given(data=coded(), order=st.permutations(range(5)))
@settings(max_examples=40, deadline=None)
def test_answers_equal_the_twins(method, df, data, order):
    native, reference = both(data, method, df)
    x, y, *rest = order
    for k in range(4):
        (a, fresh_a), (b, fresh_b) = (t.ask(x, y, tuple(rest[:k])) for t in (native, reference))
        assert_same(a, b)
        assert fresh_a and fresh_b


@pytest.mark.parametrize("rows", [63, 64, 65, 511, 1000, 9000])
@pytest.mark.parametrize("states", [[2, 3, 4, 2, 3], [16, 16, 3, 2, 2], [17, 5, 11, 2, 9], [300, 4, 2, 3, 2]])
def test_every_instruction_set_counts_the_same(isa, rows, states):
    data = make_coded(rows, rows, states, 0.7)
    native, reference = both(data, "g")
    for given_ in [(), (2,), (2, 3), (2, 3, 4)]:
        assert_same(native.ask(0, 1, given_)[0], reference.ask(0, 1, given_)[0])


# Bits or rows, by cost; several stretches of bits; pair tables are kept for up to 2000 columns only.
@pytest.mark.parametrize(("columns", "rows"), [(6, 300), (6, 5000), (6, 40_000), (2001, 5000)])
@pytest.mark.parametrize("states", [[2, 2, 2, 2, 2, 2], [3, 2, 4, 2, 3, 2], [2, 5, 3, 1, 2, 2]])
def test_bits_and_rows_count_the_same(isa, columns, rows, states):
    data = make_coded(rows, rows, states, 0.6)
    more = Coded(
        [*data.columns, *[data.columns[0]] * (columns - 6)], [*states, *[states[0]] * (columns - 6)], rows
    )
    for method in ("g", "chi2"):
        native, reference = both(more, method, "adjusted")
        for given_ in [(2,), (3, 2), (2, 4), (5, 4, 2), (5, 2, 4, 3)]:
            for x, y in [(0, 1), (1, 0)]:
                assert_same(native.ask(x, y, given_)[0], reference.ask(x, y, given_)[0])


def test_a_batch_equals_single_questions():
    data = make_coded(9, 700, [2, 3, 4, 2, 3, 2], 0.6)
    rng = np.random.default_rng(1)
    for order in range(4):
        batch, single = both(data, "g")[0], both(data, "g")[0]
        questions = np.array([rng.permutation(6)[: order + 2] for _ in range(2500)], dtype=np.uint32)
        x, y, z = (
            np.ascontiguousarray(part) for part in (questions[:, 0], questions[:, 1], questions[:, 2:])
        )
        outcomes, tally = batch.ask_many(x, y, z, 1)
        asked = [single.ask(*map(int, q[:2]), tuple(map(int, q[2:]))) for q in questions]
        for i, (outcome, _) in enumerate(asked):
            assert [array[i] for array in outcomes] == list(outcome)
        assert tally[:2] == (2500, sum(fresh for _, fresh in asked))


@given(
    coded(columns=6),
    st.sampled_from(["g", "chi2"]),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=80, deadline=None)
def test_search_equals_the_twins(data, method, order, either_end, seed):
    rng = np.random.default_rng(seed)
    adjacency = np.triu(rng.random((6, 6)) < 0.7, 1)
    adjacency = (adjacency | adjacency.T).astype(np.uint8)
    x, y = (v.astype(np.uint32) for v in np.nonzero(np.triu(adjacency)))
    owner = None if either_end else np.where(rng.random(len(x)) < 0.5, x, y).astype(np.uint32)
    native, reference = both(data, method, "adjusted")
    found_a, asked_a, sets_a, outcomes_a, tally_a = native.search(x, y, owner, adjacency, order, 2)
    found_b, asked_b, sets_b, outcomes_b, tally_b = reference.search(x, y, owner, adjacency, order, 1)
    assert tally_a == tally_b
    assert (found_a == found_b).all()
    assert (asked_a == asked_b).all()
    # Where nothing separated, ties in p decide which set came nearest, and a tie is broken by the last bit.
    assert (sets_a[found_a > 0] == sets_b[found_b > 0]).all()
    for a, b in zip(outcomes_a[:5], outcomes_b[:5], strict=True):
        np.testing.assert_allclose(a[found_a > 0], b[found_b > 0], rtol=1e-9, atol=ROUNDED)
    np.testing.assert_allclose(outcomes_a[4], outcomes_b[4], rtol=1e-9, atol=ROUNDED)


def test_merged_rows_change_no_bit():
    # Order 2 on many rows goes through merged families; a single question does not.
    data = make_coded(3, 3000, [2, 3, 2, 3, 2, 4], 0.5)
    native, _ = both(data, "g", "adjusted")
    single, _ = both(data, "g", "adjusted")
    adjacency = (1 - np.eye(6)).astype(np.uint8)
    x, y = (v.astype(np.uint32) for v in np.nonzero(np.triu(adjacency)))
    _, _, sets, outcomes, _ = native.search(x, y, x, adjacency, 2, 1)
    for i in range(len(x)):
        outcome, _ = single.ask(int(x[i]), int(y[i]), tuple(map(int, sets[i])))
        assert outcome[0] == outcomes[0][i]
        assert outcome[2] == outcomes[2][i]


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_no_bit(threads):
    data = make_coded(5, 4000, [2, 3, 4, 2, 3, 2, 4, 3, 2, 2, 3, 5], 0.5)
    p = len(data.states)
    adjacency = (1 - np.eye(p)).astype(np.uint8)
    x, y = (v.astype(np.uint32) for v in np.nonzero(np.triu(adjacency)))
    one, _ = both(data, "g", "adjusted")
    many, _ = both(data, "g", "adjusted")
    for order in range(4):
        for a, b in zip(
            _flat(one.search(x, y, x, adjacency, order, 1)),
            _flat(many.search(x, y, x, adjacency, order, threads)),
            strict=True,
        ):
            np.testing.assert_array_equal(a, b)
    rng = np.random.default_rng(0)
    asked = np.array([rng.permutation(p)[:4] for _ in range(5000)], dtype=np.uint32)
    columns = (np.ascontiguousarray(asked[:, i]) for i in (0, 1))
    x, y = columns
    z = np.ascontiguousarray(asked[:, 2:])
    for a, b in zip(_flat(one.ask_many(x, y, z, 1)), _flat(many.ask_many(x, y, z, threads)), strict=True):
        np.testing.assert_array_equal(a, b)


def _flat(result):
    for part in result:
        if isinstance(part, tuple):
            yield from _flat(part)
        else:
            yield part


def test_many_wide_conditioners_take_kilobytes():
    # 11^12 configurations: a dense table would need terabytes, and 24 such conditioners leave 64 bits behind.
    data = make_coded(1, 1000, [11] * 26, 1.0)
    native, reference = both(data, "g", "adjusted")
    for k in (12, 24):
        given_ = tuple(range(2, 2 + k))
        assert_same(native.ask(0, 1, given_)[0], reference.ask(0, 1, given_)[0])
    full, _ = both(data, "g", "full")
    outcome, _ = full.ask(0, 1, tuple(range(2, 26)))
    assert outcome[1] == pytest.approx(100 * 11.0**24)
    assert outcome[2] == 1


def test_a_hundred_thousand_levels():
    rows = 100_000
    names = np.arange(rows, dtype=np.uint32)
    halves = (names % 2).astype(np.uint8)
    columns = _kernel.Columns([names, names[::-1].copy(), halves], [rows, rows, 2], rows)
    tester = _kernel.Tester.g(columns, 0.05, _kernel.DofRule.adjusted, _kernel.Sparse.test, 5.0, False)
    outcome, _ = tester.ask(0, 1, ())
    assert outcome[0] == pytest.approx(2 * rows * math.log(rows))
    assert outcome[1] == (rows - 1) ** 2
    outcome, _ = tester.ask(0, 1, (2,))
    assert outcome[0] == pytest.approx(2 * rows * math.log(rows / 2))


def test_repeated_questions_are_counted_once():
    data = make_coded(9, 300, [2, 3, 2, 2], 1.0)
    native, _ = both(data, "g")
    first, fresh = native.ask(0, 1, (2, 3))
    again, still_fresh = native.ask(1, 0, (3, 2))
    assert fresh
    assert not still_fresh
    assert first == again
    x = np.array([0, 1, 0, 2], dtype=np.uint32)
    y = np.array([1, 0, 2, 0], dtype=np.uint32)
    nothing = np.zeros((4, 0), dtype=np.uint32)
    _, tally = native.ask_many(x, y, nothing, 1)
    assert tally[:2] == (4, 2)
    _, tally = native.ask_many(x, y, nothing, 1)
    assert tally[:2] == (4, 0)


@pytest.mark.parametrize(
    ("sparse", "per_dof", "decision"),
    [("test", False, 1), ("independent", False, 0), ("undecidable", False, 2), ("undecidable", True, 2)],
)
def test_thin_tables(sparse, per_dof, decision):
    data = Coded([np.array([0, 0, 1, 1] * 3, dtype=np.uint8)] * 2, [2, 2], 12)
    for tester in both(data, "g", "full", sparse, least=13.0, per_dof=per_dof):
        outcome, _ = tester.ask(0, 1, ())
        assert outcome[6] == decision
        assert outcome[7] & 1


def test_constant_columns_are_independent_of_everything():
    data = Coded(
        [np.zeros(50, dtype=np.uint8), np.arange(50, dtype=np.uint8) % 3, np.ones(50, dtype=np.uint8)],
        [3, 3, 2],
        50,
    )
    for method in ("g", "chi2"):
        for tester in both(data, method):
            outcome, _ = tester.ask(0, 1, (2,))
            assert outcome[:3] == (0.0, 0.0, 1.0)
            assert outcome[6] == 0
            assert outcome[7] & 8


@pytest.mark.parametrize(
    ("columns", "states", "rows", "error"),
    [
        ([np.array([0, 5], dtype=np.uint8)], [3], 2, ValueError),
        ([np.array([0, 1], dtype=np.uint8)], [2], 3, ValueError),
        ([np.array([0, 1], dtype=np.uint8)], [2, 2], 2, ValueError),
        ([np.array([0, 1], dtype=np.float64)], [2], 2, TypeError),
    ],
)
def test_the_kernel_refuses_what_it_cannot_count(columns, states, rows, error):
    with pytest.raises(error):
        _kernel.Columns(columns, states, rows)


def test_the_kernel_checks_every_column_number():
    data = make_coded(1, 20, [2, 2, 2], 1.0)
    native, _ = both(data, "g")
    bad = np.array([7], dtype=np.uint32)
    zero = np.array([0], dtype=np.uint32)
    empty = np.zeros((1, 0), dtype=np.uint32)
    with pytest.raises(IndexError):
        native.ask(0, 3, ())
    with pytest.raises(IndexError):
        native.ask(0, 1, (9,))
    with pytest.raises(IndexError):
        native.ask_many(zero, bad, empty, 1)
    with pytest.raises(IndexError):
        native.first_separator(0, 1, [5], 1)
    with pytest.raises(IndexError):
        native.search(zero, bad, zero, np.zeros((3, 3), dtype=np.uint8), 0, 1)


def test_the_twin_can_run_the_product():
    code = (
        "import json, paucal\n"
        "from paucal.kernel import describe\n"
        "data = paucal.load_network('asia').sample(200, seed=5)\n"
        "result = paucal.ci_test(data, 'smoke', 'dysp', ['bronc', 'lung'])\n"
        "print(json.dumps([describe()['kernel'], result.statistic, result.dof, result.p_value, result.decision]))"
    )
    said = {}
    for kernel in ("native", "python"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PAUCAL_KERNEL": kernel},
        )
        said[kernel] = json.loads(done.stdout)
    assert (said["native"][0], said["python"][0]) == ("kernel", "reference")
    assert said["native"][1:] == pytest.approx(said["python"][1:])
    wrong = {**os.environ, "PAUCAL_KERNEL": "fast"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=wrong
    )
    assert "It may be 'native' or 'python'." in done.stderr
