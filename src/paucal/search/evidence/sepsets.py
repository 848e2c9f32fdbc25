"""Separating sets, by unordered pair of names."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

Pair = tuple[int, int]


class Sepsets(Mapping[tuple[str, str], tuple[str, ...]]):
    """For every separated pair the set that separated it; the order of the two names does not matter.

    Keys are listed in column order. The names are only put in when somebody looks, since a search over a
    thousand columns leaves half a million sets behind.
    """

    def __init__(self, names: tuple[str, ...], by_number: Mapping[Pair, Iterable[int]]) -> None:
        self._names = names
        self._by_number: list[tuple[Pair, Iterable[int]]] = list(by_number.items())
        self._levels: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        self._moved: NDArray[np.int64] | None = None  # the numbers that columns have by now, of those in `_levels`

    @classmethod
    def of_levels(
        cls, names: tuple[str, ...], levels: Iterable[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]
    ) -> Sepsets:
        """Take the sets as arrays: per level the two columns of each pair, and a row of conditioning columns."""
        sets = cls(names, {})
        sets._levels = list(levels)
        return sets

    def reordered(self, names: tuple[str, ...], moved: NDArray[np.int64]) -> Sepsets:
        """Give the same sets with the columns in another order; `moved` is the new number of each."""
        place = moved.tolist()
        moved_sets = {(place[x], place[y]): sorted(place[z] for z in given) for (x, y), given in self._by_number}
        sets = Sepsets(names, moved_sets)
        sets._levels = self._levels
        sets._moved = moved if self._moved is None else moved[self._moved]
        return sets

    @cached_property
    def _content(self) -> dict[tuple[str, str], tuple[str, ...]]:
        name = self._names.__getitem__
        raw = self._by_number.copy()
        for level in self._levels:
            x, y, given = level if self._moved is None else (self._moved[numbers] for numbers in level)
            given = given if self._moved is None else np.sort(given, axis=1)
            raw += zip(zip(x.tolist(), y.tolist(), strict=True), given.tolist(), strict=True)
        ordered = {(i, j) if i < j else (j, i): among for (i, j), among in raw}
        return {(name(i), name(j)): tuple(map(name, ordered[i, j])) for i, j in sorted(ordered)}

    def __getitem__(self, pair: tuple[str, str]) -> tuple[str, ...]:
        x, y = pair
        content = self._content
        return content[x, y] if (x, y) in content else content[y, x]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def items(self) -> ItemsView[tuple[str, str], tuple[str, ...]]:
        """List the pairs with their sets."""
        return self._content.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sepsets):
            return NotImplemented
        return self._unordered() == other._unordered()

    def __hash__(self) -> int:
        return hash(frozenset(self._unordered()))

    def _unordered(self) -> dict[frozenset[str], frozenset[str]]:
        return {frozenset(pair): frozenset(given) for pair, given in self.items()}

    def __repr__(self) -> str:
        shown = ", ".join(f"{x}, {y}: {{{', '.join(given)}}}" for (x, y), given in list(self.items())[:4])
        return f"Sepsets({shown}{', ...' if len(self) > 4 else ''}; {len(self)} pairs)"
