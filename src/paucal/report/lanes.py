"""Lanes and groups of columns: what was said about time, background and outcome, and parts that belong together."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.graphs.acyclic import topological_order
from paucal.graphs.drawing.layout import all_downward

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge

_MOST_GROUPS = 40
_SMALLEST_GROUP = 3  # columns whose names begin alike
_HEAD = re.compile(r"^(.{2,}?)[_.\s-]|^([A-Za-z]{2,}?)\d")


def ranks(graph: Graph) -> list[int]:
    """Give every node a place in one order along which all its edges can be drawn, causes first."""
    order = topological_order(all_downward(graph)) or list(range(graph.n))
    rank = np.empty(graph.n, dtype=np.int64)
    rank[order] = np.arange(graph.n)
    found: list[int] = rank.tolist()
    return found


def lanes(graph: Graph, known: Knowledge | None, rank: Sequence[int]) -> dict[str, Any] | None:
    """Give lanes from left to right, if what was told makes more than one: labels, and the lane of each node.

    A column that nothing was said about stands as early as its causes allow.
    """
    if known is None or not (known.time or known.tiers or known.outcome or known.exogenous or known.randomised):
        return None
    said = known.time or known.tiers
    counted = [f"{'wave' if known.time else 'tier'} {k + 1}" for k in range(len(said))]
    middle = list(known.wave_names) or counted or ["other columns"]
    first = [label for label, told in (("background", known.exogenous), ("randomised", known.randomised)) if told]
    labels = [" and ".join(first), *middle, "outcome"]
    place: dict[str, int] = dict.fromkeys((*known.exogenous, *known.randomised), 0)
    place |= {name: k + 1 for k, wave in enumerate(said) for name in wave}
    place |= dict.fromkeys(known.outcome, len(labels) - 1)
    _place_free(graph, place, rank, len(middle))
    used = sorted({place[name] for name in graph.nodes})
    if len(used) < 2:
        return None
    return {"labels": [labels[k] for k in used], "of": [used.index(place[name]) for name in graph.nodes]}


def _place_free(graph: Graph, place: dict[str, int], rank: Sequence[int], last: int) -> None:
    for i in sorted(range(graph.n), key=rank.__getitem__):
        name = graph.nodes[i]
        if name not in place:
            before = [place[other] for other in graph.adjacent(name) if rank[graph.index(other)] < rank[i]]
            place[name] = min(max([1, *before]), last)


def groups(graph: Graph, known: Knowledge | None, found: Mapping[str, Any] | None) -> list[list[Any]]:
    """List groups of columns that can be shown alone, each as a label and the numbers of its nodes.

    Lanes, columns that measure the same thing, columns whose names begin alike, and parts that hang together.
    """
    told: list[tuple[str, list[int]]] = []
    if found is not None:
        for k, label in enumerate(found["labels"]):
            told.append((label, [i for i, lane in enumerate(found["of"]) if lane == k]))
    for same in () if known is None else known.same:
        own = [graph.index(name) for name in same if name in graph]
        told += [(f"the same as {same[0]}", own)]
    heads = defaultdict(list)
    for i, name in enumerate(graph.nodes):
        match = _HEAD.match(name)
        if match is not None:
            heads[match[1] or match[2]].append(i)
    told += [(f"{head}…", own) for head, own in heads.items() if _SMALLEST_GROUP <= len(own) < graph.n]
    parts = [part for part in _parts(graph) if len(part) > 1]
    if len(parts) > 1:
        told += [(f"connected part {k + 1}", part) for k, part in enumerate(parts)]
    return [[label, own] for label, own in told if 1 < len(own) < graph.n][:_MOST_GROUPS]


def _parts(graph: Graph) -> list[list[int]]:
    """Give the parts that hang together, the largest first."""
    left, found = set(range(graph.n)), []
    while left:
        part, waiting = set[int](), [min(left)]
        while waiting:
            i = waiting.pop()
            if i not in part:
                part.add(i)
                waiting += [graph.index(name) for name in graph.adjacent(graph.nodes[i])]
        left -= part
        found.append(sorted(part))
    return sorted(found, key=lambda part: (-len(part), part[0]))
