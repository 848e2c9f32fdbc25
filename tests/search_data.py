"""Small data sets with dependence in them, for tests of the searches."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import paucal


def dependent_columns(seed: int, n_columns: int, n_rows: int) -> paucal.Dataset:
    """Draw columns one after the other, each a noisy function of some before it."""
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    for i in range(n_columns):
        levels = int(rng.integers(2, 4))
        column = rng.integers(0, levels, n_rows)
        for j in rng.permutation(i)[: int(rng.integers(0, 3))]:
            copied = rng.random(n_rows) < rng.uniform(0.3, 0.8)
            column = np.where(copied, columns[f"v{j}"] % levels, column)
        columns[f"v{i}"] = column
    names = [f"v{i}" for i in range(n_columns)]
    levels = [list(range(int(columns[name].max()) + 1)) for name in names]
    return paucal.Dataset.from_codes([columns[name] for name in names], names, levels)


@st.composite
def datasets(draw: st.DrawFn, most_columns: int = 7, most_rows: int = 200) -> paucal.Dataset:
    return dependent_columns(
        draw(st.integers(0, 2**32 - 1)), draw(st.integers(2, most_columns)), draw(st.integers(2, most_rows))
    )
