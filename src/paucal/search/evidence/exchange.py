"""A search result as plain values, for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

from paucal.errors import GraphError, PaucalError
from paucal.graphs.graph import Graph
from paucal.graphs.json_head import JsonFormat
from paucal.independence.result import Answer, Ledger, Record, Tally
from paucal.search.evidence.confidence import EdgeProbabilities
from paucal.search.evidence.explain import Reason
from paucal.search.evidence.sepsets import Sepsets

if TYPE_CHECKING:
    from paucal.search.result import SearchResult

_JSON = JsonFormat("paucal-result", "result")


def to_plain(result: SearchResult) -> dict[str, Any]:
    """Give everything in a result as lists, dictionaries, texts and numbers."""
    return {
        **_JSON.head,
        "search": result.search,
        "settings": _plain(result.settings),
        "test": result.test,
        "test_parameters": _plain(result.test_parameters),
        "n_samples": result.n_samples,
        "cardinalities": None if result.cardinalities is None else list(result.cardinalities),
        "seconds": result.seconds,
        "frame_kind": result.frame_kind,
        "graph": result.graph.to_dict(),
        "columns": list(result.ledger.names),
        "sepsets": [[x, y, list(given)] for (x, y), given in result.sepsets.items()],
        "reasons": [[a, b, reason.rule, list(reason.via)] for (a, b), reason in result.reasons.items()],
        "details": _plain(result.details),
        "ledger": result.ledger.to_dict(),
        "evidence": [_line(record) for record in result.ledger.records()],
        **({} if result.confidence is None else {"probabilities": result.confidence.to_plain()}),
    }


def from_plain(content: object) -> dict[str, Any]:
    """Give the fields of the result that `to_plain` described; an error says what is wrong with them."""
    checked = _JSON.check(content)
    try:
        return _fields(checked)
    except PaucalError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise GraphError(
            f"The result is damaged: {error!r}.", hint="Give what to_json() wrote, unchanged."
        ) from error


def _fields(content: Mapping[str, Any]) -> dict[str, Any]:
    names = tuple(content["columns"])
    number = {name: i for i, name in enumerate(names)}
    ledger = Ledger(names)
    for order, tally in content["ledger"]["by_order"].items():
        ledger.add(int(order), Tally(**tally))
    for line in content["evidence"]:
        ledger.note(*_read(line))
    sets = {(number[x], number[y]): [number[z] for z in given] for x, y, given in content["sepsets"]}
    levels = content["cardinalities"]
    same = ("search", "settings", "test", "test_parameters", "details", "seconds", "n_samples", "frame_kind")
    return {
        "graph": Graph.from_dict(content["graph"]),
        "sepsets": Sepsets(names, sets),
        "ledger": ledger,
        "reasons": {(a, b): Reason(rule, tuple(via)) for a, b, rule, via in content["reasons"]},
        "cardinalities": None if levels is None else tuple(levels),
        "confidence": EdgeProbabilities.from_plain(names, sure)
        if (sure := content.get("probabilities"))
        else None,
        **{field: content[field] for field in same},
    }


def _plain(value: Any) -> Any:
    """Turn parameters into what JSON has; what JSON has not is told as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if abs(value) < inf else str(value)
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)


def _line(record: Record) -> list[Any]:
    """Tell a test; what is not finite, which JSON has no numbers for, as null or as text."""
    x, y, given, answer = record
    if isfinite(sum(answer)):
        return [x, y, list(given), *answer]
    return [x, y, list(given), *(value if isfinite(value) else _special(value) for value in answer)]


def _special(value: float) -> str | None:
    return None if isnan(value) else str(value)


def _read(line: list[Any]) -> tuple[int, int, tuple[int, ...], Answer]:
    x, y, given, *numbers = line
    statistic, dof, p_value, threshold, nearness = (nan if v is None else float(v) for v in numbers[:5])
    strata, decision, flags = numbers[5:]
    return x, y, tuple(given), Answer(statistic, dof, p_value, threshold, nearness, strata, decision, flags)
