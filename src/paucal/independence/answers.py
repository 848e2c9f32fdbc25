"""What a test says: an answer between column numbers for the searches, and a result between names for people."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from functools import cached_property
from math import atan2, isclose, isnan, pi
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from paucal.data.steps import NUMBER_STEPS

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from numpy.typing import NDArray

DecisionName = Literal["independent", "dependent", "undecidable"]
Direction = Literal["rising", "falling"]
DECISIONS: tuple[DecisionName, ...] = ("independent", "dependent", "undecidable")
INDEPENDENT, DEPENDENT, UNDECIDABLE = range(3)

# What a test can warn about (the kernel's Flag).
THIN, NO_INFORMATION, EMPTY_STRATA, CONSTANT, POWERLESS = 1, 2, 4, 8, 16
RISING, FALLING = 32, 64  # and what it can say besides
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
    samples: int = 0  # rows that have every value of the question, where the test counts rows

    @property
    def independent(self) -> bool:
        """Whether the variables are taken as independent; an undecidable question keeps its edge."""
        return self.decision == INDEPENDENT

    @property
    def reliable(self) -> bool:
        """Whether there were enough rows per cell for the test to mean what it says."""
        return not self.flags & UNRELIABLE


# what stands for the answer to a question that was not asked
NOTHING = Answer(float("nan"), float("nan"), float("nan"), float("nan"), float("-inf"), 0, UNDECIDABLE, 0)


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
    samples: NDArray[np.uint32]

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Answers:
        """Give answers as one array per number."""
        columns = list(zip(*answers, strict=True)) if answers else [()] * len(Answer._fields)
        types = [np.float64] * 5 + [np.uint32] + [np.uint8] * 2 + [np.uint32]
        return cls._make(np.array(column, dtype) for column, dtype in zip(columns, types, strict=True))

    def with_unasked(self, more: int) -> Answers:
        """Add questions that were not asked."""
        both = zip(self, Answers.of([NOTHING] * more), strict=True)
        return Answers._make(np.concatenate([here, rest]) for here, rest in both)

    def one(self, i: int) -> Answer:
        """Answer number i."""
        return Answer._make(numbers[i].item() for numbers in self)


class Separation(NamedTuple):
    """What a search for a separating set found: the separating test, or the one that came nearest to it."""

    found: bool
    given: tuple[int, ...] | None
    answer: Answer | None


NOT_SEPARATED = Separation(found=False, given=None, answer=None)  # and nothing was asked


class Separations(NamedTuple):
    """Separations of many pairs; `asked` is false where there was no set of that size to try."""

    found: NDArray[np.bool_]
    asked: NDArray[np.bool_]
    given: NDArray[np.uint32]
    answers: Answers

    def rows(self, chosen: NDArray[np.bool_]) -> Separations:
        """Give those of some pairs."""
        some = Answers._make(numbers[chosen] for numbers in self.answers)
        return Separations(self.found[chosen], self.asked[chosen], self.given[chosen], some)

    @classmethod
    def of(cls, tried: Sequence[Separation], order: int) -> Separations:
        """Give those of single pairs as arrays."""
        asked = [one.answer is not None for one in tried]
        sets = [one.given or (0,) * order for one in tried]
        return cls(
            np.array([one.found for one in tried], dtype=np.bool_),
            np.array(asked, dtype=np.bool_),
            np.array(sets, dtype=np.uint32).reshape(len(tried), order),
            Answers.of([one.answer or NOTHING for one in tried]),
        )

    @classmethod
    def joined(cls, parts: Sequence[Separations], order: int, unasked: int) -> Separations:
        """Give those of several parts as one, and after them pairs that nothing was asked about."""
        none = np.zeros(unasked, dtype=np.bool_)
        empty = cls(none[:0], none[:0], np.zeros((0, order), dtype=np.uint32), Answers.of([]))
        found, asked, given, answers = zip(*(parts or [empty]), strict=True)
        every = Answers._make(np.concatenate(numbers) for numbers in zip(*answers, strict=True))
        sets = np.zeros((unasked, order), dtype=np.uint32)
        return cls(
            np.concatenate([*found, none]),
            np.concatenate([*asked, none]),
            np.concatenate([*given, sets]),
            every.with_unasked(unasked),
        )


class Around(NamedTuple):
    """Questions around x: sets between it and each y, of all of `always` and some of the candidates but y."""

    x: int
    y: Sequence[int]
    candidates: Sequence[int]
    always: tuple[int, ...] = ()


class Tried(NamedTuple):
    """What became of pairs when sets of growing size were tried between them."""

    found: NDArray[np.bool_]
    sizes: NDArray[np.int64]  # members of the sets that separated them; 0 where nothing did
    given: NDArray[np.uint32]  # these sets, filled up
    nearness: NDArray[np.float64]  # of the separating test, or the one that came nearest; -inf if nothing was asked

    @classmethod
    def of(cls, sets: Sequence[tuple[int, ...]], nearness: Sequence[float]) -> Tried:
        """Give what separated pairs, () if nothing did, as arrays."""
        sizes = np.array(list(map(len, sets)), dtype=np.int64)
        given = np.zeros((len(sets), sizes.max(initial=0)), dtype=np.uint32)
        for row, members in zip(given, sets, strict=True):
            row[: len(members)] = members
        return cls(sizes > 0, sizes, given, np.array(nearness, dtype=np.float64))


@dataclass(frozen=True)
class CIResult:
    """The result of one conditional independence test, with everything needed to judge it.

    `direction` is "rising" where a test sees x and y rise together, "falling" where one falls as the other rises; None
    for tests that see no order. `in_steps` names the given columns that are numbers and were taken in a few steps.
    """

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
    flags: int = field(repr=False)  # what the test warns about; `reasons` puts it into words
    cells: int | None = None
    strata: int | None = None
    observed_strata: int | None = None
    direction: Direction | None = None
    in_steps: tuple[str, ...] = ()

    @property
    def independent(self) -> bool:
        """Whether a search would take the two as independent."""
        return self.decision == "independent"

    @property
    def reliable(self) -> bool:
        """Whether there were enough rows per cell for the test to mean what it says."""
        return not self.flags & UNRELIABLE

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why the result is not to be trusted, in words."""
        return tuple(self._reasons())

    def _reasons(self) -> Iterator[str]:
        if self.flags & CONSTANT:
            yield f"{self.x} or {self.y} has one observed level only"
        elif self.flags & POWERLESS:
            yield "no data with these margins could reach the level"
        elif self.flags & NO_INFORMATION:
            yield "no stratum has two observed levels of both columns"
        if self.flags & THIN and self.samples_per_cell is not None:
            yield f"{self.samples_per_cell:.3g} samples per cell"
        if self.flags & EMPTY_STRATA and self.strata is not None and self.observed_strata is not None:
            yield f"{self.strata - self.observed_strata} of {self.strata} strata are empty"

    @property
    def told_statistic(self) -> float | None:
        """The statistic, for people; None where it is p in another form, p = 1/2 - atan(t) / pi, as of `chi2-trend`."""
        again = self.p_value is not None and isclose(self.p_value, atan2(1.0, self.statistic) / pi, abs_tol=1e-15)
        return None if again else self.statistic

    @property
    def samples_per_cell(self) -> float | None:
        """Samples for each cell of the full table, observed or not."""
        return None if self.n is None or not self.cells else self.n / self.cells

    @property
    def trust(self) -> str:
        """Whether the result is reliable, and why not."""
        return "reliable" if self.reliable else f"unreliable: {'; '.join(self.reasons)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {name: getattr(self, name) for name in _TOLD}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}

    def __str__(self) -> str:
        names = [f"{name} (in steps)" if name in self.in_steps else name for name in self.given]
        given = f" | {', '.join(names)}" if names else ""
        numbers = [] if self.told_statistic is None else [f"statistic {self.told_statistic:.6g}"]
        if self.dof is not None:
            numbers.append(f"dof {self.dof:g}")
        if self.p_value is not None:
            numbers.append(f"p {self.p_value:.4g}")
        if self.direction is not None:
            numbers.append(self.direction)
        return f"{self.x} and {self.y}{given}: {self.decision} ({self.test}: {', '.join(numbers)}; {self.trust})"

    def _repr_html_(self) -> str:
        numbers = {
            "statistic": None if self.told_statistic is None else f"{self.told_statistic:.6g}",
            "degrees of freedom": None if self.dof is None else f"{self.dof:g}",
            "p-value": None if self.p_value is None else f"{self.p_value:.4g}",
            "threshold": None if self.threshold is None else f"{self.threshold:.4g}",
            "trend": self.direction,
            "samples": self.n,
            "samples per cell": None if self.samples_per_cell is None else f"{self.samples_per_cell:.3g}",
            "trust": self.trust,
        }
        rows = "".join(
            f"<tr><th>{key}</th><td>{html.escape(str(value))}</td></tr>"
            for key, value in numbers.items()
            if value is not None
        )
        given = f" given {', '.join(self.given)}" if self.given else ""
        title = html.escape(f"{self.x} and {self.y}{given}: {self.decision} ({self.test})")
        return f"<table><caption>{title}</caption><tbody>{rows}</tbody></table>"


_TOLD = (
    *("x", "y", "given", "test", "n", "statistic", "dof", "p_value", "threshold", "decision", "reliable", "reasons"),
    *("cells", "strata", "observed_strata", "direction", "in_steps", "samples_per_cell"),
)


def describe(
    test: str,
    names: Sequence[str],
    x: int,
    y: int,
    given: Sequence[int],
    answer: Answer,
    n: int | None = None,
    cardinalities: Sequence[int] | None = None,
    steps: Container[str] = (),
) -> CIResult:
    """Turn an answer between column numbers into a result between names, with the reasons for any doubt.

    `n` are the rows of the data, None for an oracle; `cardinalities` the levels of each column, None if the test counts
    none; `steps` holds the numbers, which are conditioned on in steps. A test that counts says itself how many rows had
    all values of the question.
    """
    statistic, dof, p_value, threshold, _, observed, decision, flags, samples = answer
    strata = cells = None
    if cardinalities is not None:
        n, strata = samples, 1
        for v in given:
            strata *= cardinalities[v]
        cells = strata
        for v in (x, y):  # a number that is asked about is not cut: it counts as a few steps would
            cells *= min(cardinalities[v], NUMBER_STEPS) if steps and names[v] in steps else cardinalities[v]
    told = object.__new__(CIResult)
    fields = {
        "x": names[x],
        "y": names[y],
        "given": tuple([names[v] for v in given]),
        "test": test,
        "n": n,
        "statistic": statistic,
        "dof": None if isnan(dof) else dof,
        "p_value": None if isnan(p_value) else p_value,
        "threshold": None if isnan(threshold) else threshold,
        "decision": DECISIONS[decision],
        "flags": flags,
        "cells": cells,
        "strata": strata,
        "observed_strata": None if strata is None else observed,
        "direction": None if not flags & (RISING | FALLING) else "rising" if flags & RISING else "falling",
        "in_steps": tuple([names[v] for v in given if names[v] in steps]) if steps else (),
    }
    # at once: a frozen class sets field by field, which takes longer than the question itself
    object.__setattr__(told, "__dict__", fields)
    return told
