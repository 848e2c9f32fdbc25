"""The page that sums up all reports of a folder: what was run, what matches, what does not, and the likely reasons."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from paucal.errors import FileError
from paucal.paper.files import template
from paucal.paper.notes import remarks_on
from paucal.paper.render import markdown_table
from paucal.paper.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


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
    for report in reports:
        lines += ["", f"## {report.title}", ""]
        lines += [f"{line}\n" for line in report.about]
        remarks = () if report.run.get("quick") else remarks_on(report.name)
        for heading, said in (("Findings:", report.findings), ("Remarks:", remarks)):
            lines += [heading, "", *(f"- {line}" for line in said), ""] if said else []
        lines += [f"![{figure.title}]({at}{figure.name}.svg)\n" for figure in report.figures]
        for table in report.tables:
            if not table.name.endswith("-details"):
                lines += [f"{table.title}:", "", markdown_table(table)]
        lines.append(f"Everything, with notes on what was chosen: [{report.name}]({at}{report.name}.md).")
    return template("page.md").substitute(body="\n".join(lines))


def _run_line(report: Report, at: str) -> str:
    run: dict[str, Any] = report.run
    versions = ", ".join(str(run.get(name, "")) for name in ("python", "numpy"))
    cells = (f"[{report.name}]({at}{report.name}.md)", f"`{run.get('command', '')}`", run.get("date", ""))
    return f"| {' | '.join(cells)} | {run.get('code', '')} | {versions} |"
