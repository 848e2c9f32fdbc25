"""Figures 4 to 8, about synthetic tables: null distributions, errors of estimates, power; and what all such share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import lgamma, log
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal.paper import published
from paucal.paper.cells.synthetic import ESTIMATORS, LEVEL, STATISTICS, TESTS, EstimationCell, NullCell, RejectionCell
from paucal.paper.figures import BLACK, Line, colours, curve_panels, line_panels
from paucal.paper.report import Experiment, Figure, Report, Results
from paucal.paper.tables import Column, Stat, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from paucal.paper.design import Cell, Scope
    from paucal.paper.tables import Value

# title of a panel -> its cells, each with its result
Panels: TypeAlias = "Mapping[str, Sequence[tuple[Any, Mapping[str, Any]]]]"

_SHAPE = (Column("table", "table", left=True), Column("size", "rows", 0))


@dataclass(frozen=True)
class SyntheticFigure:
    """What one figure shows: cells by panel, tables and findings from their results, and how panels are drawn."""

    grid: Callable[[Scope], Mapping[str, Sequence[Cell]]]
    tables: Callable[[Panels], tuple[Table, ...]]
    draw: Callable[[Panels], Callable[[Any], None]]
    size: tuple[float, float]
    findings: Callable[[Panels], tuple[str, ...]] = lambda _: ()
    about: str = "{repetitions} tables for each point. Seed {seed}."

    def cells(self, scope: Scope) -> list[Cell]:
        """List the cells of all panels."""
        return [cell for cells in self.grid(scope).values() for cell in cells]

    def tell(self, scope: Scope, results: Results) -> Report:
        """Make the report."""
        panels = {title: [(cell, results[cell]) for cell in cells] for title, cells in self.grid(scope).items()}
        return Report(
            about=(self.about.format(repetitions=scope.repetitions, seed=scope.seed),),
            findings=self.findings(panels),
            tables=self.tables(panels),
            figures=(Figure("", "", self.draw(panels), self.size),),
        )


def figure(number: int, alias: str, title: str, what: SyntheticFigure) -> Experiment:
    """Make the experiment of a figure."""
    return Experiment(f"figure{number}", alias, f"Figure {number}: {title}", what.tell, what.cells)


def points(panels: Panels) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Give the cells of all panels with their results."""
    for points in panels.values():
        yield from points


def sizes_for(scope: Scope, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes of an experiment: all, or the first and the last in a quick run; `--sizes` is about networks."""
    return (sizes[0], sizes[-1]) if scope.quick else sizes


def _by_shape(
    scope: Scope, cell: Callable[[int, int, int, int], Cell], sizes: tuple[int, ...]
) -> dict[str, list[Cell]]:
    """Give cells of every shape and size."""
    return {
        _square(states): [cell(states, n, scope.repetitions, scope.seed) for n in sizes_for(scope, sizes)]
        for states in ((3,) if scope.quick else (3, 5, 7))
    }


def _square(states: int) -> str:
    return f"{states}x{states}"


def _shape(cell: Any) -> tuple[Value, Value]:
    return _square(cell.states), cell.size


def _null_cells(scope: Scope, states: int) -> dict[str, list[NullCell]]:
    return {
        f"{size} rows": [NullCell(states, size, scope.repetitions, scope.seed)]
        for size in sizes_for(scope, (30, 100, 1000))
    }


def _null_table(panels: Panels) -> tuple[Table, ...]:
    columns = (
        *_SHAPE,
        Column("statistic", "statistic", left=True),
        Column("beyond", f"beyond the {LEVEL:.0%} limit", 3),
        Column("distance", "Kolmogorov-Smirnov distance from chi2", 3),
        Column("below", "below zero", 3),
    )
    rows = tuple(
        (*_shape(cell), name, *(result[name][m] for m in ("beyond", "distance", "below")))
        for cell, result in points(panels)
        for name in STATISTICS
    )
    return (Table("", "", columns, rows),)


def _null_lines(cell: NullCell, result: Mapping[str, Any]) -> Iterator[Line]:
    half, edges = cell.dof / 2, cell.edges()
    middle = (edges[1:] + edges[:-1]) / 2
    density = np.exp((half - 1) * np.log(middle) - middle / 2 - half * log(2) - lgamma(half))
    yield middle, density, {"color": BLACK, "linewidth": 1.0, "label": f"chi2, {cell.dof} d.o.f."}
    for name, (colour, marker, dashes) in zip(STATISTICS, colours(3), strict=True):
        look = {"label": name, "color": colour, "marker": marker, "markevery": 3, "linestyle": dashes}
        yield middle, result[name]["density"], look


_PAPER_SECONDS = {"I^eB": published.SECONDS_EMPIRICAL_BAYES, "I^fB": published.SECONDS_FULL_BAYES}


def _estimation_tables(panels: Panels) -> tuple[Table, ...]:
    every = list(points(panels))
    errors = Table(
        "",
        "Mean absolute error in nats ± standard error",
        (*_SHAPE, *(Column(name, name, 4, spread="se") for name in ESTIMATORS)),
        tuple(
            (*_shape(cell), *(Stat(result[name]["error"], result[name]["se"]) for name in ESTIMATORS))
            for cell, result in every
        ),
    )
    split = [
        Table(
            f"-{case}",
            f"The same for the {case} tables alone",
            (*_SHAPE, *(Column(name, name, 4) for name in ESTIMATORS)),
            tuple((*_shape(cell), *(result[name][f"error_{case}"] for name in ESTIMATORS)) for cell, result in every),
        )
        for case in ("independent", "dependent")
    ]
    seconds = {name: float(np.mean([result[name]["seconds"] for _, result in every])) for name in ESTIMATORS}
    cost = Table(
        "-seconds",
        "CPU seconds for one estimate, and the paper's seconds for a run",
        (Column("estimator", "estimator", left=True), Column("seconds", "seconds", 7), Column("paper", "paper", 3)),
        tuple((name, mean, _PAPER_SECONDS.get(name)) for name, mean in seconds.items()),
    )
    return (errors, *split, cost)


def _estimation_findings(panels: Panels) -> tuple[str, ...]:
    results = [result for _, result in points(panels)]
    best = [min(ESTIMATORS, key=lambda name: result[name]["error"]) for result in results]
    return tuple(
        f"{name} has the lowest mean error at {best.count(name)} of {len(best)} points." for name in ESTIMATORS
    )


_RATES = {"type1": "type 1", "power": "power", "power_calibrated": "calibrated power"}


def _rejection_table(panels: Panels) -> tuple[Table, ...]:
    """Rates at the nominal level (BF: threshold 1), and power of tests whose limit was set on null tables."""
    columns = [Column(f"{name}_{m}", f"{heading}, {name}", 3) for m, heading in _RATES.items() for name in TESTS]
    rows = tuple(
        (*_shape(cell), *(result[name][m] for m in _RATES for name in TESTS)) for cell, result in points(panels)
    )
    title = "Share of tables for which independence is rejected"
    return (Table("", title, (*_SHAPE, *columns), rows),)


def _rejection_findings(panels: Panels) -> tuple[str, ...]:
    results = [result for _, result in points(panels)]
    lines = []
    for name in TESTS:
        rates = [result[name]["type1"] for result in results]
        lines.append(
            f"{name}: type-1 error from {min(rates):.3f} to {max(rates):.3f} at the nominal level of {LEVEL:g}"
            f"{' (threshold 1)' if name == 'BF' else ''}."
        )
    for other in ("BF", "G"):
        gap = [r["BF_chi2"]["power_calibrated"] - r[other]["power_calibrated"] for r in results]
        lines.append(
            f"Calibrated power: BF_chi2 minus {other} is {np.mean(gap):+.3f} on average over {len(gap)} points, "
            f"from {min(gap):+.3f} to {max(gap):+.3f}."
        )
    return tuple(lines)


_ESTIMATION = SyntheticFigure(
    partial(_by_shape, cell=EstimationCell, sizes=(10, 20, 50, 100, 200)),
    _estimation_tables,
    partial(
        curve_panels,
        names=list(ESTIMATORS),
        measures={"error": "mean |error| in nats"},
        error="se",
        logarithmic=True,
        label_all=True,
    ),
    size=(9.0, 3.4),
    findings=_estimation_findings,
)
_REJECTION = SyntheticFigure(
    partial(_by_shape, cell=RejectionCell, sizes=(20, 50, 100, 200, 500)),
    _rejection_table,
    partial(curve_panels, names=list(TESTS), measures=_RATES | {"type1": "type-1 error"}, level=LEVEL, sharex="col"),
    size=(9.0, 6.5),
    findings=_rejection_findings,
)


def _null(number: int, states: int) -> Experiment:
    what = SyntheticFigure(
        partial(_null_cells, states=states),
        _null_table,
        partial(line_panels, lines=_null_lines, xlabel="statistic", ylabel="density"),
        size=(9.0, 3.2),
    )
    shape = _square(states)
    return figure(number, f"distribution-{shape}", f"Statistics under independence, {shape}", what)


FIGURES = (
    _null(4, 3),
    _null(5, 5),
    _null(6, 7),
    figure(7, "mi-error", "Error of estimates of the mutual information", _ESTIMATION),
    figure(8, "power", "Type-1 error and power of BF_chi2", _REJECTION),
)
