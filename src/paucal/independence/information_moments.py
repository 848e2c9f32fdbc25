"""Posterior mean and variance of the mutual information in a table with a Dirichlet prior.

With f(p) = p log p the mutual information is the sum of f over the cells, less the sums of f over rows and columns. Its
variance needs the mean of f(p) f(q) for any two of these, whose parameters are a and b of a total of A:

* the same, p = q, or apart: derivatives of the moments of the Dirichlet distribution (Wolpert and Wolf 1995);
* a cell in its row: p = q u, where u has a beta distribution and does not depend on q;
* a row and a column: they share a cell. As shares of both together they are r and 1 - r v, with r and v independent
  beta variables, and f(1 - z) = -z + sum of z^n / (n (n - 1)), so that the mean is a sum of products of moments.

The last sum takes time in proportion to the samples. Above `MOST` of these the expansion of Hutter and Zaffalon (2005)
is used, which leaves out terms of the order of A to the power -3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.errors import ParameterError
from paucal.independence.parameters import check_positive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.counts import Table

MOST = 2000.0  # samples, those in advance included
_TERMS = 50  # of the series, for every sample


def posterior_moments(table: Table, prior: float = 0.5) -> tuple[float, float]:
    """Posterior mean and variance of the mutual information in a table without conditioners.

    The mean is exact (Hutter 2002). The variance is exact to about ten digits up to 2,000 samples; above these it is
    the expansion of Hutter and Zaffalon (2005).

    Parameters
    ----------
    table
        Counts of two variables.
    prior
        Samples in advance for every cell.

    Examples
    --------
    >>> from paucal.counts import Table
    >>> mean, variance = posterior_moments(Table.from_dense([[10, 2], [3, 9]]))
    >>> round(mean, 6), round(variance, 6)
    (0.171446, 0.008786)
    """
    from scipy.special import digamma

    if table.configurations != 1:
        raise ParameterError(
            f"The table has {table.configurations} strata.", hint="Give a table without conditioners."
        )
    m = table.dense()[0] + check_positive("prior", prior)
    rows, columns, total = m.sum(axis=1, keepdims=True), m.sum(axis=0, keepdims=True), m.sum()
    mean = np.sum(
        m / total * (digamma(m + 1) - digamma(rows + 1) - digamma(columns + 1) + digamma(total + 1))
    )
    if min(m.shape) == 1:
        return 0.0, 0.0
    variance = _second_moment(m) - mean**2 if total <= MOST else _expansion(m)
    return float(mean), float(variance)


def _second_moment(m: NDArray[np.float64]) -> float:
    """Give the mean of the squared mutual information."""
    rows, columns, total = m.sum(axis=1), m.sum(axis=0), float(m.sum())
    cells = m.ravel()
    in_row = np.repeat(np.eye(len(rows)), len(columns), axis=1)  # [row, cell]
    in_column = np.tile(np.eye(len(columns)), len(rows))
    found = sum(_squares(a, total) + _apart(a, total) for a in (cells, rows, columns))
    for block, inside in ((rows, in_row), (columns, in_column)):
        apart = _products(block[:, None], cells[None, :], total)
        found -= 2 * float(
            np.sum(np.where(inside > 0, _nested(block[:, None], cells[None, :], total), apart))
        )
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            found += 2 * _crossing(m[i, j], row - m[i, j], column - m[i, j], total)
    return found


def _products(a: NDArray[np.float64], b: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Mean of f(p) f(q) for blocks that do not meet."""
    from scipy.special import digamma, polygamma

    at = digamma(total + 2)
    both = (digamma(a + 1) - at) * (digamma(b + 1) - at) - polygamma(1, total + 2)
    return np.asarray(a * b / (total * (total + 1)) * both)


def _apart(a: NDArray[np.float64], total: float) -> float:
    """Sum of the means of f(p) f(q) over all ordered pairs of different blocks."""
    pairs = _products(a[:, None], a[None, :], total)
    return float(pairs.sum() - np.trace(pairs))


def _squares(a: NDArray[np.float64], total: float) -> float:
    """Sum of the means of f(p)^2."""
    return float(np.sum(_power(a, total, 2)))


def _power(a: NDArray[np.float64], total: float, logs: int) -> NDArray[np.float64]:
    """Mean of p^2 (log p)^logs."""
    from scipy.special import digamma, polygamma

    log = digamma(a + 2) - digamma(total + 2)
    log2 = log**2 + polygamma(1, a + 2) - polygamma(1, total + 2)
    return np.asarray(a * (a + 1) / (total * (total + 1)) * (np.ones_like(log), log, log2)[logs])


def _nested(whole: NDArray[np.float64], part: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Mean of f(p) f(q) for a cell and the row or column that it is in."""
    from scipy.special import digamma

    share = part / whole
    entropy = share * (digamma(part + 1) - digamma(whole + 1))
    return share * _power(whole, total, 2) + entropy * _power(whole, total, 1)


def _crossing(shared: float, b: float, c: float, total: float) -> float:
    """Mean of f(p) f(q) for a row and a column with one cell in common and `b` and `c` besides."""
    from scipy.special import digamma

    union = shared + b + c
    size = np.array([union])
    square, with_log, with_log2 = (float(_power(size, total, logs)[0]) for logs in range(3))
    product = 1 - (b + c) / union + b * c / (union * (union + 1))  # mean of r k, both shares of the union
    logs = 0.0
    for other in (b, c):  # mean of r k log r, where k = 1 - r v and v is other / (shared + other)
        p = shared + other
        first = p / union * (digamma(p + 1) - digamma(union + 1))
        second = p * (p + 1) / (union * (union + 1)) * (digamma(p + 2) - digamma(union + 2))
        logs += first - other / p * second
    return with_log2 * product + with_log * logs + square * _series(shared, b, c)


def _series(shared: float, b: float, c: float) -> float:
    """Mean of f(r) f(1 - r v): r is beta(shared + b, c) and v is beta(b, shared)."""
    from scipy.special import digamma, gammaln

    p, union = shared + b, shared + b + c
    n = np.arange(1, max(20_000, int(_TERMS * union)) + 1)
    log_moments = (
        gammaln(p + n + 1) - gammaln(p) + gammaln(union) - gammaln(union + n + 1)  # of r, power n + 1
        + gammaln(b + n) - gammaln(b) + gammaln(p) - gammaln(p + n)  # of v, power n
    )  # fmt: skip
    means = np.exp(log_moments) * (digamma(p + n + 1) - digamma(union + n + 1))
    terms = means[1:] / (n[1:] * (n[1:] - 1.0))
    if not terms[-1]:
        return float(-means[0] + terms.sum())
    # Far out the terms fall like a power of n; the rest is the integral of that power.
    power = np.log(terms[-1] / terms[len(terms) // 2]) / np.log(n[-1] / n[len(terms) // 2 + 1])
    rest = terms[-1] * (n[-1] / (-power - 1) - 0.5)
    return float(-means[0] + terms.sum() + rest)


def _expansion(m: NDArray[np.float64]) -> float:
    """Give the variance up to terms of the order of 1 / total^3."""
    rows, columns, total = m.sum(axis=1, keepdims=True), m.sum(axis=0, keepdims=True), m.sum()
    log_ratio = np.log(m * total / (rows * columns))
    j, k = np.sum(m / total * log_ratio), np.sum(m / total * log_ratio**2)
    correction = np.sum((1 / m - 1 / rows - 1 / columns + 1 / total) * m * log_ratio)
    q = 1 - np.sum(m**2 / (rows * columns))
    df = (m.shape[0] - 1) * (m.shape[1] - 1)
    return float((k - j**2) / (total + 1) + (correction + df * (0.5 - j) - q) / ((total + 1) * (total + 2)))
