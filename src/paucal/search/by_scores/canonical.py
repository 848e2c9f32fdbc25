"""An order of columns and of levels that the data alone decide.

Sums and factorisations differ in their last bits with the order of what goes into them. Names, the order of columns, of
rows and of nominal levels must not reach a result, so the order is taken from fingerprints of the content: a level is
known by the rows that have it, a row by its levels, a column by its levels; twice around. What the fingerprints cannot
tell apart, such as copies of a column, is left in the order it came in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paucal.data.weights import level_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.data import Dataset

    Words = NDArray[np.uint64]

_ROUNDS = 2


@dataclass(frozen=True, eq=False)
class CanonicalOrder:
    """Positions of the columns in their canonical order; and of every column its levels, in theirs."""

    columns: list[int]
    levels: list[NDArray[np.intp]]


def canonical_order(data: Dataset) -> CanonicalOrder:
    """Order the columns of a data set, and the levels of those that have no order of their own."""
    free = [kind in ("levels", "name") for kind in data.kinds]
    told = zip(data.distinct, data.cardinalities, strict=True)
    counts = [level_counts(codes, k, data.weights) for codes, k in told]
    weights = np.uint64(1) if data.weights is None else data.weights.astype(np.uint64)
    # what is known of each level at first: how many rows have it, or its place if the levels have an order
    levels = [
        (count if any_order else np.arange(len(count))).astype(np.uint64)
        for count, any_order in zip(counts, free, strict=True)
    ]
    columns = [_total(_scattered(own) * n.astype(np.uint64)) for own, n in zip(levels, counts, strict=True)]
    for _ in range(_ROUNDS):
        rows = np.zeros(len(data.distinct[0]), dtype=np.uint64)
        for column, own, codes in zip(columns, levels, data.distinct, strict=True):
            rows += _scattered(column + _scattered(own))[codes]
        rows = _scattered(rows) * weights
        seen = [_by_level(rows, codes, len(count)) for codes, count in zip(data.distinct, counts, strict=True)]
        columns = [_total(_scattered(own + _scattered(new))) for own, new in zip(levels, seen, strict=True)]
        levels = [new if any_order else own for own, new, any_order in zip(levels, seen, free, strict=True)]
    # the most frequent level first: the others are compared with it
    orders = [
        np.lexsort((own, -count)) if any_order else np.arange(len(count))
        for own, count, any_order in zip(levels, counts, free, strict=True)
    ]
    return CanonicalOrder(sorted(range(data.n_columns), key=lambda v: int(columns[v][0])), orders)


def _by_level(rows: Words, codes: NDArray[np.integer], levels: int) -> Words:
    """Add up the fingerprints of the rows of each level."""
    order = np.argsort(codes, kind="stable")
    total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(rows[order], dtype=np.uint64)])
    ends = np.searchsorted(codes[order], np.arange(levels + 1))
    result: Words = total[ends[1:]] - total[ends[:-1]]
    return result


def _total(words: Words) -> Words:
    """Add up words to an array of one: NumPy tells of an overflow in numbers alone, and it is meant here."""
    result: Words = np.add.reduce(words, keepdims=True)
    return _scattered(result)


def _scattered(words: Words) -> Words:
    """Scatter the bits of 64-bit words (the finaliser of SplitMix64)."""
    x = words + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: Words = x ^ (x >> np.uint64(31))
    return result
