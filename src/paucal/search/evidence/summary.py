"""A search result in a few lines of plain text: what was run, the graph in numbers, the tests by order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.search.result import SearchResult


def summary(result: SearchResult) -> str:
    """Give the text of `SearchResult.summary`."""
    g, ledger = result.graph, result.ledger
    other = g.n_edges - g.n_directed - g.n_undirected
    sorts = f"{g.n_directed} directed, {g.n_undirected} undirected" + (f", {other} other" if other else "")
    rows = "" if result.n_samples is None else f", {result.n_samples} samples"
    lines = [
        f"{result.search} with {_call(result.test, result.test_parameters)}{rows}, {_duration(result.seconds)}",
        f"{_count(g.n, 'node')}, {_count(g.n_edges, 'edge')}: {sorts}",
    ]
    if "chosen" in result.details:
        lines.append(f"chosen: {result.details['chosen']}")
    if result.confidence is not None:
        lines.append(result.confidence.described(result.details.get("difference")))
    if result.has_tests:
        told = f"{_count(ledger.n_tests, 'test')} ({ledger.n_calls} asked)"
        lines.append(f"{told}, {ledger.n_unreliable} of them unreliable")
    if ledger.by_order:
        lines.append("order   tests   asked   unreliable   undecidable")
        lines += [
            f"{order:5d} {t.fresh:7d} {t.calls:7d} {t.unreliable:12d} {t.undecidable:13d}"
            for order, t in ledger.by_order.items()
        ]
    return "\n".join(lines)


def _call(name: str, parameters: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    return f"{name}({inside})" if inside else name


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _duration(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
