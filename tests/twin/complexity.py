"""Stochastic complexity."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from twin.scores import exact_log_regret
from twin.tables import NAN, Cells, Reading, informative, strata_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

regret = cache(exact_log_regret)


def cost(counts: NDArray[np.int64], levels: int) -> float:
    """What a sample costs: its entropy and the regret."""
    n = int(counts.sum())
    return float(-np.sum(counts * np.log(counts / n))) + regret(n, levels)


def sci(cells: Cells) -> Reading:
    """The nats that independence saves, by the description that it saves least of."""
    x = y = 0.0
    for s in strata_of(cells):
        x -= cost(s.rows, cells.kx)
        y -= cost(s.columns, cells.ky)
        x += sum(cost(s.n[s.column == j], cells.kx) for j in range(len(s.columns)))
        y += sum(cost(s.n[s.row == i], cells.ky) for i in range(len(s.rows)))
    value = min(x, y)
    return Reading(value, NAN, NAN, 0.0, value, value >= -1e-9, informative(cells))
