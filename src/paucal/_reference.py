"""The kernel's readable twin: the same interface and the same answers, in a few obvious NumPy lines each.

`PAUCAL_KERNEL=python` runs the whole product on it; the tests run both and require equality. Nothing here is meant to
be fast. A statistic is a function from `Cells` to a `Reading`; everything else asks, remembers and enumerates.
"""

from __future__ import annotations

import math
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

INDEPENDENT, DEPENDENT, UNDECIDABLE = range(3)
THIN, NO_INFORMATION, EMPTY_STRATA, CONSTANT = 1, 2, 4, 8
NAN = float("nan")


def isa() -> str:
    """Stand in for the kernel's function: there are no instruction sets here."""
    return "python"


def chi2_sf(statistic: float, dof: float) -> float:
    """Upper tail of the chi-square distribution."""
    from scipy.special import chdtrc

    return float(chdtrc(dof, statistic)) if statistic > 0 and dof > 0 else 1.0


class DofRule(Enum):
    """How degrees of freedom are counted."""

    full = "full"
    nonempty = "nonempty"
    adjusted = "adjusted"


class Sparse(Enum):
    """What thin data mean."""

    test = "test"
    independent = "independent"
    undecidable = "undecidable"


# -- counting ----------------------------------------------------------------------------------------------------


class Cells(NamedTuple):
    """The positive cells of a table: stratum, levels and count, one entry each."""

    stratum: NDArray[np.int64]
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    n: NDArray[np.int64]
    kx: int
    ky: int
    configurations: int

    def margin(self, *keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per cell, the samples that agree with it in the keys."""
        group = _number(np.column_stack(keys))
        return np.bincount(group, weights=self.n).astype(np.int64)[group]

    def levels(self, of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per stratum, how many levels of a variable occur."""
        pairs = np.unique(np.column_stack([self.stratum, of]), axis=0)
        return np.bincount(pairs[:, 0])

    @property
    def n_strata(self) -> int:
        """Observed strata."""
        return int(self.stratum.max()) + 1


def _number(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Number the distinct rows of a matrix."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


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
            stratum = _number(configuration)
        else:
            stratum = np.zeros(self.rows, dtype=np.int64)
        first_row = np.unique(stratum, return_index=True)[1]
        rows = np.column_stack([stratum, self.columns[x], self.columns[y]])
        cell, n = np.unique(rows, axis=0, return_counts=True)
        s, i, j = cell.T
        configurations = math.prod(self.states[v] for v in given)
        return Cells(s, i, j, n, self.states[x], self.states[y], configurations), first_row

    def count(self, x: int, y: int, given: tuple[int, ...]) -> tuple[NDArray[np.uint32], ...]:
        """List stratum, x, y and n of the positive cells, and the first row of each stratum."""
        cells, first_row = self.cells(x, y, given)
        return tuple(v.astype(np.uint32) for v in (cells.stratum, cells.x, cells.y, cells.n, first_row))


# -- statistics --------------------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """What a statistic says of one table."""

    statistic: float
    dof: float
    p_value: float
    threshold: float
    nearness: float
    independent: bool
    informative: bool = True


NEUTRAL = Cells(
    *(np.zeros(1, dtype=np.int64),) * 3, np.ones(1, dtype=np.int64), 1, 1, 1
)  # says nothing at all


def g_reading(cells: Cells, alpha: float, df: DofRule) -> Reading:
    """Likelihood ratio: twice the sum of n ln(n / expected)."""
    return _classical(cells, float(2 * np.sum(cells.n * np.log(cells.n / _expected(cells)))), alpha, df)


def chi2_reading(cells: Cells, alpha: float, df: DofRule) -> Reading:
    """Pearson's chi-square; an empty cell deviates by its whole expectation."""
    expected = _expected(cells)
    occupied = np.sum((cells.n - expected) ** 2 / expected)
    empty = cells.n.sum() - np.sum(expected)
    return _classical(cells, float(occupied + empty), alpha, df)


def _expected(cells: Cells) -> NDArray[np.float64]:
    rows, columns = cells.margin(cells.stratum, cells.x), cells.margin(cells.stratum, cells.y)
    return rows * columns / cells.margin(cells.stratum)


def _classical(cells: Cells, statistic: float, alpha: float, df: DofRule) -> Reading:
    adjusted = int(np.sum((cells.levels(cells.x) - 1) * (cells.levels(cells.y) - 1)))
    per_stratum = (cells.kx - 1) * (cells.ky - 1)
    dof = {
        DofRule.full: per_stratum * cells.configurations,
        DofRule.nonempty: per_stratum * cells.n_strata,
        DofRule.adjusted: adjusted,
    }[df]
    statistic = max(0.0, statistic)
    p = chi2_sf(statistic, dof)
    return Reading(statistic, dof, p, alpha, p, p > alpha, adjusted > 0)


# -- asking ------------------------------------------------------------------------------------------------------

_Outcome = tuple[float, float, float, float, float, int, int, int]


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
    def g(columns: Columns, alpha: float, df: DofRule, sparse: Sparse, least: float, per_dof: bool) -> Tester:
        """Build a G test."""
        return Tester(columns, lambda cells: g_reading(cells, alpha, df), sparse, least, per_dof=per_dof)

    @staticmethod
    def chi2(
        columns: Columns, alpha: float, df: DofRule, sparse: Sparse, least: float, per_dof: bool
    ) -> Tester:
        """Build a chi-square test."""
        return Tester(columns, lambda cells: chi2_reading(cells, alpha, df), sparse, least, per_dof=per_dof)

    def _evaluate(self, x: int, y: int, given: tuple[int, ...]) -> _Outcome:
        if min(len(np.unique(self.columns.columns[v])) for v in (x, y)) <= 1:
            r = self.statistic(NEUTRAL)
            return (
                r.statistic,
                r.dof,
                r.p_value,
                r.threshold,
                r.nearness,
                0,
                INDEPENDENT,
                CONSTANT | NO_INFORMATION,
            )
        cells, _ = self.columns.cells(x, y, given)
        r = self.statistic(cells)
        decision = INDEPENDENT if r.independent else DEPENDENT
        flags = 0 if r.informative else NO_INFORMATION
        if cells.n_strata < cells.configurations:
            flags |= EMPTY_STRATA
        units = r.dof if self.per_dof else cells.kx * cells.ky * cells.configurations
        if self.columns.rows < self.least * units:
            flags |= THIN
            decision = {Sparse.independent: INDEPENDENT, Sparse.undecidable: UNDECIDABLE}.get(
                self.sparse, decision
            )
        return (r.statistic, r.dof, r.p_value, r.threshold, r.nearness, cells.n_strata, decision, flags)

    def ask(self, x: int, y: int, given: tuple[int, ...]) -> tuple[_Outcome, bool]:
        """Answer a question; also whether it is new."""
        key = (min(x, y), max(x, y), tuple(sorted(given)))
        fresh = key not in self.memory
        if fresh:
            self.memory[key] = self._evaluate(*key)
        return self.memory[key], fresh

    def ask_many(
        self, x: NDArray[Any], y: NDArray[Any], given: NDArray[Any], threads: int
    ) -> tuple[tuple[NDArray[Any], ...], tuple[int, int, int, int]]:
        """Answer many questions of one order."""
        del threads
        asked = [self.ask(int(i), int(j), tuple(map(int, z))) for i, j, z in zip(x, y, given, strict=True)]
        return _arrays([outcome for outcome, _ in asked]), _tally(asked)

    def first_separator(
        self, x: int, y: int, candidates: Sequence[int], order: int
    ) -> tuple[bool, tuple[int, ...] | None, _Outcome | None, tuple[int, int, int, int]]:
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
        owner: NDArray[Any],
        adjacency: NDArray[Any],
        order: int,
        threads: int,
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[NDArray[Any], ...], tuple[int, ...]]:
        """Search for many pairs, each among the neighbours of its owner."""
        del threads
        found, asked = (np.zeros(len(x), dtype=np.uint8) for _ in range(2))
        sets = np.zeros((len(x), order), dtype=np.uint32)
        outcomes: list[_Outcome] = [(0.0, NAN, NAN, NAN, 0.0, 0, INDEPENDENT, 0)] * len(x)
        total = np.zeros(4, dtype=np.int64)
        for i, (a, b, o) in enumerate(zip(x.tolist(), y.tolist(), owner.tolist(), strict=True)):
            candidates = [v for v in np.flatnonzero(adjacency[o]).tolist() if v not in (a, b, o)]
            separated, subset, outcome, tally = self.first_separator(a, b, candidates, order)
            total += tally
            if subset is not None and outcome is not None:
                found[i], asked[i], sets[i], outcomes[i] = separated, 1, subset, outcome
        return found, asked, sets, _arrays(outcomes), tuple(total.tolist())


def _tally(asked: list[tuple[_Outcome, bool]]) -> tuple[int, int, int, int]:
    new = [outcome for outcome, fresh in asked if fresh]
    thin = sum(1 for outcome in new if outcome[7] & (THIN | NO_INFORMATION))
    return len(asked), len(new), thin, sum(1 for outcome in new if outcome[6] == UNDECIDABLE)


def _arrays(outcomes: list[_Outcome]) -> tuple[NDArray[Any], ...]:
    columns = list(zip(*outcomes, strict=True)) if outcomes else [()] * 8
    types = [np.float64] * 5 + [np.uint32, np.uint8, np.uint8]
    return tuple(np.array(column, dtype=t) for column, t in zip(columns, types, strict=True))
