"""Figures 1 to 3: multinomials that stand in for the Polya distribution."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from paucal.paper.cells.synthetic import APPROXIMATIONS, PolyaCell
from paucal.paper.figures import BLACK, Line, colours, curve_panels, line_panels
from paucal.paper.synthetic import Panels, SyntheticFigure, figure, points, sizes_for
from paucal.paper.tables import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paucal.paper.design import Scope
    from paucal.paper.report import Experiment

_ALPHAS = (0.5, 1.0)
_PICTURE_SIZE = 50
_SUBSTITUTES = list(APPROXIMATIONS)[1:]


def _case(*, independent: bool) -> str:
    return "independent" if independent else "dependent"


def _polya_cells(scope: Scope) -> dict[str, list[PolyaCell]]:
    return {
        f"{_case(independent=independent)}, alpha = {alpha:g}": [
            PolyaCell(3, size, scope.repetitions, scope.seed, alpha, independent)
            for size in sizes_for(scope, (10, 20, 50, 100, 200))
        ]
        for independent in (True, False)
        for alpha in _ALPHAS
    }


def _polya_table(panels: Panels) -> tuple[Table, ...]:
    columns = [Column("case", "case", left=True), Column("alpha", "alpha"), Column("size", "rows", 0)]
    for name in _SUBSTITUTES:
        columns += [
            Column(f"{name}_mean", f"{name}, mean", 2),
            Column(f"{name}_median", f"{name}, median", 2),
            Column(f"{name}_gap", f"{name}, median of ln p~ - ln p", 2, signed=True),
        ]
    rows = tuple(
        (
            _case(independent=cell.independent),
            cell.alpha,
            cell.size,
            *(result[name][m] for name in _SUBSTITUTES for m in ("mean", "median", "gap")),
        )
        for cell, result in points(panels)
    )
    return (Table("", "log10 of |p~ - p| / p for tables of 3x3", tuple(columns), rows),)


def _polya_findings(panels: Panels) -> tuple[str, ...]:
    pairs = [[result[name]["median"] for name in _SUBSTITUTES] for _, result in points(panels)]
    better, ours = sum(a < b for a, b in pairs), [a for a, _ in pairs]
    return (
        f"The modified parameters have the smaller median error at {better} of {len(pairs)} points.",
        f"Their median relative error is between {10 ** min(ours):.3g} and {10 ** max(ours):.3g}.",
    )


def _picture_cells(scope: Scope, *, independent: bool) -> dict[str, list[PolyaCell]]:
    return {
        f"alpha = {alpha:g}, {_PICTURE_SIZE} rows": [
            PolyaCell(3, _PICTURE_SIZE, scope.repetitions, scope.seed, alpha, independent)
        ]
        for alpha in _ALPHAS
    }


def _picture_table(panels: Panels) -> tuple[Table, ...]:
    columns = (
        Column("alpha", "alpha"),
        Column("sample", "sample", 0),
        *(Column(name, f"log10 p, {name}", 3) for name in APPROXIMATIONS),
    )
    rows = tuple(
        (cell.alpha, i + 1, *(result[name]["shown"][i] for name in APPROXIMATIONS))
        for cell, result in points(panels)
        for i in range(len(result["Polya"]["shown"]))
    )
    return (Table("-details", "", columns, rows),)


def _picture_lines(cell: PolyaCell, result: Mapping[str, Any]) -> Iterator[Line]:
    del cell
    looks: list[tuple[str, str, Any]] = [(BLACK, "", "-"), *colours(2)]
    for name, (colour, marker, dashes) in zip(APPROXIMATIONS, looks, strict=True):
        y = result[name]["shown"]
        yield range(1, len(y) + 1), y, {"label": name, "color": colour, "marker": marker, "linestyle": dashes}


def _picture(number: int, *, independent: bool) -> Experiment:
    what = SyntheticFigure(
        partial(_picture_cells, independent=independent),
        _picture_table,
        partial(line_panels, lines=_picture_lines, xlabel="sample, by its probability", ylabel="log10 probability"),
        size=(9.0, 3.4),
        about=f"{PolyaCell.shown} samples of {_PICTURE_SIZE} rows from tables of 3x3. Seed {{seed}}.",
    )
    case = _case(independent=independent)
    return figure(number, f"polya-{case}", f"The Polya distribution and its approximations, {case}", what)


_POLYA = SyntheticFigure(
    _polya_cells,
    _polya_table,
    partial(curve_panels, names=_SUBSTITUTES, measures={"median": "log10 of median |p~ - p| / p"}, sharey=True),
    size=(10.0, 3.2),
    findings=_polya_findings,
)
FIGURES = (
    figure(1, "polya-error", "Relative error of approximations to the Polya distribution", _POLYA),
    _picture(2, independent=True),
    _picture(3, independent=False),
)
