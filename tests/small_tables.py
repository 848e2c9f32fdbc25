"""Every table with given margins, and what a statistic does on them: the truth that permutation tests are held to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator


def tables_with(rows: tuple[int, ...], columns: tuple[int, ...]) -> Iterator[np.ndarray]:
    """All tables of counts with these margins."""
    if len(rows) == 1:
        yield np.array([columns])
        return
    for first in _rows(rows[0], columns):
        rest = tuple(b - n for b, n in zip(columns, first, strict=True))
        for below in tables_with(rows[1:], rest):
            yield np.vstack([first, below])


def _rows(total: int, most: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(most) == 1:
        if total <= most[0]:
            yield (total,)
        return
    for n in range(min(total, most[0]) + 1):
        for rest in _rows(total - n, most[1:]):
            yield (n, *rest)


def chance(table: np.ndarray) -> float:
    """Chance of a table among all with its margins when labels are permuted."""

    def log_factorials(counts) -> float:
        return sum(math.lgamma(int(n) + 1) for n in np.ravel(counts))

    log = log_factorials(table.sum(0)) + log_factorials(table.sum(1))
    return math.exp(log - log_factorials(table.sum()) - log_factorials(table))


def random_table(rng: np.random.Generator, n: int, shape: tuple[int, int]) -> np.ndarray:
    """A table without empty rows or columns, of n or a few more samples."""
    weights = np.outer(*(rng.dirichlet(np.full(k, 1.5)) for k in shape)) ** rng.uniform(0.3, 1)
    table = rng.multinomial(n, (weights / weights.sum()).ravel()).reshape(shape)
    for i in np.flatnonzero(table.sum(1) == 0):
        table[i, rng.integers(shape[1])] += 1
    for j in np.flatnonzero(table.sum(0) == 0):
        table[rng.integers(shape[0]), j] += 1
    return table
