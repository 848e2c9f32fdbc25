"""Variable elimination in NumPy, one readable step after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Factor = tuple[tuple[int, ...], "NDArray[np.float64]"]


def eliminate(
    levels: Sequence[int], scopes: Sequence[Sequence[int]], tables: Sequence[NDArray[np.float64]], query: Sequence[int]
) -> NDArray[np.float64]:
    """Multiply tables and sum out the nodes that are not asked for, always the one whose table is smallest."""
    factors: list[Factor] = [(tuple(scope), table) for scope, table in zip(scopes, tables, strict=True)]
    hidden = [node for node in range(len(levels)) if node not in query]
    while hidden:
        near = {node: {v for scope, _ in factors if node in scope for v in scope} for node in hidden}
        node = min(hidden, key=lambda node: (math.prod(levels[v] for v in near[node]), node))
        hidden.remove(node)
        touched = [factor for factor in factors if node in factor[0]]
        factors = [factor for factor in factors if node not in factor[0]]
        if touched:
            scope, product = multiply(touched, levels)
            factors.append((tuple(v for v in scope if v != node), product.sum(axis=scope.index(node))))
    scope, product = multiply(factors, levels)
    return product.transpose([scope.index(node) for node in query])


def multiply(factors: Sequence[Factor], levels: Sequence[int]) -> Factor:
    """Give the product over all nodes of some tables, in the order of their numbers."""
    scope = sorted({node for nodes, _ in factors for node in nodes})
    product = np.ones([levels[node] for node in scope])
    for nodes, table in factors:
        present = sorted(nodes)
        aligned = table.transpose([nodes.index(node) for node in present])
        product = product * aligned.reshape([levels[node] if node in nodes else 1 for node in scope])
    return tuple(scope), product
