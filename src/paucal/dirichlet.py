"""Symmetric Dirichlet priors on counts: the Polya likelihood, alpha*, and the multinomials that stand in for it.

The paper's appendices A and D. Its fixed-point update for alpha is misprinted (the bracket of the denominator ends too
early); `alpha_star` finds the maximum of the correct one in a few steps and knows the cases where there is none. Counts
are those of all cells, the empty ones included.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from paucal import _kernel, checks
from paucal.errors import ParameterError, not_allowed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

By = Literal["parameters", "counts"]
Zero = Literal["limit", "drop", "nought"]
BY: tuple[By, ...] = ("parameters", "counts")
ZERO: tuple[Zero, ...] = ("limit", "drop", "nought")
_SMALLEST_SIZE, _SIZE_PER_LEVEL = 0.5, 8  # of the equivalent sample sizes that the score "eb" averages


def polya_log_likelihood(counts: ArrayLike, alpha: float, *, coefficient: bool = False) -> float:
    """Log-likelihood of counts when their probabilities have a symmetric Dirichlet prior with parameter `alpha`.

    With the multinomial `coefficient` it is that of the counts, instead of that of one order of the samples.

    >>> round(polya_log_likelihood([5, 1, 0, 2], 1.07503926), 4)
    -10.2286
    """
    n, a = _counts(counts), _alpha(alpha)
    # ln of a (a + 1) ... (a + n - 1) for every cell, less the same for the total: exact for small alpha too
    more = np.cumsum(np.bincount(n)[:0:-1])[::-1]  # cells with more than j samples
    value = float(more @ np.log(a + np.arange(len(more))) - np.sum(np.log(len(n) * a + np.arange(n.sum()))))
    if coefficient:
        value += math.lgamma(n.sum() + 1) - sum(math.lgamma(k + 1) for k in n.tolist())
    return value


def alpha_star(counts: ArrayLike) -> float:
    """The alpha under which counts are most likely.

    0 if all samples are in one cell; infinity if the counts are not more uneven than those of a uniform multinomial;
    NaN for fewer than two samples, which are equally likely under every alpha. Otherwise the one maximum (Levin and
    Reeds 1977), to at least nine digits.

    >>> round(alpha_star([5, 1, 0, 2]), 8)
    1.07503926
    >>> alpha_star([5, 5, 5, 5]), alpha_star([6, 0])
    (inf, 0.0)
    """
    n = _counts(counts)
    return float(_kernel.alpha_star(n[n > 0].astype(np.uint32), float(len(n))))


def fitted_line(counts: ArrayLike, alpha: float = 0.5, *, zero: Zero = "limit") -> tuple[float, float]:
    """Fit the line a n + b alpha through the paper's t(n, alpha); returns a and b alpha.

    `zero` is what t(0, alpha) is, which the paper's formula leaves open: its "limit" exp(psi(alpha)), left out of the
    fit ("drop"), or 0 ("nought"). If all counts that enter are equal, the solution is that of least norm; if the
    constant would be negative, which cannot happen for alpha >= 1/2, it is the line through the origin.
    """
    n = _counts(counts)
    checks.choice("zero", zero, ZERO)
    if not n.any():
        raise ParameterError("All counts are 0.", hint="A line needs at least one sample.")
    a = _alpha(alpha)
    used = n[n > 0] if zero == "drop" else n
    t = _t(used, a, zero)
    if (used == used[0]).all():  # one equation for two unknowns: the solution (a, b) of least norm
        scale = float(t[0]) / (float(used[0]) ** 2 + a**2)
        return scale * float(used[0]), scale * a**2
    slope, b = np.linalg.lstsq(np.column_stack([used, np.full(len(used), a)]), t, rcond=None)[0]
    return (float(slope), float(b) * a) if b >= 0 else (1.0, 0.0)  # pseudo-counts are not negative


def _t(n: NDArray[np.int64], alpha: float, zero: Zero) -> NDArray[np.float64]:
    """The paper's t(n, alpha): the n-th root of Gamma(n + alpha) / Gamma(alpha)."""
    positive = np.exp((_kernel.lgamma(n + alpha) - _kernel.lgamma(alpha)) / np.maximum(n, 1))
    at_zero = math.exp(_kernel.digamma(alpha)) if zero == "limit" else 0.0
    return np.where(n > 0, positive, at_zero)


def smoothed_parameters(counts: ArrayLike, alpha: float = 0.5, *, zero: Zero = "limit") -> NDArray[np.float64]:
    """The paper's modified parameters theta~: of the multinomial that stands in for the Polya likelihood.

    They are the shares of the samples after the same addition to every cell; see `fitted_line` for the parameters.
    """
    n = _counts(counts)
    slope, constant = fitted_line(n, alpha, zero=zero)
    return np.asarray((slope * n + constant) / (slope * n.sum() + constant * len(n)))


def modified_counts(counts: ArrayLike, alpha: float = 0.5) -> NDArray[np.float64]:
    """Minka's modified counts: those of the multinomial with uniform shares that stands in for the Polya likelihood."""
    n, a = _counts(counts), _alpha(alpha)
    return np.asarray(a * (_kernel.digamma(n + a) - _kernel.digamma(a)))


def approximate_polya(counts: ArrayLike, alpha: float = 0.5, *, by: By = "parameters", zero: Zero = "limit") -> float:
    """Approximate `polya_log_likelihood` by a multinomial: with theta~, or with Minka's modified counts.

    >>> counts = [10, 2, 3, 9]
    >>> round(polya_log_likelihood(counts, 0.5), 2), round(approximate_polya(counts, 0.5), 2)
    (-33.18, -28.81)
    >>> round(approximate_polya(counts, 0.5, by="counts"), 2)
    -9.82
    """
    n = _counts(counts)
    if checks.choice("by", by, BY) == "counts":
        return float(-math.log(len(n)) * modified_counts(n, alpha).sum())
    theta, some = smoothed_parameters(n, alpha, zero=zero), n > 0
    return float(n[some] @ np.log(theta[some]))


def largest_size(levels: Iterable[int]) -> float:
    """Give the equivalent sample size at which the grid of "eb" ends, for columns with so many observed levels.

    >>> [largest_size([2, levels]) for levels in (1, 2, 3, 4, 5, 100)]
    [16.0, 16.0, 32.0, 32.0, 64.0, 1024.0]
    """
    size, most = _SMALLEST_SIZE, max((2, *levels))
    while size < _SIZE_PER_LEVEL * most:
        size *= 2
    return size


def sizes_to(largest: float) -> list[float]:
    """List the equivalent sample sizes that "eb" averages, doubling up to the largest."""
    sizes = [_SMALLEST_SIZE]
    while sizes[-1] < largest:
        sizes.append(2 * sizes[-1])
    return sizes


def size_weights(counts: NDArray[np.float64], sizes: Sequence[float]) -> NDArray[np.float64]:
    """Weigh equivalent sample sizes by how likely they make the counts of a family; the weights add up to one.

    `counts` has a row per configuration of the parents and a column per level; a size is shared evenly by its cells.

    >>> size_weights(np.array([[6.0, 2.0], [1.0, 5.0]]), sizes_to(2048)).round(6)[:4]
    array([0.012716, 0.033708, 0.069429, 0.105874])
    """
    rows, cells = np.array(sizes)[:, None] / len(counts), np.array(sizes)[:, None, None] / counts.size
    logs = (_kernel.lgamma(rows) - _kernel.lgamma(counts.sum(axis=1) + rows)).sum(axis=1)
    logs += (_kernel.lgamma(counts + cells) - _kernel.lgamma(cells)).sum(axis=(1, 2))
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _counts(counts: ArrayLike) -> NDArray[np.int64]:
    given = np.asarray(counts)
    whole = given.astype(np.int64)
    if given.ndim != 1 or given.size == 0 or (whole != given).any() or (whole < 0).any():
        hint = "Give the number of samples in each cell; flatten a table with .ravel()."
        raise not_allowed("counts", counts, "a list of whole numbers from 0 on", hint=hint)
    return whole


def _alpha(alpha: float) -> float:
    return checks.positive_number("alpha", alpha, hint="Jeffreys' prior is alpha=0.5.")
