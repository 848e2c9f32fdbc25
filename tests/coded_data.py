"""Random coded columns for tests: every shape that has ever broken a counter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

import paucal

if TYPE_CHECKING:
    from collections.abc import Sequence


def dataset_of(columns: Sequence[np.ndarray], states: Sequence[int]) -> paucal.Dataset:
    """Codes as data, with names by number; levels are declared, seen or not."""
    names = [f"v{i}" for i in range(len(columns))]
    return paucal.Dataset.from_codes(columns, names, [range(k) for k in states])


def make_coded(seed: int, rows: int, states: Sequence[int], skew: float, *, repeat: int = 1) -> paucal.Dataset:
    """Draw columns with Dirichlet(skew) frequencies; `repeat` lets every row occur that many times."""
    rng = np.random.default_rng(seed)
    columns = [rng.choice(k, size=rows, p=rng.dirichlet(np.full(k, skew))) for k in states]
    return dataset_of([np.repeat(column, repeat) for column in columns], states)


@st.composite
def coded(draw: st.DrawFn, columns: int = 5, most_rows: int = 400) -> paucal.Dataset:
    """Unobserved levels, one row, skewed, duplicated rows, 1 to 300 levels."""
    few = st.integers(1, 5)
    level = st.one_of(few, few, st.integers(6, 20), st.sampled_from([64, 255, 256, 257, 300]))
    states = draw(st.lists(level, min_size=columns, max_size=columns))
    rows = draw(st.one_of(st.integers(1, 4), st.integers(5, most_rows)))
    return make_coded(
        draw(st.integers(0, 2**32 - 1)),
        rows,
        states,
        draw(st.sampled_from([0.05, 1.0, 20.0])),
        repeat=draw(st.sampled_from([1, 1, 3])),
    )


def rows_of(strata) -> paucal.Dataset:
    """Data whose table of x and y given z is `strata`, a nested list; levels are declared, seen or not."""
    strata = np.asarray(strata)
    cells = np.argwhere(strata >= 0)
    rows = np.repeat(cells, strata.reshape(-1), axis=0)
    levels = [tuple(range(k)) for k in strata.shape]
    return paucal.Dataset.from_codes(list(rows.T), ["z", "x", "y"], levels)
