"""The Monte Carlo permutation test against enumeration, its twin, and its promises."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from coded_data import coded, make_coded, rows_of
from paucal.errors import ParameterError
from paucal.independence.answers import CONSTANT, POWERLESS
from small_tables import chance, random_table, tables_with
from twin.asking import STATISTICS, answer
from twin.moments import smoothed_chi2
from twin.shuffle import permutation_smallest
from twin.tables import cells_of

INNER = {
    "g": {"df": "full"},
    "chi2": {},
    "chi2-perm": {},
    "bf": {},
    "bf-chi2": {},
    "mi-adaptive": {"arrange": "index"},
}


@pytest.mark.parametrize("inner", INNER)
@given(data=coded(columns=4, most_rows=60), order=st.permutations(range(4)), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=12, deadline=None)
def test_answers_equal_the_twins(inner, data, order, seed):
    # to the last permutation: the twin draws the same random numbers
    drawing = {"permutations": 30, "exceedances": 8, "seed": seed}
    statistic = paucal.make_test(data, inner, **INNER[inner])
    native = paucal.make_test(data, "permutation", statistic=statistic, **drawing)
    formula = partial(STATISTICS[inner], **INNER[inner])
    x, y, *rest = order
    for k in range(3):
        given_ = tuple(rest[:k])
        a = native.ask(x, y, given_)
        b = answer(data, "permutation", x, y, given_, statistic=formula, **drawing)
        assert a[:7] == pytest.approx(b[:7], rel=1e-9, abs=1e-9, nan_ok=True)
        if a.flags & CONSTANT:
            assert b.flags & CONSTANT
            continue
        p = native.smallest_p_value(*(data.names[v] for v in (x, y)), [data.names[v] for v in given_])
        assert p == pytest.approx(permutation_smallest(cells_of(data, x, y, given_), permutations=30), rel=1e-9)
        if abs(p - a.threshold) > 1e-9:  # chances such as 1/20 meet the level exactly, but for rounding
            assert a.flags == b.flags


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("relabelled", [False, True])
def test_p_is_the_share_of_all_permutations(seed, relabelled):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 13, (3, 3))
    every = list(tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist())))
    exact = sum(chance(t) for t in every if smoothed_chi2(t) >= smoothed_chi2(table) - 1e-9)
    if relabelled:  # so many empty levels that the kernel lists the cells instead of keeping an array of them
        wide = np.zeros((70, 70), dtype=int)
        wide[np.ix_([3, 50, 69], [0, 31, 33])] = table
        table = wide
    data = rows_of(table[None])
    m = 20_000
    got = paucal.ci_test(data, "x", "y", test="permutation", permutations=m, exceedances=m, seed=seed)
    assert got.p_value == pytest.approx(exact, abs=4.5 * math.sqrt(exact * (1 - exact) / m) + 1 / m)
    assert got.statistic == pytest.approx(smoothed_chi2(table[table.any(1)][:, table.any(0)]))


def test_two_strata_are_shuffled_each_on_its_own():
    strata = [np.array([[4, 1], [1, 3]]), np.array([[3, 1], [1, 2]])]
    values = [
        [(smoothed_chi2(t), chance(t)) for t in tables_with(tuple(s.sum(1).tolist()), tuple(s.sum(0).tolist()))]
        for s in strata
    ]
    observed = sum(map(smoothed_chi2, strata)) - 1e-9
    exact = min(1.0, sum(p * q for a, p in values[0] for b, q in values[1] if a + b >= observed))
    m = 20_000
    got = paucal.ci_test(rows_of(strata), "x", "y", ["z"], test="permutation", permutations=m, exceedances=m, seed=1)
    assert got.p_value == pytest.approx(exact, abs=4.5 * math.sqrt(exact * (1 - exact) / m) + 1 / m)


def test_equal_strata_do_not_move_alike():
    stratum = [[2, 1], [1, 2]]
    twice = rows_of([stratum, stratum])
    m = 20_000
    got = paucal.ci_test(twice, "x", "y", ["z"], test="permutation", permutations=m, exceedances=m)
    # one stratum: n_11 = 0, 1, 2, 3 with chances 1, 9, 9, 1 of 20; at least as extreme in sum as (2, 2) is everything
    assert got.p_value == 1
    extreme = rows_of([[[3, 0], [0, 3]]] * 2)
    got = paucal.ci_test(extreme, "x", "y", ["z"], test="permutation", permutations=m, exceedances=m)
    assert got.p_value == pytest.approx(0.01, abs=4.5 * math.sqrt(0.01 / m))  # 0.1 if they moved alike


def test_stopping_early_and_late():
    data = rows_of([[[9, 1], [1, 9]]])
    often = paucal.ci_test(data, "x", "y", test="permutation", permutations=499, exceedances=5)
    assert often.p_value * 500 == pytest.approx(round(often.p_value * 500))
    assert 1 / 500 <= often.p_value < 0.05
    nothing = rows_of([[[5, 5], [5, 5]]])
    assert paucal.ci_test(nothing, "x", "y", test="permutation", exceedances=5).p_value == 1
    some = rows_of([[[6, 4], [4, 6]]])
    soon, late = (
        paucal.ci_test(some, "x", "y", test="permutation", permutations=9999, exceedances=h).p_value for h in (7, 9999)
    )
    assert (7 / soon) == pytest.approx(round(7 / soon))
    assert soon == pytest.approx(late, rel=0.8)


def test_p_never_decreases_with_less_dependence_and_is_never_zero():
    p = [
        paucal.ci_test(rows_of([[[15 + d, 15 - d], [15 - d, 15 + d]]]), "x", "y", test="permutation").p_value
        for d in range(16)
    ]
    assert p == sorted(p, reverse=True)
    assert p[0] == 1
    assert p[-1] == 1 / 2000


def test_rows_threads_and_order_of_questions_change_nothing():
    dataset = make_coded(2, 300, [2, 3, 3, 2, 4], 1.0)
    shuffled = dataset.take(np.random.default_rng(1).permutation(300))
    questions = [
        (x, y, tuple(z for z in range(5) if z not in (x, y))[:k]) for x in range(5) for y in range(x) for k in (0, 1, 3)
    ]

    def answers(of, asked):
        test = paucal.make_test(of, "permutation", permutations=99, exceedances=99)
        return {q: test.ask(*q) for q in asked}

    first = answers(dataset, questions)
    assert len({round(a.p_value, 6) for a in first.values()}) > 5
    for other in (answers(shuffled, questions), answers(dataset, questions[::-1])):
        for question in questions:
            np.testing.assert_allclose(first[question], other[question], rtol=1e-9)
    swapped = paucal.make_test(dataset, "permutation", permutations=99, exceedances=99)
    x, y, z = questions[-1]
    np.testing.assert_array_equal(swapped.ask(y, x, z[::-1]), first[questions[-1]])
    pairs = [np.array([q[i] for q in questions if len(q[2]) == 1], dtype=np.uint32) for i in (0, 1)]
    given_ = np.array([q[2] for q in questions if len(q[2]) == 1], dtype=np.uint32)
    for threads in (1, 4):
        many = paucal.make_test(dataset, "permutation", permutations=99, exceedances=99, threads=threads)
        got = many.ask_many(*pairs, given_)
        assert got.p_value.tolist() == [first[q].p_value for q in questions if len(q[2]) == 1]


@pytest.mark.parametrize("inner", ["g", "chi2", "chi2-perm", "bf"])
@given(data=coded(columns=4, most_rows=80), shuffling=st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_order_of_levels_and_columns_changes_nothing(inner, data, shuffling):
    order = list(range(4))
    shuffling.shuffle(order)
    columns = []
    for codes, k in zip(data.columns, data.cardinalities, strict=True):
        renumbered = list(range(k))
        shuffling.shuffle(renumbered)
        columns.append(np.array(renumbered)[codes])
    other = paucal.Dataset.from_codes(
        [columns[i] for i in order], [data.names[i] for i in order], [data.levels[i] for i in order]
    )
    told = {"permutations": 99, "exceedances": 20, "seed": 7}
    first, second = (
        paucal.make_test(of, "permutation", statistic=paucal.make_test(of, inner), **told) for of in (data, other)
    )
    for k in range(3):
        x, y, *among = data.names[: 2 + k]
        one, two = (test.ask(test.index(x), test.index(y), tuple(map(test.index, among))) for test in (first, second))
        assert one.p_value == pytest.approx(two.p_value, abs=1e-12, nan_ok=True)


def test_seeds_differ():
    data = rows_of([[[6, 4], [3, 7]]])
    p = {paucal.ci_test(data, "x", "y", test="permutation", exceedances=999, seed=s).p_value for s in range(5)}
    assert len(p) > 1
    assert max(p) - min(p) < 0.08


@pytest.mark.parametrize("statistic", ["g", "chi2", "chi2-perm"])
def test_the_level_holds_for_any_statistic(statistic):
    rng = np.random.default_rng(8)
    cells = np.einsum("s,i,j->sij", [0.5, 0.3, 0.2], [0.7, 0.2, 0.1], [0.5, 0.5]).ravel()
    tables = rng.multinomial(30, cells, size=2500).reshape(-1, 3, 3, 2).astype(np.uint32)
    test = paucal.make_test(rows_of(tables[0]), "permutation", statistic=statistic, permutations=79, exceedances=16)
    p = test.read(tables, 1).p_value
    for alpha in (0.05, 0.2, 0.5):
        assert (p <= alpha).mean() < alpha + 4 * math.sqrt(alpha * (1 - alpha) / len(p))
    assert (p <= 0.2).mean() > 0.1


def test_close_to_the_moments():
    rng = np.random.default_rng(5)
    tables = rng.multinomial(80, np.full(18, 1 / 18), size=60).reshape(-1, 2, 3, 3).astype(np.uint32)
    data = rows_of(tables[0])
    drawn = paucal.make_test(data, "permutation", permutations=4999, exceedances=4999).read(tables, 1).p_value
    moments = paucal.make_test(data, "chi2-perm").read(tables, 1).p_value
    assert np.abs(drawn - moments).max() < 0.03
    assert np.abs(drawn - moments).mean() < 0.008


def test_what_cannot_be_decided():
    tiny = rows_of([[[2, 0], [0, 2]]])  # 6 arrangements: no p-value below 1/6
    result = paucal.ci_test(tiny, "x", "y", test="permutation")
    assert (result.decision, result.reliable) == ("independent", False)
    assert result.reasons == ("no data with these margins could reach the level",)
    assert paucal.ci_test(tiny, "x", "y", test="permutation", undecidable="act").decision == "undecidable"
    assert paucal.make_test(tiny, "permutation").smallest_p_value("x", "y") == pytest.approx(1 / 6)
    # three such strata: 1/216
    three = paucal.make_test(rows_of([[[2, 0], [0, 2]]] * 3), "permutation")
    assert three.smallest_p_value("x", "y", ["z"]) == pytest.approx(1 / 216)
    assert three("x", "y", ["z"]).decision == "dependent"
    alone = paucal.ci_test(rows_of([[[3, 0], [0, 0]], [[0, 0], [0, 4]]]), "x", "y", ["z"], test="permutation")
    assert (alone.p_value, alone.decision, alone.reliable) == (1, "independent", False)


@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
@settings(max_examples=60, deadline=None)
def test_no_table_is_rarer_than_the_bound(seed, n):
    table = random_table(np.random.default_rng(seed), n, (3, 3))
    every = tables_with(tuple(table.sum(1).tolist()), tuple(table.sum(0).tolist()))
    bound = paucal.make_test(rows_of([table]), "permutation", permutations=2**32 - 1).smallest_p_value("x", "y")
    assert bound <= min(map(chance, every)) * (1 + 1e-9)


def test_a_finished_test_keeps_its_parameters():
    data = rows_of([[[6, 2], [2, 6]]])
    inner = paucal.make_test(data, "g", df="full", min_samples=1000)
    outer = paucal.make_test(data, "permutation", statistic=inner)
    result = outer("x", "y")
    assert result.reliable
    assert result.statistic == inner("x", "y").statistic
    assert outer.parameters["statistic"] == "g"


def test_a_test_on_other_data_is_refused():
    other = paucal.make_test(rows_of([[[1, 2], [3, 4]]]), "g")
    with pytest.raises(ParameterError, match="a test on other data"):
        paucal.make_test(rows_of([[[3, 1], [1, 3]]]), "permutation", statistic=other)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"permutations": 0}, "permutations=0 is not a whole number from 1"),
        ({"permutations": 2.5}, "permutations=2.5"),
        ({"permutations": 18}, "Take at least 20 permutations"),
        ({"permutations": 98, "alpha": "by-order"}, "alpha is 0.01"),
        ({"exceedances": 0}, "exceedances=0"),
        ({"seed": -1}, "seed=-1 is not a whole number from 0"),
        ({"statistic": "permutation"}, "cannot permute itself"),
        ({"statistic": "chi"}, "There is no test 'chi'"),
        ({"statistic": lambda *_: 0.5}, "is not computed by the kernel"),
        ({"undecidable": "no"}, "undecidable='no'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(paucal.errors.PaucalError, match=message) as caught:
        paucal.make_test(rows_of([[[3, 1], [1, 3]]]), "permutation", **parameters)
    assert isinstance(caught.value, ParameterError) or "There is no test" in message


def test_a_chance_that_equals_the_level_reaches_it():
    # One sample of n has a level of its own: the rarest table has the chance 1/n. Computed, it may lie a little above.
    for n in range(3, 120):
        table = np.array([[1, 0], [n // 2 - 1, n - n // 2]])
        data = rows_of(table[None])
        for test, options in (("permutation", {"statistic": "g"}), ("chi2-perm", {"guard": True})):
            made = paucal.make_test(data, test, alpha=1 / n, **options)
            if made.smallest_p_value("x", "y") == pytest.approx(1 / n, rel=1e-12):
                assert not made.ask(made.index("x"), made.index("y")).flags & POWERLESS, (n, test)
