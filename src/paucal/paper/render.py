"""A table or a whole report as Markdown, CSV, LaTeX and HTML.

CSV has the plain numbers, with a mean and its spread in two columns; the others have them as people read them. The
LaTeX needs the package booktabs; the HTML page needs nothing.
"""

from __future__ import annotations

import csv
import html
import io
import math
from typing import TYPE_CHECKING

from paucal.paper.tables import Stat, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paucal.paper.report import Report
    from paucal.paper.tables import Table, Value


def cells_of(table: Table, *, plus_minus: str = " ± ") -> list[list[str]]:
    """Write all values of a table."""
    return [
        [
            text_of(value, column, plus_minus=plus_minus)
            for value, column in zip(row, table.columns, strict=True)
        ]
        for row in table.rows
    ]


# ---------------------------------------------------------------------------------------------------- Markdown


def markdown(report: Report) -> str:
    """Write a report as a Markdown page."""
    text = "\n\n".join([f"# {report.title}", *report.about]) + "\n"
    if report.findings:
        text += "\n" + "".join(f"- {line}\n" for line in report.findings)
    for figure in report.figures:
        text += f"\n![{figure.title}]({figure.name}.svg)\n\n{figure.title}\n"
    for table in report.tables:
        text += f"\n## {table.title}\n\n{markdown_table(table)}"
    if report.notes:
        text += "\n## Notes\n\n" + "".join(f"- {note}\n" for note in report.notes)
    return text


def markdown_table(table: Table) -> str:
    """Write one table in Markdown."""
    lines = [
        " | ".join(column.heading.replace("|", "\\|") for column in table.columns),
        " | ".join("---" if column.left else "---:" for column in table.columns),
        *(" | ".join(cell.replace("|", "\\|") for cell in row) for row in cells_of(table)),
    ]
    return "".join(f"| {line} |\n" for line in lines)


# --------------------------------------------------------------------------------------------------------- CSV


def csv_table(table: Table) -> str:
    """Write one table as CSV, numbers in full."""
    spread = [any(isinstance(row[i], Stat) for row in table.rows) for i in range(len(table.columns))]
    heading = []
    for column, has_spread in zip(table.columns, spread, strict=True):
        heading += [column.name, f"{column.name}_{column.spread}"] if has_spread else [column.name]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    for row in table.rows:
        line: list[str] = []
        for value, has_spread in zip(row, spread, strict=True):
            if isinstance(value, Stat):
                line += [_plain(value.mean), _plain(value.spread)]
            else:
                line += [_plain(value), ""] if has_spread else [_plain(value)]
        writer.writerow(line)
    return text.getvalue()


def _plain(value: Value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(round(value, 6)) if isinstance(value, float) else str(value)


# ------------------------------------------------------------------------------------------------------- LaTeX

_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "~": r"\textasciitilde{}",
        "{": r"\{",
        "}": r"\}",
        "±": r"$\pm$",
        "χ": r"$\chi$",
        "α": r"$\alpha$",
        "η": r"$\eta$",
    }
)
_TEX_METHODS = {"BF_chi2": r"BF_{chi2}", "I^eBFix": r"I^{eBFix}", "I^eB": r"I^{eB}", "I^AdP": r"I^{AdP}"}


def latex(report: Report) -> str:
    """Write the tables of a report as LaTeX floats."""
    return "\n".join(latex_table(table) for table in report.tables)


def latex_table(table: Table) -> str:
    """Write one table as a LaTeX float."""
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{''.join('l' if column.left else 'r' for column in table.columns)}}}",
        r"\toprule",
        " & ".join(_tex(column.heading) for column in table.columns) + r" \\",
        r"\midrule",
    ]
    for i, row in enumerate(cells_of(table)):
        lines.append(" & ".join(_tex(cell) for cell in row) + r" \\")
        if i in table.rules and i + 1 < len(table.rows):
            lines.append(r"\midrule")
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{_tex(table.title)}}}"]
    lines += [rf"\label{{tab:{table.name}}}", r"\end{table}", ""]
    return "\n".join(lines)


def _tex(text: str) -> str:
    r"""Escape a text; the names of methods become formulas, and a leading minus a real one.

    >>> _tex("rBF_chi2, paper"), _tex("5 %"), _tex("-1.5")
    ('$rBF_{chi2}$, paper', '5 \\%', '$-1.5$')
    """
    words = text.split(" ")
    return " ".join(_tex_word(word) for word in words)


def _tex_word(word: str) -> str:
    bare = word.rstrip(",;:")
    for plain, formula in _TEX_METHODS.items():
        if bare.endswith(plain):
            return f"${bare.removesuffix(plain)}{formula}${word[len(bare) :]}"
    if word[:1] == "-" and word[1:2].isdigit():
        return f"${word}$"
    return word.translate(_TEX)


# -------------------------------------------------------------------------------------------------------- HTML

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 2rem; }
th, td { padding: .15rem .6rem; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid; vertical-align: bottom; }
th.left, td.left { text-align: left; }
tr.rule td { border-bottom: 1px solid color-mix(in srgb, currentColor 40%, transparent); }
tr:hover td { background: color-mix(in srgb, currentColor 8%, transparent); }
img { max-width: 100%; background: white; }
"""


def html_page(report: Report) -> str:
    """Write a report as one page; figures are beside it."""
    body = [f"<h1>{_escape(report.title)}</h1>", *(f"<p>{_escape(line)}</p>" for line in report.about)]
    body += _list(report.findings)
    body += [
        f'<figure><img src="{figure.name}.svg" alt="{_escape(figure.title)}">'
        f"<figcaption>{_escape(figure.title)}</figcaption></figure>"
        for figure in report.figures
    ]
    body += [f"<h2>{_escape(table.title)}</h2>\n{html_table(table)}" for table in report.tables]
    if report.notes:
        body += ["<h2>Notes</h2>", *_list(report.notes)]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_escape(report.title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>\n<body>\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def html_table(table: Table) -> str:
    """Write one table in HTML."""
    kinds = ['class="left"' if column.left else "" for column in table.columns]
    lines = ['<div class="wide"><table>', "<thead><tr>"]
    lines += [
        f'<th scope="col" {kind}>{_escape(column.heading)}</th>'
        for column, kind in zip(table.columns, kinds, strict=True)
    ]
    lines.append("</tr></thead><tbody>")
    for i, row in enumerate(cells_of(table)):
        cells = "".join(f"<td {kind}>{_escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        lines.append(f'<tr class="rule">{cells}</tr>' if i in table.rules else f"<tr>{cells}</tr>")
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


def _list(lines: Iterable[str]) -> list[str]:
    items = [f"<li>{_escape(line)}</li>" for line in lines]
    return ["<ul>", *items, "</ul>"] if items else []


def _escape(text: str) -> str:
    return html.escape(text, quote=True)
