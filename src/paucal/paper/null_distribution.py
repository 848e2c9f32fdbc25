"""Figures 4 to 6: statistics under independence beside the chi2 distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.paper.cells.synthetic import LEVEL, STATISTICS, NullCell
from paucal.paper.figures import BLACK, colours
from paucal.paper.notes import notes_for
from paucal.paper.report import Figure, Report
from paucal.paper.synthetic import SHAPE, sizes_for, square, told
from paucal.paper.tables import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.paper.design import Cell, Scope
    from paucal.paper.tables import Value

_SIZES = (30, 100, 1000)


@dataclass(frozen=True)
class NullDistribution:
    """The statistic under independence, for one shape of the table."""

    name: str
    states: int
    needs_data: bool = False

    @property
    def alias(self) -> str:
        """Name by shape."""
        return f"distribution-{square(self.states)}"

    @property
    def title(self) -> str:
        """Heading."""
        number = self.name.removeprefix("figure")
        return f"Figure {number}: Statistics under independence, {square(self.states)}"

    def _cells(self, scope: Scope) -> list[NullCell]:
        return [
            NullCell(self.states, size, scope.repetitions, scope.seed) for size in sizes_for(scope, _SIZES)
        ]

    def cells(self, scope: Scope) -> list[Cell]:
        """Every size."""
        return list(self._cells(scope))

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Distance from chi2 and share beyond its limit, and the histograms."""
        cells = self._cells(scope)
        columns = (
            *SHAPE,
            Column("statistic", "statistic", left=True),
            Column("beyond", f"beyond the {LEVEL:.0%} limit", 3),
            Column("distance", "Kolmogorov-Smirnov distance from chi2", 3),
            Column("below", "below zero", 3),
        )
        rows: list[tuple[Value, ...]] = [
            (
                square(self.states),
                cell.size,
                name,
                *(results[cell][name][m] for m in ("beyond", "distance", "below")),
            )
            for cell in cells
            for name in STATISTICS
        ]
        table = Table(self.name, self.title, columns, tuple(rows))

        def draw(canvas: Any) -> None:
            axes = canvas.subplots(1, len(cells), squeeze=False)[0]
            half = cells[0].dof / 2
            for ax, cell in zip(axes, cells, strict=True):
                edges = cell.edges()
                middle = (edges[1:] + edges[:-1]) / 2
                density = np.exp(
                    (half - 1) * np.log(middle) - middle / 2 - half * np.log(2) - math.lgamma(half)
                )
                ax.plot(middle, density, color=BLACK, linewidth=1.0, label=f"chi2, {cell.dof} d.o.f.")
                for name, (colour, marker, dashes) in zip(STATISTICS, colours(3), strict=True):
                    ax.plot(
                        middle,
                        results[cell][name]["density"],
                        label=name,
                        color=colour,
                        marker=marker,
                        markevery=3,
                        linestyle=dashes,
                    )
                ax.set_title(f"{cell.size} rows", fontsize=9)
                ax.set_xlabel("statistic")
            axes[0].set_ylabel("density")
            axes[0].legend(fontsize=7)

        figure = Figure(self.name, self.title, draw, size=(9.0, 3.2))
        return Report(
            self.name,
            self.title,
            about=(told(scope),),
            tables=(table,),
            figures=(figure,),
            notes=notes_for(self.name),
        )


FIGURES = (NullDistribution("figure4", 3), NullDistribution("figure5", 5), NullDistribution("figure6", 7))
