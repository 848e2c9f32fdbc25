"""Figures 1 to 3: multinomials that stand in for the Polya distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paucal.paper.cells.synthetic import APPROXIMATIONS, PolyaCell
from paucal.paper.figures import BLACK, Curve, colours, draw_curves
from paucal.paper.notes import notes_for
from paucal.paper.report import Figure, Report
from paucal.paper.synthetic import sizes_for, told
from paucal.paper.tables import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paucal.paper.design import Cell, Scope
    from paucal.paper.tables import Value

_SIZES = (10, 20, 50, 100, 200)
_ALPHAS = (0.5, 1.0)
_PICTURE_SIZE = 50


@dataclass(frozen=True)
class PolyaError:
    """Relative error of two approximations to the probability of a sample."""

    name: str = "figure1"
    alias: str = "polya-error"
    title: str = "Figure 1: Relative error of approximations to the Polya distribution"
    needs_data: bool = False

    def _grid(self, scope: Scope) -> dict[tuple[bool, float], list[PolyaCell]]:
        return {
            (independent, alpha): [
                PolyaCell(3, size, scope.repetitions, scope.seed, alpha, independent)
                for size in sizes_for(scope, _SIZES)
            ]
            for independent in (True, False)
            for alpha in _ALPHAS
        }

    def cells(self, scope: Scope) -> list[Cell]:
        """Both cases, both priors, every size."""
        return [cell for cells in self._grid(scope).values() for cell in cells]

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Mean and median of |p~ - p| / p."""
        grid = self._grid(scope)
        names = list(APPROXIMATIONS)[1:]
        columns = [Column("case", "case", left=True), Column("alpha", "alpha"), Column("size", "rows", 0)]
        for name in names:
            columns += [
                Column(f"{name}_mean", f"{name}, mean", 2),
                Column(f"{name}_median", f"{name}, median", 2),
                Column(f"{name}_gap", f"{name}, median of ln p~ - ln p", 2, signed=True),
            ]
        rows: list[tuple[Value, ...]] = [
            (
                _case(independent=independent),
                alpha,
                cell.size,
                *(results[cell][name][m] for name in names for m in ("mean", "median", "gap")),
            )
            for (independent, alpha), cells in grid.items()
            for cell in cells
        ]
        table = Table("figure1", "log10 of |p~ - p| / p for tables of 3x3", tuple(columns), tuple(rows))
        pairs = [
            [results[cell][name]["median"] for name in names] for cells in grid.values() for cell in cells
        ]
        better = sum(ours < minka for ours, minka in pairs)
        ours = [a for a, _ in pairs]
        findings = (
            f"The modified parameters have the smaller median error at {better} of {len(pairs)} points.",
            f"Their median relative error is between {10 ** min(ours):.3g} and {10 ** max(ours):.3g}.",
        )

        def draw(canvas: Any) -> None:
            axes = canvas.subplots(1, len(grid), squeeze=False, sharey=True)[0]
            for ax, ((independent, alpha), cells) in zip(axes, grid.items(), strict=True):
                curves = [Curve(name, [results[cell][name]["median"] for cell in cells]) for name in names]
                draw_curves(
                    ax,
                    [cell.size for cell in cells],
                    curves,
                    xlabel="rows",
                    ylabel="log10 of median |p~ - p| / p" if ax is axes[0] else "",
                    title=f"{_case(independent=independent)}, alpha = {alpha:g}",
                )
            axes[0].legend(fontsize=7)

        return Report(
            self.name,
            self.title,
            about=(told(scope),),
            findings=findings,
            tables=(table,),
            figures=(Figure(self.name, self.title, draw, size=(10.0, 3.2)),),
            notes=notes_for(self.name),
        )


@dataclass(frozen=True)
class PolyaPicture:
    """Probabilities of samples: exact and approximated, sorted by the exact one."""

    name: str
    independent: bool
    needs_data: bool = False

    @property
    def alias(self) -> str:
        """Name by case."""
        return f"polya-{_case(independent=self.independent)}"

    @property
    def title(self) -> str:
        """Heading."""
        number = self.name.removeprefix("figure")
        return f"Figure {number}: The Polya distribution and its approximations, {_case(independent=self.independent)}"

    def _cells(self, scope: Scope) -> list[PolyaCell]:
        return [
            PolyaCell(3, _PICTURE_SIZE, scope.repetitions, scope.seed, alpha, self.independent)
            for alpha in _ALPHAS
        ]

    def cells(self, scope: Scope) -> list[Cell]:
        """Both priors."""
        return list(self._cells(scope))

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """List and draw the logarithms of the probabilities."""
        cells = self._cells(scope)
        columns = (
            Column("alpha", "alpha"),
            Column("sample", "sample", 0),
            *(Column(name, f"log10 p, {name}", 3) for name in APPROXIMATIONS),
        )
        rows: list[tuple[Value, ...]] = [
            (cell.alpha, i + 1, *(results[cell][name]["shown"][i] for name in APPROXIMATIONS))
            for cell in cells
            for i in range(len(results[cell]["Polya"]["shown"]))
        ]
        table = Table(f"{self.name}-details", self.title, columns, tuple(rows))

        def draw(canvas: Any) -> None:
            axes = canvas.subplots(1, len(cells), squeeze=False)[0]
            for ax, cell in zip(axes, cells, strict=True):
                looks: Sequence[tuple[str, str, Any]] = [(BLACK, "", "-"), *colours(2)]
                for name, (colour, marker, dashes) in zip(APPROXIMATIONS, looks, strict=True):
                    values = results[cell][name]["shown"]
                    ax.plot(
                        range(1, len(values) + 1),
                        values,
                        label=name,
                        color=colour,
                        marker=marker,
                        linestyle=dashes,
                    )
                ax.set_title(f"alpha = {cell.alpha:g}, {cell.size} rows", fontsize=9)
                ax.set_xlabel("sample, by its probability")
            axes[0].set_ylabel("log10 probability")
            axes[0].legend(fontsize=7)

        return Report(
            self.name,
            self.title,
            about=(
                f"{PolyaCell.shown} samples of {_PICTURE_SIZE} rows from tables of 3x3. Seed {scope.seed}.",
            ),
            tables=(table,),
            figures=(Figure(self.name, self.title, draw, size=(9.0, 3.4)),),
            notes=notes_for(self.name),
        )


def _case(*, independent: bool) -> str:
    return "independent" if independent else "dependent"


FIGURES = (
    PolyaError(),
    PolyaPicture("figure2", independent=True),
    PolyaPicture("figure3", independent=False),
)
