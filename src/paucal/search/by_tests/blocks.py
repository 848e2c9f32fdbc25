"""Which nodes lie on a path between two others: the blocks of a graph and how they hang together.

A block is a largest set of nodes that stays connected when any one of them is taken away. Blocks meet in cut nodes
and form a tree. A node lies on a path from x to y that visits no node twice exactly if it is in a block on the way
from x to y in that tree (Hopcroft and Tarjan 1973).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.graphs.bits import bits_of, members

if TYPE_CHECKING:
    from collections.abc import Iterator


def on_paths(adjacent: list[int]) -> Iterator[dict[int, int]]:
    """Yield for every node x: y -> the nodes on paths from x to y, ends included; as bits.

    A node y that x is not connected to is left out.
    """
    parts = blocks(adjacent)
    around: list[list[int]] = [[] for _ in adjacent]
    for block in parts:
        for v in members(block):
            around[v].append(block)
    for x in range(len(adjacent)):
        found: dict[int, int] = {}
        stack = [(x, 0, 0)]
        while stack:
            v, so_far, came_by = stack.pop()
            for block in around[v]:
                if block == came_by:
                    continue
                way = so_far | block
                for u in members(block & ~(1 << v)):
                    found[u] = way
                    stack.append((u, way, block))
        yield {y: found[y] for y in sorted(found)}


def blocks(adjacent: list[int]) -> list[int]:
    """Give the blocks of a graph, each as bits; a node without edges has none."""
    found: list[int] = []
    depth: dict[int, int] = {}
    for root in range(len(adjacent)):
        if root not in depth:
            _blocks_from(root, adjacent, depth, found)
    return found


def _blocks_from(root: int, adjacent: list[int], depth: dict[int, int], found: list[int]) -> None:
    """Walk depth first; where nothing below a child climbs above its parent, a block ends."""
    depth[root] = 0
    low = {root: 0}
    trail = [root]  # nodes not yet in a block, in the order of discovery
    stack = [(root, -1, members(adjacent[root]))]
    while stack:
        v, parent, rest = stack[-1]
        child = next(rest, None)
        if child is not None:
            if child == parent:
                continue
            if child in depth:
                low[v] = min(low[v], depth[child])
                continue
            depth[child] = low[child] = depth[v] + 1
            trail.append(child)
            stack.append((child, v, members(adjacent[child])))
            continue
        stack.pop()
        if parent < 0:
            continue
        low[parent] = min(low[parent], low[v])
        if low[v] >= depth[parent]:
            start = trail.index(v)
            found.append(bits_of(trail[start:]) | 1 << parent)
            del trail[start:]
