"""Exact probabilities by variable elimination.

Only the ancestors of the question take part. They are summed out one by one, always the one whose table is
smallest at that moment, which is enough for networks of the size and sparsity of the bundled ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from paucal.errors import NetworkError
from paucal.networks.tables import MAX_CELLS, FloatArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Factor: TypeAlias = tuple[tuple[str, ...], FloatArray]


def joint(
    query: Sequence[str],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, FloatArray],
    seen: Mapping[str, int] | None = None,
) -> FloatArray:
    """Compute the joint distribution of some distinct nodes, one axis per node in the order of the question.

    `tables` has P(node | parents) of every node, axes in the order of its `parents`, the node last. With nodes that
    are `seen` in a level, none of them asked for, it is P(query and what is seen): its sum is the chance of seeing it.
    """
    seen = seen or {}
    nodes = ancestors([*query, *seen], parents)
    rank = {node: place for place, node in enumerate(nodes)}
    size = {node: tables[node].shape[-1] for node in nodes}
    factors = [_at((*parents[node], node), tables[node], seen) for node in nodes]
    nodes = [node for node in nodes if node not in seen]

    # who shares a factor with whom: eliminating a node joins all its neighbours
    near: dict[str, set[str]] = {node: {node} for node in nodes}
    for scope, _ in factors:
        for node in scope:
            near[node].update(scope)
    cost = {node: math.prod(size[other] for other in near[node]) for node in nodes}
    hidden = [node for node in nodes if node not in set(query)]
    while hidden:
        node = min(hidden, key=lambda node: (cost[node], rank[node]))
        hidden.remove(node)
        touched = [factor for factor in factors if node in factor[0]]
        factors = [factor for factor in factors if node not in factor[0]]
        scope, product = _multiply(touched, rank, size)
        factors.append((tuple(name for name in scope if name != node), product.sum(axis=scope.index(node))))
        neighbours = near.pop(node) - {node}
        for other in neighbours:
            near[other] |= neighbours
            near[other].discard(node)
            cost[other] = math.prod(size[name] for name in near[other])
    scope, product = _multiply(factors, rank, size)
    return np.array(product.transpose([scope.index(node) for node in query]), order="C")


def _at(scope: tuple[str, ...], table: FloatArray, seen: Mapping[str, int]) -> Factor:
    """Keep the part of a table in which the nodes that are seen have their level."""
    if seen.keys().isdisjoint(scope):
        return scope, table
    part: FloatArray = table[tuple(seen.get(node, slice(None)) for node in scope)]
    return tuple(node for node in scope if node not in seen), part


def ancestors(nodes: Iterable[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """List the nodes and all their ancestors, in the order of `parents`."""
    found = set(nodes)
    stack = list(found)
    while stack:
        for parent in parents[stack.pop()]:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return [node for node in parents if node in found]


def _multiply(factors: Sequence[Factor], rank: Mapping[str, int], size: Mapping[str, int]) -> Factor:
    scope = sorted({node for names, _ in factors for node in names}, key=rank.__getitem__)
    shape = [size[node] for node in scope]
    cells = math.prod(shape)
    if cells > MAX_CELLS:
        raise NetworkError(
            f"The exact distribution needs a table of {cells} cells over {len(scope)} nodes.",
            hint="Ask for fewer nodes at a time, or estimate from a sample.",
        )
    product = np.ones(shape)
    for names, table in factors:
        present = sorted(names, key=rank.__getitem__)
        aligned = table.transpose([names.index(node) for node in present])
        product *= aligned.reshape([size[node] if node in names else 1 for node in scope])
    return tuple(scope), product
