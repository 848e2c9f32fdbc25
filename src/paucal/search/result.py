"""What a search returns: the graph, and everything needed to say how it came about."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from paucal.errors import QuestionError
from paucal.graphs.json_head import parse_json
from paucal.graphs.knowledge import Knowledge
from paucal.independence.result import (
    CONSTANT,
    DECISIONS,
    EMPTY_STRATA,
    NO_INFORMATION,
    POWERLESS,
    THIN,
    CIResult,
)
from paucal.search.evidence.confidence import attributes_of
from paucal.search.evidence.exchange import from_plain, to_plain
from paucal.search.evidence.explain import Explanation, Reason, arrow_reasons, with_implied
from paucal.search.evidence.gain import Gains
from paucal.search.evidence.summary import summary

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from paucal.graphs.graph import Graph
    from paucal.independence.result import Answer, Ledger, Record
    from paucal.search.evidence.confidence import EdgeProbabilities
    from paucal.search.evidence.sepsets import Sepsets


@dataclass(frozen=True, eq=False)
class SearchResult:
    """A graph learned by a search, with its separating sets, tests and reasons. It never changes.

    Attributes
    ----------
    graph
        What was learned.
    sepsets
        For every separated pair of names, in either order, the set that separated it.
    ledger
        The tests of this search: `n_tests` (distinct), `n_calls` (as asked), `by_order`, and how many were
        unreliable or undecidable.
    search, settings
        The search and its options.
    test, test_parameters
        The test and its parameters.
    details
        What this search reports besides, such as other ways of counting its tests.
    reasons
        `(a, b)` -> why the edge between a and b has its mark at b; `why` tells the whole story of a pair.
    seconds
        Wall clock time of the search.
    n_samples
        Rows behind the tests, or None.
    cardinalities
        Levels of each column of the ledger, or None.
    frame_kind
        The library of the data frame that came in ("pandas", "polars", "pyarrow"), in which `edges` answers.
    confidence
        How sure the edges are, or None: only searches that sample graphs, or learn them many times, can tell.

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.Graph.parse("A; B; A -> C <- B; C -> D"))
    >>> result = paucal.learn(oracle, search="pc-stable")
    >>> result.graph
    Graph.cpdag(4 nodes, 3 edges: A -> C; B -> C; C -> D)
    >>> result.sepsets["D", "A"]
    ('C',)
    >>> print(result.why("C", "D"))
    C -> D: joined
      mark at D: Meek's first rule: A -> C -> D, otherwise A and D would collide in C
      order 0: dependent given nothing (oracle, p = 0)
      order 1: dependent given A (oracle, p = 0)
      order 2: dependent given A, B (oracle, p = 0)
    """

    graph: Graph
    sepsets: Sepsets
    ledger: Ledger
    search: str
    test: str
    test_parameters: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], Reason] = field(default_factory=dict)
    seconds: float = 0.0
    n_samples: int | None = None
    cardinalities: tuple[int, ...] | None = None
    frame_kind: str | None = None
    confidence: EdgeProbabilities | None = None

    def __post_init__(self) -> None:
        known = self.settings.get("knowledge")
        if isinstance(known, Knowledge):  # plain values, which JSON brings back
            object.__setattr__(self, "settings", {**self.settings, "knowledge": _knowledge_parts(known)})
        for name in ("test_parameters", "settings", "details", "reasons"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    # ------------------------------------------------------------------------------------- asking about edges

    def why(self, x: str, y: str, *, data: Any = None) -> Explanation:
        """Explain why x and y are joined or not, and the marks of the edge between them.

        A result that goes by a score has no tests to tell of; given the data, it tells what the edge is worth.
        """
        i, j = self._number(x), self._number(y)
        if i == j:
            raise QuestionError(f"{x!r} is not joined to itself.", hint="Name two different nodes.")
        edge = self.graph.edge(x, y)
        reasons = {pair: r for pair in ((x, y), (y, x)) if (r := self._all_reasons.get(pair)) is not None}
        if edge is None and self.knowledge is not None and self.knowledge.forbids_adjacency(x, y):
            reasons = {(x, y): Reason("forbidden")}
        gains = Gains.where_told(self, data)
        sure = self.confidence
        return Explanation(
            x=x,
            y=y,
            edge=edge,
            separating_set=self.sepsets.get((x, y)) if edge is None else None,
            tests=tuple(self._described(record) for record in self._decisive(i, j, joined=edge is not None)),
            reasons=MappingProxyType(reasons),
            probabilities=None if sure is None else MappingProxyType(sure.of_pair(x, y)),
            source="" if sure is None else sure.described(),
            gain=None if gains is None else gains.of(x, y),
        )

    def nearest(self, x: str, y: str) -> CIResult | None:
        """Give the test that separated x and y or, if they are joined, came nearest to it; None without tests."""
        decisive = self._decisive(self._number(x), self._number(y), joined=self.graph.edge(x, y) is not None)
        record = max(decisive, key=lambda record: record.answer.nearness, default=None)
        return None if record is None else self._described(record)

    def doubtful(self) -> tuple[CIResult, ...]:
        """Give the deciding tests that were not reliable: of a pair the one that separated it, or came nearest to it.

        Edges come first, then the pairs that are not joined.

        Examples
        --------
        >>> import paucal
        >>> result = paucal.learn(paucal.load_network("asia").sample(500, seed=1), "pc-stable")
        >>> [(test.x, test.y, test.given) for test in result.doubtful()]
        [('tub', 'xray', ('either',)), ('lung', 'xray', ('either',)), ('either', 'xray', ('tub', 'lung'))]
        """
        pairs = [*((edge.a, edge.b) for edge in self.graph.edges()), *self.sepsets]
        tests = (self.nearest(x, y) for x, y in pairs)
        return tuple(test for test in tests if test is not None and not test.reliable)

    def edges(self) -> Any:
        """List the edges, each with the test that came nearest to removing it.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `a`, `edge` (such as
        `->`), `b`; of the nearest test `given`, `statistic`, `dof`, `p_value` and `reliable`; `rule`, the
        reason for the mark at b. A large p-value, or a test that was not reliable, is an edge to doubt. A search that
        tells probabilities adds `probability`, that the two are joined, and `probability_of_marks`, that it is by
        this very edge. Where no tests are kept their columns are left out.

        Examples
        --------
        >>> import paucal
        >>> oracle = paucal.Oracle(paucal.Graph.parse("A -> C <- B"))
        >>> [(e["a"], e["edge"], e["b"], e["rule"]) for e in paucal.learn(oracle).edges()]
        [('A', '->', 'C', 'collider'), ('B', '->', 'C', 'collider')]
        """
        sure = self.edge_numbers() or {}
        tests = _TEST_COLUMNS if self.has_tests else ()
        shares = () if self.confidence is None else ("probability", "probability_of_marks")
        columns = ("a", "edge", "b", *tests, "rule", *shares)
        told = [
            self._edge_record(edge.a, edge.symbol, edge.b) | sure.get((edge.a, edge.b), {})
            for edge in self.graph.edges()
        ]
        return self._frame([{name: record[name] for name in columns} for record in told], columns)

    @property
    def has_tests(self) -> bool:
        """Whether the result tells of tests; searches by score ask none, and a bootstrap keeps none."""
        return bool(self.ledger.by_order) or (self.confidence is None and "score" not in self.details)

    def probabilities(self, least: float = 0.01) -> Any:
        """List the pairs that may be joined, the surest first, with the probability of each kind of edge.

        Parameters
        ----------
        least
            Leave out pairs that are joined with a smaller probability.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `a`, `b`, `absent`, `->`,
        `--` and `<-`, read from a to b, which add up to one; of PAGs also `<->`, `o->` and so on.

        Examples
        --------
        >>> import paucal
        >>> sample = paucal.load_network("asia").sample(300, seed=1)
        >>> pair = paucal.learn(sample, "posterior").probabilities()[0]
        >>> list(pair), pair["absent"] < 0.01
        (['a', 'b', 'absent', '->', '<-', '--'], True)
        """
        sure = self._confidence()
        kinds = ["absent", *(kind for kind in sure.of_pair(*2 * [sure.names[0]]) if kind != "absent")]
        return self._frame(sure.records(least), ("a", "b", *kinds))

    def blanket_probabilities(self, target: str) -> Any:
        """List who may be in the Markov blanket of a column, the likeliest first.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `node`; `blanket`, the
        probability that it is in the blanket; that it is there as `parent`, `child`, `undetermined` neighbour or
        `spouse`, which add up to it.
        """
        self.graph.index(target)
        columns = ("node", "blanket", "parent", "child", "undetermined", "spouse")
        return self._frame(self._confidence().around(target), columns)

    def edge_numbers(self) -> dict[tuple[str, str], dict[str, float]] | None:
        """Give what `to_dot` and `to_graphml` write beside the edges, or None without probabilities."""
        return None if self.confidence is None else attributes_of(self.graph, self.confidence)

    def _confidence(self) -> EdgeProbabilities:
        if self.confidence is None:
            raise QuestionError(
                f"{self.search!r} tells no probabilities.",
                hint='Use search="posterior", or paucal.bootstrap(data, search=...).',
            )
        return self.confidence

    def _frame(self, records: list[dict[str, Any]], columns: tuple[str, ...]) -> Any:
        if self.frame_kind is None:
            return records
        import narwhals as nw

        content = {name: [record[name] for record in records] for name in columns}
        return nw.from_dict(content, backend=cast("Any", self.frame_kind)).to_native()

    def _edge_record(self, a: str, symbol: str, b: str) -> dict[str, Any]:
        test = self.nearest(a, b)
        reason = self._all_reasons.get((a, b))
        return {
            "a": a,
            "edge": symbol,
            "b": b,
            "given": None if test is None else ", ".join(test.given),
            "statistic": None if test is None else test.statistic,
            "dof": None if test is None else test.dof,
            "p_value": None if test is None else test.p_value,
            "reliable": None if test is None else test.reliable,
            "rule": None if reason is None else reason.rule,
        }

    def _number(self, name: str) -> int:
        self.graph.index(name)  # an unknown name is told with the nearest known ones
        return self.ledger.names.index(name)

    @cached_property
    def _all_reasons(self) -> dict[tuple[str, str], Reason]:
        if self.confidence is not None:  # what the searches noted was about other graphs
            return arrow_reasons(self.graph, "consensus", self.knowledge)
        return with_implied(self.graph, self.reasons)

    @cached_property
    def knowledge(self) -> Knowledge | None:
        """What was known beforehand, or None."""
        parts = self.settings.get("knowledge")
        return Knowledge(**parts) if isinstance(parts, dict) else None

    @cached_property
    def _evidence(self) -> dict[tuple[int, int], list[Record]]:
        """What the ledger kept, by pair of column numbers."""
        by_pair: dict[tuple[int, int], list[Record]] = {}
        for record in self.ledger.records():
            by_pair.setdefault((min(record.x, record.y), max(record.x, record.y)), []).append(record)
        return by_pair

    def _decisive(self, i: int, j: int, *, joined: bool) -> list[Record]:
        """Give per order the test nearest to independence; of a separated pair, the one that separated it."""
        best: dict[int, Record] = {}
        evidence = self._evidence.get((min(i, j), max(i, j)), [])
        for record in evidence:
            order = len(record.given)
            if order not in best or record.answer.nearness > best[order].answer.nearness:
                best[order] = record
        if not joined:
            apart = self.sepsets.get((self.ledger.names[i], self.ledger.names[j]))
            for record in evidence:
                if apart is not None and {self.ledger.names[v] for v in record.given} == set(apart):
                    return [record]
        return [best[order] for order in sorted(best)]

    def _described(self, record: Record) -> CIResult:
        names, answer, levels = self.ledger.names, record.answer, self.cardinalities
        strata = None if levels is None else prod(levels[v] for v in record.given)
        cells = None if levels is None or strata is None else strata * levels[record.x] * levels[record.y]
        return CIResult(
            x=names[record.x],
            y=names[record.y],
            given=tuple(names[v] for v in record.given),
            test=self.test,
            n=self.n_samples,
            statistic=answer.statistic,
            dof=_known(answer.dof),
            p_value=_known(answer.p_value),
            threshold=_known(answer.threshold),
            decision=DECISIONS[answer.decision],
            reliable=answer.reliable,
            reasons=tuple(_doubts(answer)),
            cells=cells,
            strata=strata,
            observed_strata=answer.strata if strata is not None else None,
        )

    # ----------------------------------------------------------------------------------------------- printing

    def summary(self) -> str:
        """Give a plain text summary: the graph in numbers, the tests by order, how many cannot be trusted."""
        return summary(self)

    def __str__(self) -> str:
        if self.confidence is None:
            return "\n".join([self.summary(), *(f"{edge}" for edge in self.graph.edges())])
        return "\n".join([self.summary(), *self.confidence.lines(self.graph)])

    def __repr__(self) -> str:
        g = self.graph
        tests = f", {self.ledger.n_tests} tests" if self.has_tests else ""
        return (
            f"SearchResult({self.search}, {self.test}: {g.kind} with {g.n} nodes, {g.n_edges} edges{tests})"
        )

    def _repr_html_(self) -> str:
        told = self.summary() if self.confidence is None else str(self)
        return f"<div>{self.graph._repr_html_()}<pre>{html.escape(told)}</pre></div>"

    # ------------------------------------------------------------------------------------------------- reporting

    def report(self, path: str | os.PathLike[str], *, data: Any = None, title: str | None = None) -> Path:
        """Write one self-contained HTML page about this result; see `paucal.write_report`."""
        from paucal.report.page import write_report

        return write_report(self, path, data=data, title=title)

    # ----------------------------------------------------------------------------------------------- exchange

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, the content of `to_json`."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> SearchResult:
        """Read what `to_dict` gave."""
        return cls(**from_plain(content))

    def to_json(self) -> str:
        """Write everything as JSON; `from_json` gives an equal result back."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> SearchResult:
        """Read what `to_json` wrote."""
        return cls.from_dict(parse_json(text))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SearchResult):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.search, self.test, self.graph, self.seconds))

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchResult.from_dict, (self.to_dict(),)


_TEST_COLUMNS = ("given", "statistic", "dof", "p_value", "reliable")


def _knowledge_parts(known: Knowledge) -> dict[str, list[Any]]:
    parts: dict[str, list[Any]] = {
        "tiers": [list(tier) for tier in known.tiers],
        "forbid_within": list(known.forbid_within),
        "required": [list(arc) for arc in known.required],
        "forbidden": [list(arc) for arc in known.forbidden],
    }
    return {name: part for name, part in parts.items() if part}


def _known(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124 - NaN is the one number that differs from itself


def _doubts(answer: Answer) -> Iterator[str]:
    if answer.flags & CONSTANT:
        yield "one of the two has one observed level only"
    elif answer.flags & POWERLESS:
        yield "no data with these margins could reach the level"
    elif answer.flags & NO_INFORMATION:
        yield "no stratum has two observed levels of both"
    if answer.flags & THIN:
        yield "too few samples per cell"
    if answer.flags & EMPTY_STRATA:
        yield "some strata are empty"
