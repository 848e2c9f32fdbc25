"""What the data can decide: the tests as they came out, or how sure pairs are; samples per cell; the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.independence.registry import test_names
from paucal.inspection import ENOUGH, inspect, sufficiency
from paucal.inspection.missingness import rows_for
from paucal.planning import power
from paucal.report.text import Cell, Full, Table, counted, drawn, named, number, numbered, parted, share, worded
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.tests import Tests

if TYPE_CHECKING:
    from paucal.data import Dataset
    from paucal.independence.ledger import Ledger
    from paucal.search.result import SearchResult

TOO_LITTLE = "had too few rows, or no group of rows in which both columns vary"
CLEAR = 0.95  # share of graphs that settles a pair
_LARGER = (2, 5, 10)
_TOO_SLOW = ("permutation",)  # to be simulated for a page


def decided(search: SearchResult, data: Any) -> dict[str, Any]:
    """Collect what the search had to work with, and what more rows would change."""
    evidence = search.evidence
    told: dict[str, Any] = {"kind": evidence.kind, "per_cell": _per_cell(search, data), "enough": f"{ENOUGH:g}"}
    if isinstance(evidence, Graphs):
        told |= {"pairs": _open_pairs(evidence), "edges": _settled_edges(search), "sampled": _learned_again(evidence)}
    elif isinstance(evidence, Tests):
        told |= {"tests": _tests(evidence.ledger), "made": _made(evidence.ledger)}
        told |= {"detectable": _detectable(evidence, data), "power": share(0.8)}
    return told


def _made(ledger: Ledger) -> str:
    return (
        f"{ledger.n_tests:,} distinct tests were made ({ledger.n_calls:,} were asked for). Of these "
        f"{ledger.n_unreliable:,} ({share(ledger.n_unreliable, ledger.n_tests)}) {TOO_LITTLE}, and "
        f"{ledger.n_undecidable:,} ({share(ledger.n_undecidable, ledger.n_tests)}) were left undecided, which keeps an "
        "edge."
    )


def _tests(ledger: Ledger) -> Table:
    rows = [
        [counted(order), counted(t.fresh), parted(t.unreliable, t.fresh), parted(t.undecidable, t.fresh)]
        for order, t in ledger.by_order.items()
    ]
    return Table(["Columns held fixed", "Tests made", "Not to be trusted", "Left undecided"], rows)


def _learned_again(evidence: Graphs) -> str | None:
    """Say what was learned again and again, if no score was compared."""
    if evidence.source == "posterior":
        return None
    tests = "" if not evidence.tests_each else f", with {evidence.tests_each:,.0f} tests on average"
    return (
        f"A graph was learned from each of {evidence.n_graphs:,} samples of the rows{tests}. "
        "What decided in each of them was not kept."
    )


def _open_pairs(sure: Graphs) -> Table:
    """Sort the pairs by what the data say about them."""
    joined = sure.joined[np.triu_indices(len(sure.names), 1)]
    apart, together = int((1 - joined >= CLEAR).sum()), int((joined >= CLEAR).sum())
    rows = [
        [worded(label), counted(count), parted(count, len(joined))]
        for label, count in (
            (f"Joined in {share(CLEAR)} of the graphs or more", together),
            (f"Not joined in {share(CLEAR)} or more", apart),
            ("Open", len(joined) - apart - together),
        )
    ]
    return Table(["What the data say", "Pairs", "Share"], rows, words=range(1))


def _settled_edges(search: SearchResult) -> str:
    numbers = (search.edge_numbers() or {}).values()
    same = sum(one["probability_of_marks"] >= CLEAR for one in numbers)
    have = "has" if same == 1 else "have"
    drawn = "the direction drawn here, or none if none is drawn"
    return f"{same} of the {len(numbers)} edges {have} {drawn}, in {share(CLEAR)} of the graphs or more."


def _detectable(evidence: Tests, data: Any) -> Table | None:
    """Tell the smallest effects that the tests of the search could detect, if the data are at hand."""
    test = evidence.means
    if data is None or test.name not in test_names() or test.name in _TOO_SLOW or not evidence.ledger.n_tests:
        return None
    found = power(data, test=test.name, alpha=test.alpha, test_options=test.options, questions=evidence.ledger)
    rows = [
        [
            *(counted(one.order), counted(one.questions), parted(one.undecidable)),
            Cell(("none" if one.effect is None else number(one.effect, 2),), one.effect),
            Cell(("out of reach" if one.rows_needed is None else f"{one.rows_needed:,}",), one.rows_needed),
        ]
        for one in found.orders
    ]
    return Table(
        ["Columns held fixed", "Questions", "Cannot be decided", "Smallest effect", "Rows to decide 95 %"], rows
    )


def _per_cell(search: SearchResult, data: Dataset | None) -> Table | None:
    levels, rows_there = search.evidence.cardinalities, search.n_samples
    if rows_there is None or levels is None or len(levels) < 2:
        return None
    deepest = min(max([3, *search.ledger.by_order]), len(levels) - 2)
    lines = []
    for order in range(deepest + 1):
        n = rows_there if data is None else rows_for(data, order + 2)
        now = sufficiency(n, levels, order)
        shares = [now.enough, *(sufficiency(n * factor, levels, order).enough for factor in _LARGER)]
        half = ENOUGH * rows_there / now.median
        lines.append([counted(order), *map(numbered, (now.median, now.worst)), *map(drawn, shares), numbered(half)])
    rows = [f"{rows_there * factor:,} rows" for factor in (1, *_LARGER)]
    return Table(["Columns held fixed", "Median", "Worst", *rows, "Rows for half"], lines)


def columns_table(data: Any) -> Table:
    """Describe the columns of the data."""
    rows = [
        [
            Cell((Full(c.name),), c.name),
            named(str(c.mode)),
            parted(c.mode_share),
            *map(counted, (c.levels, c.observed, c.missing)),
        ]
        for c in inspect(data, max_order=0).columns
    ]
    heads = ["Column", "Most frequent level", "Its share", "Levels", "Observed", "Missing"]
    return Table(heads, rows, words=range(2))
