"""Data with missing values, for tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from paucal import Dataset


def with_gaps(data: Dataset, share: float, seed: int = 0) -> Dataset:
    """Take values away at random; every column keeps its first two rows."""
    rng = np.random.default_rng(seed)
    columns = []
    for codes, k in zip(data.columns, data.cardinalities, strict=True):
        wide = codes.astype(np.int64)
        gone = rng.random(len(wide)) < share
        gone[:2] = False
        wide[gone] = k
        columns.append(wide)
    return Dataset.from_codes(columns, data.names, data.levels, missing="keep")


def complete_for(data: Dataset, columns: tuple[int, ...]) -> Dataset | None:
    """Leave out, by hand, the rows that lack a value in one of these columns; None if no row is left."""
    rows = np.flatnonzero(~np.logical_or.reduce([data.gaps[v] for v in columns]))
    return data.take(rows) if len(rows) else None


@st.composite
def gappy_tables(draw: st.DrawFn, *, most_rows: int = 120, most_columns: int = 5, most_levels: int = 4) -> Dataset:
    """Give small tables in which columns depend on each other and values are missing."""
    n = draw(st.integers(2, most_rows))
    p = draw(st.integers(2, most_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.0, 0.05, 0.3, 0.7]))
    columns, levels = [], []
    base = rng.integers(0, 3, n)
    for _ in range(p):
        k = draw(st.integers(1, most_levels))
        codes = np.where(rng.random(n) < 0.5, base % k, rng.integers(0, k, n))
        gone = rng.random(n) < share * draw(st.sampled_from([0.0, 1.0]))
        gone[0] = False
        columns.append(np.where(gone, k, codes))
        levels.append([f"l{i}" for i in range(k)])
    return Dataset.from_codes(columns, [f"c{i}" for i in range(p)], levels, missing="keep")
