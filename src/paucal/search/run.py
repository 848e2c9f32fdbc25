"""What every search by tests keeps while it works: the clock, books of its own, reasons for marks, and progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

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

T = TypeVar("T")


def told(results: Iterable[T], stage: str, total: int, progress: Progress | None) -> Iterator[T]:
    """Pass results on, and tell how many there were after each."""
    for done, one in enumerate(results, 1):
        if progress is not None:
            progress(stage, done, total)
        yield one


class SearchRun:
    """One run of a search on a test.

    The run asks `run.test`, a test with the same answers and books of its own, so that runs on one test do not meet;
    the test that was given gets the sums when the run ends.
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
        self.trace = Trace()
        self._knowledge = known
        self._given = test
        self._progress = progress
        self._start = 0.0

    @cached_property
    def limits(self) -> Limits:
        """What knowledge says about pairs of columns."""
        return Limits.of(self._knowledge, self.test.names)

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        self._given.ledger.add_all(self.test.ledger)

    def progress(self, stage: str, done: int, total: int | None = None) -> None:
        """Tell whoever asked how far the search is."""
        if self._progress is not None:
            self._progress(stage, done, total)

    def result(self, graph: Graph, sepsets: Sepsets, *, details: Mapping[str, Any] | None = None) -> SearchResult:
        """Close the books; to be called inside the run."""
        test = self.test
        steps = (
            {"given_in_steps": {name: ", ".join(labels) for name, labels in test.steps.items()}} if test.steps else {}
        )
        return SearchResult(
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
            seconds=time.perf_counter() - self._start,
        )
