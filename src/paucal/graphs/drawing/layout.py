"""Where to draw the nodes: a layered layout with the causes above their effects.

All edges are pointed along one order, every node goes below its parents (longest path), and edges that
cross layers get a bend in each (Sugiyama, Tagawa and Toda 1981). Igraph sorts the nodes of the layers if it
is installed; the plain fallback sorts them by the mean place of their neighbours. With the order fixed, the
nodes are moved as near to their neighbours as least squares allow, long edges pulling strongest so that
they get straight (Gansner et al. 1993 for the weights).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from paucal import checks
from paucal.errors import MissingDependencyError
from paucal.graphs.acyclic import successors, topological_order
from paucal.graphs.equivalence import pdag_to_dag_matrix
from paucal.graphs.marks import ARROW, CIRCLE, NONE, BoolMatrix, arcs_of, pdag_matrix_from_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.graphs.graph import Graph

Point: TypeAlias = tuple[float, float]
Engine: TypeAlias = Literal["igraph", "plain"]
_SWEEPS = 24
_BEND_WIDTH = 0.25  # of the widest node


@dataclass(frozen=True)
class Layout:
    """Places of the nodes: across in the unit of the widths, down in layers.

    `bends[i, j]` are the points on the way from node i to node j of an edge that crosses layers, for either end first.
    """

    nodes: tuple[Point, ...]
    bends: dict[tuple[int, int], tuple[Point, ...]]


def layered_layout(
    graph: Graph,
    *,
    widths: Sequence[float] | None = None,
    engine: Engine | None = None,
    lanes: Sequence[int] | None = None,
) -> Layout:
    """Place the nodes of a graph; `widths` is the room that each takes up from side to side, 1 by default.

    The `engine` sorts the layers: `"igraph"`, `"plain"`, or by default the better of them, without igraph if it is not
    installed. With `lanes`, the number of the lane of each node, every lane has layers of its own, in this order.

    >>> layered_layout(Graph.parse("A -> B; A -> C"), engine="plain").nodes
    ((1.0, 0.0), (0.5, 1.0), (1.5, 1.0))
    """
    widths = [1.0] * graph.n if widths is None else list(widths)
    arcs = all_downward(graph) if lanes is None else _along_lanes(graph, lanes)
    joined = np.count_nonzero(graph.marks, axis=1).tolist()
    layers = _layers(arcs) if lanes is None else _layers_in_lanes(arcs, lanes)
    layer, links, chains = _with_bends(layers, successors(arcs))
    room = [*widths, *[_BEND_WIDTH * max(widths, default=1.0)] * (len(layer) - graph.n)]
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for v, k in enumerate(layer):
        if v >= graph.n or joined[v]:
            rows[k].append(v)
    rows = _sorted(rows, links, engine)
    across = _across(rows, links, room, first_bend=graph.n)
    left = min((x - room[v] / 2 for v, x in across.items()), default=0.0)
    points = {v: (x - left, float(layer[v])) for v, x in across.items()}
    right = max((x + room[v] / 2 for v, (x, _) in points.items()), default=0.0)
    lonely = [v for v in range(graph.n) if not joined[v]]
    if lanes is None:
        points |= _lonely_rows(lonely, widths, below=len(rows) if points else 0, right=right)
    for v in lonely if lanes is not None else ():  # at the end of their layer
        end = max((x + room[w] / 2 for w, (x, k) in points.items() if k == layer[v]), default=0.0)
        points[v] = (end + room[v] / 2, float(layer[v]))
    return Layout(
        tuple(points[v] for v in range(graph.n)),
        {pair: tuple(points[v] for v in chain) for pair, chain in chains.items()},
    )


def all_downward(graph: Graph) -> BoolMatrix:
    """Give every edge a direction so that there is no cycle: its own if it has one and that is possible."""
    marks = graph.marks
    arcs = arcs_of(marks)
    if not (marks == CIRCLE).any() and not ((marks == ARROW) & (marks.T == ARROW)).any():
        dag = pdag_to_dag_matrix(pdag_matrix_from_marks(marks))
        if dag is not None:
            return dag.astype(np.bool_)
    one_sided = (marks == ARROW) & (marks.T != ARROW)  # o-> points down as well
    orders = (topological_order(one_sided), topological_order(arcs), list(range(graph.n)))
    order = next(o for o in orders if o is not None)
    rank = np.empty(graph.n, dtype=np.int64)
    rank[order] = np.arange(graph.n)
    downward: BoolMatrix = (marks != NONE) & (rank[:, None] < rank[None, :])
    return downward


def _along_lanes(graph: Graph, lanes: Sequence[int]) -> BoolMatrix:
    """Point every edge from the earlier lane to the later one; within a lane as `all_downward` does."""
    order = topological_order(all_downward(graph)) or list(range(graph.n))
    rank = np.empty(graph.n, dtype=np.int64)
    rank[sorted(order, key=lanes.__getitem__)] = np.arange(graph.n)  # sorting keeps the order within a lane
    along: BoolMatrix = (graph.marks != NONE) & (rank[:, None] < rank[None, :])
    return along


def _layers_in_lanes(arcs: BoolMatrix, lanes: Sequence[int]) -> list[int]:
    layer = [0] * len(lanes)
    first = 0
    for lane in sorted(set(lanes)):
        own = [v for v, its in enumerate(lanes) if its == lane]
        for v, k in zip(own, _layers(arcs[np.ix_(own, own)]), strict=True):
            layer[v] = first + k
        first = max(layer[v] for v in own) + 1
    return layer


def _layers(arcs: BoolMatrix) -> list[int]:
    children = successors(arcs)
    layer = [0] * len(children)
    order = topological_order(arcs) or []
    for v in order:
        for child in children[v]:
            layer[child] = max(layer[child], layer[v] + 1)
    for v in reversed(order):  # roots come down to their children, which shortens their edges
        if children[v] and not arcs[:, v].any():
            layer[v] = min(layer[child] for child in children[v]) - 1
    return layer


def _with_bends(
    layer: list[int], children: list[list[int]]
) -> tuple[list[int], list[tuple[int, int]], dict[tuple[int, int], list[int]]]:
    """Cut edges that cross layers into steps of one layer; give the layers, the steps and the chains of bends."""
    layer = list(layer)
    links: list[tuple[int, int]] = []
    chains: dict[tuple[int, int], list[int]] = {}
    for v, its_children in enumerate(children):
        for child in its_children:
            chain = list(range(len(layer), len(layer) + layer[child] - layer[v] - 1))
            layer += range(layer[v] + 1, layer[child])
            links += pairwise([v, *chain, child])
            chains[v, child], chains[child, v] = chain, chain[::-1]
    return layer, links, chains


def _lonely_rows(lonely: list[int], widths: Sequence[float], *, below: int, right: float) -> dict[int, Point]:
    """Place the nodes without edges in rows of their own below the others, not much wider than those."""
    limit = max(right, 6 * max(widths, default=1.0))
    points: dict[int, Point] = {}
    x, row = 0.0, below
    for v in lonely:
        if x and x + widths[v] > limit:
            x, row = 0.0, row + 1
        points[v] = (x + widths[v] / 2, float(row))
        x += widths[v]
    return points


def _sorted(rows: list[list[int]], links: list[tuple[int, int]], engine: Engine | None) -> list[list[int]]:
    """Sort the nodes of the layers; without edges that cross there is nothing left for igraph to do."""
    checks.choice("engine", engine, (*get_args(Engine), None))
    if engine == "igraph":
        return _sorted_by_igraph(rows, links)
    by_hand = _sorted_by_hand(rows, links)
    if engine == "plain" or not _crossings(by_hand, links) or not find_spec("igraph"):
        return by_hand
    return min(by_hand, _sorted_by_igraph(rows, links), key=lambda order: _crossings(order, links))


def _sorted_by_igraph(rows: list[list[int]], links: list[tuple[int, int]]) -> list[list[int]]:
    try:
        import igraph
    except ImportError as error:
        raise MissingDependencyError("igraph is not installed.", hint='pip install "paucal[layout]"') from error
    used = [v for row in rows for v in row]
    place = {v: k for k, v in enumerate(used)}
    layers = [k for k, row in enumerate(rows) for _ in row]
    graph = igraph.Graph(len(used), [(place[a], place[b]) for a, b in links], directed=True)
    coordinates = graph.layout_sugiyama(layers=layers, maxiter=200)
    return [sorted(row, key=lambda v: (coordinates[place[v]][0], v)) for row in rows]


def _sorted_by_hand(rows: list[list[int]], links: list[tuple[int, int]]) -> list[list[int]]:
    beside = _neighbours(rows, links)
    best = rows
    fewest = _crossings(rows, links)
    for sweep in range(_SWEEPS):
        rows = _sorted_rows(rows, beside, upward=sweep % 2 == 1)
        crossings = _crossings(rows, links)
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def _sorted_rows(rows: list[list[int]], beside: dict[int, list[int]], *, upward: bool) -> list[list[int]]:
    done: list[list[int]] = []
    place: dict[int, int] = {}
    for row in reversed(rows) if upward else rows:
        old = {v: k for k, v in enumerate(row)}
        wanted = {v: fmean([place[w] for w in beside[v] if w in place] or [old[v]]) for v in row}
        done.append(sorted(row, key=lambda v: (wanted[v], old[v])))
        place = {v: k for k, v in enumerate(done[-1])}
    return done[::-1] if upward else done


def _crossings(rows: list[list[int]], links: list[tuple[int, int]]) -> int:
    place = {v: k for row in rows for k, v in enumerate(row)}
    level = {v: k for k, row in enumerate(rows) for v in row}
    total = 0
    for k in range(len(rows)):
        ends = np.array(sorted((place[a], place[b]) for a, b in links if level[a] == k)).reshape(-1, 2)
        left_of = ends[:, 0][:, None] < ends[:, 0][None, :]
        total += int((left_of & (ends[:, 1][:, None] > ends[:, 1][None, :])).sum())
    return total


def _across(
    rows: list[list[int]], links: list[tuple[int, int]], room: Sequence[float], *, first_bend: int
) -> dict[int, float]:
    """Move the nodes towards their neighbours, row by row and back, without changing their order."""
    beside = _neighbours(rows, links)
    across: dict[int, float] = {}
    for row in rows:
        places = _spread([0.0] * len(row), [1.0] * len(row), [room[v] for v in row])
        across.update(zip(row, places, strict=True))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            pulls = [[_PULL[(v >= first_bend) + (w >= first_bend)] for w in beside[v]] for v in row]
            wanted = [
                sum(p * across[w] for p, w in zip(pull, beside[v], strict=True)) / sum(pull)
                for v, pull in zip(row, pulls, strict=True)
            ]
            places = _spread(wanted, [sum(pull) for pull in pulls], [room[v] for v in row])
            across.update(zip(row, places, strict=True))
    return across


_PULL = (1.0, 2.0, 8.0)  # by the number of bends among the two ends of a link


def _spread(wanted: Sequence[float], pulls: Sequence[float], room: Sequence[float]) -> list[float]:
    """Give the places nearest to those wanted (weighted least squares) that keep the order and the room."""
    starts = [sum(room[:k]) + room[k] / 2 for k in range(len(room))]
    blocks: list[tuple[float, float, int]] = []  # shift against `starts`, pull, number of nodes
    for x, pull, start in zip(wanted, pulls, starts, strict=True):
        shift, weight, count = x - start, pull, 1
        while blocks and blocks[-1][0] > shift:  # they would overlap, so from here on they move together
            other, other_weight, n = blocks.pop()
            shift = (shift * weight + other * other_weight) / (weight + other_weight)
            weight, count = weight + other_weight, count + n
        blocks.append((shift, weight, count))
    shifts = [shift for shift, _, count in blocks for _ in range(count)]
    return [start + shift for start, shift in zip(starts, shifts, strict=True)]


def _neighbours(rows: list[list[int]], links: list[tuple[int, int]]) -> dict[int, list[int]]:
    beside: dict[int, list[int]] = {v: [] for row in rows for v in row}
    for a, b in links:
        beside[a].append(b)
        beside[b].append(a)
    return beside
