"""What must not matter: the order of columns and rows, the names of levels, the number of threads, who asks."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import paucal
from paucal.data.content_order import column_colours
from paucal.search.catalogue import blanket_searches
from paucal.search.evidence.graphs import Graphs
from search_data import datasets, dependent_columns

ALL = [
    ("pc-stable", {}),
    ("pc-stable", {"colliders": "conservative"}),
    ("pc-stable", {"colliders": "max-p"}),
    ("pc-stable", {"colliders": "standard"}),
    ("sc-pc", {}),
    ("sc-pc", {"consistency": "orientation", "max_rounds": 10}),
    ("pc", {}),
    ("rai", {}),
    ("mmhc", {}),
    ("mmpc", {}),
]
NOT_BY_TESTS = [
    ("hill-climbing", {}),
    ("hill-climbing", {"score": "k2", "tabu": 5}),
    ("order", {"starts": 2}),
    ("posterior", {"starts": 2, "rounds": 20, "burn_in": 5, "tolerance": 1}),
]
HIDDEN = [("fci", {}), ("cfci", {})]
DRAWN = [("pc-stable", {"test": "permutation", "test_options": {"permutations": 99}, "max_order": 1})]


def renamed(data, random):
    """Give the same data with the columns in another order and under other names, and the new name of each."""
    new = [f"name {i}" for i in range(data.n_columns)]
    random.shuffle(new)
    names = dict(zip(data.names, new, strict=True))
    order = list(range(data.n_columns))
    random.shuffle(order)
    parts = (
        [data.columns[i] for i in order],
        [names[data.names[i]] for i in order],
        [data.levels[i] for i in order],
    )
    return paucal.Dataset.from_codes(*parts), names


def test_every_search_is_looked_at():
    assert {name for name, _ in [*ALL, *NOT_BY_TESTS, *HIDDEN]} == set(paucal.search_names())


@pytest.mark.parametrize(("method", "options"), [*ALL, *NOT_BY_TESTS, *HIDDEN, *DRAWN], ids=str)
@settings(max_examples=25, deadline=None)
@given(data=datasets(), random=st.randoms(use_true_random=False))
def test_order_and_names_of_columns(method, options, data, random):
    # exchangeable columns, such as copies, cannot be told apart by anybody
    assume(len(set(column_colours(data.columns))) == data.n_columns)
    other, names = renamed(data, random)
    first, second = (paucal.learn(one, method, **options) for one in (data, other))
    assert first.graph.rename(names) == second.graph
    for pair, among in first.sepsets.items():
        assert {names[z] for z in among} == set(second.sepsets[names[pair[0]], names[pair[1]]])
    assert first.ledger.by_order == second.ledger.by_order
    assert [e["a"] for e in first.edges()] == [e.a for e in first.graph.edges()]
    if isinstance(first.evidence, Graphs):
        for a, b in combinations(data.names, 2):
            assert first.evidence.of_pair(a, b) == second.evidence.of_pair(names[a], names[b])


@pytest.mark.parametrize("search", blanket_searches())
@settings(max_examples=15, deadline=None)
@given(data=datasets(), random=st.randoms(use_true_random=False))
def test_order_and_names_of_columns_around_a_target(search, data, random):
    assume(len(set(column_colours(data.columns))) == data.n_columns)
    other, names = renamed(data, random)
    first = paucal.blanket(data, data.names[0], search=search)
    second = paucal.blanket(other, names[data.names[0]], search=search)
    for role in ("parents", "children", "undetermined", "spouses"):
        assert {names[v] for v in getattr(first, role)} == set(getattr(second, role))


def test_answers_come_in_the_order_of_the_columns():
    data = dependent_columns(3, 6, 200)
    for result in (paucal.learn(data, "rai"), paucal.learn(data, "hill-climbing"), paucal.learn(data, "order")):
        assert result.graph.nodes == result.evidence.names == data.names
    place = {name: i for i, name in enumerate(data.names)}
    apart = list(paucal.learn(data, "pc-stable").sepsets)
    assert apart == sorted(apart, key=lambda pair: [place[name] for name in pair])
    found = paucal.blanket(data, "v3")
    assert found.ledger.names == data.names


@settings(max_examples=50, deadline=None)
@given(data=datasets(), random=st.randoms(use_true_random=False))
def test_an_order_that_only_the_content_decides(data, random):
    assume(len(set(column_colours(data.columns))) == data.n_columns)
    other, names = renamed(data, random)
    rows = list(range(data.n_rows))
    random.shuffle(rows)
    turned = [len(levels) - 1 - codes[rows] for codes, levels in zip(other.columns, other.levels, strict=True)]
    other = paucal.Dataset.from_codes(turned, other.names, other.levels)
    assert [names[name] for name in data.by_content.names] == list(other.by_content.names)


def test_columns_that_the_counts_leave_tied_are_told_apart_by_the_rows():
    data = paucal.Dataset.of({"a": [0, 0, 0, 1, 1, 1], "b": [0, 1, 0, 1, 0, 1], "c": [0, 0, 1, 1, 1, 1]})
    assert len(set(column_colours(data.columns))) == 3
    assert len(set(column_colours(data.select(["a", "b"]).columns))) == 1
    assert data.by_content.by_content is data.by_content


@pytest.mark.parametrize(("method", "options"), [*ALL, *NOT_BY_TESTS, *HIDDEN, *DRAWN], ids=str)
@settings(max_examples=10, deadline=None)
@given(data=datasets(), seed=st.integers(0, 1000))
def test_order_of_rows_and_names_of_levels(method, options, data, seed):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(data.n_rows)
    columns, levels = [], []
    for codes, old in zip(data.columns, data.levels, strict=True):
        renumbered = rng.permutation(len(old))
        columns.append(renumbered[codes[rows]])
        levels.append([f"level {v}" for v in range(len(old))])
    other = paucal.Dataset.from_codes(columns, data.names, levels)
    first, second = (paucal.learn(d, method, **options) for d in (data, other))
    assert first.graph == second.graph
    assert first.sepsets == second.sepsets
    assert first.ledger.by_order == second.ledger.by_order


@pytest.mark.parametrize(("method", "options"), ALL, ids=str)
def test_a_second_run_on_the_same_test_changes_nothing(method, options):
    """The same question gets the same answer, and every run counts for itself."""
    data = dependent_columns(5, 8, 300)
    test = paucal.make_test(data, "g")
    first = paucal.learn(data, method, test=test, **options)
    second = paucal.learn(data, method, test=test, **options)
    assert first.graph == second.graph
    assert first.sepsets == second.sepsets
    assert second.ledger.n_calls == first.ledger.n_calls
    assert second.ledger.n_tests == first.ledger.n_tests  # its own books
    assert test.ledger.n_calls == 2 * first.ledger.n_calls


@pytest.mark.parametrize(("method", "options"), ALL, ids=str)
def test_threads(method, options):
    data = paucal.load_network("alarm").sample(300, seed=2)
    one = paucal.learn(data, method, max_order=2, **options)
    two = paucal.learn(data, method, max_order=2, threads=2, **options)
    assert one.graph == two.graph
    assert one.sepsets == two.sepsets
    assert one.ledger.by_order == two.ledger.by_order


def test_a_finished_test_keeps_the_order_of_its_columns():
    """There, searches that ask as they go along depend on it."""
    data = paucal.load_network("insurance").sample(300, seed=1)
    for method in ("pc", "rai"):
        graphs = set()
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(len(data.names))
            test = paucal.make_test(data.select([data.names[i] for i in order]), "g")
            graphs.add(paucal.learn(test, method).graph)
        assert len(graphs) > 1
