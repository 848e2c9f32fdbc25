"""How sure an edge is, as it is drawn: the width of its line, the fill of its arrowheads, dashes for what is left out.

The width grows with the probability that the two are joined. The head is filled, grey or hollow by the probability of
exactly this arrow, over all graphs: the number that tables and sentences give. Pairs that are not in the graph, but not
unlikely, are faint dashed lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.graphs.language import in_percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    # two names, and the probability that they are joined
    Faint: TypeAlias = Sequence[tuple[str, str, float]]

PLAIN_WIDTH = 1.5
SURE, LIKELY = 0.8, 0.5  # an arrow is sure, likely, or less likely than not
_HEADS = {"sure": "1", "likely": "0.4", "open": "0"}  # how far each is filled
LINE = "#5f7183"


def line_width(joined: float) -> float:
    """Give the width of a line by the probability that its ends are joined.

    >>> line_width(1.0), line_width(0.5)
    (2.8, 1.7)
    """
    return round(0.6 + 2.2 * joined, 2)


def head_class(numbers: Mapping[str, float] | None) -> str | None:
    """Say how sure an arrow is: "sure", "likely" or "open"; None if nobody knows."""
    if numbers is None or not numbers.get("probability"):
        return None
    share = in_percent(numbers["probability_of_marks"]) / 100
    return "sure" if share >= SURE else "likely" if share >= LIKELY else "open"


def head(corners: str, sure: str | None) -> str:
    """Draw an arrowhead; the box behind it is white, so that a hollow one hides the line."""
    if sure is None:
        return f'<polygon class="arrow" points="{corners}" fill="{LINE}"/>'
    return (
        f'<polygon class="arrow back" points="{corners}" fill="white"/>'
        f'<polygon class="arrow {sure}" points="{corners}" fill="{LINE}" fill-opacity="{_HEADS[sure]}" '
        f'stroke="{LINE}" stroke-width="1.2" stroke-linejoin="round"/>'
    )


def legend(x: float, y: float, *, directed: bool, faint: bool) -> tuple[str, float, float]:
    """Draw the legend with its upper left corner at a place; give it with its width and height.

    Its words fit probabilities and shares of samples; `directed`, `faint`: whether there are arrows and faint lines.
    """
    lines = [(_line(1.0), "surely joined"), (_line(0.4), "perhaps joined")]
    if faint:
        lines.append((f'<path d="M0 0H34" {FAINT}/>', "left out, but 30 % or more"))
    arrows = [
        (_line(1.0) + _tip("sure"), "arrow 80 % or more"),
        (_line(1.0) + _tip("likely"), "50 to 80 %"),
        (_line(1.0) + _tip("open"), "under 50 %"),
    ]
    parts, rows = [], [lines, arrows] if directed else [lines]
    widest = 0.0
    for row, its in enumerate(rows):
        across = x
        for drawn, words in its:
            top = y + 10 + 20 * row
            parts.append(
                f'<g transform="translate({across:.1f} {top:.1f})">{drawn}'
                f'<text x="42" y="4" font-size="11" fill="#5a6875">{words}</text></g>'
            )
            across += 42 + 6.0 * len(words) + 22
        widest = max(widest, across - x)
    return f'<g class="legend">{"".join(parts)}</g>', widest, 20.0 * len(rows) + 6


FAINT = f'fill="none" stroke="{LINE}" stroke-width="1.2" stroke-dasharray="2 5" stroke-opacity="0.75"'


def _line(joined: float) -> str:
    return f'<path d="M0 0H34" fill="none" stroke="{LINE}" stroke-width="{line_width(joined)}"/>'


def _tip(sure: str) -> str:
    return head("36,0 26,4.5 26,-4.5", sure)
