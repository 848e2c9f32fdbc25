"""What the data can decide: the tests as they came out, samples per cell, and the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paucal.independence.registry import test_names
from paucal.inspection import ENOUGH, inspect, sufficiency
from paucal.planning import power
from paucal.report.tables import table
from paucal.report.text import name, number, share

if TYPE_CHECKING:
    from paucal.search.result import SearchResult

TOO_LITTLE = "had too few samples, or no stratum in which both columns vary"
_LARGER = (2, 5, 10)
_TOO_SLOW = ("permutation",)  # to be simulated for a page


def data_section(search: SearchResult, data: Any) -> str:
    """Tell what the tests had to work with, and what more rows would change."""
    ledger = search.ledger
    if not ledger.n_tests:
        told = "<p>No independence was tested: the search compared graphs by their scores.</p>"
        return f'<section id="data"><h2>What the data can decide</h2>{told}{_sufficiency(search)}</section>'
    rows = [
        [
            (str(order), order),
            (f"{t.fresh:,}", t.fresh),
            (share(t.unreliable, t.fresh), t.unreliable / max(t.fresh, 1)),
            (share(t.undecidable, t.fresh), t.undecidable / max(t.fresh, 1)),
        ]
        for order, t in ledger.by_order.items()
    ]
    made = table(["Conditioners", "Tests made", "Not to be trusted", "Left undecided"], rows, left=0)
    total = (
        f"<p>{ledger.n_tests:,} distinct tests were made ({ledger.n_calls:,} were asked for). Of these "
        f"{ledger.n_unreliable:,} ({share(ledger.n_unreliable, ledger.n_tests)}) {TOO_LITTLE}, and "
        f"{ledger.n_undecidable:,} ({share(ledger.n_undecidable, ledger.n_tests)}) were left undecided, which keeps an "
        "edge.</p>"
    )
    told = f"{total}{made}{_effects(search, data)}{_sufficiency(search)}"
    return f'<section id="data"><h2>What the data can decide</h2>{told}</section>'


def _effects(search: SearchResult, data: Any) -> str:
    """Tell the smallest effects that the tests of the search could detect, if the data are at hand."""
    if data is None or search.test not in test_names() or search.test in _TOO_SLOW:
        return ""
    options = {key: value for key, value in search.test_parameters.items() if key != "alpha"}
    alpha = search.test_parameters["alpha"]
    found = power(data, test=search.test, alpha=alpha, test_options=options, questions=search)
    rows = [
        [
            (str(one.order), one.order),
            (f"{one.questions:,}", one.questions),
            (share(one.undecidable), one.undecidable),
            ("none" if one.effect is None else number(one.effect, 2), one.effect),
            ("out of reach" if one.rows_needed is None else f"{one.rows_needed:,}", one.rows_needed),
        ]
        for one in found.orders
    ]
    heads = ["Conditioners", "Questions", "Undecidable", "Smallest effect", "Rows to decide 95 %"]
    return (
        "<h3>What the tests of this search could detect</h3>"
        f'<p class="note">The smallest effect that would be detected in {found.power:.0%} of samples like this one, as '
        "Cramér's V (0: none, 1: one column tells the other), at the median over the questions; the share of questions "
        "that no data with the same margins could answer with yes; and the rows with which 95 % could be answered.</p>"
        f"{table(heads, rows, left=0)}"
    )


def _sufficiency(search: SearchResult) -> str:
    if search.n_samples is None or search.cardinalities is None or len(search.cardinalities) < 2:
        return '<p class="note">No table of samples: the answers did not come from counted data.</p>'
    n, levels = search.n_samples, search.cardinalities
    deepest = min(max([3, *search.ledger.by_order]), len(levels) - 2)
    lines = []
    for order in range(deepest + 1):
        now = sufficiency(n, levels, order)
        later = [sufficiency(n * factor, levels, order).enough for factor in _LARGER]
        lines.append(
            [
                (str(order), order),
                (number(now.median), now.median),
                (number(now.worst), now.worst),
                *((_bar(enough), enough) for enough in (now.enough, *later)),
                (number(ENOUGH * n / now.median), ENOUGH * n / now.median),
            ]
        )
    heads = [
        "Conditioners",
        "Median",
        "Worst",
        f"{n:,} rows",
        *(f"{n * k:,} rows" for k in _LARGER),
        "Rows for half",
    ]
    return (
        f"<h3>Samples per cell, over all questions with so many conditioners</h3>"
        f'<p class="note">The bars show the share of questions that have {ENOUGH:g} samples per cell or more, with the '
        f"rows there are and with more. The last column is the number of rows with which half of the questions have "
        f"that many.</p>{table(heads, lines, left=0)}"
    )


def _bar(part: float) -> str:
    return (
        f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="whole" width="100" height="10"/><rect class="part" width="{100 * part:.1f}" height="10"/></svg>'
        f" {share(part)}"
    )


def columns_section(data: Any) -> str:
    """Describe the columns of the data."""
    rows = [
        [
            (name(c.name), c.name),
            (name(str(c.mode)), str(c.mode)),
            (share(c.mode_share), c.mode_share),
            (str(c.levels), c.levels),
            (str(c.observed), c.observed),
            (str(c.missing), c.missing),
        ]
        for c in inspect(data, max_order=0).columns
    ]
    heads = ["Column", "Most frequent level", "Its share", "Levels", "Observed", "Missing"]
    return f"<section><details><summary><h2>Columns</h2></summary>{table(heads, rows, left=2)}</details></section>"
