"""What the experiments with synthetic tables share: shapes, sizes, headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from paucal.paper.tables import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from paucal.paper.design import Scope

SomeCell = TypeVar("SomeCell")

SHAPE = (Column("table", "table", left=True), Column("size", "rows", 0))


def sizes_for(scope: Scope, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes of an experiment: all, or the first and the last in a quick run; `--sizes` is about networks."""
    return (sizes[0], sizes[-1]) if scope.quick else sizes


def states_for(scope: Scope) -> tuple[int, ...]:
    """Numbers of states of both variables."""
    return (3,) if scope.quick else (3, 5, 7)


def grid_for(
    scope: Scope, sizes: tuple[int, ...], cell: Callable[[int, int, int, int], SomeCell]
) -> dict[int, list[SomeCell]]:
    """Cells of every shape and size, by number of states."""
    return {
        states: [cell(states, size, scope.repetitions, scope.seed) for size in sizes_for(scope, sizes)]
        for states in states_for(scope)
    }


def told(scope: Scope) -> str:
    """Say what was run."""
    return f"{scope.repetitions} tables for each point. Seed {scope.seed}."


def square(states: int) -> str:
    """Name a shape.

    >>> square(3)
    '3x3'
    """
    return f"{states}x{states}"
