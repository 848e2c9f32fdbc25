"""Equal rows and counts of levels, by the kernel, against the obvious way."""

from __future__ import annotations

import gc
import weakref
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paucal
from paucal import Dataset, _kernel
from paucal.data.weights import level_counts, merge_rows

TYPES = (np.uint8, np.uint16, np.uint32)


@given(st.integers(0, 2**32 - 1), st.integers(1, 2000), st.integers(1, 12), st.booleans())
def test_equal_rows_are_merged_and_counted(seed: int, n_rows: int, n_columns: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    types = rng.choice(3, n_columns)
    columns = [rng.integers(0, rng.choice([1, 2, 3, 200]), n_rows).astype(TYPES[k]) for k in types]
    weights = rng.integers(0, 5, n_rows).astype(np.uint32) if weighted else None
    wanted: Counter[tuple[int, ...]] = Counter()
    for r, row in enumerate(zip(*(codes.tolist() for codes in columns), strict=True)):
        wanted[row] += 1 if weights is None else int(weights[r])
    rows, counts = merge_rows(columns, weights)
    assert list(zip(*(codes.tolist() for codes in rows), strict=True)) == list(wanted)  # in order of appearance
    assert counts.tolist() == list(wanted.values())
    assert [codes.dtype for codes in rows] == [codes.dtype for codes in columns]


@given(st.integers(0, 2**32 - 1), st.integers(0, 300), st.sampled_from([1, 3, 256, 70_000]), st.integers(0, 400))
def test_levels_are_counted_as_by_numpy(seed: int, n_rows: int, states: int, size: int) -> None:
    codes = np.random.default_rng(seed).integers(0, states, n_rows)
    narrow = codes.astype(next(one for one in TYPES if states - 1 <= np.iinfo(one).max))
    assert np.array_equal(level_counts(narrow, size, None), np.bincount(codes, minlength=size))


def test_every_other_value_of_an_array_is_not_taken_for_the_next_one() -> None:
    codes = np.array([0, 1, 0, 1, 0, 1], np.uint8)[::2]
    assert level_counts(codes, 0, None).tolist() == [3]
    assert merge_rows([codes])[1].tolist() == [3]


@pytest.mark.parametrize(
    ("columns", "weights"),
    [
        ([], None),
        ([np.zeros(2, np.uint8), np.zeros(3, np.uint8)], None),
        ([np.zeros(2, np.uint8)], np.ones(3, np.uint32)),
        ([np.zeros(2, np.uint8)], np.full(2, 2**31, np.uint32)),  # more rows than can be counted
        ([np.zeros(2, np.int64)], None),  # would be cut to a byte
        ([np.zeros(2, np.uint8)], np.ones(2)),
    ],
)
def test_what_is_no_table_of_codes_is_refused(columns: list[np.ndarray], weights: np.ndarray | None) -> None:
    with pytest.raises((TypeError, ValueError)):
        _kernel.distinct_rows(columns, weights)


@pytest.mark.parametrize("isa", ["portable", "v2", "v3", "v4"])
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 255, 256, 257, 1000])
def test_packed_columns_hold_what_was_given(isa: str, n_rows: int) -> None:
    """Counts of pairs come from bits, those of a column with many levels from values: both see the gaps."""
    if not _kernel.use_isa(isa):
        pytest.skip(f"this machine has no {isa}")
    try:
        rng = np.random.default_rng(n_rows)
        states = [2, 3, 16, 17, 300]
        codes = [rng.integers(0, k + 1, n_rows).astype(np.uint8 if k < 256 else np.uint16) for k in states]
        columns = _kernel.Columns(codes, states, n_rows, gaps=True)
        for x in range(len(states)):
            for y in range(x):
                _, level_x, level_y, n, _ = columns.count(x, y, [])
                both = [
                    pair
                    for pair in zip(codes[x].tolist(), codes[y].tolist(), strict=True)
                    if pair[0] < states[x] and pair[1] < states[y]
                ]
                cells = zip(level_x.tolist(), level_y.tolist(), strict=True)
                assert dict(zip(cells, n.tolist(), strict=True)) == Counter(both)
    finally:
        _kernel.use_isa("best")


def test_a_table_that_was_searched_is_freed_at_once() -> None:
    data = paucal.load_network("asia").sample(200, seed=1)
    gc.disable()
    try:
        for search in ("pc-stable", "posterior"):
            for names in (data.names, data.names[::-1]):  # one of the orders may be that of the content
                again = data.select(names)
                alive = weakref.ref(again)
                paucal.learn(again, search)
                del again
                assert alive() is None
    finally:
        gc.enable()


def test_rows_are_counted_once_where_they_repeat_often() -> None:
    from paucal.tables import in_few_rows

    rng = np.random.default_rng(0)
    seldom = Dataset.from_codes([rng.integers(0, 100, 40_000) for _ in range(2)], "xy", [range(100)] * 2)
    often = Dataset.from_codes([rng.integers(0, 10, 40_000) for _ in range(2)], "xy", [range(10)] * 2)
    assert in_few_rows(seldom) is seldom  # each row four times
    counted = in_few_rows(often)
    assert counted.weights is not None
    assert len(counted.weights) == 100
