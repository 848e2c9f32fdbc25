"""What must not matter: the order of columns and rows, the names of levels, the number of threads, who asks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from search_data import datasets, dependent_columns

INDEPENDENT_OF_COLUMN_ORDER = [
    ("pc-stable", {}),
    ("pc-stable", {"colliders": "conservative"}),
    ("pc-stable", {"colliders": "max-p"}),
    ("sc-pc", {}),
    ("sc-pc", {"consistency": "orientation", "max_rounds": 10}),
]
ALL = [*INDEPENDENT_OF_COLUMN_ORDER, ("pc", {}), ("rai", {}), ("mmhc", {})]


@pytest.mark.parametrize(("method", "options"), INDEPENDENT_OF_COLUMN_ORDER, ids=str)
@settings(max_examples=25, deadline=None)
@given(data=datasets(), order=st.randoms(use_true_random=False))
def test_order_of_columns(method, options, data, order):
    names = list(data.names)
    order.shuffle(names)
    first = paucal.learn(data, method, **options)
    second = paucal.learn(data.select(names), method, **options)
    assert first.graph == second.graph
    if method == "sc-pc":
        assert first.sepsets == second.sepsets


@pytest.mark.parametrize(("method", "options"), ALL, ids=str)
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


def test_the_skeleton_under_the_standard_rule():
    """Only arrows may depend on the columns' order there."""
    net = paucal.load_network("insurance")
    graphs = set()
    skeletons = set()
    for seed in range(4):
        data = net.sample(300, seed=1)
        order = np.random.default_rng(seed).permutation(len(data.names))
        graph = paucal.learn(data.select([data.names[i] for i in order]), colliders="standard").graph
        graphs.add(graph)
        skeletons.add(graph.skeleton())
    assert len(skeletons) == 1
    assert len(graphs) > 1  # which is why it is not the default


def test_pc_and_rai_do_depend_on_it():
    net = paucal.load_network("insurance")
    data = net.sample(300, seed=1)
    for method in ("pc", "rai"):
        graphs = set()
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(len(data.names))
            graphs.add(paucal.learn(data.select([data.names[i] for i in order]), method).graph)
        assert len(graphs) > 1
