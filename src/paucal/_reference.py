"""The kernel's readable twin: the same interface and the same answers, in a few obvious NumPy lines each.

`PAUCAL_KERNEL=python` runs the whole product on it; the tests run both and require equality. Nothing here is meant to
be fast. The statistics are functions from `Cells` to a `Reading`, in `_reference_tables`, `_reference_bayes`,
`_reference_information`, `_reference_permutation` and `_reference_shuffle`; here is what asks them, remembers and
enumerates.
"""

from __future__ import annotations

import math
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal._reference_bayes import ZeroRule, alpha_star, bf_chi2_reading, bf_reading
from paucal._reference_graphs import DagSampler, OrderSearch, completed, consensus
from paucal._reference_information import (
    Conditional,
    Threshold,
    mi_adaptive_reading,
    mi_eb_reading,
    mi_fixed_reading,
    mi_full_reading,
    mi_reading,
)
from paucal._reference_permutation import (
    Chi2Perm,
    gamma_p,
    gamma_q,
    pearson3_sf,
    permutation_cumulants,
)
from paucal._reference_scores import Scorer
from paucal._reference_shuffle import Permutation
from paucal._reference_tables import (
    NAN,
    NEUTRAL,
    Cells,
    DofRule,
    Reading,
    chi2_reading,
    chi2_sf,
    g_reading,
    number_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    _Level: TypeAlias = float | Sequence[float]

# What the kernel offers; the rest is how it is made.
__all__ = [
    "Columns",
    "Conditional",
    "DagSampler",
    "DofRule",
    "OrderSearch",
    "Scorer",
    "Sparse",
    "Tester",
    "Threshold",
    "ZeroRule",
    "alpha_star",
    "chi2_sf",
    "completed",
    "consensus",
    "gamma_p",
    "gamma_q",
    "isa",
    "pearson3_sf",
    "permutation_cumulants",
]

INDEPENDENT, DEPENDENT, UNDECIDABLE = range(3)
THIN, NO_INFORMATION, EMPTY_STRATA, CONSTANT, POWERLESS = 1, 2, 4, 8, 16


def isa() -> str:
    """Stand in for the kernel's function: there are no instruction sets here."""
    return "python"


class Sparse(Enum):
    """What thin data mean."""

    test = "test"
    independent = "independent"
    undecidable = "undecidable"


# -- counting --------------------------------------------------------------------------------------------------


class Columns:
    """Coded columns."""

    def __init__(self, columns: Sequence[NDArray[Any]], states: Sequence[int], rows: int) -> None:
        if len(columns) != len(states):
            raise ValueError("as many columns as numbers of states are needed")
        for column, k in zip(columns, states, strict=True):
            if len(column) != rows:
                raise ValueError("columns differ in length")
            if k == 0 or (rows and column.max() >= k):
                raise ValueError("a code is not below the number of states")
        self.columns = [np.asarray(column, dtype=np.int64) for column in columns]
        self.states = list(states)
        self.rows = rows

    def cells(self, x: int, y: int, given: tuple[int, ...]) -> tuple[Cells, NDArray[np.int64]]:
        """Count x against y in every stratum; also each stratum's first row."""
        if given:
            configuration = np.column_stack([self.columns[v] for v in given])
            stratum = number_rows(configuration)
        else:
            stratum = np.zeros(self.rows, dtype=np.int64)
        first_row = np.unique(stratum, return_index=True)[1]
        rows = np.column_stack([stratum, self.columns[x], self.columns[y]])
        cell, n = np.unique(rows, axis=0, return_counts=True)
        s, i, j = cell.T
        configurations = math.prod(self.states[v] for v in given)
        return Cells(s, i, j, n, self.states[x], self.states[y], configurations, len(given)), first_row

    def count(self, x: int, y: int, given: tuple[int, ...]) -> tuple[NDArray[np.uint32], ...]:
        """List stratum, x, y and n of the positive cells, and the first row of each stratum."""
        cells, first_row = self.cells(x, y, given)
        return tuple(v.astype(np.uint32) for v in (cells.stratum, cells.x, cells.y, cells.n, first_row))


# -- asking ------------------------------------------------------------------------------------------------------

_Outcome = tuple[float, float, float, float, float, int, int, int]
_Tally = tuple[int, int, int, int, int]


class Tester:
    """Asks a statistic, remembers what it said, and searches for separating sets."""

    def __init__(
        self,
        columns: Columns,
        statistic: Callable[[Cells], Reading],
        sparse: Sparse,
        least: float,
        *,
        per_dof: bool,
    ) -> None:
        self.columns = columns
        self.statistic = statistic
        self.sparse, self.least, self.per_dof = sparse, least, per_dof
        self.memory: dict[tuple[int, int, tuple[int, ...]], _Outcome] = {}

    @staticmethod
    def g(
        columns: Columns, alpha: _Level, df: DofRule, sparse: Sparse, least: float, per_dof: bool
    ) -> Tester:
        """Build a G test."""
        return Tester(columns, lambda cells: g_reading(cells, alpha, df), sparse, least, per_dof=per_dof)

    @staticmethod
    def chi2(
        columns: Columns, alpha: _Level, df: DofRule, sparse: Sparse, least: float, per_dof: bool
    ) -> Tester:
        """Build a chi-square test."""
        return Tester(columns, lambda cells: chi2_reading(cells, alpha, df), sparse, least, per_dof=per_dof)

    @staticmethod
    def bf(
        columns: Columns,
        prior: float,
        log_eta: float,
        stripped: bool,
        strict: bool,
        sparse: Sparse,
        least: float,
    ) -> Tester:
        """Build a Bayes factor test."""

        def reading(cells: Cells) -> Reading:
            return bf_reading(cells, prior, log_eta, stripped=stripped, strict=strict)

        return Tester(columns, reading, sparse, least, per_dof=False)

    @staticmethod
    def bf_chi2(
        columns: Columns,
        alpha: _Level,
        prior: float,
        zero: ZeroRule,
        reduced: bool,
        df: DofRule,
        sparse: Sparse,
        least: float,
        per_dof: bool,
    ) -> Tester:
        """Build the chi-square form of the Bayes factor test."""

        def reading(cells: Cells) -> Reading:
            return bf_chi2_reading(cells, alpha, prior, zero, df, reduced=reduced)

        return Tester(columns, reading, sparse, least, per_dof=per_dof)

    @staticmethod
    def mi(columns: Columns, threshold: Threshold, sparse: Sparse, least: float) -> Tester:
        """Build a test of the plug-in information."""
        return Tester(columns, lambda cells: mi_reading(cells, threshold), sparse, least, per_dof=False)

    @staticmethod
    def mi_eb(
        columns: Columns, threshold: Threshold, conditional: Conditional, sparse: Sparse, least: float
    ) -> Tester:
        """Build a test of the empirical-Bayes information."""

        def reading(cells: Cells) -> Reading:
            return mi_eb_reading(cells, threshold, conditional)

        return Tester(columns, reading, sparse, least, per_dof=False)

    @staticmethod
    def mi_fixed(
        columns: Columns,
        threshold: Threshold,
        conditional: Conditional,
        prior: float,
        shared: bool,
        sparse: Sparse,
        least: float,
    ) -> Tester:
        """Build a test of the posterior mean information with a chosen prior."""

        def reading(cells: Cells) -> Reading:
            return mi_fixed_reading(cells, threshold, conditional, prior, shared=shared)

        return Tester(columns, reading, sparse, least, per_dof=False)

    @staticmethod
    def mi_full(
        columns: Columns, threshold: Threshold, conditional: Conditional, sparse: Sparse, least: float
    ) -> Tester:
        """Build a test of the information averaged over all priors."""

        def reading(cells: Cells) -> Reading:
            return mi_full_reading(cells, threshold, conditional)

        return Tester(columns, reading, sparse, least, per_dof=False)

    @staticmethod
    def mi_adaptive(
        columns: Columns, threshold: Threshold, by_frequency: bool, split: float, sparse: Sparse, least: float
    ) -> Tester:
        """Build a test of the information by adaptive partitioning."""

        def reading(cells: Cells) -> Reading:
            return mi_adaptive_reading(cells, threshold, split, by_frequency=by_frequency)

        return Tester(columns, reading, sparse, least, per_dof=False)

    @staticmethod
    def chi2_perm(columns: Columns, alpha: _Level, guard: bool, act: bool) -> Tester:
        """Build the test of the smoothed chi-square against its permutation cumulants."""
        return Tester(columns, Chi2Perm(alpha, guard=guard, act=act), Sparse.test, 0, per_dof=False)

    @staticmethod
    def permutation(
        of: Tester, alpha: _Level, permutations: int, exceedances: int, seed: int, act: bool
    ) -> Tester:
        """Build the permutation test of another test's statistic."""
        statistic = Permutation(of.statistic, alpha, permutations, exceedances, seed, act=act)
        return Tester(of.columns, statistic, Sparse.test, 0, per_dof=False)

    def _evaluate(self, x: int, y: int, given: tuple[int, ...]) -> _Outcome:
        if min(len(np.unique(self.columns.columns[v])) for v in (x, y)) <= 1:
            return self._constant(len(given))
        return self._judge(self.columns.cells(x, y, given)[0])

    def _constant(self, order: int) -> _Outcome:
        r = self.statistic(NEUTRAL._replace(order=order))
        flags = CONSTANT | NO_INFORMATION | (POWERLESS if r.powerless else 0)
        return (r.statistic, r.dof, r.p_value, r.threshold, r.nearness, 0, INDEPENDENT, flags)

    def _judge(self, cells: Cells) -> _Outcome:
        r = self.statistic(cells)
        decision = UNDECIDABLE if r.undecided else INDEPENDENT if r.independent else DEPENDENT
        flags = (0 if r.informative else NO_INFORMATION) | (POWERLESS if r.powerless else 0)
        if cells.n_strata < cells.configurations:
            flags |= EMPTY_STRATA
        units = r.dof if self.per_dof else cells.kx * cells.ky * cells.configurations
        if cells.n.sum() < self.least * units:
            flags |= THIN
            decision = {Sparse.independent: INDEPENDENT, Sparse.undecidable: UNDECIDABLE}.get(
                self.sparse, decision
            )
        return (r.statistic, r.dof, r.p_value, r.threshold, r.nearness, cells.n_strata, decision, flags)

    def smallest_p(self, x: int, y: int, given: tuple[int, ...]) -> float:
        """A p-value that no data with the margins of this question go below; 0 if nothing is known."""
        if min(len(np.unique(self.columns.columns[v])) for v in (x, y)) <= 1:
            return 1.0
        if not isinstance(self.statistic, (Chi2Perm, Permutation)):
            return 0.0
        return self.statistic.smallest_p(self.columns.cells(min(x, y), max(x, y), tuple(sorted(given)))[0])

    def read(self, tables: NDArray[np.uint32], order: int) -> tuple[NDArray[Any], ...]:
        """Answer tables that come from elsewhere, as an array of shape (tables, strata, kx, ky)."""
        outcomes = []
        for table in tables.astype(np.int64):
            if min(np.count_nonzero(table.sum(axis)) for axis in ((0, 1), (0, 2))) <= 1:
                outcomes.append(self._constant(order))
                continue
            observed = table[table.any(axis=(1, 2))]
            s, x, y = np.nonzero(observed)
            strata, kx, ky = table.shape
            outcomes.append(self._judge(Cells(s, x, y, observed[s, x, y], kx, ky, strata, order)))
        return _arrays(outcomes)

    def ask(self, x: int, y: int, given: tuple[int, ...]) -> tuple[_Outcome, bool]:
        """Answer a question; also whether it is new."""
        key = (min(x, y), max(x, y), tuple(sorted(given)))
        fresh = key not in self.memory
        if fresh:
            self.memory[key] = self._evaluate(*key)
        return self.memory[key], fresh

    def ask_many(
        self, x: NDArray[Any], y: NDArray[Any], given: NDArray[Any], threads: int
    ) -> tuple[tuple[NDArray[Any], ...], _Tally]:
        """Answer many questions of one order."""
        del threads
        asked = [self.ask(int(i), int(j), tuple(map(int, z))) for i, j, z in zip(x, y, given, strict=True)]
        return _arrays([outcome for outcome, _ in asked]), _tally(asked)

    def first_separator(
        self, x: int, y: int, candidates: Sequence[int], order: int
    ) -> tuple[bool, tuple[int, ...] | None, _Outcome | None, _Tally]:
        """Try subsets until one separates; otherwise tell which came nearest."""
        asked = []
        best: tuple[tuple[int, ...] | None, _Outcome | None] = (None, None)
        for subset in combinations(candidates, order):
            outcome, fresh = self.ask(x, y, subset)
            asked.append((outcome, fresh))
            if outcome[6] == INDEPENDENT:
                return True, subset, outcome, _tally(asked)
            if best[1] is None or outcome[4] > best[1][4]:
                best = (subset, outcome)
        return False, *best, _tally(asked)

    def search(
        self,
        x: NDArray[Any],
        y: NDArray[Any],
        owner: NDArray[Any] | None,
        adjacency: NDArray[Any],
        order: int,
        threads: int,
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[NDArray[Any], ...], tuple[int, ...]]:
        """Search for many pairs, each among the neighbours of its owner, or of x and then of y."""
        del threads
        found, asked = (np.zeros(len(x), dtype=np.uint8) for _ in range(2))
        sets = np.zeros((len(x), order), dtype=np.uint32)
        outcomes: list[_Outcome] = [(0.0, NAN, NAN, NAN, 0.0, 0, INDEPENDENT, 0)] * len(x)
        total = np.zeros(5, dtype=np.int64)
        for ends in (x, y) if owner is None else (owner,):
            for i, (a, b, o) in enumerate(zip(x.tolist(), y.tolist(), ends.tolist(), strict=True)):
                candidates = [v for v in np.flatnonzero(adjacency[o]).tolist() if v not in (a, b, o)]
                if owner is None and o == b:
                    before = [v for v in np.flatnonzero(adjacency[a]).tolist() if v not in (a, b)]
                    if found[i] or candidates == before or not order:
                        continue
                separated, subset, outcome, tally = self.first_separator(a, b, candidates, order)
                total += tally
                if subset is None or outcome is None:
                    continue
                if separated or not asked[i] or outcome[4] > outcomes[i][4]:
                    found[i], asked[i], sets[i], outcomes[i] = separated, 1, subset, outcome
        return found, asked, sets, _arrays(outcomes), tuple(total.tolist())


def _tally(asked: list[tuple[_Outcome, bool]]) -> _Tally:
    new = [outcome for outcome, fresh in asked if fresh]
    unreliable, powerless = (
        sum(1 for outcome in new if outcome[7] & flags)
        for flags in (THIN | NO_INFORMATION | POWERLESS, NO_INFORMATION | POWERLESS)
    )
    undecidable = sum(1 for outcome in new if outcome[6] == UNDECIDABLE)
    return len(asked), len(new), unreliable, undecidable, powerless


def _arrays(outcomes: list[_Outcome]) -> tuple[NDArray[Any], ...]:
    columns = list(zip(*outcomes, strict=True)) if outcomes else [()] * 8
    types = [np.float64] * 5 + [np.uint32, np.uint8, np.uint8]
    return tuple(np.array(column, dtype=t) for column, t in zip(columns, types, strict=True))
