"""The page that leads to all reports of a folder: what was run, what was found, the likely reasons, and the links."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from paucal.errors import FileError
from paucal.paper.design import SUPPLEMENT
from paucal.paper.files import template
from paucal.paper.notes import remarks_on
from paucal.paper.render import markdown_table
from paucal.paper.report import Report
from paucal.paper.samples import ALL, RENUMBERED
from paucal.paper.tables import Column, Table, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_BOTH = 6  # columns of a table of the SHD in both orders: network, method, paper, as published, right order, drawn


def read_reports(folder: Path, names: Iterable[str]) -> list[Report]:
    """Read the reports that are there, in the order of the names."""
    reports = []
    for name in names:
        file = folder / f"{name}.json"
        if not file.exists():
            continue
        try:
            reports.append(Report.from_dict(json.loads(file.read_text(encoding="utf-8"))))
        except (ValueError, KeyError, TypeError) as error:
            raise FileError(
                f"{file} is damaged.", hint=f"Give `paucal reproduce {name}` again; finished cells are kept."
            ) from error
    return reports


def page(reports: list[Report], folder: Path, target: Path) -> str:
    """Write the page; links lead from the page's place to the folder."""
    where = os.path.relpath(folder, target.parent).replace(os.sep, "/")
    at = "" if where == "." else f"{where}/"
    lines = [_run_line(report, at) for report in reports]
    for table in _together(reports):
        lines += ["", f"## {table.title}", "", markdown_table(table).rstrip("\n")]
    for report in reports:
        lines += ["", f"## {report.title}", ""]
        remarks = () if report.run.get("quick") else remarks_on(report.name)
        for heading, said in (("Findings:", report.findings), ("Remarks:", remarks)):
            lines += [heading, "", *(f"- {line}" for line in said), ""] if said else []
        lines.append(f"Everything, with notes on what was chosen: [{report.name}]({at}{report.name}.md).")
    return template("page.md").substitute(body="\n".join(lines)).rstrip("\n") + "\n"


def _together(reports: list[Report]) -> Iterator[Table]:
    """Give what the reports on the supplement's samples say together: how near to the paper, and HAILFINDER."""
    own = (report for report in reports if "-" not in _short(report.name))  # not what the paper has no table of
    every = {table.name: table for report in own for table in report.tables}
    agreement = [table for name, table in every.items() if name.endswith(f"-{SUPPLEMENT}-agreement")]
    if agreement:
        yield _rows_called(ALL, agreement, "Our SHD minus the paper's, for all methods in the paper, table by table")
    shd = [
        table for name, table in every.items() if name.endswith(f"-{SUPPLEMENT}-shd") and len(table.columns) == _BOTH
    ]
    if any(row[0] == RENUMBERED.upper() for table in shd for row in table.rows):
        title = f"{RENUMBERED.upper()}: mean SHD, with the graph file as published and in the right order"
        yield _rows_called(RENUMBERED.upper(), shd, title)


def _rows_called(first: str, tables: list[Table], title: str) -> Table:
    """Take the rows that begin with a word from some tables; their first column is the name of the table instead."""
    columns = (Column("table", "table", left=True), *tables[0].columns[1:])
    rows = tuple(
        (
            _short(table.name),
            *(text_of(value, column) for value, column in zip(row[1:], table.columns[1:], strict=True)),
        )
        for table in tables
        for row in table.rows
        if row[0] == first
    )
    return Table("", title, columns, rows)


def _short(name: str) -> str:
    """Name the table of the paper.

    >>> _short("table2-variants-supplement-agreement")
    'table2-variants'
    """
    return name.partition(f"-{SUPPLEMENT}")[0]


def _run_line(report: Report, at: str) -> str:
    run: dict[str, Any] = report.run
    versions = ", ".join(str(run.get(name, "")) for name in ("python", "numpy"))
    link = f"[{report.name}]({at}{report.name}.md)"
    return f"| {link} | `{run.get('command', '')}` | {run.get('code', '')} | {versions} |"
