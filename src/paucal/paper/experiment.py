"""An experiment as a value: its names, the cells it needs, and what it says about their results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from paucal.paper.notes import notes_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paucal.paper.design import Cell, Scope
    from paucal.paper.report import Report

Results: TypeAlias = "Mapping[Any, Mapping[str, Any]]"  # by cell


def no_cells(scope: Scope) -> list[Cell]:
    """Compute nothing."""
    del scope
    return []


@dataclass(frozen=True)
class Experiment:
    """A table or figure.

    Attributes
    ----------
    name, alias, title
        Such as table2; another name, by subject; the heading.
    tell
        Makes the report, without notes, from the experiment, the scope and the results.
    cells
        Everything that has to be computed.
    needs_data
        Whether data sets must be at hand that paucal does not carry.
    """

    name: str
    alias: str
    title: str
    tell: Callable[[Experiment, Scope, Results], Report]
    cells: Callable[[Scope], Sequence[Cell]] = no_cells
    needs_data: bool = False

    def report(self, scope: Scope, results: Results) -> Report:
        """Tables, figures and notes."""
        return replace(self.tell(self, scope, results), notes=notes_for(self.name))
