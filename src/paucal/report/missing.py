"""What was missing, what was done about it, and what that assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.inspection.missingness import Missingness
from paucal.report.tables import table
from paucal.report.text import counted, name, number, parted, text
from paucal.search.evidence.graphs import Graphs

if TYPE_CHECKING:
    from paucal.data import Dataset
    from paucal.search.result import SearchResult

_SHOWN = 20  # columns
_ASSUMED = (
    "<p>This assumes that values are missing at random given the rest: whether a value is missing may depend on the "
    "other columns of the row, but not on the value itself. If it does, as when the ill stay away, levels that are "
    "missing more often are filled in too rarely, edges of that column are weakened or lost, and columns whose absence "
    "has a common cause may look joined. The data cannot tell.</p>"
)


def missing_section(search: SearchResult, data: Dataset | None) -> str:
    """Tell of gaps, if the data had any."""
    found = None if data is None else Missingness.of(data)
    told = search.details.get("missing")
    if found is None and told is None:
        return ""
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
    said = "".join(f"<p>{text(line)}.</p>" for line in lines)
    return f'<section id="missing"><h2>What was missing</h2>{said}{_columns(found)}{_ASSUMED}</section>'


def _columns(found: Missingness | None) -> str:
    if found is None:
        return ""
    depends = {one.column: one for one in found.dependences}
    rows = [
        [
            (name(column), column),
            counted(n),
            parted(n, found.n_rows),
            (name(depends[column].on), depends[column].on) if column in depends else ("\u2013", ""),
            (number(depends[column].p_value), depends[column].p_value) if column in depends else ("\u2013", 1.0),
        ]
        for column, n in list(found.columns.items())[:_SHOWN]
    ]
    heads = ["Column", "Missing", "Share", "More often missing by level of", "p, for all tests together"]
    more = len(found.columns) - len(rows)
    rest = f'<p class="note">And {more:,} more columns.</p>' if more > 0 else ""
    return f"{table(heads, rows, words=(0, 3))}{rest}"
