"""What a result leaves open, in sentences: `SearchResult.open_questions()`.

* `Rivals`        columns that are joined to another in turn, seldom together
* `AgainstOdds`   pairs that are drawn although not joined is likelier, or left out although joined is
* `Nearly`        other graphs that agree nearly as well with the sampled ones
* `AgainstTest`   pairs about which a calibrated test says the opposite
* `Unsettled`     pairs whose probability the sampler could not settle
* `Copies`        columns that the data cannot tell apart
* `Lost`          columns that a blanket lost, though they depend on its target
* `Doubtful`      edges that a test kept which could say little

The numbers come from the run: what needed data or sampled graphs stands in the result's details.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from paucal.errors import listing
from paucal.graphs.language import percent, quoted
from paucal.notebook import Shown
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.tests import Tests

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paucal.graphs.graph import Graph
    from paucal.search.evidence.pairs import Evidence

_PRINTED = 6
_MOST_DOUBTED = 2**17  # edges: a graph with more was hardly tested, and every edge of it is in doubt


@dataclass(frozen=True)
class OpenQuestion(Shown):
    """Something that the data leave open; it prints as a sentence."""

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON, with the sentence."""
        return {"kind": self.kind, **asdict(self), "text": str(self)}


@dataclass(frozen=True)
class Rivals(OpenQuestion):
    """Columns that are joined to `target` in turn, each with its probability; that some are, that several are."""

    kind: ClassVar[str] = "rivals"
    target: str
    rivals: tuple[tuple[str, float], ...]
    some: float
    several: float

    def __str__(self) -> str:
        named = [f"{quoted(name)} ({percent(share)})" for name, share in self.rivals]
        listed = f"{', '.join(named[:-1])} or {named[-1]}"
        several = f"to more than one: {percent(self.several)}" if self.several else "never to more than one"
        return f"{quoted(self.target)} is joined to at least one of these ({percent(self.some)}): {listed}; {several}"


@dataclass(frozen=True)
class AgainstOdds(OpenQuestion):
    """A pair that the graph as a whole treats against its own probability."""

    kind: ClassVar[str] = "against-odds"
    a: str
    b: str
    drawn: bool
    probability: float

    def __str__(self) -> str:
        done, only = ("an edge", "only ") if self.drawn else ("no edge", "")
        return (
            f"{done} is drawn between {quoted(self.a)} and {quoted(self.b)}, although they are {only}"
            f"{percent(self.probability)} likely to be joined: that fits best with the rest of the graph"
        )


@dataclass(frozen=True)
class Nearly(OpenQuestion):
    """A graph that is nearly as near to the sampled ones as the drawn one: the edges that it has otherwise, or not."""

    kind: ClassVar[str] = "nearly"
    further: float
    differs: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        edges = [
            f"no edge between {quoted(a)} and {quoted(b)}" if sign == "absent" else f"{quoted(a)} {sign} {quoted(b)}"
            for a, sign, b in self.differs
        ]
        return f"a graph with {listing(edges, 4)} agrees nearly as well with the sampled ones"


@dataclass(frozen=True)
class AgainstTest(OpenQuestion):
    """A pair about which a test says the opposite of the graph."""

    kind: ClassVar[str] = "against-test"
    a: str
    b: str
    drawn: bool
    probability: float
    test: str
    given: tuple[str, ...]
    p_value: float

    def __str__(self) -> str:
        done = f"{percent(self.probability)} likely to be joined" if self.drawn else "not joined in the graph"
        given = f"given {', '.join(map(quoted, self.given))}" if self.given else "given nothing"
        said = "sees no connection" if self.drawn else "sees a connection"
        p = f"p = {self.p_value:.2g}"
        return f"{quoted(self.a)} and {quoted(self.b)} are {done}, but the test {self.test} {said} {given} ({p})"


@dataclass(frozen=True)
class Unsettled(OpenQuestion):
    """A pair whose probability of being joined the sampler could not settle: the numbers it lies between."""

    kind: ClassVar[str] = "unsettled"
    a: str
    b: str
    low: float
    high: float

    def __str__(self) -> str:
        return (
            f"{quoted(self.a)} and {quoted(self.b)}: sampling did not settle how likely they are to be joined: "
            f"{percent(self.low)} to {percent(self.high)}"
        )


@dataclass(frozen=True)
class Copies(OpenQuestion):
    """Columns that are one-to-one recodings of each other."""

    kind: ClassVar[str] = "copies"
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{' and '.join(map(quoted, self.columns))} are the same except for their labels: an edge to one of them "
            "could just as well be an edge to the other"
        )


@dataclass(frozen=True)
class Lost(OpenQuestion):
    """A column that was taken out of a blanket, given others, and still depends on the target given the blanket."""

    kind: ClassVar[str] = "lost"
    column: str
    target: str
    p_value: float
    given: tuple[str, ...]
    decided: bool

    def __str__(self) -> str:
        given = listing(map(quoted, self.given))
        why = f"{given}, by which it is nearly decided" if self.decided else given
        out = f"{quoted(self.column)} is not in the blanket of {quoted(self.target)}"
        return f"{out}, but depends on it given the blanket (p = {self.p_value:.2g}): it was taken out given {why}"


@dataclass(frozen=True)
class Doubtful(OpenQuestion):
    """An edge whose deciding test could not be trusted."""

    kind: ClassVar[str] = "doubtful"
    a: str
    b: str
    why: str

    def __str__(self) -> str:
        pair = f"{quoted(self.a)} and {quoted(self.b)}"
        return f"{pair} are joined because a test with too little data kept them ({self.why})"


def open_questions(graph: Graph, evidence: Evidence, details: Mapping[str, Any]) -> list[OpenQuestion]:
    """Collect what applies: of sampled graphs rivals and odds, of tests doubts, of all copies."""
    found: list[OpenQuestion] = [Copies(tuple(group)) for group in details.get("copies", ())]
    found += [Lost(**{**one, "given": tuple(one["given"])}) for one in details.get("lost", ())]
    found += [Unsettled(*_unsettled(one)) for one in details.get("unsettled", ())]
    for one in details.get("rivals", ()):
        rivals = tuple((name, share) for name, share in one["rivals"])
        found.append(Rivals(one["target"], rivals, one["some"], one["several"]))
    if isinstance(evidence, Graphs):
        found += _against_odds(graph, evidence)
    for one in details.get("nearly", ()):
        found.append(Nearly(one["further"], tuple((a, sign, b) for a, sign, b in one["differs"])))
    found += [AgainstTest(**{**one, "given": tuple(one["given"])}) for one in details.get("against_test", ())]
    if isinstance(evidence, Tests) and evidence.n_samples is not None:
        found += _doubtful(graph, evidence)
    return found


def printed(questions: list[OpenQuestion]) -> list[str]:
    """Give the first few questions as lines."""
    if not questions:
        return []
    more = len(questions) - _PRINTED
    lines = ["open questions:", *(str(one) for one in questions[:_PRINTED])]
    return [*lines, f"... and {more} more, in result.open_questions() and the JSON"] if more > 0 else lines


def _against_odds(graph: Graph, evidence: Graphs) -> Iterator[OpenQuestion]:
    for pair in evidence.records():
        # a little more, so that what lies half way is rounded alike before and after a file has rounded the shares
        a, b, joined = pair["a"], pair["b"], round(1 - pair["absent"] + 1e-7, 6)
        drawn = graph.has_edge(a, b)
        if (drawn and joined < 0.5) or (not drawn and joined > 0.5):
            yield AgainstOdds(a, b, drawn, joined)


def _doubtful(graph: Graph, evidence: Tests) -> Iterator[OpenQuestion]:
    if graph.n_edges > _MOST_DOUBTED:
        return
    for edge in graph.edges():
        test = evidence.nearest(edge.a, edge.b, joined=True)
        if test is not None and not test.reliable:
            yield Doubtful(edge.a, edge.b, listing(test.reasons))


def _unsettled(one: Any) -> tuple[str, str, float, float]:
    """Read a pair as the sampler tells of it: names, lowest and highest probability."""
    a, b, low, high = (one[key] for key in ("a", "b", "low", "high")) if hasattr(one, "keys") else one
    return a, b, float(low), float(high)
