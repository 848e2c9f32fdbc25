"""Searches that run in the kernel, against the same written out one question or one move at a time."""

from __future__ import annotations

from itertools import combinations, count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import _kernel
from paucal.graphs.acyclic import topological_order
from paucal.independence.answers import Around
from paucal.independence.protocol import CITest
from paucal.search.by_scores.scores import Scorer
from paucal.search.by_tests.mmpc import Mmpc
from paucal.search.run import SearchRun
from search_data import datasets, dependent_columns

SEEDS = st.integers(0, 2**32 - 1)


def symmetric(rng, n, density):
    upper = np.triu(rng.random((n, n)) < density, 1)
    return upper | upper.T


@given(SEEDS, st.integers(2, 9), st.integers(0, 4), st.integers(1, 7))
@settings(max_examples=150, deadline=None)
def test_sets_around_pairs(seed, n, order, at_once):
    rng = np.random.default_rng(seed)
    neighbours = rng.random((n, n)) < 0.5
    np.fill_diagonal(neighbours, val=False)
    order = min(order, n)
    pairs = np.array([pair for pair in combinations(range(n), 2) if rng.random() < 0.5], dtype=np.uint32).reshape(-1, 2)
    expected = []
    for number, (a, b) in enumerate(pairs.tolist()):
        of_a = list(combinations(np.flatnonzero(neighbours[a]).tolist(), order))
        of_b = combinations(np.flatnonzero(neighbours[b]).tolist(), order)
        expected += [(number, *one) for one in of_a] + [(number, *one) for one in of_b if one not in set(of_a)]
    sets, found = _kernel.SetsAround(pairs, neighbours.view(np.uint8), order), []
    while True:
        numbers, given_ = sets.next(at_once)
        assert given_.shape == (len(numbers), order)
        found += [(number, *one) for number, one in zip(numbers.tolist(), given_.tolist(), strict=True)]
        if len(numbers) < at_once:
            break
    assert found == expected
    assert not len(sets.next(1)[0])


def test_sets_around_refuse_what_makes_no_sense():
    pair, around = np.array([[0, 1]], dtype=np.uint32), np.zeros((3, 3), dtype=np.uint8)
    for pairs, neighbours, order in (
        (np.array([[0, 3]], dtype=np.uint32), around, 0),
        (np.array([[0, 1, 2]], dtype=np.uint32), around, 0),
        (pair, around[:2], 0),
        (pair, around, -1),
        (pair, around, 4),
    ):
        with pytest.raises((ValueError, IndexError), match=r"."):
            _kernel.SetsAround(pairs, np.ascontiguousarray(neighbours), order)
    with pytest.raises(ValueError, match="most is 0"):
        _kernel.SetsAround(pair, around, 0).next(0)


def same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@given(datasets(most_rows=120), SEEDS, st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_thinning_is_one_pair_after_the_other(data, seed, order):
    rng = np.random.default_rng(seed)
    n = data.n_columns
    order = min(order, n)
    around = symmetric(rng, n, 0.7) & (rng.random((n, n)) < 0.9)
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b and rng.random() < 0.7]
    x, y = np.array(pairs, dtype=np.uint32).reshape(-1, 2).T
    at_once, one_by_one = (paucal.make_test(data, "g", df="full") for _ in range(2))
    fast, slow = at_once.thin(x, y, around, order), CITest.thin(one_by_one, x, y, around, order)
    for name in ("found", "asked"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
    asked = fast.asked
    np.testing.assert_array_equal(fast.given[asked], slow.given[asked])
    same([numbers[asked] for numbers in fast.answers], [numbers[asked] for numbers in slow.answers])
    assert at_once.ledger.by_order == one_by_one.ledger.by_order
    assert list(at_once.ledger.records()) == list(one_by_one.ledger.records())


@given(datasets(most_rows=120), SEEDS, st.integers(1, 4), st.sampled_from([1, 3]))
@settings(max_examples=100, deadline=None)
def test_growing_sets_are_one_question_after_the_other(data, seed, most, threads):
    rng = np.random.default_rng(seed)
    n, around = data.n_columns, []
    for x in rng.permutation(n)[: rng.integers(n + 1)].tolist():
        others = [v for v in rng.permutation(n).tolist() if v != x]
        always = tuple(others[: rng.integers(2)])
        candidates = [v for v in others if v not in always and rng.random() < 0.6]
        around.append(Around(x, [v for v in others if v not in always and rng.random() < 0.7], candidates, always))
    at_once, one_by_one = (paucal.make_test(data, "g", df="full", threads=threads) for _ in range(2))
    for sizes in (range(1, most + 1), range(2, most + 1), range(1, most + 1)):  # the last from memory
        fast, slow = at_once.grow(around, sizes), CITest.grow(one_by_one, around, sizes)
        same([fast.found, fast.sizes, fast.nearness], [slow.found, slow.sizes, slow.nearness])
        for i, size in enumerate(fast.sizes.tolist()):
            assert fast.given[i, :size].tolist() == slow.given[i, :size].tolist()
    assert at_once.ledger.by_order == one_by_one.ledger.by_order
    # what decided something is kept: of each pair and order what came nearest, and whatever separates
    kept, every = (decisive(test.ledger.records()) for test in (at_once, one_by_one))
    assert kept == every


def decisive(records):
    """Give by pair and order the largest nearness, and by pair the sets that separate it."""
    nearest, apart = {}, set()
    for x, y, among, answer in records:
        pair = (min(x, y), max(x, y))
        nearest[pair, len(among)] = max(nearest.get((pair, len(among)), -np.inf), answer.nearness)
        if answer.independent:
            apart.add((pair, frozenset(among)))
    return nearest, apart


@given(datasets(most_rows=150), st.sampled_from([None, 1, 2]))
@settings(max_examples=40, deadline=None)
def test_neighbours_of_all_columns_are_those_of_each(data, max_order):
    test = paucal.make_test(data, "g")
    n = data.n_columns
    with SearchRun("mmhc", test) as run:
        together = Mmpc(run, run.limits, max_order)
        first = together._given_nothing()
        found = together.neighbours(list(range(n)), first)
        for target in range(n):
            alone = Mmpc(run, run.limits, max_order)
            assert alone.neighbours([target], first[[target]]) == [found[target]]


@given(datasets(most_rows=150), st.sampled_from([None, 0, 1, 2]), st.sampled_from([1, 3]))
@settings(max_examples=60, deadline=None)
def test_rounds_are_one_order_after_the_other(data, last, threads):
    n = data.n_columns
    joined = ~np.eye(n, dtype=bool)
    x, y = np.nonzero(np.triu(joined))
    at_once, one_by_one = (paucal.make_test(data, "g", df="full", threads=threads) for _ in range(2))
    done, finished = at_once.rounds(x, y, joined, last)
    assert finished
    for order in count():
        tried = one_by_one.search(x, y, None, joined, order)
        if (last is not None and order > last) or not tried.asked.any():
            assert len(done) == order
            break
        a, b, found = done[order]
        np.testing.assert_array_equal(np.stack([a, b]), np.stack([x, y]))
        same(found[:3], tried[:3])
        same(found.answers, tried.answers)
        joined[x[tried.found], y[tried.found]] = joined[y[tried.found], x[tried.found]] = False
        x, y = x[~tried.found], y[~tried.found]
    assert list(at_once.ledger.records())[: at_once.ledger.n_tests] == [
        record for record in one_by_one.ledger.records() if last is None or len(record.given) <= last
    ]


def test_rounds_leave_long_orders_to_be_done_one_by_one():
    data = dependent_columns(1, 6, 100)
    test, joined = paucal.make_test(data, "g"), ~np.eye(6, dtype=bool)
    x, y = (part.astype(np.uint32) for part in np.nonzero(np.triu(joined)))
    done, finished = test.tester.rounds(x, y, joined.view(np.uint8), last=6, few_sets=29, threads=1)
    assert not done and not finished  # 15 pairs, from both ends
    limited = paucal.make_test(data, "g").limited(max_tests=1000)
    assert paucal.learn(limited, "pc-stable").graph == paucal.learn(data, "pc-stable", test="g").graph


def slow_climb(scorer, allowed, required, start, *, tabu, patience, most_parents):
    """Hill climbing by its definition: every move is tried, and the scores of both whole families compared."""

    def local(dag, v):
        return scorer.local(v, np.flatnonzero(dag[:, v]).tolist())

    n = len(allowed)
    dag, best, now, highest, steps, since = start.copy(), start.copy(), 0.0, 0.0, 0, 0
    last = [dag.tobytes()]
    while True:
        moves = []
        for kind in ("add", "delete", "turn"):
            for i in range(n):
                for j in range(n):
                    if i == j or dag[i, j] != (kind != "add") or (kind == "add" and (dag[j, i] or not allowed[i, j])):
                        continue
                    if kind != "add" and (required[i, j] or (kind == "turn" and not allowed[j, i])):
                        continue
                    after = dag.copy()
                    after[i, j] = kind == "add"
                    after[j, i] |= kind == "turn"
                    if topological_order(after) is None or (after.sum(axis=0) > most_parents)[[i, j]].any():
                        continue
                    gain = sum(local(after, v) - local(dag, v) for v in ((i, j) if kind == "turn" else (j,)))
                    moves.append((gain, after))
        if tabu:
            moves = sorted(moves, key=lambda move: -move[0])
            chosen = next((move for move in moves if move[1].tobytes() not in last[-tabu:]), None)
        else:
            top = max((gain for gain, _ in moves), default=0)
            chosen = next(((gain, after) for gain, after in moves if gain >= top - 1.5e-8 and gain > 1.5e-8), None)
        if chosen is None:
            return best, steps
        gain, dag = chosen
        now, steps, since = now + gain, steps + 1, since + 1
        last.append(dag.tobytes())
        if now > highest + 1.5e-8:
            highest, best, since = now, dag.copy(), 0
        if tabu and since >= patience:
            return best, steps


@given(
    datasets(most_columns=5, most_rows=100), SEEDS, st.sampled_from([0, 1, 5]), st.sampled_from(["bdeu", "bic", "k2"])
)
@settings(max_examples=60, deadline=None)
def test_hill_climbing_by_its_definition(data, seed, tabu, score):
    rng = np.random.default_rng(seed)
    n = data.n_columns
    allowed = rng.random((n, n)) < 0.8
    np.fill_diagonal(allowed, val=False)
    required = np.triu(rng.random((n, n)) < 0.1, 1)
    allowed &= ~required & ~required.T
    plan = {"tabu": tabu, "patience": 4, "most_parents": 2 if rng.random() < 0.3 else n}
    if (required.sum(axis=0) > plan["most_parents"]).any():
        required[:] = False
    scorer = Scorer(data, score)
    dag, steps, evaluated = _kernel.hill_climb(
        scorer.kernel, allowed.view(np.uint8), required.view(np.uint8), required.view(np.uint8), **plan
    )
    expected, moves = slow_climb(scorer, allowed | required, required, required, **plan)
    np.testing.assert_array_equal(dag != 0, expected)
    assert steps == moves and evaluated >= n


def test_hill_climbing_refuses_what_makes_no_sense():
    data = dependent_columns(1, 3, 50)
    kernel = Scorer(data, "bdeu").kernel
    ones, none = np.ones((3, 3), dtype=np.uint8), np.zeros((3, 3), dtype=np.uint8)
    np.fill_diagonal(ones, 0)
    arrow = none.copy()
    arrow[0, 1] = 1
    plan = {"most_parents": 3, "tabu": 0, "patience": 5}
    for allowed, required, start in ((ones[:2, :2].copy(), none, none), (ones, arrow, none), (ones, none, ones)):
        with pytest.raises(ValueError, match=r"."):
            _kernel.hill_climb(kernel, allowed, required, start, **plan)
    dag, steps, _ = _kernel.hill_climb(kernel, ones, none, none, **plan, look=lambda _done: True)
    assert dag.shape == (3, 3) and steps >= 0
