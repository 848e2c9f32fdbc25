"""Figures as SVG and PNG: colours that colour-blind readers tell apart, markers and dashes for those who print in grey.

Needs matplotlib (the extra `plot`). The same numbers give the same files, byte for byte in SVG.
"""

from __future__ import annotations

import math
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from paucal.atomic import replacing
from paucal.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from paucal.paper.comparison import Comparison, Measure
    from paucal.paper.report import Figure

Draw: TypeAlias = "Callable[[Any], None]"  # on a matplotlib figure
Line: TypeAlias = "tuple[Any, Any, Mapping[str, Any]]"  # x, y, how it looks

BLACK = "#000000"  # of the reference
_LOOKS = (  # colours of Okabe and Ito (2008), Color universal design
    ("#0072B2", "o", "-"),
    ("#D55E00", "s", "--"),
    ("#009E73", "^", "-."),
    ("#E69F00", "D", ":"),
    ("#CC79A7", "v", (0, (5, 1, 1, 1, 1, 1))),
    ("#56B4E9", "P", (0, (3, 1))),
)


def have_matplotlib() -> bool:
    """Tell whether figures can be drawn."""
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Refuse if figures cannot be drawn."""
    if not have_matplotlib():
        raise MissingDependencyError(
            "Figures are drawn by matplotlib, which is not installed.",
            hint="Install it with `pip install 'paucal[plot]'`, or pass --no-figures for the numbers alone.",
        )


def save(figure: Figure, folder: Path) -> None:
    """Draw a figure and write it as SVG and PNG."""
    if figure.draw is None:
        return
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(fname=Path(__file__).with_name("figures.mplstyle")):
        canvas = Canvas(figsize=figure.size)
        FigureCanvasAgg(canvas)
        figure.draw(canvas)
        for ending, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
            content = BytesIO()
            canvas.savefig(content, format=ending, dpi=200, metadata=metadata)
            with replacing(folder / f"{figure.name}.{ending}") as file:
                file.write(content.getvalue())


def colours(n: int) -> list[tuple[str, str, Any]]:
    """Colour, marker and dashes of n curves."""
    return [_LOOKS[i % len(_LOOKS)] for i in range(n)]


def curve_panels(
    panels: Mapping[str, Sequence[tuple[Any, Mapping[str, Any]]]],
    *,
    names: Sequence[str],
    measures: Mapping[str, str],
    error: str | None = None,
    logarithmic: bool = False,
    label_all: bool = False,
    level: float | None = None,
    **shared: Any,
) -> Draw:
    """Draw measures (a row each) of named curves over the sample size, in panels side by side.

    `error` is drawn as a bar of one standard error, `level` as a line in the first row.
    """

    def panel(ax: Any, points: Sequence[tuple[Any, Mapping[str, Any]]], measure: str) -> None:
        x = [cell.size for cell, _ in points]
        for name, (colour, marker, dashes) in zip(names, colours(len(names)), strict=True):
            y = [result[name][measure] for _, result in points]
            bars = [result[name][error] for _, result in points] if error else None
            ax.errorbar(x, y, yerr=bars, label=name, color=colour, marker=marker, linestyle=dashes)
        ax.set_xscale("log")
        ax.set_xticks(x, [f"{v:g}" for v in x])
        ax.minorticks_off()

    def draw(canvas: Any) -> None:
        axes = canvas.subplots(len(measures), len(panels), squeeze=False, **shared)
        for column, (title, points) in enumerate(panels.items()):
            for row, (measure, label) in enumerate(measures.items()):
                ax = axes[row][column]
                panel(ax, points, measure)
                ax.set_xlabel("rows" if row == len(measures) - 1 else "")
                ax.set_ylabel(label if column == 0 or label_all else "")
                ax.set_title(title if row == 0 else "", fontsize=9)
                if logarithmic:
                    ax.set_yscale("log")
            if level is not None:
                axes[0][column].axhline(level, color=BLACK, linewidth=0.8)
        axes[0][0].legend(fontsize=7)

    return draw


def line_panels(
    panels: Mapping[str, Sequence[tuple[Any, Mapping[str, Any]]]],
    *,
    lines: Callable[[Any, Mapping[str, Any]], Iterable[Line]],
    xlabel: str,
    ylabel: str,
) -> Draw:
    """Draw lines of one cell each, in panels side by side."""

    def draw(canvas: Any) -> None:
        axes = canvas.subplots(1, len(panels), squeeze=False)[0]
        for ax, (title, points) in zip(axes, panels.items(), strict=True):
            for cell, result in points:
                for x, y, look in lines(cell, result):
                    ax.plot(x, y, **look)
            ax.set_title(title, fontsize=9)
            ax.set_xlabel(xlabel)
        axes[0].set_ylabel(ylabel)
        axes[0].legend(fontsize=7)

    return draw


def size_panels(ours: Comparison, measure: Measure) -> tuple[Draw, tuple[float, float]]:
    """Draw means over the sample size, a panel a network: ours filled with standard errors, the paper's hollow, dotted.

    Gives the size of the figure too.
    """
    networks = ours.entries.networks
    columns = min(3, len(networks))
    rows = math.ceil(len(networks) / columns)

    def draw(canvas: Any) -> None:
        axes = canvas.subplots(rows, columns, squeeze=False).ravel()
        for ax in axes[len(networks) :]:
            ax.set_visible(False)
        for ax, network in zip(axes, networks, strict=False):
            _size_panel(ax, network, ours, measure)
        axes[0].legend(fontsize=6)
        canvas.supxlabel("rows (filled, with one standard error: ours; hollow, dotted: the paper's)", fontsize=8)
        canvas.supylabel(measure.heading, fontsize=8)

    return draw, (3.2 * columns, 2.7 * rows + 0.4)


def _size_panel(ax: Any, network: str, ours: Comparison, measure: Measure) -> None:
    entries, sizes = ours.entries, ours.entries.sizes(network)
    for method, (colour, marker, dashes) in zip(ours.methods, colours(len(ours.methods)), strict=True):
        runs = [entries.values(measure.name, network, size, method) for size in sizes]
        means = [float(values.mean()) for values in runs]
        errors = [float(v.std(ddof=1)) / math.sqrt(len(v)) if len(v) > 1 else 0.0 for v in runs]
        known = [ours.printed.value(measure.name, network, size, method) for size in sizes]
        theirs = [math.nan if value is None else value.mean for value in known]
        ax.errorbar(sizes, means, errors, label=method, color=colour, marker=marker, linestyle=dashes)
        look = {"marker": marker, "linestyle": ":", "linewidth": 0.9, "markerfacecolor": "none"}
        ax.plot(sizes, theirs, color=colour, **look)
    if measure.name == "shd":
        empty = [float(entries.values("empty", network, size, ours.methods[0]).mean()) for size in sizes]
        ax.plot(sizes, empty, color=BLACK, linewidth=0.8, label="empty graph")
    ax.set_title(network.upper(), fontsize=9)
    ax.set_xticks(list(sizes))
