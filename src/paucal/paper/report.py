"""An experiment as a value, and its report: tables, findings, figures and notes, and the files they are written to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from paucal.atomic import write_text
from paucal.paper import render
from paucal.paper.notes import notes_for
from paucal.paper.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from paucal.paper.design import Cell, Scope


@dataclass(frozen=True)
class Figure:
    """A figure: a name for its files, a title, and how it is drawn on a matplotlib figure."""

    name: str
    title: str
    draw: Callable[[Any], None] | None = field(default=None, compare=False)
    size: tuple[float, float] = (7.0, 4.5)


@dataclass(frozen=True)
class Report:
    """What one experiment has to say.

    `about` tells what was run, `findings` are sentences made of numbers, `notes` tell what was chosen where the paper
    leaves it open.
    """

    name: str = ""
    title: str = ""
    about: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    run: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return vars(self) | {
            "tables": [table.to_dict() for table in self.tables],
            "figures": [{"name": figure.name, "title": figure.title} for figure in self.figures],
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Report:
        """Read what `to_dict` gave; figures cannot be drawn again."""
        texts = {name: tuple(content[name]) for name in ("about", "findings", "notes")}
        tables = tuple(Table.from_dict(table) for table in content["tables"])
        figures = tuple(Figure(**figure) for figure in content["figures"])
        return cls(**content | texts | {"tables": tables, "figures": figures})


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
    on_networks: bool = False  # whether it uses samples of networks, which the supplement has too

    def named(self, scope: Scope) -> str:
        """The name of its report, which tells the samples."""
        return f"{self.name}-{scope.samples}" if scope.supplement else self.name

    def report(self, scope: Scope, results: Results) -> Report:
        """Tables, figures and notes."""
        told, name = self.tell(scope, results), self.named(scope)
        title = f"{self.title}, with the supplement's samples" if scope.supplement else self.title
        return replace(
            told,
            name=name,
            title=title,
            tables=tuple(replace(t, name=name + t.name, title=t.title or title) for t in told.tables),
            figures=tuple(replace(f, name=name + f.name, title=title + f.title) for f in told.figures),
            notes=notes_for(self.name, supplement=scope.supplement),
        )


def files_of(report: Report) -> dict[str, str]:
    """Give the text files of a report: name -> content."""
    return {
        f"{report.name}.json": json.dumps(report.to_dict(), indent=1, allow_nan=False) + "\n",
        f"{report.name}.md": render.markdown(report),
        f"{report.name}.html": render.html_page(report),
        f"{report.name}.tex": render.latex(report),
        **{f"{table.name}.csv": render.csv_table(table) for table in report.tables},
    }


def write_report(report: Report, folder: Path) -> list[str]:
    """Write a report's text files and give their names."""
    files = files_of(report)
    for name, content in files.items():
        write_text(folder / name, content)
    return sorted(files)
