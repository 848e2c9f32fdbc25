"""The graph of RAI while it is learned: sets of nodes as bits, colliders oriented after each thinning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.graphs.bits import bits_of_rows, matrix_of_bits, members, reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from paucal.search.by_tests.limits import Limits


class RaiGraph:
    """A PDAG: `into[j]` has i where i -> j or i -- j, `out[i]` has j likewise."""

    def __init__(self, limits: Limits) -> None:
        rows = bits_of_rows(limits.joinable)
        self.into = list(rows)
        self.out = list(rows)
        self.may_separate = bits_of_rows(limits.may_separate)
        self._forbidden_into = bits_of_rows(limits.forbidden.T) if limits.active else None
        # _blocked[y][x] has z where y is in the set that separated x and z: there y is no collider
        self._blocked: list[dict[int, int]] = [{} for _ in rows]
        self._settled = False  # whether orienting again would change nothing
        self.obey()

    def joined(self, a: int, b: int) -> bool:
        """Say whether there is an edge."""
        return bool((self.into[a] | self.out[a]) >> b & 1)

    def around(self, v: int) -> int:
        """Give all neighbours."""
        return self.into[v] | self.out[v]

    def pdag(self) -> NDArray[np.int8]:
        """Give the graph as a PDAG matrix."""
        return matrix_of_bits(self.out)

    def separate(self, a: int, b: int, given: Iterable[int]) -> None:
        """Take the edge away and remember what separated its ends."""
        for u, v in ((a, b), (b, a)):
            self.into[u] &= ~(1 << v)
            self.out[u] &= ~(1 << v)
            for y in given:
                self._blocked[y][u] = self._blocked[y].get(u, 0) | 1 << v
        self._settled = False

    def lowest(self, inside: int) -> int:
        """Give the nodes from which undirected edges lead to no node that a directed edge leaves."""
        found = 0
        for group in self.components(inside, undirected=True):
            leaving = any(self.out[v] & ~self.into[v] & inside for v in members(group))
            found |= 0 if leaving else group
        return found

    def components(self, inside: int, *, undirected: bool = False) -> Iterator[int]:
        """Give the connected parts of some nodes, by their smallest node."""
        ends = zip(self.into, self.out, strict=True)
        rows = [(into & out if undirected else into | out) & inside for into, out in ends]
        left = inside
        while left:
            part = reach(rows, left & -left)
            yield part
            left &= ~part

    def orient_colliders(self) -> None:
        """Orient colliders anew; of two claims on an edge the one made last holds, at the larger node."""
        if self._settled:
            return
        before = self.out.copy()
        self.unorient()
        for y, claimed in enumerate(self.claims()):
            for x in members(claimed):
                self.arrow(x, y)
        self.obey()
        self._settled = before == self.out

    def unorient(self) -> None:
        """Undo the arrows of parents that the node itself separates."""
        for i, blocked in enumerate(self._blocked):
            parents = self.into[i] & ~self.out[i]
            if not blocked or parents & parents - 1 == 0:
                continue
            for x in members(parents):
                for z in members(parents & blocked.get(x, 0) & ~((2 << x) - 1)):
                    if not self.joined(x, z):
                        self._undirected(x, i)
                        self._undirected(z, i)

    def claims(self) -> list[int]:
        """Give per node y all x of an unshielded x -- y with another edge z -- y or z -> y, and those z."""
        around = [self.into[v] | self.out[v] for v in range(len(self.into))]
        claims = []
        for y, blocked in enumerate(self._blocked):
            claimed = 0
            others = self.into[y]
            for x in members(others & self.out[y]):
                partners = others & ~around[x] & ~(1 << x) & ~blocked.get(x, 0)
                if partners:
                    claimed |= partners | 1 << x
            claims.append(claimed)
        return claims

    def arrow(self, x: int, y: int) -> None:
        """Direct an edge."""
        self.out[x] |= 1 << y
        self.into[y] |= 1 << x
        self.out[y] &= ~(1 << x)
        self.into[x] &= ~(1 << y)

    def _undirected(self, x: int, y: int) -> None:
        for a, b in ((x, y), (y, x)):
            self.out[a] |= 1 << b
            self.into[a] |= 1 << b

    def obey(self) -> None:
        """Turn what points against background knowledge."""
        if self._forbidden_into is not None:
            for y, forbidden in enumerate(self._forbidden_into):
                for x in members(self.into[y] & forbidden):
                    self.arrow(y, x)
