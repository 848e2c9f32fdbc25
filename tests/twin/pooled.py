"""The pooled half of `chi2-pooled`, its moments by going through all arrangements of labels within strata."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaincc

if TYPE_CHECKING:
    from numpy.typing import NDArray


def pooled_p(tables: NDArray[Any]) -> float | None:
    """Give the p-value of the pooled statistic of tables (strata, levels of x, levels of y); None without variance."""
    drawn = np.array([_statistic(np.array(one)) for one in product(*map(_arrangements, tables))])
    mean, variance = drawn.mean(), drawn.var()
    if variance < 1e-12 * mean**2:
        return None
    shape = mean**2 / variance
    return float(gammaincc(shape, shape * _statistic(tables) / mean))


def _statistic(tables: NDArray[Any]) -> float:
    rows, columns, n = tables.sum(2), tables.sum(1), tables.sum((1, 2))
    expected = rows[:, :, None] * columns[:, None, :] / np.maximum(n, 1)[:, None, None]
    deviation = (tables - expected).sum(0)
    smooth = np.sqrt(tables.sum() / 10)
    weights = np.outer(1 / (rows.sum(0) + smooth), 1 / (columns.sum(0) + smooth))
    return float((weights * deviation**2).sum())


def _arrangements(table: NDArray[Any]) -> list[NDArray[Any]]:
    x = np.repeat(np.arange(len(table)), table.sum(1))
    y = np.repeat(np.arange(table.shape[1]), table.sum(0))
    found = []
    for order in permutations(y.tolist()):
        one = np.zeros_like(table)
        np.add.at(one, (x, np.array(order, dtype=int)), 1)
        found.append(one)
    return found
