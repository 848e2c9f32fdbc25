"""What every search keeps while it works: the clock, a ledger of its own, reasons for marks, and progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from paucal.independence.result import Ledger
from paucal.search.evidence.explain import Trace
from paucal.search.result import SearchResult

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from paucal.graphs.graph import Graph
    from paucal.independence.protocol import CITest
    from paucal.search.evidence.sepsets import Sepsets

# Told now and then: the stage, how much of it is done, and of how much if that is known.
Progress: TypeAlias = Callable[[str, int, "int | None"], None]


class SearchRun:
    """One run of a search on a test.

    The questions of the run go into a ledger of their own, which the result keeps; the test's own ledger,
    which counts everything it was ever asked, gets the sums when the run ends.

    >>> import paucal
    >>> from paucal.search.evidence.sepsets import Sepsets
    >>> oracle = paucal.Oracle(paucal.Graph.dag("AB"))
    >>> with SearchRun("nothing", oracle) as run:
    ...     result = run.result(paucal.Graph.empty("AB", "cpdag"), Sepsets(oracle.names, {}))
    >>> result.search, result.test, oracle.ledger.n_tests
    ('nothing', 'oracle', 0)
    """

    def __init__(
        self,
        search: str,
        test: CITest,
        *,
        settings: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.search = search
        self.test = test
        self.settings = dict(settings or {})
        self.trace = Trace()
        self._progress = progress
        self._whole_ledger = test.ledger
        self._start = 0.0

    def __enter__(self) -> Self:
        self._whole_ledger = self.test.ledger
        self.test.ledger = Ledger(self.test.names)
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for order, tally in self.test.ledger.by_order.items():
            self._whole_ledger.add(order, tally)
        self.test.ledger = self._whole_ledger

    def progress(self, stage: str, done: int, total: int | None = None) -> None:
        """Tell whoever asked how far the search is."""
        if self._progress is not None:
            self._progress(stage, done, total)

    def result(
        self, graph: Graph, sepsets: Sepsets, *, details: Mapping[str, Any] | None = None
    ) -> SearchResult:
        """Close the books; to be called inside the run."""
        return SearchResult(
            graph=graph,
            sepsets=sepsets,
            ledger=self.test.ledger,
            search=self.search,
            test=self.test.name,
            test_parameters=dict(getattr(self.test, "parameters", {})),
            settings=self.settings,
            details=dict(details or {}),
            reasons=self.trace.named(self.test.names),
            seconds=time.perf_counter() - self._start,
            n_samples=self.test.n_samples,
            cardinalities=self.test.cardinalities,
        )
