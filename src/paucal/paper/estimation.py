"""Figure 7: how far estimates of the mutual information are from the truth, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.paper import published
from paucal.paper.cells.synthetic import ESTIMATORS, EstimationCell
from paucal.paper.figures import Curve, draw_curves
from paucal.paper.notes import notes_for
from paucal.paper.report import Figure, Report
from paucal.paper.synthetic import SHAPE, grid_for, square, told
from paucal.paper.tables import Column, Stat, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.paper.design import Cell, Scope
    from paucal.paper.tables import Value

_SIZES = (10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Estimation:
    """Absolute error of estimates of the mutual information."""

    name: str = "figure7"
    alias: str = "mi-error"
    title: str = "Figure 7: Error of estimates of the mutual information"
    needs_data: bool = False

    def cells(self, scope: Scope) -> list[Cell]:
        """Every shape and size."""
        return [cell for cells in grid_for(scope, _SIZES, EstimationCell).values() for cell in cells]

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Errors, and what an estimate costs."""
        grid = grid_for(scope, _SIZES, EstimationCell)
        columns = (*SHAPE, *(Column(name, name, 4, spread="se") for name in ESTIMATORS))
        rows: list[tuple[Value, ...]] = [
            (
                square(states),
                cell.size,
                *(Stat(results[cell][name]["error"], results[cell][name]["se"]) for name in ESTIMATORS),
            )
            for states, cells in grid.items()
            for cell in cells
        ]
        everywhere = [results[cell] for cells in grid.values() for cell in cells]
        cost = Table(
            "figure7-seconds",
            "CPU seconds for one estimate, and the paper's seconds for a run",
            (
                Column("estimator", "estimator", left=True),
                Column("seconds", "seconds", 7),
                Column("paper", "paper", 3),
            ),
            tuple(
                (name, float(np.mean([r[name]["seconds"] for r in everywhere])), _PAPER_SECONDS.get(name))
                for name in ESTIMATORS
            ),
        )
        best = [min(ESTIMATORS, key=lambda name: r[name]["error"]) for r in everywhere]
        findings = tuple(
            f"{name} has the lowest mean error at {best.count(name)} of {len(best)} points."
            for name in ESTIMATORS
        )
        table = Table("figure7", "Mean absolute error in nats ± standard error", columns, tuple(rows))
        split = tuple(
            self._split(grid, results, f"error_{case}", f"The same for the {case} tables alone")
            for case in ("independent", "dependent")
        )

        def draw(canvas: Any) -> None:
            axes = canvas.subplots(1, len(grid), squeeze=False)[0]
            for ax, (states, cells) in zip(axes, grid.items(), strict=True):
                curves = [
                    Curve(
                        name,
                        [results[cell][name]["error"] for cell in cells],
                        [results[cell][name]["se"] for cell in cells],
                    )
                    for name in ESTIMATORS
                ]
                x = [cell.size for cell in cells]
                draw_curves(ax, x, curves, xlabel="rows", ylabel="mean |error| in nats", title=square(states))
                ax.set_yscale("log")
            axes[0].legend(fontsize=7)

        figure = Figure(self.name, self.title, draw, size=(9.0, 3.4))
        return Report(
            self.name,
            self.title,
            about=(told(scope),),
            findings=findings,
            tables=(table, *split, cost),
            figures=(figure,),
            notes=notes_for(self.name),
        )

    def _split(
        self,
        grid: Mapping[int, list[EstimationCell]],
        results: Mapping[Cell, Mapping[str, Any]],
        measure: str,
        title: str,
    ) -> Table:
        columns = (*SHAPE, *(Column(name, name, 4) for name in ESTIMATORS))
        rows: list[tuple[Value, ...]] = [
            (square(states), cell.size, *(results[cell][name][measure] for name in ESTIMATORS))
            for states, cells in grid.items()
            for cell in cells
        ]
        return Table(f"figure7-{measure.removeprefix('error_')}", title, columns, tuple(rows))


_PAPER_SECONDS = {"I^eB": published.SECONDS_EMPIRICAL_BAYES, "I^fB": published.SECONDS_FULL_BAYES}
