"""MMPC for a whole table: what every column finds around itself, stitched into one graph.

1. All pairs are tested given nothing, some columns at a time.
2. Every column looks for its parents and children by MMPC (`mmpc.py`), some columns at a time; nothing depends on what
   other parts find. Two columns are joined if each finds the other (Tsamardinos, Brown and Aliferis 2006).
3. Colliders and completion as in PC, from the sets that separated pairs.

A part depends on its columns alone, so parts may be done by processes or a cluster, or again when a machine is lost,
and give the same numbers. Of a part only the neighbours, the separating sets and the tests of joined pairs are kept,
where PC-stable keeps an answer for every pair. Each part has a memory of its own: a question that columns of two parts
ask about each other counts twice. With a limit of tests or seconds there is one part, done here.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.independence.budget import Allowance
from paucal.independence.registry import make_test, test_names
from paucal.search.by_tests.colliders import COLLIDER_RULES, ColliderRule, unshielded_triples
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.mmpc import Mmpc
from paucal.search.by_tests.pc import oriented_result
from paucal.search.by_tests.separators import Separators
from paucal.search.by_tests.skeleton import Skeleton, orders, separate_unjoinable
from paucal.search.parallel import each
from paucal.search.run import Progress, SearchRun

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.answers import Separations
    from paucal.independence.ledger import Ledger
    from paucal.independence.protocol import CITest
    from paucal.independence.settings import CISettings
    from paucal.search.result import SearchResult

T = TypeVar("T")
_TOGETHER = 64  # columns that are looked from with one memory


def mmpc(
    test: CITest,
    *,
    data: Any = None,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    colliders: ColliderRule = "standard",
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a CPDAG from the parents and children of every column, found by MMPC.

    Parameters
    ----------
    test
        Answers the questions.
    data
        The data that the test was made of: other processes, or a cluster, make the test from them. Without data, or
        with a test of your own, all is done here.
    knowledge, max_order, progress
        As for `paucal.learn`.
    colliders
        As for PC; the standard rule asks nothing new.

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.Graph.parse("A; B; A -> C <- B; C -> D"))
    >>> mmpc(oracle).graph
    Graph.cpdag(4 nodes, 3 edges: A -> C; B -> C; C -> D)
    """
    orders(max_order)  # refuses what is no order
    checks.choice("colliders", colliders, COLLIDER_RULES)
    settings = {"knowledge": knowledge, "max_order": max_order, "colliders": colliders}
    with SearchRun("mmpc", test, settings=settings, progress=progress) as run:
        if run.test.allowance == Allowance():
            table = None if data is None or test.settings.name not in test_names() else Dataset.of(data)
            looks = _Looks(test.settings, table, knowledge, max_order, run.test.with_own_books())
            skeleton = _stitched(run, looks)
        else:
            skeleton = _in_one_part(run, max_order)
        separate_unjoinable(run.test, run.limits, skeleton.adjacency, skeleton.separators, max_order)
        return oriented_result(run, run.limits, skeleton, colliders)


def _in_one_part(run: SearchRun, max_order: int | None) -> Skeleton:
    """Let all columns look together, with the run's own test, which counts what it is asked."""
    every = Mmpc(run, run.limits, max_order)
    return Skeleton(every.all_neighbours(), every.separators, max(run.test.ledger.by_order, default=0))


def _stitched(run: SearchRun, looks: _Looks) -> Skeleton:
    """Share the columns out, and join what they find; a part that was not done leaves its pairs joined."""
    limits, ledger = run.limits, run.test.ledger
    n, jobs = len(limits.names), 1 if looks.data is None else None
    parts = [range(start, min(n, start + _TOGETHER)) for start in range(0, n, _TOGETHER)]
    joined, first = limits.joinable.copy(), []
    for alone in _told(run, "pairs", parts, each(looks.given_nothing, parts, jobs)):
        first.append(alone)
        ledger.take(alone.ledger)
        for column, its in zip(alone.columns, _rows(alone.columns, alone.x, alone.y, n), strict=True):
            joined[column, column + 1 :] &= (its | limits.fixed[column])[column + 1 :]
    joined = np.triu(joined)
    joined |= joined.T
    given_nothing = limits.joinable & ~joined
    sets: list[Separators] = []
    if not run.spent:
        begun = _parts(parts, first)
        for found in _told(run, "columns", parts, each(looks.around, begun, jobs)):
            joined[found.columns] = _rows(found.columns, found.x, found.y, n)
            sets.append(found.separators)
            ledger.take(found.ledger)
    adjacency = joined & joined.T
    for alone in first:
        kept = adjacency[alone.x, alone.y]
        ledger.note_all(alone.x[kept], alone.y[kept], alone.tried.rows(kept))
    separators = _of_triples(run.test, adjacency, given_nothing)
    for from_later in (False, True):  # the set that a pair keeps of two
        for some in sets:
            separators.add_those(some, from_later=from_later)
    return Skeleton(adjacency, separators, max(ledger.by_order, default=0), given_nothing)


def _told(run: SearchRun, stage: str, parts: list[range], results: Generator[T, None, None]) -> Iterator[T]:
    """Pass the results of parts on, tell how many there were, and end with the run."""
    with closing(results):
        for done, one in enumerate(results, 1):
            run.progress(stage, done, len(parts))
            yield one
            if run.spent:
                break


def _rows(columns: range, x: NDArray[Any], y: NDArray[Any], n: int) -> NDArray[np.bool_]:
    """Give the rows of a matrix over all columns that has these pairs."""
    rows = np.zeros((len(columns), n), dtype=np.bool_)
    rows[x - columns.start, y] = True
    return rows


def _parts(parts: list[range], first: list[_Alone]) -> Iterator[_Part]:
    """Give every part the nearness of its columns to all that depend on them given nothing."""
    x, y = (np.concatenate([getattr(alone, end) for alone in first]) for end in "xy")
    near = np.concatenate([alone.tried.answers.nearness for alone in first])
    order = np.argsort(np.concatenate([x, y]), kind="stable")
    x, y, near = np.concatenate([x, y])[order], np.concatenate([y, x])[order], np.concatenate([near, near])[order]
    for columns in parts:
        here = slice(*np.searchsorted(x, [columns.start, columns.stop]))
        yield _Part(columns, x[here], y[here], near[here])


def _of_triples(test: CITest, adjacency: NDArray[np.bool_], given_nothing: NDArray[np.bool_]) -> Separators:
    """Ask once more about ends of triples that were separated given nothing: how nearly decides between colliders."""
    n = len(adjacency)
    a, _, b = unshielded_triples(adjacency)
    x, y = np.divmod(np.unique(a.astype(np.int64) * n + b), n)
    alone = given_nothing[x, y]
    x, y = x[alone], y[alone]
    separators, again = Separators(n), test.with_own_books()
    separators.add_found(x, y, again.search(x, y, x, adjacency, 0))
    test.ledger.add(0, (again.ledger.n_calls, 0, 0, 0, 0))
    return separators


class _Alone(NamedTuple):
    """Of some columns the pairs with later ones that depend on each other given nothing, and these tests."""

    columns: range
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    tried: Separations
    ledger: Ledger


class _Part(NamedTuple):
    """Some columns, and who depends on them given nothing: how near to independence."""

    columns: range
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    nearness: NDArray[np.float64]


class _Found(NamedTuple):
    """Of some columns the parents and children of each."""

    columns: range
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    separators: Separators
    ledger: Ledger


@dataclass
class _Looks:
    """What is done for a part, here or elsewhere: the test does not travel, but is made anew from the data."""

    settings: CISettings
    data: Dataset | None
    knowledge: Knowledge | None
    max_order: int | None
    test: CITest | None

    def __getstate__(self) -> Mapping[str, Any]:
        return {**{field.name: getattr(self, field.name) for field in fields(self)}, "test": None}

    @cached_property
    def _asked(self) -> CITest:
        return make_test(self.data, self.settings.name, **self.settings.all) if self.test is None else self.test

    @cached_property
    def _limits(self) -> Limits:
        return Limits.of(self.knowledge, self._asked.names)

    def given_nothing(self, columns: range) -> _Alone:
        """Ask about pairs of some columns with later ones, given nothing."""
        limits, test = self._limits, self._asked.with_own_books()
        askable = limits.joinable[columns] & ~limits.fixed[columns]
        x, y = np.nonzero(np.triu(askable, columns.start + 1))
        x += columns.start
        tried = test.search(x, y, x, limits.joinable, 0)
        dependent = ~tried.found
        counts = test.ledger.about(np.zeros_like(limits.joinable))
        return _Alone(columns, x[dependent], y[dependent], tried.rows(dependent), counts)

    def around(self, part: _Part) -> _Found:
        """Find the parents and children of some columns."""
        columns, x, y, near = part
        with SearchRun("mmpc", self._asked, settings={"knowledge": self.knowledge}) as run:
            n = len(run.test.names)
            first = np.full((len(columns), n), np.inf)
            first[x - columns.start, y] = near
            mmpc = Mmpc(run, self._limits, self.max_order)
            kept = mmpc.neighbours(list(columns), first)
            x = np.repeat(np.array(columns), list(map(len, kept)))
            y = np.array([v for its in kept for v in its], dtype=np.int64)
            pairs = np.zeros((n, n), dtype=np.bool_)
            pairs[x, y] = pairs[y, x] = True
            return _Found(columns, x, y, mmpc.separators, run.test.ledger.about(pairs))
