"""Figures as SVG and PNG: colours that colour-blind readers tell apart, markers and dashes for those who print in grey.

Needs matplotlib (the extra `plot`). The same numbers give the same files, byte for byte in SVG.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from paucal.atomic import replacing
from paucal.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paucal.paper.report import Figure

# Okabe and Ito (2008), Color universal design; black first for the reference
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
_LOOKS = (
    (BLUE, "o", "-"),
    (RED, "s", "--"),
    (GREEN, "^", "-."),
    (ORANGE, "D", ":"),
    (PURPLE, "v", (0, (5, 1, 1, 1, 1, 1))),
    (SKY, "P", (0, (3, 1))),
)
_SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "lines.markersize": 4,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "svg.hashsalt": "paucal",
    "svg.fonttype": "none",
    "figure.constrained_layout.use": True,
}


@dataclass(frozen=True)
class Curve:
    """One curve: a name, and a value for each x; `error` is drawn as a bar of one standard error."""

    label: str
    y: Sequence[float]
    error: Sequence[float] | None = None


def have_matplotlib() -> bool:
    """Tell whether figures can be drawn."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError:
        return False
    return True


def require_matplotlib() -> None:
    """Refuse if figures cannot be drawn."""
    if not have_matplotlib():
        raise MissingDependencyError(
            "Figures are drawn by matplotlib, which is not installed.",
            hint="Install it with `pip install 'paucal[plot]'`, or pass --no-figures for the numbers alone.",
        )


def save(figure: Figure, folder: Path) -> list[str]:
    """Draw a figure and write it as SVG and PNG; give the names of the files."""
    if figure.draw is None:
        return []
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    names = []
    with mpl.rc_context(_SETTINGS):
        canvas = Canvas(figsize=figure.size)
        FigureCanvasAgg(canvas)
        figure.draw(canvas)
        for ending, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
            content = BytesIO()
            canvas.savefig(content, format=ending, dpi=200, metadata=metadata)
            with replacing(folder / f"{figure.name}.{ending}") as file:
                file.write(content.getvalue())
            names.append(f"{figure.name}.{ending}")
    return names


def draw_curves(
    axes: Any, x: Sequence[float], curves: Sequence[Curve], *, xlabel: str, ylabel: str, title: str = ""
) -> None:
    """Draw curves over a logarithmic axis of sample sizes."""
    for i, curve in enumerate(curves):
        colour, marker, dashes = _LOOKS[i % len(_LOOKS)]
        axes.errorbar(
            x, curve.y, yerr=curve.error, label=curve.label, color=colour, marker=marker, linestyle=dashes
        )
    axes.set_xscale("log")
    axes.set_xticks(list(x), [f"{v:g}" for v in x])
    axes.minorticks_off()
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title, fontsize=9)


def colours(n: int) -> list[tuple[str, str, Any]]:
    """Colour, marker and dashes of n curves."""
    return [_LOOKS[i % len(_LOOKS)] for i in range(n)]
