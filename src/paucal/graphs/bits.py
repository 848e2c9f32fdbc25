"""Sets of nodes as the bits of one Python integer: joining and cutting them takes nanoseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_AT_ONCE = 1 << 17  # words that are compared in one go


def bits_of_rows(matrix: NDArray[Any]) -> list[int]:
    """Give for every row the set of its non-zero columns."""
    packed = np.packbits(np.asarray(matrix) != 0, axis=1, bitorder="little")
    rows, width = packed.shape
    if width <= 8:  # one machine word a row
        words = np.zeros((rows, 8), dtype=np.uint8)
        words[:, :width] = packed
        whole: list[int] = words.view("<u8").ravel().tolist()
        return whole
    content = packed.tobytes()
    return [int.from_bytes(content[i : i + width], "little") for i in range(0, rows * width, width)]


def matrix_of_bits(rows: list[int]) -> NDArray[np.int8]:
    """Give the square 0/1 matrix whose rows are these sets."""
    n = len(rows)
    if not n:
        return np.zeros((0, 0), dtype=np.int8)
    width = (n + 7) // 8
    packed = np.frombuffer(b"".join(row.to_bytes(width, "little") for row in rows), dtype=np.uint8)
    unpacked = np.unpackbits(packed.reshape(n, width), axis=1, bitorder="little")
    return unpacked[:, :n].astype(np.int8)


def share_a_neighbour(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which pairs have a neighbour in common.

    A product of matrices would tell it too, but libraries for these wake all cores of the machine.
    """
    n = len(adjacency)
    packed = np.zeros((n, -(-n // 64) * 8), dtype=np.uint8)
    packed[:, : -(-n // 8)] = np.packbits(adjacency, axis=1)
    words = packed.view(np.uint64)
    found = np.empty((n, n), dtype=np.bool_)
    step = max(1, _AT_ONCE // max(1, words.size))
    for start in range(0, n, step):
        found[start : start + step] = (words[start : start + step, None] & words).any(axis=2)
    return found


def bits_of(nodes: Iterable[int]) -> int:
    """Give the set of some nodes: `bits_of([0, 2])` is 5."""
    bits = 0
    for v in nodes:
        bits |= 1 << v
    return bits


def members(bits: int) -> Iterator[int]:
    """Yield the nodes of a set, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def reach(rows: Sequence[int], starts: int) -> int:
    """Give the set of nodes that the rows lead to from a set of nodes, the starts included."""
    seen = frontier = starts
    while frontier:
        step = 0
        for v in members(frontier):
            step |= rows[v]
        frontier = step & ~seen
        seen |= step
    return seen


class Paths:
    """Who leads to whom in a directed graph that only grows, without cycles."""

    def __init__(self, n: int) -> None:
        self.below = [0] * n
        self._above = [0] * n

    def add(self, parent: int, child: int) -> None:
        """Add an arrow; it must not close a cycle."""
        if self.below[parent] >> child & 1:
            return
        under, over = self.below[child] | 1 << child, self._above[parent] | 1 << parent
        _join(self.below, over, under)
        _join(self._above, under, over)


def _join(rows: list[int], nodes: int, more: int) -> None:
    """Add a set to the rows of some nodes; `members` written out, as nearly always there are one or two."""
    while nodes:
        low = nodes & -nodes
        rows[low.bit_length() - 1] |= more
        nodes ^= low
