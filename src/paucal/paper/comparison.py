"""Our numbers beside the paper's: the tables and the findings that all experiments with networks share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paucal.paper.published import RUNS, SIZES
from paucal.paper.summary import correlation, deviation
from paucal.paper.tables import Column, Stat, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.paper.published import Printed, PrintedTable, Size
    from paucal.paper.summary import Entries
    from paucal.paper.tables import Value


@dataclass(frozen=True)
class Measure:
    """What is measured: its name in the results, how it is called, and the digits it is written with."""

    name: str
    heading: str
    digits: int = 1


SHD = Measure("shd", "SHD")
LOCAL_SHD = Measure("shd", "SHD", 2)
TESTS = Measure("tests", "tests", 0)
SECONDS = Measure("seconds", "seconds", 3)

_WHERE = (Column("network", "network", left=True), Column("size", "size", left=True))


def overview(
    printed: PrintedTable, entries: Entries, measure: Measure, *, name: str, methods: Sequence[str]
) -> Table:
    """Lay a table out as the paper does, each of our columns followed by the paper's.

    With a row for each size where the paper has them; otherwise the means over the sizes only, as it prints them.
    """
    by_size = any(size != "mean" for _, size, _ in printed.measures[measure.name])
    columns = list(_WHERE)
    for method in methods:
        columns.append(Column(method, method, measure.digits, spread="sd" if by_size else "se"))
        columns.append(Column(f"{method}_paper", "paper", measure.digits))
    rows: list[tuple[Value, ...]] = []
    rules = set()
    for network in entries.networks:
        sizes = entries.sizes(network) if by_size else ()
        for size in sizes:
            row: list[Value] = [network.upper(), str(size)]
            for method in methods:
                row.append(entries.stat(measure.name, network, size, method))
                row.append(_beside(_printed(printed, entries, measure.name, network, size, method)))
            rows.append(tuple(row))
        row = [network.upper(), "mean"]
        for method in methods:
            mean = entries.over_sizes(measure.name, network, method)
            row.append(Stat(mean.mean) if by_size else mean)
            row.append(_beside(_printed(printed, entries, measure.name, network, "mean", method)))
        rows.append(tuple(row))
        rules.add(len(rows) - 1)
    what = "± standard deviation" if by_size else "means over the sizes ± standard error"
    title = f"{measure.heading}, ours and the paper's, {what}"
    return Table(name, title, tuple(columns), tuple(rows), frozenset(rules) if by_size else frozenset())


def by_method(
    printed: PrintedTable, entries: Entries, measure: Measure, *, name: str, methods: Sequence[str]
) -> Table:
    """Give many methods a row each: means over the sizes, each network followed by the paper's."""
    columns = [Column("method", "method", left=True)]
    for network in entries.networks:
        columns.append(Column(network, network.upper(), measure.digits))
        columns.append(Column(f"{network}_paper", "paper", measure.digits))
    rows: list[tuple[Value, ...]] = []
    for method in methods:
        row: list[Value] = [method]
        for network in entries.networks:
            row.append(Stat(entries.over_sizes(measure.name, network, method).mean))
            row.append(_beside(_printed(printed, entries, measure.name, network, "mean", method)))
        rows.append(tuple(row))
    title = f"{measure.heading}, ours and the paper's, means over the sizes"
    return Table(name, title, tuple(columns), tuple(rows))


# name in the results -> what it is called
DEFINITIONS = {
    "shd": "SHD",
    "shd_double": "reversals cost 2",
    "shd_parts": "parts",
    "shd_dag": "SHD to the DAG",
    "shd_dag_parts": "parts, to the DAG",
}


def definitions(printed: PrintedTable, entries: Entries, *, name: str, methods: Sequence[str]) -> Table:
    """Measure the same graphs by other definitions of the SHD: means over the sizes."""
    columns = (
        _WHERE[0],
        Column("method", "method", left=True),
        Column("paper", "paper"),
        *(Column(measure, heading) for measure, heading in DEFINITIONS.items()),
    )
    rows: list[tuple[Value, ...]] = []
    rules = set()
    for network in entries.networks:
        for method in methods:
            ours = [Stat(entries.over_sizes(measure, network, method).mean) for measure in DEFINITIONS]
            theirs = _beside(_printed(printed, entries, "shd", network, "mean", method))
            rows.append((network.upper(), method, theirs, *ours))
        rules.add(len(rows) - 1)
    title = "The same graphs by other definitions of the SHD, means over the sizes"
    return Table(name, title, columns, tuple(rows), frozenset(rules))


def details(
    printed: PrintedTable,
    entries: Entries,
    *,
    name: str,
    methods: Sequence[str],
    reference: str,
    digits: int = 1,
    empty: bool = True,
) -> Table:
    """List every network, size and method with all that was measured, and what an empty graph scores.

    The last column pairs each method with the reference on the same data.
    """
    columns = (
        *_WHERE,
        Column("method", "method", left=True),
        Column("shd", "SHD", digits),
        Column("shd_paper", "paper", digits),
        Column("extra", "extra", digits),
        Column("missing", "missing", digits),
        Column("misdirected", "misdirected", digits),
        Column("tests", "tests", 0),
        Column("tests_paper", "paper", 0),
        Column("distinct", "distinct tests", 0),
        Column("seconds", "CPU seconds", 4),
        Column("paired", f"SHD minus {reference}", max(digits, 1), spread="se", signed=True),
    )
    rows: list[tuple[Value, ...]] = []
    rules = set()
    for network in entries.networks:
        for size in (*entries.sizes(network), None):
            where: tuple[Value, Value] = (network.upper(), "mean" if size is None else str(size))
            rows += [
                (*where, method, *_line(printed, entries, network, size, method, reference))
                for method in methods
            ]
            if empty:
                score = _mean(entries, "empty", network, size, methods[0]).mean
                rows.append(
                    (
                        *where,
                        "empty graph",
                        Stat(score),
                        None,
                        Stat(0.0),
                        Stat(score),
                        Stat(0.0),
                        *(None,) * 5,
                    )
                )
            rules.add(len(rows) - 1)
    title = "All methods: mean ± standard deviation over runs, last column ± standard error"
    return Table(name, title, columns, tuple(rows), frozenset(rules))


def _line(
    printed: PrintedTable, entries: Entries, network: str, size: int | None, method: str, reference: str
) -> tuple[Value, ...]:
    def ours(measure: str) -> Stat:
        return _mean(entries, measure, network, size, method)

    def theirs(measure: str) -> Stat | None:
        return _beside(_printed(printed, entries, measure, network, "mean" if size is None else size, method))

    return (
        ours("shd"),
        theirs("shd"),
        *(Stat(ours(sort).mean) for sort in ("extra", "missing", "misdirected")),
        ours("tests"),
        theirs("tests"),
        Stat(ours("distinct").mean),
        Stat(ours("seconds").mean),
        None if method == reference else entries.difference("shd", network, size, method, reference),
    )


def _mean(entries: Entries, measure: str, network: str, size: int | None, method: str) -> Stat:
    if size is None:
        return Stat(entries.over_sizes(measure, network, method).mean)
    return entries.stat(measure, network, size, method)


# ---------------------------------------------------------------------------------------------------- findings


def findings(
    printed: PrintedTable, entries: Entries, measures: Sequence[Measure], methods: Sequence[str], runs: int
) -> tuple[str, ...]:
    """Say in numbers how far ours and the paper's agree."""
    lines = []
    for measure in measures:
        if measure.name in printed.measures:
            lines += _agreement(printed, entries, measure, methods, runs)
    if "shd" in printed.measures:
        lines += _winners(printed, entries, methods)
    return tuple(lines)


def _agreement(
    printed: PrintedTable, entries: Entries, measure: Measure, methods: Sequence[str], runs: int
) -> list[str]:
    lines = []
    for method in methods:
        pairs, deviations = [], []
        for network in entries.networks:
            sizes = entries.sizes(network)
            rows = [
                s for s in sizes if _printed(printed, entries, measure.name, network, s, method) is not None
            ]
            for size in rows:
                theirs = _printed(printed, entries, measure.name, network, size, method)
                ours = entries.stat(measure.name, network, size, method)
                if theirs is not None:
                    pairs.append((ours.mean, theirs.mean))
                    deviations.append(deviation(ours, runs, theirs, RUNS))
            mean = _printed(printed, entries, measure.name, network, "mean", method)
            if not rows and mean is not None:
                pairs.append((entries.over_sizes(measure.name, network, method).mean, mean.mean))
        if pairs:
            lines.append(_sentence(measure, method, pairs, [d for d in deviations if d is not None]))
    return lines


def _sentence(
    measure: Measure, method: str, pairs: Sequence[tuple[float, float]], deviations: Sequence[float]
) -> str:
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    entries = f"{len(pairs)} {'entry' if len(pairs) == 1 else 'entries'}"
    r = correlation(ours, theirs)
    tail = "" if r is None else f", correlation over entries {r:.2f}"
    if deviations:
        near = sum(abs(d) <= 2 for d in deviations)
        tail += f", within two standard errors in {near} of {len(deviations)}"
    if measure.name in ("tests", "seconds"):
        logs = [math.log(a / b) for a, b in pairs if a > 0 and b > 0]
        if not logs:
            return f"{measure.heading}, {method}: no ratio, for want of numbers above zero."
        low, high, mean = math.exp(min(logs)), math.exp(max(logs)), math.exp(sum(logs) / len(logs))
        return (
            f"{measure.heading}, {method}: ours are {mean:.3g} times the paper's (geometric mean of {entries}, "
            f"from {low:.3g} to {high:.3g}){tail}."
        )
    gaps = [a - b for a, b in pairs]
    gap, least, most = (f"{g:+.{measure.digits}f}" for g in (sum(gaps) / len(gaps), min(gaps), max(gaps)))
    return (
        f"{measure.heading}, {method}: ours minus the paper's is {gap} on average ({entries}, from {least} to "
        f"{most}){tail}."
    )


def _winners(printed: PrintedTable, entries: Entries, methods: Sequence[str]) -> list[str]:
    """Compare which method has the lowest mean SHD on each network, and how often it beats the empty graph."""
    same, told = 0, []
    for network in entries.networks:
        theirs = {m: _printed(printed, entries, "shd", network, "mean", m) for m in methods if "," not in m}
        known = {m: p.mean for m, p in theirs.items() if p is not None}
        if not known:
            continue
        ours = {m: entries.over_sizes("shd", network, m).mean for m in known}
        best_ours, best_theirs = (
            [m for m in scores if scores[m] == min(scores.values())] for scores in (ours, known)
        )
        same += bool(set(best_ours) & set(best_theirs))
        told.append(f"{network.upper()} {' and '.join(best_ours)} (paper {' and '.join(best_theirs)})")
    if not told:
        return []
    return [f"Lowest mean SHD by network: {', '.join(told)}; the same method on {same} of {len(told)}."]


def _printed(
    table: PrintedTable, entries: Entries, measure: str, network: str, size: Size, method: str
) -> Printed | None:
    """Look a number up; a variant has the numbers of its method, and a mean is one over the same sizes or none."""
    if size == "mean" and entries.sizes(network) != SIZES.get(network):
        return None
    return table.value(measure, network, size, method.partition(",")[0])


def _beside(printed: Printed | None) -> Stat | None:
    return None if printed is None else Stat(printed.mean, printed.sd)
