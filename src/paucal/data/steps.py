"""Numbers in a few steps of equal shares, for whatever counts levels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paucal.data.discretize import equal_shares, interval_labels
from paucal.data.encode import code_type
from paucal.data.kinds import numbers_of

if TYPE_CHECKING:
    from paucal.data.dataset import Dataset
    from paucal.data.encode import Codes


def steps_of(data: Dataset, column: int, n_steps: int) -> tuple[Codes, tuple[str, ...]]:
    """Give a number in steps of equal shares, fewer if it has fewer values: codes and labels."""
    codes, levels = data.columns[column], data.levels[column]
    counts = np.bincount(codes, minlength=len(levels))
    values = numbers_of(data.names[column], levels)
    if np.count_nonzero(counts) < 2:
        return np.zeros(len(codes), dtype=np.uint8), (str(levels[int(codes[0])]),)
    cuts = equal_shares(values[counts > 0], counts[counts > 0], n_steps)
    step = np.searchsorted(cuts, values, side="right").astype(code_type(len(cuts) + 1))
    return step[codes], interval_labels(cuts)


def in_steps(data: Dataset, n_steps: int) -> Dataset:
    """Give the data with every number cut into steps, which are ordered levels."""
    if "number" not in data.kinds:
        return data
    columns, levels = list(data.columns), list(data.levels)
    for v, kind in enumerate(data.kinds):
        if kind == "number":
            columns[v], levels[v] = steps_of(data, v, n_steps)
    kinds = tuple("ordered" if kind == "number" else kind for kind in data.kinds)
    return replace(data, columns=tuple(columns), levels=tuple(levels), kinds=kinds)
