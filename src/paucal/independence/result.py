"""What a test says: an answer for the searches, a result for people, and the ledger of all that was asked."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

DecisionName = Literal["independent", "dependent", "undecidable"]
DECISIONS: tuple[DecisionName, ...] = ("independent", "dependent", "undecidable")
INDEPENDENT, DEPENDENT, UNDECIDABLE = range(3)

# What a test can warn about (the kernel's Flag).
THIN, NO_INFORMATION, EMPTY_STRATA, CONSTANT, POWERLESS = 1, 2, 4, 8, 16
UNRELIABLE = THIN | NO_INFORMATION | POWERLESS
UNANSWERABLE = NO_INFORMATION | POWERLESS  # no data with these margins could have shown a dependence


class Answer(NamedTuple):
    """The answer to one question between column numbers; NaN where a test has no such number.

    `nearness` orders the answers of one test: the larger, the nearer to independence.
    """

    statistic: float
    dof: float
    p_value: float
    threshold: float
    nearness: float
    strata: int
    decision: int
    flags: int

    @property
    def independent(self) -> bool:
        """Whether the variables are taken as independent; an undecidable question keeps its edge."""
        return self.decision == INDEPENDENT

    @property
    def reliable(self) -> bool:
        """Whether the data were thick enough for the test to mean what it says."""
        return not self.flags & UNRELIABLE


class Answers(NamedTuple):
    """Answers to many questions, one array per number."""

    statistic: NDArray[np.float64]
    dof: NDArray[np.float64]
    p_value: NDArray[np.float64]
    threshold: NDArray[np.float64]
    nearness: NDArray[np.float64]
    strata: NDArray[np.uint32]
    decision: NDArray[np.uint8]
    flags: NDArray[np.uint8]

    def one(self, i: int) -> Answer:
        """Answer number i."""
        return Answer(
            float(self.statistic[i]),
            float(self.dof[i]),
            float(self.p_value[i]),
            float(self.threshold[i]),
            float(self.nearness[i]),
            int(self.strata[i]),
            int(self.decision[i]),
            int(self.flags[i]),
        )


class Tally(NamedTuple):
    """How many questions were put, how many were new, and how the new ones came out."""

    calls: int
    fresh: int
    unreliable: int
    undecidable: int
    powerless: int = 0


class Separation(NamedTuple):
    """What a search for a separating set found: the separating test, or the one that came nearest to it."""

    found: bool
    given: tuple[int, ...] | None
    answer: Answer | None


class Separations(NamedTuple):
    """Separations of many pairs; `asked` is false where there was no set of that size to try."""

    found: NDArray[np.bool_]
    asked: NDArray[np.bool_]
    given: NDArray[np.uint32]
    answers: Answers


@dataclass(frozen=True)
class CIResult:
    """The result of one conditional independence test, with everything needed to judge it."""

    x: str
    y: str
    given: tuple[str, ...]
    test: str
    n: int | None
    statistic: float
    dof: float | None
    p_value: float | None
    threshold: float | None
    decision: DecisionName
    reliable: bool
    reasons: tuple[str, ...]
    cells: int | None = None
    strata: int | None = None
    observed_strata: int | None = None

    @property
    def independent(self) -> bool:
        """Whether a search would take the two as independent."""
        return self.decision == "independent"

    @property
    def samples_per_cell(self) -> float | None:
        """Samples for each cell of the full table, observed or not."""
        return None if self.n is None or not self.cells else self.n / self.cells

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "x": self.x,
            "y": self.y,
            "given": list(self.given),
            "test": self.test,
            "n": self.n,
            "statistic": self.statistic,
            "dof": self.dof,
            "p_value": self.p_value,
            "threshold": self.threshold,
            "decision": self.decision,
            "reliable": self.reliable,
            "reasons": list(self.reasons),
            "cells": self.cells,
            "strata": self.strata,
            "observed_strata": self.observed_strata,
            "samples_per_cell": self.samples_per_cell,
        }

    def __str__(self) -> str:
        given = f" | {', '.join(self.given)}" if self.given else ""
        numbers = f"statistic {self.statistic:.6g}"
        if self.dof is not None:
            numbers += f", dof {self.dof:g}"
        if self.p_value is not None:
            numbers += f", p {self.p_value:.4g}"
        trust = "reliable" if self.reliable else f"unreliable: {'; '.join(self.reasons)}"
        return f"{self.x} and {self.y}{given}: {self.decision} ({self.test}: {numbers}; {trust})"

    def _repr_html_(self) -> str:
        numbers = {
            "statistic": f"{self.statistic:.6g}",
            "degrees of freedom": None if self.dof is None else f"{self.dof:g}",
            "p-value": None if self.p_value is None else f"{self.p_value:.4g}",
            "threshold": None if self.threshold is None else f"{self.threshold:.4g}",
            "samples": self.n,
            "samples per cell": None if self.samples_per_cell is None else f"{self.samples_per_cell:.3g}",
            "trust": "reliable" if self.reliable else f"unreliable: {'; '.join(self.reasons)}",
        }
        rows = "".join(
            f"<tr><th>{key}</th><td>{html.escape(str(value))}</td></tr>"
            for key, value in numbers.items()
            if value is not None
        )
        given = f" given {', '.join(self.given)}" if self.given else ""
        title = html.escape(f"{self.x} and {self.y}{given}: {self.decision} ({self.test})")
        return f"<table><caption>{title}</caption><tbody>{rows}</tbody></table>"


class Record(NamedTuple):
    """One line of the ledger: the question and its answer."""

    x: int
    y: int
    given: tuple[int, ...]
    answer: Answer


@dataclass
class Ledger:
    """Everything a test was asked.

    `n_calls` counts questions as they were put, `n_tests` the distinct ones (unordered pair and set); a question put
    again is answered from memory. Both are kept by order, the number of conditioning variables.
    """

    names: tuple[str, ...]
    _tallies: dict[int, list[int]] = field(default_factory=dict)
    _records: list[Record] = field(default_factory=list)
    _blocks: list[tuple[NDArray[Any], NDArray[Any], Separations]] = field(default_factory=list)

    def add(self, order: int, tally: tuple[int, int, int, int, int]) -> None:
        """Add counts of one order: calls, fresh, unreliable, undecidable, powerless."""
        total = self._tallies.get(order)
        if total is None:
            total = self._tallies[order] = [0, 0, 0, 0, 0]
        total[0] += tally[0]
        total[1] += tally[1]
        total[2] += tally[2]
        total[3] += tally[3]
        total[4] += tally[4]

    def note(self, x: int, y: int, given: tuple[int, ...], answer: Answer) -> None:
        """Keep one answer, so that `between` can tell of it."""
        self._records.append(Record(x, y, given, answer))

    def enter(self, x: int, y: int, given: tuple[int, ...], answer: Answer, *, fresh: bool) -> None:
        """Count one question, and keep its answer if it is new."""
        if fresh:
            doubts = (bool(answer.flags & UNRELIABLE), answer.decision == UNDECIDABLE)
            self.add(len(given), (1, 1, *doubts, bool(answer.flags & UNANSWERABLE)))
            self._records.append(Record(x, y, given, answer))
        else:
            self.add(len(given), (1, 0, 0, 0, 0))

    def note_all(self, x: NDArray[Any], y: NDArray[Any], separations: Separations) -> None:
        """Keep the outcome of a whole search; unpacked only when somebody asks."""
        self._blocks.append((x, y, separations))

    @property
    def n_calls(self) -> int:
        """Questions as they were put."""
        return sum(t[0] for t in self._tallies.values())

    @property
    def n_tests(self) -> int:
        """Distinct questions."""
        return sum(t[1] for t in self._tallies.values())

    @property
    def n_unreliable(self) -> int:
        """Distinct questions whose data were too thin, or could say nothing."""
        return sum(t[2] for t in self._tallies.values())

    @property
    def n_undecidable(self) -> int:
        """Distinct questions that were left undecided."""
        return sum(t[3] for t in self._tallies.values())

    @property
    def n_powerless(self) -> int:
        """Distinct questions that no data with the same margins could have answered with "dependent".

        Tests that cannot tell count only those without any information.
        """
        return sum(t[4] for t in self._tallies.values())

    @property
    def by_order(self) -> dict[int, Tally]:
        """The counts for each number of conditioning variables."""
        return {order: Tally(*self._tallies[order]) for order in sorted(self._tallies)}

    def between(self, x: int, y: int) -> Iterator[Record]:
        """What was kept about a pair, in the order it was asked.

        Of a search over many sets only the decisive test of each order is kept: the one that separated the pair, or
        the one that came nearest to it.
        """
        pair = {x, y}
        for i, j, found in self._blocks:
            for row in ((i == x) & (j == y) | (i == y) & (j == x)).nonzero()[0]:
                if found.asked[row]:
                    yield Record(x, y, tuple(int(v) for v in found.given[row]), found.answers.one(int(row)))
        yield from (record for record in self._records if {record.x, record.y} == pair)

    def records(self) -> Iterator[Record]:
        """Everything that was kept, for any pair; of one pair in the order of `between`."""
        for x, y, found in self._blocks:
            rows = found.asked.nonzero()[0]
            answers = zip(*(numbers[rows].tolist() for numbers in found.answers), strict=True)
            questions = (x[rows].tolist(), y[rows].tolist(), map(tuple, found.given[rows].tolist()))
            yield from map(Record, *questions, map(Answer._make, answers))
        yield from self._records

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "n_tests": self.n_tests,
            "n_calls": self.n_calls,
            "n_unreliable": self.n_unreliable,
            "n_undecidable": self.n_undecidable,
            "n_powerless": self.n_powerless,
            "by_order": {str(order): tally._asdict() for order, tally in self.by_order.items()},
        }
