"""The score `mixed`, written out: cells as in "eb", numbers by the determinant of their correlations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm, rankdata

from twin.scores import dirichlet_multinomial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

LEAST = 0.001


def of_set(
    cells: Sequence[ArrayLike], lines: Sequence[ArrayLike], sizes: Sequence[float], references: Sequence[int] = ()
) -> float:
    """Score columns with cells and lines; `references` are the levels without an indicator, 0 by default."""
    total = 0.0
    if cells:
        n = np.unique(np.column_stack(cells), axis=0, return_counts=True)[1]
        k = math.prod(len(np.unique(c)) for c in cells)
        logs = np.array([dirichlet_multinomial(n, size / k, k) for size in sizes])
        total = float(logs.max() + np.log(np.mean(np.exp(logs - logs.max()))))
    references = references or [int(np.min(c)) for c in cells]
    indicators = [
        (np.asarray(c) == level, LEAST)
        for c, left_out in zip(cells, references, strict=True)
        for level in np.unique(c)
        if level != left_out
    ]
    numbers = [normal_score(line) for line in lines]
    return total + gaussian([*indicators, *numbers]) - gaussian(indicators)


def gaussian(design: Sequence[tuple[NDArray[np.float64], float]]) -> float:
    """Give G of the columns of a design, each with its nugget."""
    if not design:
        return 0.0
    z = np.column_stack([np.asarray(column, dtype=float) for column, _ in design])
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    rows, d = z.shape
    r = z.T @ z / rows + np.diag([nugget for _, nugget in design])
    scale = np.sqrt(np.diag(r))
    return float(-rows / 2 * np.linalg.slogdet(r / np.outer(scale, scale))[1] - math.log(rows) / 2 * d * (d + 1) / 2)


def normal_score(values: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Give normal scores of the ranks, and the nugget that the ties call for."""
    z = norm.ppf((rankdata(values) - 0.5) / len(np.asarray(values)))
    shares = np.unique(values, return_counts=True)[1] / len(z)
    ties = math.exp(2 * float(np.sum(shares * np.log(shares))))
    return (z - z.mean()) / z.std(), max(LEAST, ties / (1 - ties))
