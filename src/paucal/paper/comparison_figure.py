"""The picture of a table with sizes: ours and the paper's means over the sample size, one panel a network."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from paucal.paper.figures import BLACK, colours
from paucal.paper.report import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.paper.comparison import Measure
    from paucal.paper.published import PrintedTable
    from paucal.paper.summary import Entries


def size_figure(
    name: str, title: str, printed: PrintedTable, entries: Entries, measure: Measure, methods: Sequence[str]
) -> Figure:
    """Draw filled markers with standard errors for ours, hollow ones and dotted lines for the paper's."""
    networks = entries.networks
    columns = min(3, len(networks))
    rows = math.ceil(len(networks) / columns)

    def draw(canvas: Any) -> None:
        axes = canvas.subplots(rows, columns, squeeze=False).ravel()
        for ax in axes[len(networks) :]:
            ax.set_visible(False)
        for ax, network in zip(axes, networks, strict=False):
            _panel(ax, network, printed, entries, measure, methods)
        axes[0].legend(fontsize=6)
        canvas.supxlabel(
            "rows (filled, with one standard error: ours; hollow, dotted: the paper's)", fontsize=8
        )
        canvas.supylabel(measure.heading, fontsize=8)

    return Figure(name, title, draw, size=(3.2 * columns, 2.7 * rows + 0.4))


def _panel(
    ax: Any, network: str, printed: PrintedTable, entries: Entries, measure: Measure, methods: Sequence[str]
) -> None:
    sizes = entries.sizes(network)
    for method, (colour, marker, dashes) in zip(methods, colours(len(methods)), strict=True):
        means, errors, theirs = [], [], []
        for size in sizes:
            values = entries.values(measure.name, network, size, method)
            means.append(float(values.mean()))
            errors.append(float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0)
            known = printed.value(measure.name, network, size, method)
            theirs.append(math.nan if known is None else known.mean)
        ax.errorbar(sizes, means, errors, label=method, color=colour, marker=marker, linestyle=dashes)
        ax.plot(
            sizes, theirs, color=colour, marker=marker, linestyle=":", linewidth=0.9, markerfacecolor="none"
        )
    if measure.name == "shd":
        empty = [float(entries.values("empty", network, size, methods[0]).mean()) for size in sizes]
        ax.plot(sizes, empty, color=BLACK, linewidth=0.8, label="empty graph")
    ax.set_title(network.upper(), fontsize=9)
    ax.set_xticks(list(sizes))
