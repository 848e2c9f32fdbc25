"""Exact probabilities by variable elimination.

Only the ancestors of the question take part. They are summed out one by one, always the one whose table is
smallest at that moment, which is enough for networks of the size and sparsity of the bundled ones; the kernel does it
(`src/kernel/graphs/elimination.hpp`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal import _kernel
from paucal.errors import NetworkError
from paucal.networks.tables import MAX_CELLS, FloatArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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
    number = {node: place for place, node in enumerate(node for node in nodes if node not in seen)}
    scopes, kept = [], []
    for node in nodes:
        scope, table = (*parents[node], node), tables[node]
        if seen and not seen.keys().isdisjoint(scope):  # the part in which they have their level
            table = np.ascontiguousarray(table[tuple(seen.get(one, slice(None)) for one in scope)])
            scope = tuple(one for one in scope if one not in seen)
        scopes.append([number[one] for one in scope])
        kept.append(table)
    levels = [tables[node].shape[-1] for node in number]
    asked = [number[node] for node in query]
    found = _kernel.eliminate(levels, scopes, kept, asked, most_cells=MAX_CELLS)
    if isinstance(found, tuple):
        raise NetworkError(
            f"The exact distribution needs a table of {found[0]} cells over {found[1]} nodes.",
            hint="Ask for fewer nodes at a time, or estimate from a sample.",
        )
    return found


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
