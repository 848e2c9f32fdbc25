"""Tests whose statistic the kernel computes: thin, because everything that repeats happens over there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.independence.protocol import CITest
from paucal.independence.result import Answer, Answers, Separation, Separations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paucal.counts import MemoryCounts
    from paucal.kernel import kernel


class KernelTest(CITest):
    """A test inside the kernel. `threads` shares searches and batches; every number is the same for any value."""

    def __init__(
        self,
        name: str,
        counts: MemoryCounts,
        tester: kernel.Tester,
        *,
        parameters: dict[str, Any],
        threads: int = 1,
    ) -> None:
        super().__init__(name, counts.names)
        self.parameters = parameters
        self.threads = checks.threads(threads)
        self.tester = tester
        self._cardinalities = counts.cardinalities
        self._n = counts.n_rows

    @property
    def n_samples(self) -> int:
        """Rows of the data."""
        return self._n

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """Levels of each column."""
        return self._cardinalities

    def shape(self, x: int, y: int, given: tuple[int, ...]) -> tuple[int, int]:
        """Cells and strata of the full table."""
        strata = math.prod(self._cardinalities[v] for v in given)
        return strata * self._cardinalities[x] * self._cardinalities[y], strata

    def ask(self, x: int, y: int, given: tuple[int, ...] = ()) -> Answer:
        """Answer one question."""
        outcome, fresh = self.tester.ask(x, y, given)
        answer = Answer._make(outcome)
        self.ledger.enter(x, y, given, answer, fresh=fresh)
        return answer

    def smallest_p_value(self, x: str, y: str, given: Iterable[str] = ()) -> float:
        """A p-value that no data with the margins of this question go below; 0 if the test cannot tell.

        Above alpha the question cannot be answered: whatever x and y have to do with each other, these data cannot show
        it. Where strata are no larger than 2 by 8 it is the p-value of the most extreme table, otherwise a lower bound.

        Examples
        --------
        >>> import paucal
        >>> test = paucal.make_test({"x": [0, 0, 1, 1], "y": [0, 0, 1, 1]}, "chi2-perm")
        >>> round(test("x", "y").p_value, 4), round(test.smallest_p_value("x", "y"), 4)
        (0.0895, 0.0895)
        """
        return self.tester.smallest_p(*self._question(x, y, given))

    def read(self, tables: NDArray[Any], order: int = 0) -> Answers:
        """Answer tables that come from elsewhere, an array of shape (tables, strata, levels of x, levels of y)."""
        return Answers(*self.tester.read(_index(tables), order))

    def ask_many(self, x: NDArray[Any], y: NDArray[Any], given: NDArray[Any]) -> Answers:
        """Answer many questions of one order at once."""
        outcomes, tally = self.tester.ask_many(_index(x), _index(y), _index(given), self.threads)
        self.ledger.add(given.shape[1], tally)
        return Answers(*outcomes)

    def first_separator(self, x: int, y: int, candidates: Sequence[int], order: int) -> Separation:
        """Search the subsets of `candidates` natively."""
        found, given, outcome, tally = self.tester.first_separator(x, y, candidates, order)
        if outcome is None or given is None:
            return Separation(found=False, given=None, answer=None)
        answer = Answer._make(outcome)
        self.ledger.add(order, tally)
        if tally[1]:
            self.ledger.note(x, y, given, answer)
        return Separation(found, given, answer)

    def search(
        self,
        x: NDArray[Any],
        y: NDArray[Any],
        owner: NDArray[Any] | None,
        adjacency: NDArray[np.bool_],
        order: int,
    ) -> Separations:
        """Search for many pairs natively."""
        x, y = _index(x), _index(y)
        edges = np.ascontiguousarray(adjacency, dtype=np.uint8)
        owner = None if owner is None else _index(owner)
        found, asked, given, outcomes, tally = self.tester.search(x, y, owner, edges, order, self.threads)
        result = Separations(found.view(bool), asked.view(bool), given, Answers(*outcomes))
        if tally[0]:
            self.ledger.add(order, tally)
            self.ledger.note_all(x, y, result)
        return result


def _index(values: NDArray[Any]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(values, dtype=np.uint32)
