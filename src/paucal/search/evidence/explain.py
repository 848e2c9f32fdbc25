"""Why an edge is there, why it is not, and why it points the way it does.

While it works, a search notes in a `Trace` the rule behind every mark it sets; afterwards `SearchResult.why`
joins these reasons with the tests in the ledger to an `Explanation` that prints well. The two ends of an edge
have a reason each, so that the same mechanism serves arrows of a CPDAG and the marks of a PAG.

What follows from colliders and knowledge by Meek's rules is completed natively and without notes, which is much
quicker. When somebody asks, `with_implied` applies the rules once more, to the arrows that were noted.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.graphs.language import quoted
from paucal.graphs.marks import NONE, arcs_of
from paucal.graphs.rules.meek import close
from paucal.search.evidence.pairs import PairEvidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.graphs.language import Edge
    from paucal.graphs.rules import Witnesses
    from paucal.independence.answers import CIResult
    from paucal.search.by_scores.interventions import Experiment
    from paucal.search.evidence.crossed import Crossed

# rule -> its sentence; {a} is the other end, {b} the end with the mark, {via} the witnesses, {first} and {last} of them
RULES = {
    "collider": "{a} -> {b} <- {via}: what separates {a} and {via} does not contain {b}",
    "required": "background knowledge requires it",
    "forbidden": "background knowledge forbids it",
    "knowledge": "background knowledge leaves no other choice",
    "intervention": "rows in which one of the two was set show the direction",
    "meek-1": "Meek's first rule: {via} -> {a} -> {b}, otherwise {via} and {b} would collide in {a}",
    "meek-2": "Meek's second rule: {a} -> {via} -> {b}, otherwise there would be a cycle",
    "meek-3": "Meek's third rule: {via} point at {b} and are joined to {a}",
    "meek-4": "Meek's fourth rule: {a} -- {first} -> {last} -> {b}, otherwise there would be a cycle or a new collider",
    "forced": "{a} -> {b} <- {via}: no DAG has these edges without a further collider",
    "completed": "all DAGs with these colliders agree on it",
    "score": "the score is highest with this direction",
    "consensus": "taken from the graph that agrees best with all sampled ones",
    "spouse": "{a} is nevertheless in the blanket of {b}: both are joined to {via}, and given it they become dependent",
    "pag-0": "{a} *-> {b} <-* {via}: what separates {a} and {via} does not contain {b}",
    "pag-1": "rule 1: {via} points into the edge and is not joined to its other end, which is not a collider",
    "pag-2": "rule 2: by way of {via}, otherwise there would be a directed or almost directed cycle",
    "pag-3": "rule 3: {via} point at {b}, and {a} between them is not a collider",
    "pag-4": "rule 4: the discriminating path {via}",
    "pag-5": "rule 5: the edge is part of the uncovered cycle of circles {via}",
    "pag-6": "rule 6: {via} -- {b}",
    "pag-7": "rule 7: {via} --o {b}, and {via} is not joined to {a}",
    "pag-8": "rule 8: {b} -> {via} -> {a}",
    "pag-9": "rule 9: an uncovered, potentially directed path leads from {b} to {a} another way, through {via}",
    "pag-10": "rule 10: uncovered, potentially directed paths lead from {b} to two parents of {a}, {via}",
}


_EVEN = 0.500001  # beyond it a probability speaks against what was decided


class Reason(NamedTuple):
    """The rule behind a mark, and its witnesses: the nodes that call for the mark besides the two ends."""

    rule: str
    via: tuple[str, ...] = ()

    def sentence(self, a: str, b: str) -> str:
        """Say why the edge between a and b has the mark it has at b."""
        names = [quoted(name) for name in self.via] or [""]
        via = ", ".join(names)
        text = RULES.get(self.rule)
        if text is None:
            return f"{self.rule} ({via})" if via else self.rule
        return text.format(a=quoted(a), b=quoted(b), via=via, first=names[0], last=names[-1])


class Trace:
    """The reasons a search notes while it works, between column numbers; the last note about a mark holds."""

    def __init__(self) -> None:
        self._reasons: dict[tuple[int, int], tuple[str, Witnesses]] = {}

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return pair in self._reasons

    def mark(self, a: int, b: int, rule: str, via: Witnesses = ()) -> None:
        """Note why the edge between a and b has its mark at b."""
        self._reasons[a, b] = (rule, via)

    def clear(self) -> None:
        """Drop everything."""
        self._reasons.clear()

    def named(self, names: tuple[str, ...]) -> dict[tuple[str, str], Reason]:
        """Give the reasons between names, in column order."""
        return {
            (names[a], names[b]): Reason(rule, tuple(names[v] for v in via))
            for (a, b), (rule, via) in sorted(self._reasons.items())
        }


def with_implied(graph: Graph, noted: Mapping[tuple[str, str], Reason]) -> dict[tuple[str, str], Reason]:
    """Add to the noted reasons, for every arrow of a CPDAG or PDAG that has none, the rule of Meek's behind it."""
    arrows = graph.arcs() if graph.kind in {"cpdag", "pdag"} else []
    if all(arrow in noted for arrow in arrows):
        return dict(noted)
    final = arcs_of(graph.marks)
    pdag = (graph.marks != NONE).astype(np.int8)
    for a, b in noted:
        i, j = graph.index(a), graph.index(b)
        pdag[j, i] &= not final[i, j]
    trace = Trace()
    close(pdag, on_cycle="allow", among=final, note=trace.mark)
    # arrows that no rule reaches come from a search that did not say where it has them from
    return {**dict.fromkeys(arrows, Reason("completed")), **trace.named(graph.nodes), **noted}


def arrow_reasons(
    graph: Graph, rule: str, knowledge: Knowledge | None, experiment: Experiment | None = None
) -> dict[tuple[str, str], Reason]:
    """Give one reason for all arrows of a graph, but knowledge where that leaves an arrow no other direction.

    Of edges that just one end was set of in some rows, these rows tell the direction.
    """
    reasons = dict.fromkeys(graph.arcs(), Reason(rule))
    for a, b in reasons:
        if experiment is not None and experiment.tells(a, b):
            reasons[a, b] = Reason("intervention")
        if knowledge is not None and knowledge.forbids(b, a):
            reasons[a, b] = Reason("required" if knowledge.requires(a, b) else "knowledge")
    return reasons


@dataclass(frozen=True, kw_only=True)
class Explanation(PairEvidence):
    """Why two nodes are joined or not; `print` it.

    Attributes
    ----------
    x, y
        The two nodes.
    edge
        The edge between them, read from x to y, or None.
    reasons
        Per end that has one, `(other end, end with the mark) -> Reason`.
    known
        What was known beforehand about arrows between the two, in sentences.
    crossed
        The table of y by x, if the data were given.
    doubts
        What speaks against the marks as such, in sentences.
    """

    x: str
    y: str
    edge: Edge | None
    reasons: Mapping[tuple[str, str], Reason]
    known: tuple[str, ...] = ()
    crossed: Crossed | None = None
    doubts: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The explanation, a line for each part."""
        worth = () if self.gain is None else (self.gain.sentence(sampled=self.probabilities is not None),)
        parts = (*self._how_sure(), *self._why_marks(), *worth, *self._why_tests(), *self.forms, *self.doubts)
        parts = (*parts, *self._table())
        return (self._verdict(), *(f"  {line}" for line in parts))

    def _verdict(self) -> str:
        if self.edge is not None:
            return f"{self.edge}: joined"
        told = f"{quoted(self.x)} and {quoted(self.y)}: not joined"
        if self.separating_set is None:
            return told
        given = ", ".join(map(quoted, self.separating_set))
        return f"{told}, because they are independent{f' given {given}' if given else ''}"

    def _how_sure(self) -> Iterable[str]:
        if self.probabilities is None:
            return
        kinds = sorted(self.probabilities.items(), key=lambda one: -one[1])
        listed = ", ".join(f"{kind} {share:.2f}" for kind, share in kinds if kind != "absent" and share > 0)
        absent = self.probabilities["absent"]
        told = f"joined {1 - absent:.2f}{f' ({listed})' if listed else ''}; {self.source}"
        # what was decided comes first
        yield told if self.edge is not None else f"not joined {absent:.2f}, {told}"
        if (absent > _EVEN) if self.edge is not None else (absent < 1 - _EVEN):
            done, so = ("drawn", "with it") if self.edge is not None else ("left out", "without it")
            yield f"{done} nevertheless: {so}, the graph as a whole agrees best with all sampled ones"

    def _why_marks(self) -> Iterable[str]:
        for (a, b), reason in self.reasons.items():
            what = f"mark at {quoted(b)}" if self.edge is not None else "absence"
            yield f"{what}: {reason.sentence(a, b)}"
        for sentence in self.known:
            yield f"known: {sentence}"

    def _table(self) -> Iterable[str]:
        if self.crossed is None:
            return
        words = self.crossed.words()
        if words is not None:
            yield words
        for line in self.crossed.lines():
            yield f"  {line}"

    def _why_tests(self) -> Iterable[str]:
        if self.edge is not None and not self.tests and self.probabilities is None and self.gain is None:
            yield "no test was asked about this pair"
        for test in self.tests:
            given = ", ".join(map(quoted, test.given)) or "nothing"
            doubt = "" if test.reliable else f"; unreliable: {'; '.join(test.reasons)}"
            yield f"order {len(test.given)}: {test.decision} given {given} ({_numbers(test)}{doubt})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "x": self.x,
            "y": self.y,
            "edge": None if self.edge is None else self.edge.symbol,
            "separating_set": None if self.separating_set is None else list(self.separating_set),
            "reasons": [
                {"at": b, "rule": reason.rule, "via": list(reason.via), "text": reason.sentence(a, b)}
                for (a, b), reason in self.reasons.items()
            ],
            "known": list(self.known),
            "tests": [test.to_dict() for test in self.tests],
            "probabilities": None if self.probabilities is None else dict(self.probabilities),
            "gain": None if self.gain is None else self.gain._asdict(),
            "forms": list(self.forms),
            "doubts": list(self.doubts),
            "table": None if self.crossed is None else self.crossed.to_dict(),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"<Explanation: {self._verdict()}>"

    def _repr_html_(self) -> str:
        head, *rest = self.lines
        items = "".join(f"<li>{html.escape(line.strip())}</li>" for line in rest)
        return f"<div><b>{html.escape(head)}</b><ul>{items}</ul></div>"


def _numbers(test: CIResult) -> str:
    parts = [test.test]
    if test.p_value is not None:
        parts.append(f"p = {test.p_value:.3g}")
    elif test.threshold is not None:
        parts.append(f"{test.statistic:.4g} against {test.threshold:.4g}")
    if test.n is not None:
        parts.append(f"n = {test.n}")
    if test.direction is not None:
        parts.append(test.direction)
    return ", ".join(parts)
