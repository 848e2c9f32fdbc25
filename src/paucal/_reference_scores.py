"""The readable twin of the kernel's scores: the formulas written out. Nothing here is meant to be fast."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paucal._reference import Columns


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


def dirichlet_multinomial(counts: NDArray[Any], per_cell: float, cells: float) -> float:
    """Log probability of counts, in the order they came, under a symmetric Dirichlet prior on all cells."""
    from scipy.special import gammaln

    total, size = counts.sum(), per_cell * cells
    risen = np.sum(gammaln(counts + per_cell) - gammaln(per_cell))
    return float(gammaln(size) - gammaln(size + total) + risen)


class Scorer:
    """Scores of families: `local(child, parents)`, and of sets where a score is a difference of such."""

    def __init__(
        self,
        columns: Columns,
        levels: Sequence[float],
        of_set: Callable[[NDArray[Any], float], float] | None,
        prior: tuple[bool, float] = (False, 1.0),
    ) -> None:
        if len(levels) != len(columns.columns):
            raise ValueError("as many numbers of levels as columns are needed")
        self.columns = columns
        self.evaluated = 0
        self._levels = list(levels)
        self._of_set = of_set
        self._shared, self._size = prior
        self._known: dict[tuple[int, ...], float] = {}

    @staticmethod
    def dirichlet(columns: Columns, levels: Sequence[float], sizes: Sequence[float]) -> Scorer:
        """Average the likelihood over equivalent sample sizes; one size is BDeu."""

        def of_set(counts: NDArray[Any], cells: float) -> float:
            logs = np.array([dirichlet_multinomial(counts, size / cells, cells) for size in sizes])
            return float(logs.max() + np.log(np.mean(np.exp(logs - logs.max()))))

        return Scorer(columns, levels, of_set)

    @staticmethod
    def fit(columns: Columns, levels: Sequence[float], per_parameter: float) -> Scorer:
        """Take the largest log-likelihood less `per_parameter` for each parameter: BIC, AIC."""

        def of_set(counts: NDArray[Any], cells: float) -> float:
            return float(np.sum(counts * np.log(counts / counts.sum())) - per_parameter * (cells - 1))

        return Scorer(columns, levels, of_set)

    @staticmethod
    def qnml(columns: Columns, levels: Sequence[float]) -> Scorer:
        """Quotient normalised maximum likelihood (Silander et al. 2018)."""

        def of_set(counts: NDArray[Any], cells: float) -> float:
            fit = float(np.sum(counts * np.log(counts / counts.sum())))
            return fit - log_multinomial_regret(int(counts.sum()), cells)

        return Scorer(columns, levels, of_set)

    @staticmethod
    def family(columns: Columns, levels: Sequence[float], shared: bool, size: float) -> Scorer:
        """Score each observed configuration of the parents: BDs (shared) or, with size 1, K2."""
        return Scorer(columns, levels, None, (shared, size))

    def _counts(self, members: Sequence[int]) -> NDArray[np.int64]:
        self.evaluated += 1
        rows = np.column_stack([self.columns.columns[v] for v in members])
        return np.unique(rows, axis=0, return_counts=True)[1]

    def set(self, members: tuple[int, ...]) -> float:
        """Score a set of columns."""
        if self._of_set is None:
            raise TypeError("this score is none of sets")
        key = tuple(sorted(members))
        if not key:
            return 0.0
        if key not in self._known:
            cells = math.prod(self._levels[v] for v in key)
            self._known[key] = self._of_set(self._counts(key), cells)
        return self._known[key]

    def local(self, child: int, parents: tuple[int, ...]) -> float:
        """Score a column with its parents."""
        if self._of_set is not None:
            return self.set((*parents, child)) - self.set(parents)
        levels = self._levels[child]
        strata = [np.arange(self.columns.rows)]
        if parents:
            rows = np.column_stack([self.columns.columns[v] for v in parents])
            stratum = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
            strata = [np.flatnonzero(stratum == s) for s in range(stratum.max() + 1)]
        per_cell = self._size / (len(strata) * levels) if self._shared else self._size
        self.evaluated += 1
        counts = (np.bincount(self.columns.columns[child][rows]) for rows in strata)
        return sum(dirichlet_multinomial(n[n > 0], per_cell, levels) for n in counts)
