"""What was missing, what was done about it, and what that assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paucal.inspection.missingness import Missingness
from paucal.report.text import EMPTY, Cell, Table, counted, named, numbered, parted
from paucal.search.evidence.graphs import Graphs

if TYPE_CHECKING:
    from paucal.data import Dataset
    from paucal.search.result import SearchResult

_SHOWN = 20  # columns


def gaps(search: SearchResult, data: Dataset | None) -> dict[str, Any] | None:
    """Tell of gaps, if the data had any."""
    found = None if data is None else Missingness.of(data)
    told = search.details.get("missing")
    if found is None and told is None:
        return None
    lines = found.lines() if found is not None else []
    if told is not None:
        lines.append(
            f"The gaps were filled in {told['fillings']} times, as the sampled graphs and the other values of a row "
            "make it likely; probabilities are shares over all fillings"
        )
    elif isinstance(search.evidence, Graphs):
        lines.append("Every graph was learned from data with gaps")
    else:
        lines.append("Every test used the rows that have all values of its question")
    more = 0 if found is None else max(len(found.columns) - _SHOWN, 0)
    return {"lines": lines, "columns": None if found is None else _columns(found), "more": more}


def _columns(found: Missingness) -> Table:
    depends = {one.column: one for one in found.dependences}
    rows = [
        [
            *(named(column), counted(n), parted(n, found.n_rows)),
            named(depends[column].on) if column in depends else EMPTY,
            numbered(depends[column].p_value) if column in depends else Cell(("–",), 1.0),
        ]
        for column, n in list(found.columns.items())[:_SHOWN]
    ]
    heads = ["Column", "Missing", "Share", "More often missing by level of", "p, for all tests together"]
    return Table(heads, rows, words=(0, 3))
