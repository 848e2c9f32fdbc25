"""A drawing of a graph as SVG text, with the marks at the ends of the edges, and no other software needed."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from html import escape
from math import hypot, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from paucal import checks
from paucal.atomic import write_text
from paucal.errors import not_allowed
from paucal.graphs.drawing.layout import Engine, Point, layered_layout
from paucal.graphs.drawing.names import printable, shortened
from paucal.graphs.drawing.sureness import FAINT, LINE, PLAIN_WIDTH, head, head_class, legend, line_width
from paucal.graphs.language import in_words
from paucal.graphs.marks import ARROW, CIRCLE
from paucal.graphs.relations import refuse_other_than_graph

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from paucal.graphs.drawing.sureness import Faint
    from paucal.graphs.formats.export import EdgeNumbers
    from paucal.graphs.graph import Graph

Lanes: TypeAlias = "tuple[Sequence[str], Sequence[int]]"

DRAWN_AT_MOST = 150  # nodes; a notebook shows larger graphs as text

_BOTH = {"probability", "probability_of_marks"}
_INK, _BOX, _FRAME = "#1c2733", "#eef3f8", "#9fb1c3"
_LANE, _LANE_NAME = "#f5f7f9", "#5a6875"
_FONT_SIZE = 13
LONGEST_LABEL = 22
_BOX_HEIGHT = 28
_LAYER_HEIGHT = 84
_GAP = 26
_LANE_HEAD, _LANE_GAP, _LANE_STEP = 20, 16, 60
_MARGIN = 14
_ARROW_LENGTH, _ARROW_WIDTH, _CIRCLE_RADIUS = 9.0, 4.0, 3.8


def to_svg(
    graph: Graph,
    *,
    engine: Engine | None = None,
    numbers: EdgeNumbers | None = None,
    faint: Faint = (),
    lanes: Lanes | None = None,
) -> str:
    """Draw a graph as SVG: causes above effects, arrowheads and circles where the marks are.

    The `engine` sorts the nodes of a layer: `"igraph"`, `"plain"`, or by default the better of them. With `numbers`,
    `probability` and `probability_of_marks` of each edge by the names of its ends, lines are as wide as the two are
    surely joined, heads as full as the direction is sure, and there is a legend. `faint` are pairs outside the graph,
    with the probability that they are joined: they are dashed. With `lanes`, their names and the number of the lane of
    each node, the drawing runs from left to right, lane by lane.

    >>> to_svg(Graph.parse("A -> B"))[:4]
    '<svg'
    """
    refuse_other_than_graph("graph", graph)
    numbers, faint = checks.numbers_of_pairs("numbers", numbers), _checked_faint(faint)
    lanes = None if lanes is None else _checked_lanes(lanes, graph.n)
    labels = shortened(graph.nodes, LONGEST_LABEL)
    widths = [max(_text_width(label) + 20, 40.0) for label in labels]
    room = [width + _GAP for width in widths] if lanes is None else [_BOX_HEIGHT + _LANE_GAP] * graph.n
    layout = layered_layout(graph, widths=room, engine=engine, lanes=None if lanes is None else lanes[1])
    widest = max(widths, default=0.0)

    def place(point: Point) -> Point:
        across, layer = point
        if lanes is not None:
            return _MARGIN + widest / 2 + layer * (widest + _LANE_STEP), _MARGIN + _LANE_HEAD + across
        return _MARGIN + across, _MARGIN + _BOX_HEIGHT / 2 + layer * _LAYER_HEIGHT

    centres = [place(point) for point in layout.nodes]
    places = [*centres, *(place(p) for bends in layout.bends.values() for p in bends)]
    width = max((x for x, _ in places), default=0.0) + widest / 2 + _MARGIN
    height = max((y for _, y in places), default=0.0) + _BOX_HEIGHT / 2 + _MARGIN
    boxes = list(zip(centres, widths, strict=True))
    parts: list[str] = []
    if lanes is not None:
        bottom = max((y for _, y in centres), default=0.0) + _BOX_HEIGHT / 2 + _LANE_GAP / 2
        parts += _lanes(lanes, centres, widest, bottom)
    parts += [_faint(graph, boxes, (width, height), *pair) for pair in faint]
    for edge in graph.edges():
        i, j = graph.index(edge.a), graph.index(edge.b)
        points = [centres[i], *map(place, layout.bends[i, j]), centres[j]]
        points[0] = _border(centres[i], widths[i], points[1])
        points[-1] = _border(centres[j], widths[j], points[-2])
        told = numbers.get((edge.a, edge.b), {})
        parts.append(
            _edge(points, (int(edge.mark_a), int(edge.mark_b)), str(edge), told if told.keys() >= _BOTH else None)
        )
    for name, label, wide, (x, y) in zip(graph.nodes, labels, widths, centres, strict=True):
        parts.append(_node(name, label, wide, x, y))
    if numbers:
        directed = any(ARROW in (edge.mark_a, edge.mark_b) for edge in graph.edges())
        drawn, wide, high = legend(_MARGIN, height, directed=directed, faint=bool(faint))
        parts.append(drawn)
        width, height = max(width, wide + 2 * _MARGIN), height + high
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="system-ui, Helvetica, Arial, sans-serif" font-size="{_FONT_SIZE}">'
        f"<title>{_title(graph)}</title>{''.join(parts)}</svg>"
    )


@dataclass(frozen=True, repr=False)
class Drawing:
    """A picture of a graph: a notebook shows it, `save` writes it, `str` is the SVG text."""

    svg: str
    title: str

    @classmethod
    def of(cls, graph: Graph, *, numbers: EdgeNumbers | None = None, faint: Faint = ()) -> Drawing:
        """Draw a graph, as `to_svg` does."""
        refuse_other_than_graph("graph", graph)
        return cls(to_svg(graph, numbers=numbers, faint=faint), _title(graph))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the SVG into a file; give its path."""
        write_text(path, self.svg)
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing: {self.title}>"


def to_html(graph: Graph, *, numbers: EdgeNumbers | None = None, faint: Faint = ()) -> str:
    """Describe a graph for a notebook: one line and, unless it is too large, a drawing, as by `to_svg`.

    >>> to_html(Graph.parse("A -> B"))[:47]
    '<div><p>DAG with 2 nodes and 1 edges: 1 directe'
    """
    refuse_other_than_graph("graph", graph)
    sorts = ((graph.n_directed, "directed"), (graph.n_undirected, "undirected"))
    counts = ", ".join(f"{number} {sort}" for number, sort in sorts if number)
    line = f"{_title(graph)}: {counts}" if counts else _title(graph)
    drawing = to_svg(graph, numbers=numbers, faint=faint) if graph.n <= DRAWN_AT_MOST else ""
    drawing = drawing.replace("<svg", '<svg style="max-width:100%;height:auto"', 1)
    return f"<div><p>{line}</p>{drawing}</div>"


def _checked_faint(faint: Faint) -> list[tuple[str, str, float]]:
    allowed = "a list of two names and a probability each"
    found = checks.items("faint", faint, allowed)
    if not all(isinstance(one, tuple | list) and len(one) == 3 for one in found):
        raise not_allowed("faint", faint, allowed)
    return [(a, b, checks.number_from_0("faint", joined)) for a, b, joined in found]


def _checked_lanes(lanes: Lanes, n: int) -> Lanes:
    allowed = f"the names of lanes, and for each of the {n} nodes the number of its lane"
    parts = checks.items("lanes", lanes, allowed)
    if len(parts) != 2:
        raise not_allowed("lanes", lanes, allowed)
    names = checks.plain_names("lanes", cast("Sequence[str]", parts[0]))
    numbers = [
        checks.whole_number("lanes", one, 0, len(names) - 1)
        for one in checks.items("lanes", cast("Sequence[int]", parts[1]), allowed)
    ]
    if len(numbers) != n:
        raise not_allowed("lanes", lanes, allowed)
    return names, numbers


def _lanes(lanes: Lanes, centres: list[Point], widest: float, bottom: float) -> list[str]:
    """Draw a band for each lane, with its name above."""
    parts = []
    for k, label in enumerate(shortened(lanes[0], LONGEST_LABEL)):
        across = [x for (x, _), lane in zip(centres, lanes[1], strict=True) if lane == k]
        if across:
            left, right = min(across) - widest / 2 - 8, max(across) + widest / 2 + 8
            parts.append(
                f'<rect class="lane" x="{left:.1f}" y="4" width="{right - left:.1f}" height="{bottom - 4:.1f}" rx="8" '
                f'fill="{_LANE}"/><text class="lane-head" x="{(left + right) / 2:.1f}" y="{_MARGIN + 8}" '
                f'text-anchor="middle" font-size="12" fill="{_LANE_NAME}">{escape(label)}</text>'
            )
    return parts


def _title(graph: Graph) -> str:
    return f"{graph.kind.upper()} with {graph.n} nodes and {graph.n_edges} edges"


def _node(name: str, label: str, width: float, x: float, y: float) -> str:
    full = escape(printable(name))
    return (
        f'<g class="node"><title>{full}</title>'
        f'<rect x="{x - width / 2:.1f}" y="{y - _BOX_HEIGHT / 2:.1f}" width="{width:.1f}" height="{_BOX_HEIGHT}" '
        f'rx="7" fill="{_BOX}" stroke="{_FRAME}"/>'
        f'<text x="{x:.1f}" y="{y + _FONT_SIZE * 0.35:.1f}" text-anchor="middle" fill="{_INK}">'
        f"{escape(label)}</text></g>"
    )


def _edge(points: list[Point], marks: tuple[int, int], title: str, numbers: Mapping[str, float] | None) -> str:
    line, shapes = list(points), ""
    for end, mark in zip((0, -1), marks, strict=True):
        toward = points[1] if end == 0 else points[-2]
        line[end], shape = _mark(points[end], toward, mark, head_class(numbers))
        shapes += shape
    width = PLAIN_WIDTH
    if numbers is not None and "probability" in numbers:
        joined = numbers["probability"]
        width = line_width(joined)
        title = f"{title}: {in_words(joined, numbers['probability_of_marks'], marks)}"
    full = escape(printable(title))
    return (
        f'<g class="edge"><title>{full}</title>'
        f'<path d="{_curve(line)}" fill="none" stroke="{LINE}" stroke-width="{width}"/>{shapes}</g>'
    )


def _faint(graph: Graph, boxes: list[tuple[Point, float]], size: Point, a: str, b: str, joined: float) -> str:
    """Draw a pair that is not in the graph: bent, so that it runs along no edge, and past other boxes if possible."""
    i, j = sorted((graph.index(a), graph.index(b)))
    (x, y), (u, v) = boxes[i][0], boxes[j][0]
    others = [box for k, box in enumerate(boxes) if k not in (i, j)]
    least = max(0.16, 2.4 * _BOX_HEIGHT / hypot(u - x, v - y)) if y == v else 0.16
    bends = [side * size for size in (least, least + 0.2, least + 0.4) for side in (1, -1)]
    middles = (((x + u) / 2 - bend * (v - y), (y + v) / 2 + bend * (u - x)) for bend in bends)
    cx, cy = min(
        ((_inside(across, x, u, size[0]), _inside(down, y, v, size[1])) for across, down in middles),
        key=lambda middle: _covered((x, y), middle, (u, v), others),
    )
    path = f"M{x:.1f} {y:.1f} Q{cx:.1f} {cy:.1f} {u:.1f} {v:.1f}"
    full = escape(printable(f"{a}, {b}: not in the graph, joined {joined:.2f}"))
    return (
        f'<g class="faint" data-pair="{i},{j}"><title>{full}</title><path d="{path}" {FAINT}/>'
        f'<path class="hit" d="{path}" fill="none" stroke="transparent" stroke-width="12"/></g>'
    )


def _inside(value: float, p: float, q: float, size: float) -> float:
    """Keep the middle point of a quadratic curve so near that the curve from p to q stays between 0 and the size."""
    return min(max(value, -sqrt(p * q)), size + sqrt((size - p) * (size - q)))


def _covered(start: Point, middle: Point, end: Point, boxes: list[tuple[Point, float]]) -> int:
    """Count the points of a quadratic curve, of twenty, that boxes would hide."""
    hidden = 0
    for t in (k / 20 for k in range(1, 20)):
        x, y = ((1 - t) ** 2 * p + 2 * t * (1 - t) * q + t**2 * r for p, q, r in zip(start, middle, end, strict=True))
        hidden += any(abs(x - cx) < width / 2 + 4 and abs(y - cy) < _BOX_HEIGHT / 2 + 4 for (cx, cy), width in boxes)
    return hidden


def _mark(tip: Point, toward: Point, mark: int, sure: str | None) -> tuple[Point, str]:
    """Draw the mark that touches `tip`; give the point where the line begins, and the drawing."""
    (x, y), (tx, ty) = tip, toward
    length = hypot(tx - x, ty - y) or 1.0
    ux, uy = (tx - x) / length, (ty - y) / length
    if mark == ARROW:
        bx, by = x + ux * _ARROW_LENGTH, y + uy * _ARROW_LENGTH
        sx, sy = -uy * _ARROW_WIDTH, ux * _ARROW_WIDTH
        corners = f"{x:.1f},{y:.1f} {bx + sx:.1f},{by + sy:.1f} {bx - sx:.1f},{by - sy:.1f}"
        return (bx, by), head(corners, sure)
    if mark == CIRCLE:
        r = _CIRCLE_RADIUS
        cx, cy = x + ux * r, y + uy * r
        circle = f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{r}" fill="white" stroke="{LINE}" stroke-width="1.5"/>'
        return (x + 2 * ux * r, y + 2 * uy * r), circle
    return tip, ""


def _curve(points: list[Point]) -> str:
    """Draw a smooth line through the points: Catmull and Rom's spline, but rising and falling only as the points do.

    Otherwise a line at the rim of the drawing would swing out of it.
    """
    (x0, y0), *_ = points
    path = f"M{x0:.1f} {y0:.1f}"
    inner = [
        (_slope(before[0], here[0], after[0]), _slope(before[1], here[1], after[1]))
        for before, here, after in zip(points, points[1:], points[2:], strict=False)
    ]
    first, last = (((v[0] - u[0]) / 6, (v[1] - u[1]) / 6) for u, v in (points[:2], points[-2:]))
    slopes = [first, *inner, last]
    for (px, py), (qx, qy), leaves, comes in zip(points, points[1:], slopes, slopes[1:], strict=False):
        c1, c2 = (px + leaves[0], py + leaves[1]), (qx - comes[0], qy - comes[1])
        path += f" C{c1[0]:.1f} {c1[1]:.1f} {c2[0]:.1f} {c2[1]:.1f} {qx:.1f} {qy:.1f}"
    return path


def _slope(before: float, here: float, after: float) -> float:
    """Give the way to a control point along one axis: none at a turning point, and never past a neighbour."""
    there, on = here - before, after - here
    if there * on <= 0:
        return 0.0
    nearest = min(abs(there), abs(on))
    return min(max((after - before) / 6, -nearest), nearest)


def _border(centre: Point, width: float, toward: Point) -> Point:
    """Give the point where the line from the centre of a box leaves it."""
    dx, dy = toward[0] - centre[0], toward[1] - centre[1]
    scale = min(width / 2 / abs(dx) if dx else 1e9, _BOX_HEIGHT / 2 / abs(dy) if dy else 1e9)
    return centre[0] + dx * scale, centre[1] + dy * scale


def _text_width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    capitals = sum(c.isupper() for c in text)
    return 7.2 * (len(text) - wide) + 13.0 * wide + 1.8 * capitals
