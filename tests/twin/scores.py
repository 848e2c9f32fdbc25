"""Scores of families: the formulas written out, by the public names of the scores; "mixed" is "eb" without numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal import Dataset

BY_SETS = ("eb", "mixed", "bdeu", "qnml", "bic", "aic", "loglik")  # differences between two sets of columns
OBSERVED = ("eb", "mixed", "bds", "qnml")  # levels count as observed


def local(data: Dataset, child: int, parents: Sequence[int], score: str, *, ess: float = 10) -> float:
    """Score a column with its parents."""
    if score in BY_SETS:
        return of_set(data, (*parents, child), score, ess=ess) - of_set(data, parents, score, ess=ess)
    levels = _levels(data, score)[child]
    configuration = _numbered(data, parents)
    strata = [np.flatnonzero(configuration == s) for s in range(configuration.max() + 1)]
    per_cell = 1.0 if score == "k2" else ess / (len(strata) * levels)
    counts = (np.bincount(data.columns[child][rows]) for rows in strata)
    return sum(dirichlet_multinomial(n[n > 0], per_cell, levels) for n in counts)


def of_set(data: Dataset, members: Sequence[int], score: str, *, ess: float = 10) -> float:
    """Score a set of columns."""
    if not members:
        return 0.0
    cells = math.prod(_levels(data, score)[v] for v in members)
    n = np.bincount(_numbered(data, members))
    if score in ("eb", "mixed", "bdeu"):
        sizes = [ess] if score == "bdeu" else averaged_sizes(data)
        logs = np.array([dirichlet_multinomial(n, size / cells, cells) for size in sizes])
        return float(logs.max() + np.log(np.mean(np.exp(logs - logs.max()))))
    fit = float(np.sum(n * np.log(n / n.sum())))
    if score == "qnml":
        return fit - log_multinomial_regret(int(n.sum()), cells)
    return fit - {"loglik": 0.0, "aic": 1.0, "bic": math.log(n.sum()) / 2}[score] * (cells - 1)


def averaged_sizes(data: Dataset) -> list[float]:
    """Give the equivalent sample sizes of "eb": 0.5 times powers of two, up to 8 for each of the most levels."""
    most = max(2, *(len(np.unique(codes)) for codes in data.columns))
    return [0.5 * 2**k for k in range(math.ceil(math.log2(16 * most)) + 1)]


def _levels(data: Dataset, score: str) -> list[int]:
    if score in OBSERVED:
        return [len(np.unique(codes)) for codes in data.columns]
    return list(data.cardinalities)


def _numbered(data: Dataset, members: Sequence[int]) -> NDArray[np.int64]:
    """Number the configurations of some columns, row by row."""
    if not members:
        return np.zeros(data.n_rows, dtype=np.int64)
    rows = np.column_stack([data.columns[v] for v in members])
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def dirichlet_multinomial(counts: NDArray[Any], per_cell: float, cells: float) -> float:
    """Log probability of counts, in the order they came, under a symmetric Dirichlet prior on all cells."""
    total, size = counts.sum(), per_cell * cells
    risen = np.sum(gammaln(counts + per_cell) - gammaln(per_cell))
    return float(gammaln(size) - gammaln(size + total) + risen)


def log_multinomial_regret(rows: int, cells: float) -> float:
    """Logarithm of C(N, K), the sum of all maximised multinomial likelihoods of N rows in K cells.

    Exact up to a thousand cells; beyond, the approximation of Szpankowski and Weinberger (2012).
    """
    if cells <= 1000:
        return exact_log_regret(rows, round(cells))
    a = cells / rows
    c = 0.5 + 0.5 * math.sqrt(1 + 4 / a)
    return rows * (math.log(a) + (a + 2) * math.log(c) - 1 / c) - 0.5 * math.log(c + 2 / a)


def exact_log_regret(n: int, k: int) -> float:
    """Use the recursion C(N, K + 2) = C(N, K + 1) + N / K C(N, K) of Kontkanen and Myllymaki (2007)."""
    if n == 0 or k < 2:
        return 0.0
    before, now, log_factor = 1.0, 0.0, 0.0
    for h in range(n + 1):
        term = math.lgamma(n + 1) - math.lgamma(h + 1) - math.lgamma(n - h + 1)
        term += (h * math.log(h / n) if h else 0) + ((n - h) * math.log((n - h) / n) if h < n else 0)
        now += math.exp(term)
    for j in range(1, k - 1):
        following = now + n / j * before
        before, now, log_factor = now / following, 1.0, log_factor + math.log(following)
    return log_factor + math.log(now)
