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


@dataclass(frozen=True)
class Experiment:
    """A table or figure: its name, another by subject, its heading; what it says of its results, and its cells.

    Names and titles of the tables and figures that `tell` gives are continued from the experiment's.
    """

    name: str
    alias: str
    title: str
    tell: Callable[[Scope, Results], Report]
    cells: Callable[[Scope], Sequence[Cell]] = lambda _: ()
    needs_data: bool = False  # data sets that paucal does not carry

    def report(self, scope: Scope, results: Results) -> Report:
        """Tables, figures and notes."""
        told = self.tell(scope, results)
        return replace(
            told,
            name=self.name,
            title=self.title,
            tables=tuple(
                replace(t, name=self.name + t.name, title=t.title or self.title) for t in told.tables
            ),
            figures=tuple(
                replace(f, name=self.name + f.name, title=self.title + f.title) for f in told.figures
            ),
            notes=notes_for(self.name),
        )
