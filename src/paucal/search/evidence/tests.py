"""Evidence of one kind: tests that were asked, and the sets that separated pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paucal import checks
from paucal.errors import GraphError
from paucal.independence.answers import Answer, describe
from paucal.independence.ledger import Ledger, Record, Tally
from paucal.search.evidence.pairs import Evidence, PairEvidence, head_of
from paucal.search.evidence.sepsets import Sepsets
from paucal.search.plain import settings_from_plain, settings_to_plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from paucal.graphs.graph import Graph
    from paucal.graphs.language import Edge
    from paucal.independence.answers import CIResult
    from paucal.independence.settings import CISettings
    from paucal.search.evidence.gain import Gains

_ALL_TESTS_UP_TO = 200  # columns
TEST_FIELDS = ("given", "statistic", "dof", "p_value", "reliable")


@dataclass(frozen=True, eq=False, kw_only=True)
class Tests(Evidence):
    """The tests of a search: which test, the sets that separated pairs, and the ledger of what was asked."""

    kind: ClassVar[str] = "tests"
    edge_fields: ClassVar[tuple[str, ...]] = TEST_FIELDS
    __test__: ClassVar[bool] = False  # not for pytest to run

    means: CISettings
    sepsets: Sepsets
    ledger: Ledger

    def describe(self, x: str, y: str, *, joined: bool, gains: Gains | None = None) -> PairEvidence:
        """Give the deciding test of each order, and the set that separated the pair if it is not joined."""
        del gains
        return PairEvidence(
            separating_set=None if joined else self.sepsets.get((x, y)),
            tests=tuple(map(self._described, self._decisive(x, y, joined=joined))),
        )

    def nearest(self, x: str, y: str, *, joined: bool) -> CIResult | None:
        """Give the test that separated x and y or, if they are joined, came nearest to it; None if none was asked."""
        decisive = self._decisive(x, y, joined=joined)
        record = max(decisive, key=lambda record: record.answer.nearness, default=None)
        return None if record is None else self._described(record)

    def doubtful(self, graph: Graph) -> tuple[CIResult, ...]:
        """Give the deciding tests that were not reliable: of the edges, then of the pairs that are not joined."""
        pairs = [*((e.a, e.b, True) for e in graph.edges()), *((x, y, False) for x, y in self.sepsets)]
        tests = (self.nearest(x, y, joined=joined) for x, y, joined in pairs)
        return tuple(test for test in tests if test is not None and not test.reliable)

    def edge_columns(self, edge: Edge) -> dict[str, Any]:
        """Give the test that came nearest to removing an edge."""
        return columns_of(self.nearest(edge.a, edge.b, joined=True))

    def reordered(self, names: tuple[str, ...]) -> Self:
        """Give the same evidence with the columns in another order."""
        place = {name: i for i, name in enumerate(names)}
        moved = np.array([place[name] for name in self.names], dtype=np.int64)
        ledger, sepsets = self.ledger.reordered(names, moved), self.sepsets.reordered(names, moved)
        return replace(self, **self._head_in(names), ledger=ledger, sepsets=sepsets)

    def lines(self) -> list[str]:
        """Give the tests by order."""
        ledger = self.ledger
        told = f"{ledger.n_tests} {'test' if ledger.n_tests == 1 else 'tests'} ({ledger.n_calls} asked)"
        lines = [f"{told}, {ledger.n_unreliable} of them unreliable"]
        if ledger.by_order:
            lines.append("order   tests   asked   unreliable   undecidable")
        lines += [
            f"{order:5d} {t.fresh:7d} {t.calls:7d} {t.unreliable:12d} {t.undecidable:13d}"
            for order, t in ledger.by_order.items()
        ]
        return lines + self._row_lines()

    def _row_lines(self) -> list[str]:
        """Say how many rows questions had, where values are missing."""
        rows = sorted(record.answer.samples for record in self.ledger.records()) if self.cardinalities else []
        if not rows or rows[0] == self.n_samples:
            return []
        return [f"values are missing: {rows[len(rows) // 2]:,} rows a test at the median, {rows[0]:,} at the least"]

    @cached_property
    def _by_pair(self) -> dict[tuple[int, int], list[Record]]:
        """What the ledger kept, by pair of column numbers."""
        found: dict[tuple[int, int], list[Record]] = {}
        for record in self.ledger.records():
            found.setdefault((min(record.x, record.y), max(record.x, record.y)), []).append(record)
        return found

    def _decisive(self, x: str, y: str, *, joined: bool) -> list[Record]:
        """Give per order the test nearest to independence; of a separated pair, the one that separated it."""
        i, j = self._index[x], self._index[y]
        kept = self._by_pair.get((min(i, j), max(i, j)), [])
        apart = None if joined else self.sepsets.get((x, y))
        if apart is not None:
            among = {self._index[name] for name in apart}
            for record in kept:
                if set(record.given) == among:
                    return [record]
        best: dict[int, Record] = {}
        for record in kept:
            order = len(record.given)
            if order not in best or record.answer.nearness > best[order].answer.nearness:
                best[order] = record
        return [best[order] for order in sorted(best)]

    def _described(self, record: Record) -> CIResult:
        levels = self.cardinalities
        return describe(self.means.name, self.names, *record, n=self.n_samples, cardinalities=levels)

    def to_plain(self, *, all_tests: bool = False) -> dict[str, Any]:
        """Give what was kept; of many columns without the tests that found two independent given nothing.

        There are nearly as many of these as pairs of columns. Unreliable ones are told all the same.
        """
        everything = checks.flag("all_tests", all_tests) or len(self.names) <= _ALL_TESTS_UP_TO
        nothing: list[list[int]] = [[] for _ in self.names]
        for (x, y), given in self.sepsets.items():
            if not given:
                i, j = sorted((self._index[x], self._index[y]))
                nothing[i].append(j)
        return {
            **self._head(),
            "test": settings_to_plain(self.means),
            "sepsets": [[x, y, list(given)] for (x, y), given in self.sepsets.items() if given],
            "given_nothing": nothing,
            "ledger": self.ledger.to_dict(),
            "asked": [
                _line(record)
                for record in self.ledger.records()
                if everything or record.given or not record.answer.independent or not record.answer.reliable
            ],
        }

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> Tests:
        """Read what `to_plain` gave."""
        head = head_of(content)
        number = {name: i for i, name in enumerate(head["names"])}
        ledger = Ledger(head["names"])
        for order, tally in content["ledger"]["by_order"].items():
            ledger.add(int(order), Tally(**tally))
        for line in content["asked"]:
            ledger.note(*_read(line))
        sets = {(i, j): list[int]() for i, later in enumerate(content["given_nothing"]) for j in later}
        sets |= {(number[x], number[y]): [number[z] for z in given] for x, y, given in content["sepsets"]}
        columns = range(len(number))
        mentioned = {v for x, y, given, _ in ledger.records() for v in (x, y, *given)} | {
            v for pair in sets for v in pair
        }
        if not mentioned.issubset(columns):
            raise GraphError(f"The result is damaged: there is no column {max(mentioned)}.", hint="Give it unchanged.")
        return cls(
            **head, means=settings_from_plain(content["test"]), sepsets=Sepsets(head["names"], sets), ledger=ledger
        )


def columns_of(test: CIResult | None) -> dict[str, Any]:
    """Give what a frame tells of a test."""
    if test is None:
        return dict.fromkeys(TEST_FIELDS)
    return {name: getattr(test, name) for name in TEST_FIELDS} | {"given": ", ".join(test.given)}


def _line(record: Record) -> list[Any]:
    """Tell a test; what is not finite, which JSON has no numbers for, as null or as text."""
    x, y, given, answer = record
    special = (None if isnan(value) else value if isfinite(value) else str(value) for value in answer)
    return [x, y, list(given), *(answer if isfinite(sum(answer)) else special)]


def _read(line: list[Any]) -> tuple[int, int, tuple[int, ...], Answer]:
    x, y, given, *numbers = line
    real = (nan if value is None else float(value) for value in numbers[:5])
    return x, y, tuple(given), Answer._make([*real, *numbers[5:]])
