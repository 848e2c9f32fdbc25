"""Tests that see the order of levels, as functions of tables (strata, levels of x, levels of y)."""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import gammaincc

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Trend(NamedTuple):
    """The sum of products of scores, and its cumulants when labels are permuted within strata."""

    sum: float
    variance: float
    third: float
    fourth: float

    @property
    def p_value(self) -> float:
        if not self.variance > 0:
            return 1.0
        shape = 1 / max(0.2, 2 + self.fourth / self.variance**2)
        return float(gammaincc(shape, shape * self.sum**2 / self.variance))


def scores(margin: NDArray[Any]) -> NDArray[np.float64]:
    """Give midranks of the levels of a whole table as shares of its rows, from -1/2 to 1/2."""
    return (np.cumsum(margin) - margin / 2) / margin.sum() - 0.5


def centred(tables: ArrayLike) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Give every stratum with rows, and the scores of its rows and columns, centred in it."""
    tables = np.asarray(tables)
    u, v = scores(tables.sum(axis=(0, 2))), scores(tables.sum(axis=(0, 1)))
    return [
        (table, u - table.sum(1) @ u / table.sum(), v - table.sum(0) @ v / table.sum())
        for table in tables
        if table.sum() > 0
    ]


def trend(tables: ArrayLike) -> Trend:
    """Add up over the strata what is known in closed form of each."""
    parts = [Trend(float(u @ table @ v), *_cumulants(table, u, v)) for table, u, v in centred(tables)]
    return Trend(*(math.fsum(part) for part in zip(*parts, strict=True)))


def _cumulants(table: NDArray[Any], u: NDArray[Any], v: NDArray[Any]) -> tuple[float, float, float]:
    n, a, b = int(table.sum()), table.sum(1), table.sum(0)
    if n < 2:
        return 0.0, 0.0, 0.0
    u2, u3, u4 = (float(a @ u**k) for k in (2, 3, 4))
    v2, v3, v4 = (float(b @ v**k) for k in (2, 3, 4))
    variance = u2 * v2 / (n - 1)
    third = u3 * v3 * n / ((n - 1) * (n - 2)) if n > 2 else 0.0
    terms = (
        u4 * v4,
        4 * u4 * v4 + 3 * (u2**2 - u4) * (v2**2 - v4),
        6 * (2 * u4 - u2**2) * (2 * v4 - v2**2),
        9 * (u2**2 - 2 * u4) * (v2**2 - 2 * v4),
    )
    fourth = sum(term / math.perm(n, k) for k, term in enumerate(terms, 1) if math.perm(n, k))
    return variance, third, fourth - 3 * variance**2


def enumerated(table: NDArray[Any], u: NDArray[Any], v: NDArray[Any]) -> tuple[float, float, float]:
    """Give variance, third and fourth cumulant of one stratum by going through all permutations of its rows."""
    x, y = np.repeat(u, table.sum(1)), np.repeat(v, table.sum(0))
    sums = np.array([x @ np.array(order) for order in permutations(y)])
    away = sums - sums.mean()
    variance = float(np.mean(away**2))
    return variance, float(np.mean(away**3)), float(np.mean(away**4)) - 3 * variance**2


def combined(*p_values: float) -> float:
    """Combine p-values by the mean of their tangents."""
    t = float(np.mean([math.tan(math.pi * (0.5 - min(p, 0.99))) for p in p_values]))
    return math.atan2(1, t) / math.pi
