"""What separated which pairs, between column numbers, while a search works."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.search.evidence.sepsets import Sepsets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paucal.independence.answers import Separation, Separations, Tried


class _Table(NamedTuple):
    row: NDArray[np.int32]  # [i, j]: the row of the pair below, -1 if nothing separated it
    members: NDArray[np.int64]  # the sets, filled up with -1
    nearness: NDArray[np.float64]


class Separators:
    """The separating set of every separated pair, with the nearness to independence of the test that found it.

    Sets come one at a time or, from a whole level of tests, as arrays. A later set of a pair replaces an earlier.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._blocks: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]] = []

    def add(self, x: int, y: int, given: tuple[int, ...], nearness: float) -> None:
        """Keep one set."""
        one = np.array([given], dtype=np.int64)
        self.add_all(np.array([x]), np.array([y]), one, np.array([nearness]))

    def add_if_found(self, x: int, y: int, separation: Separation) -> bool:
        """Keep the set of a separation, if it has one, and say whether it has."""
        if not separation.found or separation.given is None or separation.answer is None:
            return False
        self.add(x, y, separation.given, separation.answer.nearness)
        return True

    def add_found(self, x: NDArray[Any], y: NDArray[Any], tried: Separations) -> NDArray[np.int64]:
        """Keep the sets of the pairs that were separated, all of one size, and give the places of these pairs."""
        found = tried.found.nonzero()[0]
        self.add_all(x[found], y[found], tried.given[found], tried.answers.nearness[found])
        return found

    def add_tried(self, x: NDArray[Any], y: NDArray[Any], tried: Tried, among: NDArray[np.bool_]) -> None:
        """Keep the sets of those pairs among some that were separated, of any size."""
        sizes = np.where(among, tried.sizes, 0)
        for size in range(1, sizes.max(initial=0) + 1):
            here = sizes == size
            self.add_all(x[here], y[here], tried.given[here, :size], tried.nearness[here])

    def add_all(self, x: NDArray[Any], y: NDArray[Any], given: NDArray[Any], nearness: NDArray[np.float64]) -> None:
        """Keep the sets of many pairs, of one size."""
        self._blocks.append((x, y, given, nearness))
        vars(self).pop("_table", None)  # made anew when somebody asks

    def add_those(self, other: Separators, *, from_later: bool) -> None:
        """Keep what another collection found looking from the later column of pairs, or from the earlier."""
        for x, y, given, near in other._blocks:
            here = (x > y) == from_later
            self.add_all(x[here], y[here], given[here], near[here])

    def contain(self, a: NDArray[Any], c: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        """Say for triples whether c is in the set that separated a and b; of no set, it is not."""
        table = self._table
        row = table.row[a, b]
        if not table.members.size:
            return np.zeros(len(row), dtype=np.bool_)
        inside: NDArray[np.bool_] = (table.members[row] == np.asarray(c)[:, None]).any(axis=1) & (row >= 0)
        return inside

    def known(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        """Say for pairs whether a set separated them."""
        known: NDArray[np.bool_] = self._table.row[a, b] >= 0
        return known

    def sets(self, a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Give for separated pairs what separated them, filled up with -1, and how near to independence that was."""
        table = self._table
        row = table.row[a, b]
        return table.members[row], table.nearness[row]

    def nearness(self, a: NDArray[Any] | int, b: NDArray[Any] | int) -> NDArray[np.float64]:
        """Give for separated pairs how near to independence the separating test was."""
        table = self._table
        near: NDArray[np.float64] = table.nearness[table.row[a, b]]
        return near

    def get(self, x: int, y: int) -> tuple[int, ...] | None:
        """Give the set that separated x and y, or None."""
        table = self._table
        row = table.row[x, y]
        return None if row < 0 else tuple(v for v in table.members[row].tolist() if v >= 0)

    def items(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Yield every separated pair, the smaller number first, with its set."""
        table = self._table
        x, y = np.nonzero(np.triu(table.row >= 0, 1))
        sets = table.members[table.row[x, y]].tolist()
        for i, j, given in zip(x.tolist(), y.tolist(), sets, strict=True):
            yield i, j, tuple(v for v in given if v >= 0)

    def from_each(self) -> dict[int, dict[int, tuple[int, ...]]]:
        """Give by first column of a pair what separated it from others."""
        found: dict[int, dict[int, tuple[int, ...]]] = {}
        for x, y, given, _ in self._blocks:
            for i, j, among in zip(x.tolist(), y.tolist(), given.tolist(), strict=True):
                found.setdefault(i, {})[j] = tuple(among)
        return found

    def copy(self) -> Separators:
        """Give a second collection of the same sets."""
        other = Separators(self._n)
        other._blocks = list(self._blocks)
        return other

    def named(self, names: tuple[str, ...], given_nothing: NDArray[np.bool_] | None = None) -> Sepsets:
        """Give the sets between names; for the pairs of a matrix the empty set, unless there is another."""
        levels = [(x, y, given) for x, y, given, _ in self._blocks]
        if given_nothing is not None:
            x, y = (ends.astype(np.uint32) for ends in np.triu(given_nothing).nonzero())
            levels.insert(0, (x, y, np.zeros((len(x), 0), dtype=np.uint32)))
        return Sepsets.of_levels(names, levels)

    @cached_property
    def _table(self) -> _Table:
        width = max((given.shape[1] for _, _, given, _ in self._blocks), default=0)
        total = sum(len(x) for x, _, _, _ in self._blocks)
        row = np.full((self._n, self._n), -1, dtype=np.int32)
        members = np.full((total, width), -1, dtype=np.int64)
        nearness = np.empty(total)
        start = 0
        for x, y, given, near in self._blocks:
            end = start + len(x)
            members[start:end, : given.shape[1]] = given
            nearness[start:end] = near
            row[x, y] = row[y, x] = np.arange(start, end)
            start = end
        return _Table(row, members, nearness)
