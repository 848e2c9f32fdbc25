"""Tables as values."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from coded_data import make_coded
from paucal.errors import DataError, ParameterError
from paucal.tables import MOST_DENSE_CELLS, MemoryCounts, Table, counts_of


def dataset(seed=1, rows=200, states=(2, 3, 4, 2)):
    return make_coded(seed, rows, states, 1.0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 300))
@settings(max_examples=60, deadline=None)
def test_a_table_does_not_depend_on_the_order_of_rows(seed, rows):
    data = dataset(seed, rows)
    shuffled = data.take(np.random.default_rng(seed).permutation(rows))
    one, other = (MemoryCounts(d).table(0, 1, (2, 3)) for d in (data, shuffled))
    for name in ("stratum", "x", "y", "n", "strata"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.configurations, one.total) == (8, rows)
    naive = np.zeros((4, 2, 2, 3), dtype=int)
    np.add.at(naive, (data.columns[2], data.columns[3], data.columns[0], data.columns[1]), 1)
    observed = naive.reshape(8, 2, 3)
    np.testing.assert_array_equal(one.dense(), observed[observed.any(axis=(1, 2))])
    np.testing.assert_array_equal(one.strata @ [2, 1], np.flatnonzero(observed.any(axis=(1, 2))))


def test_dense_and_back():
    dense = np.array([[[1, 0], [2, 3]], [[0, 0], [0, 0]], [[0, 4], [0, 0]]])
    table = Table.from_dense(dense)
    assert (table.n_strata, table.configurations, table.total) == (2, 3, 10)
    np.testing.assert_array_equal(table.dense(), dense[[0, 2]])
    assert repr(table) == "Table(2 x 2, 2 of 3 strata observed, 10 samples)"


@pytest.mark.parametrize("bad", [[1, 2], [[1.5, 2]], [[-1, 2]], np.zeros((2, 0)), [[[[1]]]]])
def test_what_is_no_table(bad):
    with pytest.raises(ParameterError):
        Table.from_dense(bad)


def test_a_dense_table_beyond_reason_is_refused():
    one = np.zeros(1, dtype=np.int64)
    table = Table(one, one, one, one + 1, MOST_DENSE_CELLS, 2, 1, one[:, None])
    with pytest.raises(DataError, match="Use the listed cells"):
        table.dense()


@pytest.mark.parametrize("test", ["g", "bf", "mi-eb", "chi2-perm"])
def test_a_bare_table_is_tested_like_the_data_it_was_counted_from(test):
    data = dataset(rows=80)
    x, y, z, _ = data.names
    counted = counts_of(data).table(0, 1, (2,))
    wanted = paucal.ci_test(data, x, y, [z], test=test)
    for table in (counted, counted.dense()):
        found = paucal.ci_test(x=x, y=y, table=table, test=test)
        assert (found.statistic, found.dof, found.p_value) == (wanted.statistic, wanted.dof, wanted.p_value)
        assert (found.x, found.y, found.given) == (x, y, ("stratum",))
    flat = paucal.ci_test(table=counts_of(data).table(0, 1).dense()[0], test=test)
    assert (flat.statistic, flat.given) == (paucal.ci_test(data, x, y, test=test).statistic, ())


def test_a_table_stands_alone():
    for more in ({"data": dataset()}, {"given": ["z"]}):
        with pytest.raises(ParameterError, match="Give only one of the two"):
            paucal.ci_test(table=[[3, 4], [5, 6]], **more)
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(DataError, match="too many levels"):
        Table(none, none, none, none, 2, 2, 10**30, none[:, None]).dataset()


def test_data_are_packed_once_and_forgotten_with_the_data():
    data = dataset()
    packed = counts_of(data)
    assert counts_of(data) is packed
    assert counts_of(dataset()) is not packed
    gone = weakref.ref(packed)
    del data, packed
    gc.collect()
    assert gone() is None
