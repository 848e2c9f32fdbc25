"""What the data can decide: the tests as they came out, or how sure pairs are; samples per cell; the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.independence.registry import test_names
from paucal.inspection import ENOUGH, inspect, sufficiency
from paucal.inspection.missingness import rows_for
from paucal.planning import power
from paucal.report.tables import table
from paucal.report.text import bar, counted, name, number, parted, share
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.tests import Tests

if TYPE_CHECKING:
    from paucal.data import Dataset
    from paucal.independence.ledger import Ledger
    from paucal.search.result import SearchResult

TOO_LITTLE = "had too few samples, or no stratum in which both columns vary"
CLEAR = 0.95  # share of graphs that settles a pair
_LARGER = (2, 5, 10)
_TOO_SLOW = ("permutation",)  # to be simulated for a page


def data_section(search: SearchResult, data: Any) -> str:
    """Tell what the search had to work with, and what more rows would change."""
    evidence = search.evidence
    if isinstance(evidence, Graphs):
        told = f"{_open_pairs(search, evidence)}{_learned_again(evidence)}"
    elif isinstance(evidence, Tests):
        told = f"{_tests(evidence.ledger)}{_effects(evidence, data)}"
    else:
        told = _SCORED
    return f'<section id="data"><h2>What the data can decide</h2>{told}{_sufficiency(search, data)}</section>'


def _tests(ledger: Ledger) -> str:
    rows = [
        [counted(order), counted(t.fresh), parted(t.unreliable, t.fresh), parted(t.undecidable, t.fresh)]
        for order, t in ledger.by_order.items()
    ]
    made = table(["Conditioners", "Tests made", "Not to be trusted", "Left undecided"], rows)
    return (
        f"<p>{ledger.n_tests:,} distinct tests were made ({ledger.n_calls:,} were asked for). Of these "
        f"{ledger.n_unreliable:,} ({share(ledger.n_unreliable, ledger.n_tests)}) {TOO_LITTLE}, and "
        f"{ledger.n_undecidable:,} ({share(ledger.n_undecidable, ledger.n_tests)}) were left undecided, which keeps an "
        f"edge.</p>{made}"
    )


_SCORED = (
    "<p>No independence was tested: the search compared graphs by their scores. A score weighs every edge with all the "
    "rows there are; what few rows leave open shows as graphs with nearly the same score.</p>"
)


def _learned_again(evidence: Graphs) -> str:
    """Say why there are no tests to tell of."""
    if evidence.source == "posterior":
        return _SCORED
    tests = "" if not evidence.tests_each else f", with {evidence.tests_each:,.0f} tests on average"
    return (
        f"<p>A graph was learned from each of {evidence.n_graphs:,} samples of the rows{tests}. "
        "What decided in each of them was not kept.</p>"
    )


def _open_pairs(search: SearchResult, sure: Graphs) -> str:
    """Sort the pairs by what the data say about them."""
    n = len(sure.names)
    joined = sure.joined[np.triu_indices(n, 1)]
    apart, together = int((1 - joined >= CLEAR).sum()), int((joined >= CLEAR).sum())
    numbers = (search.edge_numbers() or {}).values()
    this_way = sum(one["probability_of_marks"] >= CLEAR for one in numbers)
    rows = [
        [(label, label), counted(count), parted(count, len(joined))]
        for label, count in (
            (f"Joined in {share(CLEAR)} of the graphs or more", together),
            (f"Not joined in {share(CLEAR)} or more", apart),
            ("Open", len(joined) - apart - together),
        )
    ]
    return (
        f"{table(['What the data say', 'Pairs', 'Share'], rows, words=range(1))}"
        f"<p>Of the {len(numbers)} edges on this page {this_way} also have the same direction, or none, in "
        f"{share(CLEAR)} of the graphs or more.</p>"
    )


def _effects(evidence: Tests, data: Any) -> str:
    """Tell the smallest effects that the tests of the search could detect, if the data are at hand."""
    test = evidence.means
    if data is None or test.name not in test_names() or test.name in _TOO_SLOW or not evidence.ledger.n_tests:
        return ""
    found = power(data, test=test.name, alpha=test.alpha, test_options=test.options, questions=evidence.ledger)
    rows = [
        [
            *(counted(one.order), counted(one.questions), parted(one.undecidable)),
            ("none" if one.effect is None else number(one.effect, 2), one.effect),
            ("out of reach" if one.rows_needed is None else f"{one.rows_needed:,}", one.rows_needed),
        ]
        for one in found.orders
    ]
    heads = ["Conditioners", "Questions", "Undecidable", "Smallest effect", "Rows to decide 95 %"]
    return (
        "<h3>What the tests of this search could detect</h3>"
        f'<p class="note">The smallest effect that would be detected in {share(found.power)} of samples like this, as '
        "Cramér's V (0: none, 1: one column tells the other), at the median over the questions; the share of questions "
        "that no data with the same margins could answer with yes; and the rows with which 95 % could be answered.</p>"
        f"{table(heads, rows)}"
    )


def _sufficiency(search: SearchResult, data: Dataset | None) -> str:
    levels, rows_there = search.evidence.cardinalities, search.n_samples
    if rows_there is None or levels is None or len(levels) < 2:
        return '<p class="note">No table of samples: the answers did not come from counted data.</p>'
    deepest = min(max([3, *search.ledger.by_order]), len(levels) - 2)
    lines = []
    for order in range(deepest + 1):
        n = rows_there if data is None else rows_for(data, order + 2)
        now = sufficiency(n, levels, order)
        shares = [now.enough, *(sufficiency(n * factor, levels, order).enough for factor in _LARGER)]
        middle, worst, half = ((number(v), v) for v in (now.median, now.worst, ENOUGH * rows_there / now.median))
        lines.append([counted(order), middle, worst, *((bar(enough), enough) for enough in shares), half])
    rows = [f"{rows_there * factor:,} rows" for factor in (1, *_LARGER)]
    heads = ["Conditioners", "Median", "Worst", *rows, "Rows for half"]
    return (
        f"<h3>Samples per cell, over all questions with so many conditioners</h3>"
        f'<p class="note">The bars show the share of questions that have {ENOUGH:g} samples per cell or more, with the '
        f"rows there are and with more. The last column is the number of rows with which half of the questions have "
        f"that many.</p>{table(heads, lines)}"
    )


def columns_section(data: Any) -> str:
    """Describe the columns of the data."""
    rows = [
        [
            *((name(word), word) for word in (c.name, str(c.mode))),
            parted(c.mode_share),
            *(counted(count) for count in (c.levels, c.observed, c.missing)),
        ]
        for c in inspect(data, max_order=0).columns
    ]
    heads = ["Column", "Most frequent level", "Its share", "Levels", "Observed", "Missing"]
    listed = table(heads, rows, words=range(2))
    return f"<section><details><summary><h2>Columns</h2></summary>{listed}</details></section>"
