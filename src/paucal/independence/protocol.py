"""The one interface between searches and whatever answers their questions.

A search sees a `CITest` and nothing else: it does not know whether a native kernel, a formula in Python, a user's
function or a known graph stands behind it. Columns are numbers in here and names at the edges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from itertools import chain, combinations
from numbers import Integral
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.errors import Argument, QuestionError, not_allowed, short
from paucal.independence.answers import (
    NOT_SEPARATED,
    NOTHING,
    Answer,
    Answers,
    Around,
    CIResult,
    Separation,
    Separations,
    Tried,
    describe,
)
from paucal.independence.budget import Allowance
from paucal.independence.ledger import Ledger
from paucal.independence.settings import CISettings
from paucal.notebook import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from paucal.independence.budget import Budget


class CITest(Shown, ABC):
    """Answers whether x and y are independent given a set of columns, and keeps count.

    A new kind of test implements `ask`; the other questions have a plain form here, made of `ask`, which a test
    with a faster way overrides.
    """

    n_samples: int | None = None  # rows behind the answers; an oracle has none
    cardinalities: tuple[int, ...] | None = None  # levels of each column, if the test counts them; steps of a number
    steps: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # numbers, and the steps they are conditioned on in
    allowance: Allowance = Allowance()  # of a search that asks this test
    budget: Budget | None = None  # of the search that is asking

    def __init__(self, name: str, names: Iterable[str]) -> None:
        self.name = name
        self.names = tuple(names)
        self.ledger = Ledger(self.names)

    # -- what a test must say ------------------------------------------------------------------------------------

    @abstractmethod
    def ask(self, x: int, y: int, given: tuple[int, ...] = ()) -> Answer:
        """Answer one question between column numbers and enter it into the ledger."""

    @property
    def settings(self) -> CISettings:
        """What the test is set to."""
        return CISettings(self.name)

    def with_own_books(self) -> Self:
        """Give a test with the same answers whose ledger begins empty: what a search asks is its own affair."""
        other = copy(self)
        other.ledger = Ledger(self.names)
        return other

    def limited(self, *, max_seconds: float | None = None, max_tests: int | None = None) -> Self:
        """Give the same test, which a search may ask for so many seconds, or so many questions; None means no limit.

        The search then ends with what it has, and its result says so: `result.unfinished`.

        Examples
        --------
        >>> import paucal
        >>> oracle = paucal.Oracle(paucal.load_network("asia").graph)
        >>> paucal.learn(oracle.limited(max_tests=40), "pc-stable").unfinished
        "stopped after 40 tests, with a limit of 40, in the stage 'order 1'"
        """
        other = copy(self)
        other.allowance = Allowance.of(max_seconds, max_tests)
        return other

    @property
    def spent(self) -> bool:
        """Whether the search that is asking has spent what it may; then nothing is asked any more."""
        return self.budget is not None and self.budget.spent

    # -- questions of a search -----------------------------------------------------------------------------------

    def ask_many(self, x: NDArray[Any], y: NDArray[Any], given: NDArray[Any]) -> Answers:
        """Answer many questions of one order; `given` has a row for each."""
        x, y, given = column_numbers(len(self.names), x=x, y=y, given=given)
        questions = zip(x.tolist(), y.tolist(), given.tolist(), strict=True)
        return Answers.of([NOTHING if self.spent else self.ask(i, j, tuple(row)) for i, j, row in questions])

    def first_separator(self, x: int, y: int, candidates: Sequence[int], order: int) -> Separation:
        """Try the subsets of `candidates` of size `order`, in lexicographic order, until one separates x and y."""
        best = NOT_SEPARATED
        try:
            subsets = combinations(candidates, order)
        except (TypeError, ValueError, OverflowError):
            raise no_question(x, y, candidates, order) from None
        for subset in subsets:
            if self.spent:
                break
            answer = self.ask(x, y, subset)
            if answer.independent:
                return Separation(found=True, given=subset, answer=answer)
            if best.answer is None or answer.nearness > best.answer.nearness:
                best = Separation(found=False, given=subset, answer=answer)
        return best

    def grow(self, around: Sequence[Around], sizes: range) -> Tried:
        """Try sets of all `sizes` in turn, none empty, between each x and each of its y, until one separates the two.

        An x may come once. The pairs are numbered one after the other.
        """
        found: list[tuple[int, ...]] = []
        nearness: list[float] = []
        for x, ys, candidates, always in checked_around(around, sizes):
            for y in ys:
                others = [v for v in candidates if v != y]
                found.append(())
                nearness.append(NOTHING.nearness)
                parts = (combinations(others, size - len(always)) for size in sizes if size >= len(always))
                for rest in chain.from_iterable(parts):
                    if self.spent:
                        break
                    answer = self.ask(x, y, rest + always)
                    if answer.independent:
                        found[-1], nearness[-1] = rest + always, answer.nearness
                        break
                    nearness[-1] = max(nearness[-1], answer.nearness)
        return Tried.of(found, nearness)

    def search(
        self, x: NDArray[Any], y: NDArray[Any], owner: NDArray[Any] | None, adjacency: NDArray[np.bool_], order: int
    ) -> Separations:
        """Look for a separating set of each pair among the neighbours of its owner.

        The candidates of pair i are the columns adjacent to `owner[i]`, without the pair itself. Without owners they
        are the neighbours of x and then, if these do not separate the pair and are not the same, those of y. A pair may
        occur only once in a call. `adjacency` is read, not changed.
        """
        n = len(self.names)
        x, y, owned = column_numbers(n, x=x, y=y, owner=x if owner is None else owner)
        adjacency, order = matrix_of_columns(n, adjacency), checks.whole_number("order", order, 0)
        tried = []
        for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            owners = (a, b) if owner is None else (int(owned[i]),)
            around = [[v for v in adjacency[o].nonzero()[0].tolist() if v not in (a, b)] for o in owners]
            if owner is None and (around[0] == around[1] or order == 0):
                del around[1]
            best = NOT_SEPARATED
            for candidates in around:
                one = self.first_separator(a, b, candidates, order)
                if one.answer is not None and (
                    one.found or best.answer is None or one.answer.nearness > best.answer.nearness
                ):
                    best = one
                if one.found:
                    break
            tried.append(best)
        return Separations.of(tried, order)

    def thin(self, x: NDArray[Any], y: NDArray[Any], adjacency: NDArray[np.bool_], order: int) -> Separations:
        """Look for a separating set of one pair after the other among the neighbours of its y.

        Columns that were separated are no neighbours any more for the pairs that follow, and not asked about again.
        `adjacency` is read, not changed.
        """
        x, y = column_numbers(len(self.names), x=x, y=y)
        around, order = matrix_of_columns(len(self.names), adjacency).copy(), checks.whole_number("order", order, 0)
        apart: set[tuple[int, int]] = set()
        tried = []
        for a, b in zip(x.tolist(), y.tolist(), strict=True):
            candidates = [v for v in around[b].nonzero()[0].tolist() if v not in (a, b)]
            one = NOT_SEPARATED if (a, b) in apart else self.first_separator(a, b, candidates, order)
            tried.append(one)
            if one.found:
                around[a, b] = around[b, a] = False
                apart |= {(a, b), (b, a)}
        return Separations.of(tried, order)

    def rounds(
        self, x: NDArray[Any], y: NDArray[Any], adjacency: NDArray[np.bool_], last: int | None
    ) -> tuple[list[tuple[NDArray[Any], NDArray[Any], Separations]], bool]:
        """Carry out the first orders of PC-stable, up to `last`, in one go, if the test has a way to.

        Give the pairs of each order and what came of them, and whether there is nothing left to ask.
        """
        del x, y, adjacency, last
        return [], False

    # -- questions of a person -----------------------------------------------------------------------------------

    def __call__(self, x: str, y: str, given: Iterable[str] = ()) -> CIResult:
        """Test x against y given some columns, by name."""
        i, j, numbers = self._question(x, y, given)
        answer = self.ask(i, j, numbers)
        return describe(self.name, self.names, i, j, numbers, answer, self.n_samples, self.cardinalities, self.steps)

    def index(self, name: str) -> int:
        """The number of a column."""
        return self._numbers[checks.known("column", name, self._numbers)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def describe(self, x: int, y: int, given: tuple[int, ...], answer: Answer) -> CIResult:
        """Turn an answer between numbers into a result between names, with the reasons for any doubt."""
        self._check_numbers(x, y, tuple(checks.items("given", given, "a list of column numbers")))
        checks.instance("answer", answer, Answer, "an answer of this test")
        return describe(self.name, self.names, x, y, given, answer, self.n_samples, self.cardinalities, self.steps)

    def _check_numbers(self, x: int, y: int, given: tuple[int, ...]) -> None:
        """Refuse what is no number of a column, or a column twice."""
        columns = (x, y, *given)
        plain = _INTS.issuperset(map(type, columns)) or all(isinstance(v, Integral) for v in columns)
        if not plain or not 0 <= min(columns) <= max(columns) < len(self.names) or len({*columns}) < len(columns):
            raise no_question(x, y, given)

    def _question(self, x: str, y: str, given: Iterable[str]) -> tuple[int, int, tuple[int, ...]]:
        given = given if isinstance(given, (list, tuple)) else checks.names("given", given)
        try:
            known = self._numbers
            i, j, numbers = known[x], known[y], tuple([known[name] for name in given]) if given else ()
        except (KeyError, TypeError):  # `index` says what is wrong
            i, j, numbers = self.index(x), self.index(y), tuple(self.index(name) for name in given)
        if i == j:
            raise QuestionError(f"{x!r} cannot be tested against itself.", hint="Name two different columns.")
        if not numbers:
            return i, j, numbers
        if i in numbers or j in numbers:
            raise QuestionError(
                f"{(x if i in numbers else y)!r} is one of the two tested columns and also in given.",
                hint=("Take it out of ", Argument("given"), "."),
            )
        if len(numbers) > 1 and len(set(numbers)) < len(numbers):
            twice = next(name for name in given if given.count(name) > 1)
            raise QuestionError(
                f"{twice!r} occurs twice in given.",
                hint="Name each conditioning column once.",
                parameter="given",
                value=given,
            )
        return i, j, numbers


def column_numbers(n: int | None = None, **parts: Any) -> tuple[NDArray[Any], ...]:
    """Give the columns of many questions as arrays of numbers below n: one for each, or a row of those `given`."""
    found: list[NDArray[Any]] = []
    for name, value in parts.items():
        part = checks.array(name, value)
        fits = part.ndim == (2 if name == "given" else 1) and len(part) == len(found[0] if found else part)
        if not fits or (part.size and (part.dtype.kind not in "iu" or not _below(n, part))):
            what = "a row of column numbers" if name == "given" else "a column number"
            raise not_allowed(name, value, f"{what} for each question")
        found.append(part)
    return tuple(found)


def matrix_of_columns(n: int, adjacency: Any) -> NDArray[np.bool_]:
    """Give a matrix that says of every two of n columns whether they are neighbours."""
    matrix = checks.array("adjacency", adjacency)
    if matrix.shape != (n, n) or matrix.dtype.kind not in "biu":
        raise not_allowed("adjacency", adjacency, f"a matrix of {n} by {n} columns, True for neighbours")
    return matrix


def _below(n: int | None, part: NDArray[Any]) -> bool:
    """Say whether all are below n; the kernel knows its own n, but takes no more than 32 bits of a number."""
    if n is None and part.dtype.itemsize <= 4:
        return True
    return bool(0 <= part.min() <= part.max() < (2**32 if n is None else n))


def checked_around(around: Sequence[Around], sizes: range) -> list[Around]:
    """Give what `grow` is asked: columns with sets around each, and the sizes of the sets."""
    checks.instance("sizes", sizes, range, "a range of sizes")
    try:
        return [Around(x, list(ys), list(candidates), tuple(always)) for x, ys, candidates, always in around]
    except (TypeError, ValueError):
        raise not_allowed("around", around, "a list of Around(x, y, candidates, always)") from None


def no_question(*what: object) -> QuestionError:
    """Say that column numbers, or sizes of sets, are none."""
    told = ", ".join(short(one) for one in what)
    return QuestionError(f"There is no question ({told}).", hint="Questions are asked by the numbers of columns.")


_INTS = frozenset({int})
_MOST_REMEMBERED = 2**19  # answers, some 300 MB; then all are forgotten


class RememberingTest(CITest):
    """A test whose answers come one at a time, from Python: it remembers them and counts the new ones."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        super().__init__(name, names)
        self._memory: dict[tuple[int, int, tuple[int, ...]], Answer] = {}
        self._met: set[tuple[int, int, tuple[int, ...]]] = set()  # the questions in the ledger

    def with_own_books(self) -> Self:
        """Share the memory; count what is asked anew."""
        other = super().with_own_books()
        other._met = set()  # noqa: SLF001 - of the same class
        return other

    @abstractmethod
    def decide(self, x: int, y: int, given: tuple[int, ...]) -> Answer:
        """Answer a question that was not asked before; x < y, and `given` ascends."""

    def ask(self, x: int, y: int, given: tuple[int, ...] = ()) -> Answer:
        """Answer from memory, or decide and remember."""
        try:
            key = (min(x, y), max(x, y), tuple(sorted(given)))
            answer = self._memory.get(key)
        except (TypeError, ValueError):
            raise no_question(x, y, given) from None
        if answer is None:
            self._check_numbers(*key)
            if len(self._memory) >= _MOST_REMEMBERED:
                self._memory.clear()
            answer = self._memory[key] = self.decide(*key)
        self.ledger.enter(*key, answer, fresh=key not in self._met)
        if len(self._met) >= _MOST_REMEMBERED:
            self._met.clear()
        self._met.add(key)
        return answer
