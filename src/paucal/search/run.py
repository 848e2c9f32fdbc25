"""What every search by tests keeps while it works: the clock, books of its own, reasons for marks, and progress."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from paucal import checks
from paucal.errors import Argument, Interrupted, LongSearchWarning, warn
from paucal.independence.budget import Allowance, Budget
from paucal.search.by_tests.limits import Limits
from paucal.search.evidence.explain import Trace
from paucal.search.evidence.tests import Tests
from paucal.search.recipe import Recipe
from paucal.search.result import SearchResult

if TYPE_CHECKING:
    from typing import Self

    from paucal.graphs.graph import Graph
    from paucal.independence.protocol import CITest
    from paucal.search.evidence.sepsets import Sepsets

# Told now and then: the stage, how much of it is done, and of how much if that is known.
Progress: TypeAlias = Callable[[str, int, "int | None"], None]

# Asked by the kernel in long work, with what is done so far: whether it is to end.
Look: TypeAlias = Callable[[int], bool]

T = TypeVar("T")

FEW_MILLION = 4e6  # sets to try: beyond, a search says so before it begins


def checked_progress(progress: object) -> Progress | None:
    """Give whoever is told of progress, or None."""
    if progress is None:
        return None
    return checks.function("progress", cast("Progress", progress), 3, "a function of stage, done and total")


def told(results: Generator[T, None, None], stage: str, total: int, progress: Progress | None) -> Iterator[T]:
    """Pass results on, and tell how many there were after each."""
    progress = checked_progress(progress)
    with closing(results):
        for done, one in enumerate(results, 1):
            if progress is not None:
                progress(stage, done, total)
            yield one


class SearchRun:
    """One run of a search on a test.

    The run asks `run.test`, a test with the same answers and books of its own, so that runs on one test do not meet;
    the test that was given gets the sums when the run ends.

    A run has a budget: the allowance of the test. When it is spent, or somebody presses Ctrl-C, `run.spent` is true and
    nothing is asked any more: the search goes to its end with what it has, and the result says that it is unfinished.
    After Ctrl-C it leaves by `Interrupted`, which carries that result.
    """

    def __init__(
        self,
        search: str,
        test: CITest,
        *,
        settings: Mapping[str, Any] | None = None,
        target: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        options = dict(settings or {})
        known = options.pop("knowledge", None)
        self.recipe = Recipe(search=search, test=test.settings, knowledge=known, options=options, target=target)
        self.test = test.with_own_books()
        self.budget = self.test.budget = Budget(test.allowance, self.test.ledger, tell=self._told)
        self.trace = Trace()
        self._knowledge = known
        self._given = test
        self._progress = checked_progress(progress)
        self._stage: str | None = None
        self._place: tuple[int, int | None] = (0, None)
        self._expected: tuple[str, float] | None = None
        self._sets: tuple[str, int, float] | None = None  # of a long stage: its name, questions before it, sets to try
        self._result: SearchResult | None = None

    @cached_property
    def limits(self) -> Limits:
        """What knowledge says about pairs of columns."""
        return Limits.of(self._knowledge, self.test.names)

    def __enter__(self) -> Self:
        self.budget.__enter__()
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        self.budget.__exit__()
        self._given.ledger.add_all(self.test.ledger)
        if kind is None and self.budget.why == "interrupted" and self._result is not None:
            raise Interrupted(self._result)

    @property
    def spent(self) -> bool:
        """Whether nothing is to be asked any more."""
        return self.budget.spent

    def expect(self, stage: str, sets: float) -> None:
        """Say how long a stage may take if it has millions of sets to try; to be called before it."""
        self._expected = (stage, sets) if sets > FEW_MILLION and not self.spent else None
        self._sets = None if self._expected is None else (stage, self.budget.asked, sets)
        if self.budget.asked:
            self._warn()

    def progress(self, stage: str, done: int, total: int | None = None) -> None:
        """Tell whoever asked how far the search is."""
        self._stage, self._place = stage, (done, total)
        if self._expected is not None and self.budget.asked:
            self._warn()
        self._told()

    def _told(self, more: int = 0) -> None:
        """Tell the place of a stage, of a long one in sets; `more` questions were asked in a call that goes on."""
        if self._progress is None or self._stage is None:
            return
        if self._sets is not None and self._sets[0] == self._stage:
            _, before, sets = self._sets
            self._progress(f"{self._stage}, sets", self.budget.asked - before + more, int(sets))
        else:
            self._progress(self._stage, *self._place)

    def _warn(self) -> None:
        if self._expected is None:
            return
        (stage, sets), self._expected = self._expected, None
        seconds = sets * self.budget.seconds / self.budget.asked
        warn(
            LongSearchWarning(
                f"The stage {stage!r} has up to {sets:,.0f} sets to test, which may take {_time(seconds)}.",
                hint=(
                    "Ctrl-C, or ",
                    Argument("max_seconds"),
                    ", ends the search with what it has; ",
                    Argument("max_order"),
                    " makes it smaller.",
                ),
            )
        )

    def result(self, graph: Graph, sepsets: Sepsets, *, details: Mapping[str, Any] | None = None) -> SearchResult:
        """Close the books; to be called inside the run."""
        test = self.test
        steps = (
            {"given_in_steps": {name: ", ".join(labels) for name, labels in test.steps.items()}} if test.steps else {}
        )
        self._result = SearchResult(
            graph=graph,
            evidence=Tests(
                names=test.names,
                n_samples=test.n_samples,
                cardinalities=test.cardinalities,
                means=test.settings,
                sepsets=sepsets,
                ledger=test.ledger,
            ),
            recipe=self.recipe,
            details={**(details or {}), **steps},
            reasons=self.trace.named(test.names),
            seconds=self.budget.seconds,
            unfinished=self.budget.told(self._stage),
        )
        return self._result


class ScoreRun:
    """One run of a search by scores: it is told of progress, passes that on, and knows when the run is to end.

    `ended` closes the run: it marks a result that is unfinished, and leaves by `Interrupted` after Ctrl-C.
    """

    def __init__(self, max_seconds: float | None, progress: Progress | None) -> None:
        self.budget = Budget(Allowance.of(max_seconds), tell=self._told)
        self._progress = checked_progress(progress)
        self._place: tuple[str, int, int | None] | None = None

    def __enter__(self) -> Self:
        self.budget.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.budget.__exit__()

    def progress(self, stage: str, done: int, total: int | None = None) -> None:
        """Tell whoever asked how far the search is; once the run is to end, its stage stays the last one."""
        if self._place is None or not self.spent:
            self._place = (stage, done, total)
            self._told()

    def _told(self, _more: int = 0) -> None:
        if self._progress is not None and self._place is not None:
            self._progress(*self._place)

    @property
    def spent(self) -> bool:
        """Whether the search is to end with what it has."""
        return self.budget.spent

    def ended(self, result: SearchResult) -> SearchResult:
        """Give the result, with what it took and whether it is all."""
        told = self.budget.told(None if self._place is None else self._place[0])
        result = replace(result, seconds=self.budget.seconds, unfinished=told)
        if self.budget.why == "interrupted":
            raise Interrupted(result)
        return result


def _time(seconds: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds > 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"
