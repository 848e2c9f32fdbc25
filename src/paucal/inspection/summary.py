"""`inspect`: what is in a table, what stands in the way, and what tests on it can decide."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from paucal import checks
from paucal.data import Dataset
from paucal.data.dataset import from_tabular
from paucal.data.preparation import preparation_of
from paucal.data.preparation_words import in_short
from paucal.data.steps import counted_levels
from paucal.errors import DataError, counted
from paucal.inspection.findings import grouped
from paucal.inspection.intake import take_in
from paucal.inspection.missingness import Missingness, rows_for
from paucal.inspection.sufficiency import Sufficiency, sufficiency

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paucal.data.preparation import Preparation, Preparing
    from paucal.inspection.describe import ColumnSummary
    from paucal.inspection.findings import Finding


@dataclass(frozen=True)
class Inspection:
    """What is in a table.

    Attributes
    ----------
    n_rows, columns
        The rows, and every column as it came.
    findings
        What stands in the way of discovery, and what to do about it.
    proposal
        What would be done to the table before anything is learned from it; None if that was switched off, or if nothing
        would be left.
    refused
        The error that a search would end with, and `refusal` its text; None if there is none.
    sufficiency
        Samples per cell over all questions, by number of conditioning columns, after the proposal.
    notes
        What the reader of the file had to decide.
    missing
        What is missing after the proposal, and what that depends on; None if nothing is.
    """

    n_rows: int
    columns: tuple[ColumnSummary, ...]
    findings: tuple[Finding, ...]
    proposal: Preparation | None
    sufficiency: tuple[Sufficiency, ...]
    notes: tuple[str, ...] = ()
    refused: DataError | None = None
    missing: Missingness | None = None

    @property
    def refusal(self) -> str | None:
        """Why nothing can be learned from the table as it is; None if something can."""
        return None if self.refused is None else str(self.refused)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "n_rows": self.n_rows,
            "n_columns": len(self.columns),
            "notes": list(self.notes),
            "columns": [c.to_dict() for c in self.columns],
            "findings": [f.to_dict() for f in self.findings],
            "proposal": None if self.proposal is None else str(self.proposal).splitlines(),
            "refusal": self.refusal,
            "missing": None if self.missing is None else self.missing.to_dict(),
            "samples_per_cell": [vars(s) for s in self.sufficiency],
        }

    def __str__(self) -> str:
        rows = [(c.name, c.kind, c.in_words, f"{c.missing:,} missing", c.taken_as) for c in self.columns]
        widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
        lines = [f"{counted(self.n_rows, 'row')}, {counted(len(self.columns), 'column')}"]
        lines += ["  ".join(cell.ljust(n) for cell, n in zip(row, widths, strict=True)).rstrip() for row in rows]
        lines += [f"* {line}" for line in grouped(self.findings)]
        if self.missing is not None:
            lines += [f"{line}." for line in self.missing.lines()]
        if self.proposal is not None and self.refused is None and (short := in_short(self.proposal)) is not None:
            lines.append(f"Prepared: {short}")
        return "\n".join(lines if self.refused is None else [*lines, str(self.refused)])

    def _repr_html_(self) -> str:
        heads = ("column", "kind", "taken as", "values", "different", "missing", "most frequent")
        columns = [
            (c.name, c.kind, c.taken_as, c.in_words, c.observed, c.missing, f"{c.mode_share:.1%}") for c in self.columns
        ]
        found = [(f.what, f.effect, f.advice) for f in self.findings]
        cells = [
            (s.order, f"{s.questions:,}", f"{s.median:.3g}", f"{s.worst:.3g}", f"{s.enough:.0%}")
            for s in self.sufficiency
        ]
        return (
            f"<div><p>{self.n_rows} rows, {len(self.columns)} columns</p>"
            f"{_html_table(heads, columns)}"
            + "".join(f"<p>{html.escape(line)}</p>" for line in (self.missing.lines() if self.missing else ()))
            + (f"<p>Findings</p>{_html_table(('what', 'effect', 'advice'), found)}" if found else "")
            + "<p>Samples per cell of a test, over all questions</p>"
            f"{_html_table(('adjusting for', 'questions', 'median', 'worst', '5 or more'), cells)}</div>"
        )


def inspect(data: Any, *, max_order: int = 3, as_is: bool = False, **said: Unpack[Preparing]) -> Inspection:
    """Describe a table: columns, what stands in the way of discovery, samples per cell of tests of each order.

    No table that can be read is refused. Each column takes a few passes over its values; relations between columns are
    looked for among a bounded number of columns (`relations`, `sums`, `computed`, `near` in `paucal.inspection`), and a
    finding says so if there are more.

    Parameters
    ----------
    data
        Anything `Dataset.of` takes.
    max_order
        Largest number of conditioning columns to look at.
    as_is
        Count samples per cell on the table as it is, not as `paucal.prepare` proposes to prepare it.
    said
        What is to be done to the table; see `paucal.prepare`.

    Examples
    --------
    >>> import paucal
    >>> found = paucal.inspect({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10, "c": [0, 1, 2, 3] * 10})
    >>> [(s.order, s.median, s.worst) for s in found.sufficiency]
    [(0, 5.0, 5.0), (1, 2.5, 2.5)]
    """
    return summary(data, said, max_order=max_order, as_is=as_is)[0]


def summary(
    data: Any,
    said: Mapping[str, Any],
    *,
    max_order: int = 3,
    as_is: bool = False,
    preparation: Preparation | None = None,
) -> tuple[Inspection, Dataset | None]:
    """Describe a table, and give the data set that samples per cell were counted on, if there is one.

    A preparation takes the place of what would be proposed.
    """
    max_order = checks.whole_number("max_order", max_order, 0)
    as_is = checks.flag("as_is", as_is)
    found = take_in(data, said)
    looked = found.looked
    if looked is None:
        return Inspection(0, (), (), None, (), found.came.table.source.notes, DataError("The table has no rows.")), None
    told: dict[str, Any] = {"proposal": None, "sufficiency": (), "refused": None}
    ready = None
    try:
        if preparation is not None and preparation.said:
            ready = from_tabular(found.came, preparation, told=False)
        elif isinstance(data, Dataset):
            ready = Dataset.of(data, **said)
        elif as_is:
            ready = from_tabular(found.came, preparation_of(said), told=False)
        else:
            told["proposal"] = found.proposal
            ready = found.dataset(told=False)
        asked = [name for name, kind in zip(ready.names, ready.kinds, strict=True) if kind != "name"]
        part = ready.select(asked) if asked else ready
        orders = range(min(max_order, len(asked) - 2) + 1)
        told["sufficiency"] = tuple(
            sufficiency(rows_for(part, order + 2), counted_levels(part), order) for order in orders
        )
        told["missing"] = Missingness.of(part)
    except DataError as error:
        told["refused"] = error
    n_rows, notes = found.chosen.table.n_rows, found.came.table.source.notes
    return Inspection(n_rows, looked.columns, looked.findings, notes=notes, **told), ready


def _html_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{head}</th>" for head in heads)
    lines = ("".join(f"<td>{html.escape(str(value))}</td>" for value in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
