"""Tests on data with gaps: every question is answered as if the rows that lack one of its values were not there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from gappy_data import complete_for, gappy_tables, with_gaps
from paucal import Dataset, _kernel
from paucal.independence import registry
from paucal.independence.answers import CONSTANT, Answer
from paucal.independence.registry import make_test
from paucal.tables import counts_of

TESTS = [name for name in registry.test_names() if name != "permutation"]


def questions(p: int):
    for x in range(p):
        for y in range(x + 1, p):
            rest = [v for v in range(p) if v not in (x, y)]
            for order in range(len(rest) + 1):
                yield x, y, tuple(rest[:order])
                if order and order < len(rest):
                    yield x, y, tuple(rest[-order:])


def same(one: Answer, other: Answer) -> bool:
    return all(a == b or (a != a and b != b) for a, b in zip(one, other, strict=True))  # noqa: PLR0124 - NaN


@pytest.mark.parametrize("name", TESTS)
@given(data=gappy_tables())
@settings(max_examples=25, deadline=None)
def test_every_answer_is_that_of_the_complete_rows_to_the_last_bit(name, data):
    if "trend" in name:
        data = replace(data, kinds=("ordered",) * data.n_columns)
    test = make_test(data, name)
    for question in questions(data.n_columns):
        rows = complete_for(data, (*question[:2], *question[2]))
        asked = test.ask(*question)
        if rows is None:
            assert (asked.samples, asked.flags & CONSTANT) == (0, CONSTANT)
            continue
        assert same(asked, make_test(rows, name).ask(*question))
        assert asked.samples == rows.n_rows


@given(data=gappy_tables(most_rows=60, most_columns=4))
@settings(max_examples=15, deadline=None)
def test_permutations_are_drawn_within_the_complete_rows(data):
    test = make_test(data, "permutation", permutations=30)
    for question in questions(data.n_columns):
        rows = complete_for(data, (*question[:2], *question[2]))
        if rows is not None:
            assert same(test.ask(*question), make_test(rows, "permutation", permutations=30).ask(*question))


@given(data=gappy_tables(most_levels=300, most_columns=4, most_rows=400))
@settings(max_examples=25, deadline=None)
def test_the_same_for_columns_of_many_levels(data):
    test = make_test(data, "g")
    for question in questions(data.n_columns):
        rows = complete_for(data, (*question[:2], *question[2]))
        if rows is not None:
            assert same(test.ask(*question), make_test(rows, "g").ask(*question))


@given(data=gappy_tables(most_rows=300), threads=st.sampled_from([1, 3]))
@settings(max_examples=25, deadline=None)
def test_batches_and_searches_say_what_single_questions_say(data, threads):
    single, many = make_test(data, "chi2-perm"), make_test(data, "chi2-perm", threads=threads)
    asked = [q for q in questions(data.n_columns) if len(q[2]) == 1]
    if asked:
        x, y, given_ = (np.array(part) for part in zip(*asked, strict=True))
        answers = many.ask_many(x, y, given_)
        assert all(same(answers.one(i), single.ask(*question)) for i, question in enumerate(asked))
    p = data.n_columns
    pairs = np.array([(i, j) for i in range(p) for j in range(i + 1, p)])
    everybody = ~np.eye(p, dtype=bool)
    for order in range(p - 1):
        found = many.search(pairs[:, 0], pairs[:, 1], None, everybody, order)
        for i in np.flatnonzero(found.asked):
            question = (int(pairs[i, 0]), int(pairs[i, 1]), tuple(found.given[i].tolist()))
            assert same(found.answers.one(int(i)), single.ask(*question))


def test_merged_rows_of_a_neighbourhood_keep_their_gaps_apart():
    # few levels and many rows, so that a search of order 2 merges equal rows
    sample = with_gaps(paucal.load_network("asia").sample(2000, seed=1), 0.2)
    test = make_test(sample, "g", df="adjusted")
    pairs = np.array([(i, j) for i in range(8) for j in range(i + 1, 8)])
    found = test.search(pairs[:, 0], pairs[:, 1], None, ~np.eye(8, dtype=bool), 2)
    assert found.asked.all()
    for i in range(len(pairs)):
        question = (int(pairs[i, 0]), int(pairs[i, 1]), tuple(found.given[i].tolist()))
        rows = complete_for(sample, (*question[:2], *question[2]))
        assert rows is not None
        assert same(found.answers.one(i), make_test(rows, "g", df="adjusted").ask(*question))


@given(data=gappy_tables())
@settings(max_examples=40, deadline=None)
def test_tables_count_the_complete_rows(data):
    for x, y, given_ in questions(data.n_columns):
        rows = complete_for(data, (x, y, *given_))
        table = counts_of(data).table(x, y, given_)
        if rows is None:
            assert table.total == 0
            continue
        other = counts_of(rows).table(x, y, given_)
        assert table.total == rows.n_rows
        for name in ("stratum", "x", "y", "n", "strata"):
            assert np.array_equal(getattr(table, name), getattr(other, name))


def test_a_result_tells_the_rows_of_its_question():
    data = Dataset.of(
        {"a": [0, 1, 0, 1, None] * 8, "b": [0, 1, 0, None, 1] * 8, "c": [0, 0, 1, 1, 1] * 8}, missing="keep"
    )
    assert paucal.ci_test(data, "a", "b").n == 24
    assert paucal.ci_test(data, "a", "c").n == 32
    assert paucal.ci_test(data, "a", "b", ["c"]).samples_per_cell == 24 / 8
    assert paucal.ci_test(data, "a", "b", test="g").reasons == ()
    assert make_test(data, "chi2-perm").smallest_p_value("a", "b") == make_test(
        data.take(np.flatnonzero(~(data.gaps[0] | data.gaps[1]))), "chi2-perm"
    ).smallest_p_value("a", "b")


def test_the_kernel_takes_no_gap_that_nobody_announced():
    codes = np.array([0, 1, 2], np.uint8)
    with pytest.raises(ValueError, match="code 2 is not below the number of states, 2"):
        _kernel.Columns([codes], [2], 3)
    assert _kernel.Columns([codes], [2], 3, gaps=True) is not None
    with pytest.raises(ValueError, match="code 3 is not below"):
        _kernel.Columns([np.array([0, 1, 3], np.uint8)], [2], 3, gaps=True)
    with pytest.raises(ValueError, match="complete columns"):
        _kernel.Scorer.qnml(_kernel.Columns([codes], [2], 3, gaps=True), [2.0])
