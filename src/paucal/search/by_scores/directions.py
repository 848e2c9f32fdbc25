"""How sure a direction may be said to be: a power of the sampled shares, given that the pair is joined.

Sampled directions are surer of themselves than they are right, most of all where columns have many levels and rows are
few. The probability J that a pair is joined stays as sampled. The shares d = P / J of `->`, `<-` and `--`, of those
that background knowledge allows, become

    d' = (d + 0.003)^p / sum of (d + 0.003)^p,    p = 0.8 / (1 + K / N),    P' = J d'

where K is the product of the observed numbers of levels of the two columns and N the number of rows. Which kind is the
likeliest never changes, and where one kind alone is allowed nothing does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_POWER = 0.8  # with very many rows
_LEAST = 0.003  # what is added to every share: no direction is impossible because nobody drew it
_to_the = np.vectorize(math.pow, otypes=[np.float64])  # NumPy's own powers have other last bits on other processors


def moderated(
    arrow: NDArray[np.float64],
    line: NDArray[np.float64],
    *,
    forbidden: NDArray[np.bool_],
    told: NDArray[np.bool_] | None = None,
    levels: Sequence[int],
    rows: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the probabilities of i -> j, and symmetrically of i -- j, from their sampled shares.

    `forbidden[i, j]` says that knowledge rules i -> j out, and so i -- j too, `told[i, j]` that interventions tell the
    direction, which rules out i -- j alone; `levels` are the observed ones.
    """
    joined = arrow + arrow.T + line
    sure = np.where(joined > 0, joined, 1.0)
    cells = np.multiply.outer(np.asarray(levels, dtype=np.float64), np.asarray(levels, dtype=np.float64))
    power = _POWER / (1 + cells / rows)
    one_way = np.where(forbidden, 0.0, _to_the(arrow / sure + _LEAST, power))
    decided = forbidden | forbidden.T if told is None else forbidden | forbidden.T | told
    either_way = np.where(decided, 0.0, _to_the(line / sure + _LEAST, power))
    total = one_way + one_way.T + either_way
    scale = np.where(total > 0, joined / np.where(total > 0, total, 1.0), 0.0)
    return one_way * scale, either_way * scale
