"""A table or a whole report as Markdown, CSV, LaTeX and HTML.

CSV has the plain numbers, with a mean and its spread in two columns; the others have them as people read them. The
LaTeX needs the package booktabs; the HTML page needs nothing.
"""

from __future__ import annotations

import csv
import html
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paucal.paper.files import read_toml, template
from paucal.paper.tables import Stat, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paucal.paper.report import Report
    from paucal.paper.tables import Table, Value

_STYLES = read_toml("styles.toml")


def cells_of(table: Table) -> list[list[str]]:
    """Write all values of a table."""
    return [[text_of(value, column) for value, column in zip(row, table.columns, strict=True)] for row in table.rows]


@dataclass(frozen=True)
class _Style:
    """How the parts of a report are written; each text is escaped first."""

    parts: Mapping[str, str]
    table: Callable[[Table], str]
    escape: Callable[[str], str] = str

    def write(self, report: Report) -> str:
        parts = [self._part("title", report.title)]
        parts += [self._part("paragraph", line) for line in report.about]
        parts += self._list(report.findings)
        for figure in report.figures:
            parts.append(self.parts["figure"].format(name=figure.name, title=self.escape(figure.title)))
        for table in report.tables:
            parts += [self._part("heading", table.title), self.table(table)]
        if report.notes:
            parts += [self._part("heading", "Notes"), *self._list(report.notes)]
        return self.parts["between"].join(parts)

    def _part(self, kind: str, text: str) -> str:
        return self.parts[kind].format(self.escape(text))

    def _list(self, lines: tuple[str, ...]) -> list[str]:
        items = "\n".join(self._part("item", line) for line in lines)
        return [self.parts["items"].format(items)] if items else []


def markdown(report: Report) -> str:
    """Write a report as a Markdown page."""
    style = _Style(_STYLES["markdown"], lambda table: markdown_table(table).rstrip("\n"))
    return style.write(report) + "\n"


def html_page(report: Report) -> str:
    """Write a report as one page; figures are beside it."""
    body = _Style(_STYLES["html"], html_table, html.escape).write(report)
    return template("report.html").substitute(title=html.escape(report.title), body=body)


def latex(report: Report) -> str:
    """Write the tables of a report as LaTeX floats."""
    return "\n".join(latex_table(table) for table in report.tables)


def markdown_table(table: Table) -> str:
    """Write one table in Markdown."""
    lines = [
        [column.heading for column in table.columns],
        ["---" if column.left else "---:" for column in table.columns],
        *cells_of(table),
    ]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def html_table(table: Table) -> str:
    """Write one table in HTML."""
    kinds = ['class="left"' if column.left else "" for column in table.columns]
    headings = [
        f'<th scope="col" {kind}>{html.escape(column.heading)}</th>'
        for column, kind in zip(table.columns, kinds, strict=True)
    ]
    lines = ['<div class="wide"><table>', "<thead><tr>", *headings, "</tr></thead><tbody>"]
    for i, row in enumerate(cells_of(table)):
        cells = "".join(f"<td {kind}>{html.escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        lines.append(f'<tr class="rule">{cells}</tr>' if i in table.rules else f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])


def latex_table(table: Table) -> str:
    """Write one table as a LaTeX float."""
    lines = [[column.heading for column in table.columns], *cells_of(table)]
    head, *body = (" & ".join(map(_tex, line)) + r" \\" for line in lines)
    for i in sorted(table.rules, reverse=True):
        if i + 1 < len(table.rows):
            body.insert(i + 1, r"\midrule")
    return template("table.tex").substitute(
        columns="".join("l" if column.left else "r" for column in table.columns),
        head=head,
        body="\n".join(body),
        title=_tex(table.title),
        name=table.name,
    )


def csv_table(table: Table) -> str:
    """Write one table as CSV, numbers in full."""
    spread = [any(isinstance(row[i], Stat) for row in table.rows) for i in range(len(table.columns))]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heading = []
    for column, has_spread in zip(table.columns, spread, strict=True):
        heading += [column.name, f"{column.name}_{column.spread}"] if has_spread else [column.name]
    writer.writerow(heading)
    for row in table.rows:
        line: list[str] = []
        for value, has_spread in zip(row, spread, strict=True):
            mean, deviation = (value.mean, value.spread) if isinstance(value, Stat) else (value, None)
            line += [_plain(mean), _plain(deviation)] if has_spread else [_plain(mean)]
        writer.writerow(line)
    return text.getvalue()


def _plain(value: Value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(round(value, 6)) if isinstance(value, float) else str(value)


_TEX = str.maketrans(_STYLES["latex"])
_TEX_METHODS = {"BF_chi2": r"BF_{chi2}", "I^eBFix": r"I^{eBFix}", "I^eB": r"I^{eB}", "I^AdP": r"I^{AdP}"}


def _tex(text: str) -> str:
    r"""Escape a text; the names of methods become formulas, and a leading minus a real one.

    >>> _tex("rBF_chi2, paper"), _tex("5 %"), _tex("-1.5")
    ('$rBF_{chi2}$, paper', '5 \\%', '$-1.5$')
    """
    return " ".join(_tex_word(word) for word in text.split(" "))


def _tex_word(word: str) -> str:
    bare = word.rstrip(",;:")
    for plain, formula in _TEX_METHODS.items():
        if bare.endswith(plain):
            return f"${bare.removesuffix(plain)}{formula}${word[len(bare) :]}"
    if word[:1] == "-" and word[1:2].isdigit():
        return f"${word}$"
    return word.translate(_TEX)
