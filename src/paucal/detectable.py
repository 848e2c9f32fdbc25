"""Populations with an effect of a chosen size, read off a table, and the smallest effect that a test finds in them.

In every stratum x and y are independent in a share 1 - e of the population, and in the share e their levels go together
as closely as their frequencies allow, the most frequent with the most frequent and so on. The size of an effect is
Cramér's V, the root of its mean square over the strata, weighted by their samples; e = 1 gives the largest V that these
frequencies allow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from paucal.independence.answers import DEPENDENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.independence.native import KernelTest
    from paucal.tables import Table

_REPLICATES = 100  # samples drawn at each effect that is tried
_FEWEST_REPLICATES = 30
_STEPS = 7  # effects that are tried, by halving the interval on a logarithmic scale
_MOST_CELLS = 10_000  # of a table that is drawn again and again
_MOST_DRAWN = 300_000  # cells per effect that is tried


@dataclass(frozen=True)
class Population:
    """What samples of a question are drawn from: per stratum its samples, independence, and the closest coupling.

    `largest` is the effect of the coupling, which a mixture reaches in proportion to its share.
    """

    samples: NDArray[np.int64]
    independent: NDArray[np.float64]
    coupled: NDArray[np.float64]
    largest: float

    @classmethod
    def of(cls, table: Table) -> Population | None:
        """Read a population off a table; None if the table is too large."""
        margins = table.margins()
        if margins is None:
            return None
        rows, columns = margins
        informative = ((rows > 0).sum(1) > 1) & ((columns > 0).sum(1) > 1)
        rows, columns = rows[informative], columns[informative]
        if len(rows) * rows.shape[1] * columns.shape[1] > _MOST_CELLS:
            return None
        samples = rows.sum(1)
        p, q = rows / samples[:, None], columns / samples[:, None]
        independent = p[:, :, None] * q[:, None, :]
        coupled = np.array([closest_coupling(a, b) for a, b in zip(p, q, strict=True)])
        square = (coupled - independent) ** 2
        excess = np.divide(square, independent, out=np.zeros_like(coupled), where=independent > 0)
        smaller = np.minimum((p > 0).sum(1), (q > 0).sum(1)) - 1
        v_squared = excess.sum(axis=(1, 2)) / smaller
        return cls(samples, independent, coupled, math.sqrt(float(np.average(v_squared, weights=samples))))

    def draw(self, share: float, size: int, rng: np.random.Generator) -> NDArray[np.uint32]:
        """Draw tables from the mixture in which the coupling has this share."""
        cells = (1 - share) * self.independent + share * self.coupled
        flat = cells.reshape(len(cells), -1)
        drawn = rng.multinomial(self.samples, flat / flat.sum(1, keepdims=True), size=(size, len(flat)))
        return drawn.reshape(size, *cells.shape).astype(np.uint32)


def closest_coupling(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Joint shares in which the most frequent levels go together, then the next most frequent, and so on.

    >>> closest_coupling(np.array([0.3, 0.7]), np.array([0.6, 0.4])).round(2).tolist()
    [[0.0, 0.3], [0.6, 0.1]]
    """
    joint = np.zeros((len(p), len(q)))
    rows, columns = np.argsort(-p, kind="stable"), np.argsort(-q, kind="stable")
    left, free = p[rows].copy(), q[columns].copy()
    i = j = 0
    while i < len(p) and j < len(q):
        both = min(left[i], free[j])
        joint[rows[i], columns[j]] = both
        left[i] -= both
        free[j] -= both
        if left[i] <= free[j]:
            i += 1
        else:
            j += 1
    return joint


def smallest_effect(
    test: KernelTest, population: Population, order: int, target: float, rng: np.random.Generator
) -> float:
    """The effect that is detected in the wanted share of samples; infinite if none is."""
    size = int(np.clip(_MOST_DRAWN // population.independent.size, _FEWEST_REPLICATES, _REPLICATES))

    def detected(share: float) -> float:
        return float((test.read(population.draw(share, size, rng), order).decision == DEPENDENT).mean())

    if detected(1.0) < target:
        return math.inf
    low, high = 0.1 / math.sqrt(population.samples.sum()), 1.0  # below the first, nothing is ever found
    tried = []
    for _ in range(_STEPS):
        share = math.sqrt(low * high)
        found = detected(share)
        tried.append((share, found))
        low, high = (share, high) if found < target else (low, share)
    return population.largest * _crossing(tried, size, target, default=high)


def _crossing(tried: list[tuple[float, float]], size: int, target: float, *, default: float) -> float:
    """Where a probit line through all that was tried meets the target: less noisy than the last halving."""
    share, found = np.array(tried).T
    smoothed = (found * size + 0.5) / (size + 1)
    quantile = NormalDist().inv_cdf
    z = np.array([quantile(p) for p in smoothed.tolist()])
    weight = np.exp(-(z**2)) / (smoothed * (1 - smoothed))
    centre, mean = np.average(share, weights=weight), np.average(z, weights=weight)
    spread = np.sum(weight * (share - centre) ** 2)
    slope = np.sum(weight * (share - centre) * (z - mean)) / spread if spread > 0 else 0.0
    if slope <= 0:
        return default
    return float(np.clip(centre + (quantile(target) - mean) / slope, share.min(), 1.0))
