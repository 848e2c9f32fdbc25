"""Groups of a treatment compared where rows belong together, such as visits of one person or pupils of one school.

Deviations from the mean of a group are summed within each unit (person, school), and the variance is that of these
sums, each enlarged for what its unit contributed to the mean itself: CR2 of Bell and McCaffrey (2002), which for units
of one size is what Welch's interval of the means of units takes. Degrees of freedom count units, a large unit for more
than one. Shares have Newcombe's interval for as many rows as would vary as much if they were independent. A unit with
rows in both groups, as in a cross-over trial, adds the covariance of the two.
`python benchmarks/clustered.py` prints how often these intervals hold the truth.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.networks.tables import FloatArray


class Sums(NamedTuple):
    """One group: its mean, and by unit the summed deviations from it as they enter the variance, and shares of rows."""

    mean: float
    deviations: FloatArray
    shares: FloatArray

    @property
    def variance(self) -> float:
        """The variance of the mean."""
        return float((self.deviations**2).sum())

    @property
    def freedom(self) -> float:
        """Units of equal size that would tell as much, less one."""
        return 1 / float((self.shares**2).sum()) - 1


def sums(values: FloatArray, units: NDArray[np.intp], n_units: int) -> Sums | None:
    """Sum up the rows of one group by unit; None if one unit has them all."""
    n = len(values)
    shares = np.bincount(units, minlength=n_units) / n
    if not n or shares.max() >= 1:
        return None
    mean = float(values.mean())
    total = np.bincount(units, weights=values - mean, minlength=n_units) / n
    return Sums(mean, total / np.sqrt(1 - shares), shares)


def covariance(one: Sums, other: Sums) -> float:
    """Give the covariance of the means of two groups, which units with rows in both bring about."""
    return float(one.deviations @ other.deviations)


def freedom(one: Sums, other: Sums) -> float:
    """Give the degrees of freedom of a difference: Welch's, or those of the smaller group if units are in both."""
    if (one.shares * other.shares).any():
        return min(one.freedom, other.freedom)
    parts = ((one.variance, one.freedom), (other.variance, other.freedom))
    total = sum(variance for variance, _ in parts)
    return total**2 / sum(variance**2 / free for variance, free in parts) if total > 0 else one.freedom


def effective_rows(one: Sums, n: int) -> float:
    """Give how many independent rows would tell as much about a share; one row a unit where nothing varies."""
    if one.variance <= 0:
        return min(float(n), one.freedom + 1)
    return min(float(n), one.mean * (1 - one.mean) / one.variance)


def correlation(one: Sums, other: Sums) -> float:
    """Give the correlation of the two means."""
    both = math.sqrt(one.variance * other.variance)
    return 0.0 if both <= 0 else max(-1.0, min(1.0, covariance(one, other) / both))
