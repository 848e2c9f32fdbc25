"""The books of a search: every question that was put to a test, counted, and the answers that decided something."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.independence.answers import UNANSWERABLE, UNDECIDABLE, UNRELIABLE, Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paucal.independence.answers import Separations


_MOST_KEPT = 2**17  # single answers; beyond, those that decided nothing are let go
_BOOKS = threading.Lock()  # any thread may ask a test, and adding up is not one step; held for a few additions only


class Tally(NamedTuple):
    """How many questions were put, how many were new, and how the new ones came out."""

    calls: int
    fresh: int
    unreliable: int
    undecidable: int
    powerless: int = 0


class Record(NamedTuple):
    """One line of the ledger: the question and its answer."""

    x: int
    y: int
    given: tuple[int, ...]
    answer: Answer


class _Block(NamedTuple):
    """The outcome of a whole search, between numbers of columns; `moved` gives the numbers they have by now.

    `sizes` says of sets that differ in size how many members of each count.
    """

    x: NDArray[Any]
    y: NDArray[Any]
    found: Separations
    sizes: NDArray[Any] | None = None
    moved: NDArray[np.int64] | None = None

    def moved_by(self, moved: NDArray[np.int64]) -> _Block:
        """Give it with other numbers; nothing is computed before somebody reads it."""
        return self._replace(moved=moved if self.moved is None else moved[self.moved])

    def records(self) -> Iterator[Record]:
        """Unpack it."""
        rows = self.found.asked.nonzero()[0]
        x, y = self.x[rows], self.y[rows]
        given: NDArray[Any] = self.found.given[rows]
        if self.moved is not None:
            ends = self.moved[x], self.moved[y]
            x, y, given = np.minimum(*ends), np.maximum(*ends), self.moved[given]
        sets = given.tolist()
        if self.sizes is not None:
            sets = [row[:size] for row, size in zip(sets, self.sizes[rows].tolist(), strict=True)]
        if self.moved is not None:
            sets = list(map(sorted, sets))
        answers = zip(*(numbers[rows].tolist() for numbers in self.found.answers), strict=True)
        return map(Record, x.tolist(), y.tolist(), map(tuple, sets), map(Answer._make, answers))


@dataclass(eq=False)
class Ledger:
    """Everything a test was asked.

    `n_calls` counts questions as they were put, `n_tests` the distinct ones (unordered pair and set); a question put
    again is answered from memory. Both are kept by order, the number of conditioning variables. (The memory has a
    limit: after some two million answers it begins anew, and what was forgotten counts as distinct once more.)
    """

    names: tuple[str, ...]
    _tallies: dict[int, list[int]] = field(default_factory=dict)
    _records: list[Record] = field(default_factory=list)
    _blocks: list[_Block] = field(default_factory=list)
    _most: int = _MOST_KEPT

    def add(self, order: int, tally: tuple[int, int, int, int, int]) -> None:
        """Add counts of one order: calls, fresh, unreliable, undecidable, powerless."""
        with _BOOKS:
            self._add(order, tally)

    def add_all(self, other: Ledger) -> None:
        """Add the counts of other books; their answers stay there."""
        with _BOOKS:
            for order, tally in other._tallies.items():
                self._add(order, tally)

    def _add(self, order: int, tally: Sequence[int]) -> None:
        total = self._tallies.get(order) or self._opened(order)
        calls, fresh, unreliable, undecidable, powerless = tally
        total[0] += calls
        if fresh:  # a question put again, the most frequent case by far, brings nothing else
            total[1] += fresh
            total[2] += unreliable
            total[3] += undecidable
            total[4] += powerless

    def note(self, x: int, y: int, given: tuple[int, ...], answer: Answer) -> None:
        """Keep one answer, so that `records` can tell of it."""
        with _BOOKS:
            self._keep(Record(x, y, given, answer))

    def enter(self, x: int, y: int, given: tuple[int, ...], answer: Answer, *, fresh: bool) -> None:
        """Count one question, and keep its answer if it is new."""
        with _BOOKS:
            total = self._tallies.get(len(given)) or self._opened(len(given))
            total[0] += 1
            if not fresh:
                return
            total[1] += 1
            total[2] += answer.flags & UNRELIABLE != 0
            total[3] += answer.decision == UNDECIDABLE
            total[4] += answer.flags & UNANSWERABLE != 0
            self._keep(Record(x, y, given, answer))

    def _keep(self, record: Record) -> None:
        self._records.append(record)
        if len(self._records) > self._most:
            self._records = _decisive(self._records)
            self._most = max(_MOST_KEPT, 2 * len(self._records))

    def _opened(self, order: int) -> list[int]:
        self._tallies[order] = [0, 0, 0, 0, 0]
        return self._tallies[order]

    def note_all(
        self, x: NDArray[Any], y: NDArray[Any], separations: Separations, sizes: NDArray[Any] | None = None
    ) -> None:
        """Keep the outcome of a whole search, unpacked only when somebody asks; `sizes` of its sets, if they differ."""
        self._blocks.append(_Block(x, y, separations, sizes))

    def take(self, other: Ledger) -> None:
        """Add the counts of other books about the same columns, and what they have kept."""
        self.add_all(other)
        self._blocks += other._blocks
        for record in other._records:
            self._keep(record)

    def about(self, pairs: NDArray[np.bool_]) -> Ledger:
        """Give books with the same counts, and of the answers those about some pairs, a symmetric matrix."""
        books = Ledger(self.names, {order: list(tally) for order, tally in self._tallies.items()})
        for block in self._blocks:
            here = pairs[block.x, block.y]
            if here.any():
                sizes = None if block.sizes is None else block.sizes[here]
                books.note_all(block.x[here], block.y[here], block.found.rows(here), sizes)
        books._records += [record for record in self._records if pairs[record.x, record.y]]
        return books

    def reordered(self, names: tuple[str, ...], moved: NDArray[np.int64]) -> Ledger:
        """Give the same books with the columns in another order; `moved` is the new number of each."""
        place = moved.tolist()
        books = Ledger(names, {order: list(tally) for order, tally in self._tallies.items()})
        books._blocks += [block.moved_by(moved) for block in self._blocks]
        for x, y, given, answer in self._records:
            first, last = sorted((place[x], place[y]))
            books._records.append(Record(first, last, tuple(sorted(place[z] for z in given)), answer))
        return books

    @property
    def n_calls(self) -> int:
        """Questions as they were put."""
        return self._sum(0)

    @property
    def n_tests(self) -> int:
        """Distinct questions."""
        return self._sum(1)

    @property
    def n_unreliable(self) -> int:
        """Distinct questions whose data were too thin, or could say nothing."""
        return self._sum(2)

    @property
    def n_undecidable(self) -> int:
        """Distinct questions that were left undecided."""
        return self._sum(3)

    @property
    def n_powerless(self) -> int:
        """Distinct questions that no data with the same margins could have answered with "dependent".

        Tests that cannot tell count only those without any information.
        """
        return self._sum(4)

    @property
    def by_order(self) -> dict[int, Tally]:
        """The counts for each number of conditioning variables."""
        with _BOOKS:
            return {order: Tally(*self._tallies[order]) for order in sorted(self._tallies)}

    def _sum(self, i: int) -> int:
        with _BOOKS:
            return sum(tally[i] for tally in self._tallies.values())

    def records(self) -> Iterator[Record]:
        """Everything that was kept.

        Of a search over many sets that is the decisive test of each order: the one that separated the pair, or the one
        that came nearest to it. So it is of single questions, where there were very many.
        """
        for block in self._blocks:
            yield from block.records()
        yield from self._records

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        totals = ("n_tests", "n_calls", "n_unreliable", "n_undecidable", "n_powerless")
        by_order = {str(order): tally._asdict() for order, tally in self.by_order.items()}
        return {name: getattr(self, name) for name in totals} | {"by_order": by_order}


class Unkept(Ledger):
    """Books that stay empty, of a test whose questions nobody counts."""

    def enter(self, x: int, y: int, given: tuple[int, ...], answer: Answer, *, fresh: bool) -> None:
        """Keep nothing."""


def _decisive(records: list[Record]) -> list[Record]:
    """Give what found a pair independent, and of the others of a pair and order what came nearest to it."""
    best: dict[tuple[int, int, int], Record] = {}
    for record in records:
        key = (min(record.x, record.y), max(record.x, record.y), len(record.given))
        if key not in best or record.answer.nearness > best[key].answer.nearness:
            best[key] = record
    chosen = set(map(id, best.values()))
    return [record for record in records if record.answer.independent or id(record) in chosen]
