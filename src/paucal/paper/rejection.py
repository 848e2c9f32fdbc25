"""Figure 8: type-1 error and power of BF_chi2, the Bayes factor and G."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.paper.cells.synthetic import LEVEL, TESTS, RejectionCell
from paucal.paper.figures import BLACK, Curve, draw_curves
from paucal.paper.notes import notes_for
from paucal.paper.report import Figure, Report
from paucal.paper.synthetic import SHAPE, grid_for, square, told
from paucal.paper.tables import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.paper.design import Cell, Scope
    from paucal.paper.tables import Value

_SIZES = (20, 50, 100, 200, 500)


@dataclass(frozen=True)
class Rejection:
    """Type-1 error and power of BF_chi2, BF and G."""

    name: str = "figure8"
    alias: str = "power"
    title: str = "Figure 8: Type-1 error and power of BF_chi2"
    needs_data: bool = False

    def cells(self, scope: Scope) -> list[Cell]:
        """Every shape and size."""
        return [cell for cells in grid_for(scope, _SIZES, RejectionCell).values() for cell in cells]

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Rates at the nominal level (BF: threshold 1), and power of tests whose limit was set on null tables."""
        grid = grid_for(scope, _SIZES, RejectionCell)
        columns = list(SHAPE)
        for measure, heading in _RATES.items():
            columns += [Column(f"{name}_{measure}", f"{heading}, {name}", 3) for name in TESTS]
        rows: list[tuple[Value, ...]] = [
            (
                square(states),
                cell.size,
                *(results[cell][name][measure] for measure in _RATES for name in TESTS),
            )
            for states, cells in grid.items()
            for cell in cells
        ]
        table = Table(
            "figure8", "Share of tables for which independence is rejected", tuple(columns), tuple(rows)
        )
        cells = [cell for some in grid.values() for cell in some]
        findings = (
            *(
                f"{name}: type-1 error from {min(r):.3f} to {max(r):.3f} at the nominal level of {LEVEL:g}"
                f"{' (threshold 1)' if name == 'BF' else ''}."
                for name in TESTS
                for r in ([results[cell][name]["type1"] for cell in cells],)
            ),
            *(
                f"Calibrated power: BF_chi2 minus {other} is {np.mean(gap):+.3f} on average over {len(gap)} points, "
                f"from {min(gap):+.3f} to {max(gap):+.3f}."
                for other in ("BF", "G")
                for gap in (
                    [
                        results[cell]["BF_chi2"]["power_calibrated"]
                        - results[cell][other]["power_calibrated"]
                        for cell in cells
                    ],
                )
            ),
        )

        def draw(canvas: Any) -> None:
            axes = canvas.subplots(3, len(grid), squeeze=False, sharex="col")
            for column, (states, some) in enumerate(grid.items()):
                for row, (measure, label) in enumerate(
                    (("type1", "type-1 error"), ("power", "power"), ("power_calibrated", "calibrated power"))
                ):
                    curves = [Curve(name, [results[cell][name][measure] for cell in some]) for name in TESTS]
                    draw_curves(
                        axes[row][column],
                        [cell.size for cell in some],
                        curves,
                        xlabel="rows" if row == 2 else "",
                        ylabel=label if column == 0 else "",
                        title=square(states) if row == 0 else "",
                    )
                axes[0][column].axhline(LEVEL, color=BLACK, linewidth=0.8)
            axes[0][0].legend(fontsize=7)

        return Report(
            self.name,
            self.title,
            about=(told(scope),),
            findings=findings,
            tables=(table,),
            figures=(Figure(self.name, self.title, draw, size=(9.0, 6.5)),),
            notes=notes_for(self.name),
        )


_RATES = {"type1": "type 1", "power": "power", "power_calibrated": "calibrated power"}
