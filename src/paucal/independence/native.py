"""Tests whose statistic the kernel computes: thin, because everything that repeats happens over there."""

from __future__ import annotations

from copy import deepcopy
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from paucal import _kernel, checks
from paucal.errors import ParameterError, QuestionError
from paucal.independence.answers import (
    NOT_SEPARATED,
    NOTHING,
    UNDECIDABLE,
    Answer,
    Answers,
    Separation,
    Separations,
    Tried,
)
from paucal.independence.budget import NO_LIMIT
from paucal.independence.ledger import Ledger
from paucal.independence.levels import levels
from paucal.independence.protocol import CITest, checked_around, column_numbers, matrix_of_columns, no_question
from paucal.independence.settings import CISettings
from paucal.independence.subsets import at_most, sets_to_try

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from paucal.independence.answers import Around
    from paucal.independence.levels import Alpha
    from paucal.tables import MemoryCounts

Sparse = Literal["test", "independent", "undecidable"]
Per = Literal["cell", "dof"]

SPARSE: tuple[Sparse, ...] = ("test", "independent", "undecidable")
PER: tuple[Per, ...] = ("cell", "dof")
_SETS_AT_ONCE = 2**18  # in one call of the kernel, unless one pair has more
NEVER_THIN = _kernel.ThinRule()  # for tests that are exact however few samples a cell has


class KernelTest(CITest):
    """A test inside the kernel. `threads` shares searches and batches; every number is the same for any value."""

    def __init__(
        self,
        name: str,
        counts: MemoryCounts,
        statistic: _kernel.Statistic,
        criterion: _kernel.Level | _kernel.Evidence | _kernel.Threshold,
        *,
        thin: _kernel.ThinRule = NEVER_THIN,
        act: bool = False,
        parameters: dict[str, Any],
        threads: int = 1,
    ) -> None:
        super().__init__(name, counts.names)
        self.parameters = parameters
        self.threads = checks.threads(threads)
        self.tester = _kernel.Tester(counts.columns, statistic, criterion=criterion, thin=thin, act=act)
        self.cardinalities: tuple[int, ...] = counts.given_cardinalities
        self.steps = counts.steps
        self.n_samples: int = counts.n_rows
        rest = {key: value for key, value in parameters.items() if key != "alpha"}
        self._settings = CISettings(name, parameters.get("alpha"), rest)

    @property
    def settings(self) -> CISettings:
        """What the test is set to."""
        return self._settings

    def with_own_books(self) -> Self:
        """Share the data and the rules, not the memory: what is new to a search does not depend on other searches."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), ledger=Ledger(self.names), tester=self.tester.again())
        return other

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = self.with_own_books()
        other.ledger = deepcopy(self.ledger, memo)
        return other

    def __reduce__(self) -> NoReturn:
        raise ParameterError(
            f"A finished test, here {self.name!r}, cannot be stored or sent to another process.",
            hint="Send the data and the name of the test, and call paucal.make_test there.",
        )

    def ask(self, x: int, y: int, given: tuple[int, ...] = ()) -> Answer:
        """Answer one question."""
        if self.spent:
            return NOTHING
        try:
            outcome, fresh = self.tester.ask(x, y, given)
        except (ValueError, IndexError, TypeError) as error:
            _explain(error, x, y, given)
        answer = tuple.__new__(Answer, outcome)  # `_make` would count the numbers once more
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
        tables = checks.array("tables", tables)
        if tables.ndim != 4 or 0 in tables.shape[1:]:
            raise ParameterError(
                f"Tables have the shape (tables, strata, levels of x, levels of y), not {tables.shape}.",
                hint="One table of counts is table[None, None].",
            )
        if tables.dtype.kind not in "iu" or (tables < 0).any() or (tables.sum(axis=(1, 2, 3)) >= 2**32).any():
            raise ParameterError(
                "Counts are whole numbers from 0 on, at most 2^32 - 1 in a table.", hint="Give counts, not shares."
            )
        return Answers(*self.tester.read(_index(tables), checks.whole_number("order", order, 0, 2**31 - 1)))

    def ask_many(self, x: NDArray[Any], y: NDArray[Any], given: NDArray[Any]) -> Answers:
        """Answer many questions of one order at once."""
        x, y, given = column_numbers(x=x, y=y, given=given)
        n = self._allowed(len(x))
        try:
            outcomes, tally = self.tester.ask_many(
                _index(x[:n]), _index(y[:n]), _index(given[:n]), self.threads, self._look
            )
        except (ValueError, IndexError) as error:
            _explain(error)
        self.ledger.add(given.shape[1], tally)
        answers = Answers(*outcomes)
        return answers if n == len(x) else answers.with_unasked(len(x) - n)

    def first_separator(self, x: int, y: int, candidates: Sequence[int], order: int) -> Separation:
        """Search the subsets of `candidates` natively."""
        if self.spent:
            return NOT_SEPARATED
        left = NO_LIMIT if self.budget is None else self.budget.left
        try:
            found, given, outcome, tally = self.tester.first_separator(x, y, candidates, order, left, self._look)
        except (ValueError, IndexError, TypeError) as error:
            _explain(error, x, y, candidates, order)
        if outcome is None or given is None:
            return NOT_SEPARATED
        answer = Answer._make(outcome)
        self.ledger.add(order, tally)
        if tally[1]:
            self.ledger.note(x, y, given, answer)
        return Separation(found, given, answer)

    def grow(self, around: Sequence[Around], sizes: range) -> Tried:
        """Try the sets of many columns in one call, unless questions are counted out."""
        around = checked_around(around, sizes)
        if self.spent or not sizes or (self.budget is not None and self.budget.max_tests is not None):
            return super().grow(around, sizes)
        x, y, candidates, always = map(list, zip(*around, strict=True)) if around else ([], [], [], [])
        try:
            tried = self.tester.grow(
                x, y, candidates, always, least=sizes[0], most=sizes[-1], threads=self.threads, look=self._look
            )
        except (ValueError, IndexError, TypeError) as error:
            _explain(error, around, sizes)
        place, size, found, fresh, sets, outcomes, tallies = tried
        answers = Answers(*outcomes)
        for order, tally in enumerate(tallies):
            if tally[0]:
                self.ledger.add(order, tally)
        ends = np.repeat(_index(np.array(x)), list(map(len, y))), _index(np.array(list(chain.from_iterable(y))))
        if fresh.any():
            kept = Separations(found.view(bool), fresh.view(bool), sets, answers)
            self.ledger.note_all(ends[0][place], ends[1][place], kept, size)
        n = len(ends[0])
        nearness = np.full(n, NOTHING.nearness)
        np.maximum.at(nearness, place, answers.nearness)
        hits = found.nonzero()[0]
        at = place[hits]
        nearness[at] = answers.nearness[hits]
        given, members = np.zeros((n, sets.shape[1]), dtype=np.uint32), np.zeros(n, dtype=np.int64)
        given[at], members[at] = sets[hits], size[hits]
        return Tried(members > 0, members, given, nearness)

    def search(
        self, x: NDArray[Any], y: NDArray[Any], owner: NDArray[Any] | None, adjacency: NDArray[np.bool_], order: int
    ) -> Separations:
        """Search for many pairs natively, some at a time: as many as have a limited number of sets between them."""
        x, y, owned = map(_index, column_numbers(x=x, y=y, owner=x if owner is None else owner))
        owner = None if owner is None else owned
        adjacency, order = matrix_of_columns(len(self.names), adjacency), self._order(order)
        edges = _bytes(adjacency)
        room = min(_SETS_AT_ONCE, self._allowed(NO_LIMIT))
        if room and at_most(len(x), adjacency, order) <= room:
            return self._search(x, y, owner, edges, order)
        sets, parts, start = sets_to_try(x, y, owner, adjacency, order), [], 0
        while start < len(x) and not self.spent:
            room = min(_SETS_AT_ONCE, self._allowed(NO_LIMIT))
            length = max(1, int(np.searchsorted(np.cumsum(sets[start : start + _SETS_AT_ONCE]), room, side="right")))
            here = slice(start, start + length)
            parts.append(self._search(x[here], y[here], None if owner is None else owner[here], edges, order))
            start += length
        return Separations.joined(parts, order, len(x) - start)

    def _search(
        self, x: NDArray[Any], y: NDArray[Any], owner: NDArray[Any] | None, edges: NDArray[np.uint8], order: int
    ) -> Separations:
        left = NO_LIMIT if self.budget is None else self.budget.left
        try:
            found = self.tester.search(x, y, owner, edges, order, self.threads, left, self._look)
        except (ValueError, IndexError) as error:
            _explain(error)
        return self._booked(x, y, order, found)

    def thin(self, x: NDArray[Any], y: NDArray[Any], adjacency: NDArray[np.bool_], order: int) -> Separations:
        """Thin in one call, unless questions are counted out."""
        if self.budget is not None and self.budget.max_tests is not None:
            return super().thin(x, y, adjacency, order)
        x, y = map(_index, column_numbers(x=x, y=y))
        edges, order = _bytes(matrix_of_columns(len(self.names), adjacency)), self._order(order)
        try:
            found = self.tester.thin(x, y, edges, order, self._look)
        except (ValueError, IndexError) as error:
            _explain(error)
        return self._booked(x, y, order, found, new=found[1] > 1)

    def rounds(
        self, x: NDArray[Any], y: NDArray[Any], adjacency: NDArray[np.bool_], last: int | None
    ) -> tuple[list[tuple[NDArray[Any], NDArray[Any], Separations]], bool]:
        """Carry out the orders that have few sets in one call, unless questions are counted out."""
        if self.budget is not None and self.budget.max_tests is not None:
            return super().rounds(x, y, adjacency, last)
        x, y = map(_index, column_numbers(x=x, y=y))
        edges, last = _bytes(matrix_of_columns(len(self.names), adjacency)), checks.limit("last", last, 0)
        deepest = len(self.names) if last is None else min(last, len(self.names))
        try:
            done, finished = self.tester.rounds(
                x, y, edges, last=deepest, few_sets=_SETS_AT_ONCE, threads=self.threads, look=self._look
            )
        except (ValueError, IndexError) as error:
            _explain(error)
        return [(a, b, self._booked(a, b, order, found)) for order, (a, b, found) in enumerate(done)], finished

    def _booked(
        self,
        x: NDArray[Any],
        y: NDArray[Any],
        order: int,
        outcome: Any,
        new: NDArray[np.bool_] | None = None,
    ) -> Separations:
        """Enter what the kernel found into the books: all of it, or what is new."""
        found, asked, given, outcomes, tally = outcome
        any_asked = asked.view(bool) if new is None else asked > 0
        result = Separations(found.view(bool), any_asked, given, Answers(*outcomes))
        if self.spent:  # what was not asked is not independent
            result.answers.decision[~result.asked] = UNDECIDABLE
            result.answers.nearness[~result.asked] = NOTHING.nearness
        if tally[0]:
            self.ledger.add(order, tally)
            self.ledger.note_all(x, y, result if new is None else result._replace(asked=new))
        return result

    def _order(self, order: object) -> int:
        return min(checks.whole_number("order", order, 0), len(self.names))  # there are no larger sets

    @property
    def _look(self) -> Callable[[int], bool] | None:
        return None if self.budget is None else self.budget.look

    def _allowed(self, questions: int) -> int:
        """Give how many of some questions the search that is asking may still put."""
        return questions if self.budget is None else 0 if self.budget.spent else min(questions, self.budget.left)


def _explain(error: Exception, *question: object) -> NoReturn:
    """Say that the kernel refuses a question; what a function told of progress raises comes through as it is."""
    if error.__traceback__ is not None and error.__traceback__.tb_next is not None:  # from Python, below the kernel
        raise error
    if isinstance(error, TypeError):
        raise no_question(*question) from None
    raise QuestionError(f"The question cannot be asked: {error}.") from None


def thin_rule(sparse: Sparse, min_samples: float, per: Per = "cell") -> _kernel.ThinRule:
    """Check a rule for thin tables and give it to the kernel."""
    checks.choice("sparse", sparse, SPARSE)
    least = checks.number_from_0("min_samples", min_samples, hint="The usual limit is 5.")
    checks.choice("per", per, PER)
    return _kernel.ThinRule(sparse=_kernel.Sparse[sparse], least=least, per_dof=per == "dof")


def level(alpha: Alpha) -> _kernel.Level:
    """Check a level and give it to the kernel."""
    return _kernel.Level(levels(alpha))


def _index(values: NDArray[Any]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(values, dtype=np.uint32)


def _bytes(matrix: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(matrix, dtype=np.bool_).view(np.uint8)
