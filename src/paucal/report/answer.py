"""The answer first: what was found and what to doubt about it, each in a few sentences, for the top of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.language import in_percent
from paucal.graphs.marks import ARROW, NONE
from paucal.report.decidable import TOO_LITTLE
from paucal.report.effects import compared
from paucal.report.tables import LOOKED_THROUGH, ROLES
from paucal.report.text import Name, edge, names, number, share
from paucal.search.evidence.graphs import Graphs, direction_is_open
from paucal.search.evidence.questions import Copies, Lost, Rivals, Unsettled
from paucal.search.evidence.tests import Tests
from paucal.search.result import ROWS_FOR_HIDDEN

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from paucal.effects.groups import Groups
    from paucal.graphs.graph import Graph
    from paucal.graphs.language import Edge
    from paucal.report.behind import Behind
    from paucal.report.text import Said
    from paucal.search.evidence.asking import Fact
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

SURE = 0.8  # an edge whose ends are joined with a smaller probability is counted as unsure
_LIKELY_ARROW = 0.5  # an arrow that is less likely is no finding
_MOST_FINDINGS = 7  # as many as are read at one go
_MOST_ARROWS = 3
_MOST_NAMED = 4
_ASKED_FOR = ("", "as you said")  # reasons to leave out a column that are no news
HIDDEN = (
    "A line with two arrowheads may stand for a hidden common cause; in samples of this size nine of ten such edges "
    "were wrong (docs/latent.md)."
)
_LIKELY = ("{way} likely", "{joined} likely to be joined, {way} in this direction")  # where both are equal, and not
_FOUND_AGAIN = (
    "in {way} of the bootstrap samples",
    "joined in {joined} of the bootstrap samples, in this direction in {way}",
)


@dataclass(frozen=True)
class Answer:
    """Sentences: what was found, and what to doubt."""

    findings: Sequence[Said]
    doubts: Sequence[Said]


def answer(
    search: SearchResult, shown: Graph, blanket: BlanketResult | None, behind: Behind, ask: Sequence[Fact] = ()
) -> Answer:
    """Put the strongest findings into words, the outcome first if there is one, and the doubts beside them."""
    findings: list[Said] = [compared(one) for one in search.groups]
    outcomes: Sequence[str] = () if search.knowledge is None else search.knowledge.outcome[:2]
    if blanket is not None:
        findings.append(_blanket(blanket))
    else:
        findings += [_outcome(search, name) for name in outcomes if name in search.graph]
    last = [] if blanket is not None else [said for said in (_left_out(search),) if said]
    in_all = 2  # open directions, and how many edges there are
    most = max(1, min(_MOST_ARROWS, _MOST_FINDINGS - in_all - len(findings) - len(last)))
    doubted = {(fact.second, fact.first) for fact in ask if fact.about_background}
    doubted |= {(one.cause, one.effect) for one in behind.effects if one.by_definition is not None}
    findings += _edges(search, shown, blanket, behind, most, doubted)
    missed = [said for one in search.groups if (said := _missed(search, one))]
    return Answer([*findings, *last], [*_background(ask), *missed, *_doubts(search, shown, behind)])


def _edges(
    search: SearchResult,
    shown: Graph,
    blanket: BlanketResult | None,
    behind: Behind,
    most: int,
    doubted: Container[tuple[str, str]],
) -> Iterable[Said]:
    """Tell of the edges: at most so many arrows, and none that will be doubted in the same box."""
    edges = shown.edges()
    if not edges:
        yield ("Nothing is joined: these data show no connection between any two columns.",)
        return
    arrows = [e for e in edges if _has_arrow(e) and (e.a, e.b) not in doubted and (e.b, e.a) not in doubted]
    if isinstance(search.evidence, Graphs):
        yield from _sampled(search.evidence, edges, arrows, behind, most)
    else:
        around = () if blanket is None else (blanket.target,)  # whose neighbours have been told
        yield from _decided(search, [e for e in edges if e.a not in around and e.b not in around], arrows, behind, most)
    if blanket is None:
        yield _in_all(search, shown)


def _sampled(
    evidence: Graphs, edges: Sequence[Edge], arrows: Sequence[Edge], behind: Behind, most: int
) -> Iterable[Said]:
    """Tell of the surest arrows, and of pairs that are surely joined in an open direction."""
    posterior = evidence.source == "posterior"
    likely = _LIKELY if posterior else _FOUND_AGAIN
    numbers = {e: evidence.edge_columns(e) for e in edges}
    decided = [e for e in edges if _has_arrow(e) and not direction_is_open(numbers[e])]
    told = [e for e in decided if e in arrows and passes(numbers[e]["probability_of_marks"], _LIKELY_ARROW)]
    for e in sorted(told, key=lambda e: -numbers[e]["probability_of_marks"])[:most]:
        joined, this_way = (share(numbers[e][key]) for key in ("probability", "probability_of_marks"))
        size = behind.size_sentence(e.a, e.b)
        said = (*edge(e.a, e.symbol, e.b), ": ", likely[joined != this_way].format(joined=joined, way=this_way))
        yield (*said, *((". ", *size) if size else ()), ".")
    turned = [e for e in edges if e not in decided and passes(numbers[e]["probability"], SURE)]
    if turned:
        pairs = [names((e.a, e.b), " and ") for e in sorted(turned, key=lambda e: -numbers[e]["probability"])]
        are = f"Very likely joined ({share(SURE)} or more)"
        are = are if posterior else f"Joined in {share(SURE)} of the bootstrap samples or more"
        yield (f"{are}, but the direction is open: ", *_listed(pairs), ".")


def _in_all(search: SearchResult, shown: Graph) -> Said:
    """Count the edges, those that are sure or have a direction, and name the columns that have none."""
    edges, evidence = shown.edges(), search.evidence
    told = f"In all, {_edges_word(len(edges))} among {search.graph.n * (search.graph.n - 1) // 2:,} pairs of columns"
    if isinstance(evidence, Graphs):
        sure = sum(passes(evidence.edge_columns(e)["probability"], SURE) for e in edges)
        often = (
            f"{share(SURE)} likely" if evidence.source == "posterior" else f"in {share(SURE)} of the bootstrap samples"
        )
        part = f"{sure or 'none'} of them {'is' if sure <= 1 else 'are'}"
        if sure == len(edges):
            part = "it is" if sure == 1 else "each is"
        told = f"{told}; {part} {often} or more"
    elif shown.n_directed < len(edges):
        told = f"{told}; {shown.n_directed or 'none'} of them {'has' if shown.n_directed <= 1 else 'have'} a direction"
    return f"{told}.", *_lonely(search, shown)


def _decided(
    search: SearchResult, edges: Sequence[Edge], arrows: Sequence[Edge], behind: Behind, most: int
) -> Iterable[Said]:
    """Tell of the arrows that tests or a score have decided: those whose nearest test was clearest come first."""
    tested = {e: search.nearest(e.a, e.b) for e in {*edges, *arrows} if isinstance(search.evidence, Tests)}

    def clearness(e: Edge) -> tuple[bool, float]:
        test = tested.get(e)
        return (test is None or not test.reliable, 0.0 if test is None or test.p_value is None else test.p_value)

    for e in sorted(arrows, key=clearness)[:most]:
        size = behind.size_sentence(e.a, e.b)
        test = tested.get(e)
        said: tuple[str, ...] = edge(e.a, e.symbol, e.b)
        if test is not None and test.p_value is not None and test.n is not None:
            given = (" given ", *names(test.given)) if test.given else ()
            said += (f": the test that came nearest to separating them has {_p(test.p_value)}", *given)
        yield (*said, *((". " if test is not None else ": ", *size) if size else ()), ".")
    told = [e for e in edges if search.unfinished is None or tested.get(e) is not None]  # untested edges are no finding
    lines = [names((e.a, e.b), " and ") for e in told if not _has_arrow(e)]
    if lines:
        yield ("Joined, but the direction is open: ", *_listed(lines), ".")


def _p(value: float) -> str:
    return "p under 0.0001" if value < 0.0001 else f"p = {number(value, 2)}"


def _edges_word(n: int) -> str:
    return "1 edge" if n == 1 else f"{n} edges"


def passes(probability: float, least: float) -> bool:
    """Tell whether a probability, rounded as it is shown, reaches a threshold: 80 % is never "less than 80 %"."""
    return in_percent(probability) >= in_percent(least)


def _has_arrow(e: Edge) -> bool:
    return ARROW in (e.mark_a, e.mark_b)


def _outcome(search: SearchResult, name: str) -> Said:
    """Say who causes an outcome directly, with how likely that is where it is known."""
    numbers = search.edge_numbers()
    around = [e for e in search.graph.edges() if name in (e.a, e.b)]
    if not around:
        return "In the graph, nothing is joined to ", Name(name), ", the outcome."
    joined = [((e.a if e.b == name else e.b), None if numbers is None else numbers[e.a, e.b]) for e in around]
    joined.sort(key=lambda one: 0.0 if one[1] is None else -one[1]["probability"])
    parts = [(Name(other), "" if sure is None else f" ({share(sure['probability'])})") for other, sure in joined]
    return Name(name), ", the outcome, is joined to ", *_listed(parts, most=8, last=" and "), "."


def _blanket(blanket: BlanketResult) -> Said:
    roles = {"parents": "its causes", "children": "its effects", "undetermined": "neighbours whose direction is open"}
    roles |= {"spouses": "other causes of its effects"}
    parts: list[tuple[str, ...]] = [
        (f"{roles[part]} (", *names(members, " and "), ")") for part in ROLES if (members := getattr(blanket, part))
    ]
    if not parts:
        return "Nothing in the table is directly related to ", Name(blanket.target), ", as far as these data show."
    return "Enough to predict ", Name(blanket.target), ": ", *_listed(parts, most=9, between="; "), "."


def _lonely(search: SearchResult, shown: Graph) -> Said:
    """Name the columns without an edge, but for outcomes, of which that is told already."""
    outcomes = () if search.knowledge is None else search.knowledge.outcome[:2]
    alone = [name for name in shown.nodes if not shown.adjacent(name) and name not in outcomes]
    if not alone:
        return ()
    verb = "is" if len(alone) == 1 else "are"
    return " ", *_listed([(Name(name),) for name in alone], most=6, last=" and "), f" {verb} joined to nothing."


def _left_out(search: SearchResult) -> Said:
    """Name the columns that were left out without being asked to: whoever looks for one finds it here."""
    left = [(Name(name),) for name, why in search.recipe.preparation.leave_out.items() if why not in _ASKED_FOR]
    if not left:
        return ()
    verb = "was" if len(left) == 1 else "were"
    return *_listed(left, most=6, last=" and "), f" {verb} left out; why is told under “What was done to the table”."


def _background(ask: Sequence[Fact]) -> Iterable[Said]:
    """Doubt arrows into columns that look like background: whoever sees a cause of sex stops reading."""
    for assigned, looks, if_so in (
        (False, "background", (". If nothing in the table can cause ", ", name it as exogenous")),
        (True, "a treatment", (". If chance decided about ", ", name it as randomised")),
    ):
        into = [fact for fact in ask if fact.about_background and fact.assigned == assigned]
        if into:
            arrows = [edge(fact.second, "->", fact.first) for fact in into]
            begins = "An arrow leads" if len(into) == 1 else "Arrows lead"
            yield (
                *(f"{begins} into what looks like {looks}: ", *_listed(arrows), if_so[0]),
                *names(tuple(dict.fromkeys(fact.first for fact in into)), " or "),
                f"{if_so[1]} and learn again: other directions will change too.",
            )


def _missed(search: SearchResult, groups: Groups) -> Said:
    """Doubt a graph in which a treatment cannot reach an outcome although its groups differ in it."""
    differ = [one for one in groups.compared if one.low is not None and one.high is not None and one.low * one.high > 0]
    if not differ or _may_lead(search.graph, groups.cause, groups.effect):
        return ()
    return (
        *("The graph misses an effect: the groups of ", Name(groups.cause), " differ in ", Name(groups.effect)),
        ", but no path of arrows leads from one to the other. Trust the comparison.",
    )


def _may_lead(graph: Graph, x: str, y: str) -> bool:
    """Tell whether arrows, or edges that may be arrows, lead from one column to another."""
    onward = (graph.marks != NONE) & (graph.marks.T != ARROW)
    reached, more = np.zeros(graph.n, dtype=bool), np.arange(graph.n) == graph.index(x)
    while (more != reached).any():
        reached, more = more, more | onward[more].any(axis=0)
    return bool(reached[graph.index(y)])


def _doubts(search: SearchResult, shown: Graph, behind: Behind) -> Iterable[Said]:
    """Say what to doubt: a run that has not settled first, then rows, edges, tests, rivals."""
    if search.unfinished is not None:
        yield (f"The search is unfinished: {search.unfinished}. What was not tested by then stays joined.",)
    if search.narrowed is not None:
        yield (f"The graph is {search.narrowed}.",)
    asked = search.open_questions()
    unsettled = [one for one in asked if isinstance(one, Unsettled)]
    if unsettled:
        parts = [
            (*names((one.a, one.b), " and "), f" ({share(one.low)} to {share(one.high)})")
            for one in sorted(unsettled, key=lambda one: one.low - one.high)
        ]
        some = "a pair is" if len(parts) == 1 else f"{len(parts)} pairs are"
        begins = f"The computation has not settled: repeated runs disagree about how likely {some} to be joined: "
        yield begins, *_listed(parts, most=2), ". Take these as open, or run longer (more rounds)."
    rows = search.recipe.preparation.why.get("rows")
    if rows:
        yield (f"{rows[:1].upper()}{rows[1:]}.",)
    made = dict.fromkeys(one.by_definition for one in behind.effects if one.by_definition is not None)
    yield from ((f"{line}.",) for line in list(made)[:2])
    numbers = search.edge_numbers()
    posterior = isinstance(search.evidence, Graphs) and search.evidence.source == "posterior"
    seldom = f"less than {share(SURE)} likely" if posterior else f"in less than {share(SURE)} of the bootstrap samples"
    if numbers:
        here = [one for ends, one in numbers.items() if ends[0] in shown and ends[1] in shown]
        unsure = sum(not passes(one["probability"], SURE) for one in here)
        if unsure:
            are = "is" if unsure == 1 else "are"
            begins = f"{unsure} of the {len(here)} edges {are} not sure: {seldom}."
            yield (f"{begins} The thinner a line, the less sure it is.",)
        there = [e for e in shown.edges() if passes(numbers[e.a, e.b]["probability"], SURE)]
        arrows = [e for e in there if _has_arrow(e)]
        turned = sum(not passes(numbers[e.a, e.b]["probability_of_marks"], SURE) for e in arrows)
        if turned:
            have = "has" if turned == 1 else "have"
            begins = f"{turned} of the {_edges_word(len(there))} that are sure {have} an unsure direction"
            yield (f"{begins}: the arrow is {seldom}. The emptier its head, the less sure it is.",)
    left = [(a, b, sure) for a, b, sure in search.near_misses() if a in shown and b in shown]
    if left:
        parts = [(*names((a, b), " and "), f" ({share(sure)})") for a, b, sure in left]
        yield "Left out of the graph, but perhaps joined: ", *_listed(parts, most=3), "."
    yield from _thin_tests(search)
    for rivals in [one for one in asked if isinstance(one, Rivals)][:2]:
        parts = [(Name(name), f" ({share(part)})") for name, part in rivals.rivals]
        several = f"to more than one: {share(rivals.several)}" if rivals.several else "never to more than one"
        yield (
            *(Name(rivals.target), f" is joined to at least one of these ({share(rivals.some)}): "),
            *(*_listed(parts, last=" or "), f"; {several}."),
        )
    for copies in [one for one in asked if isinstance(one, Copies)][:2]:
        yield (
            *names(copies.columns, " and "),
            " say the same in other words: an edge to one could just as well be an edge to the other.",
        )
    for lost in [one for one in asked if isinstance(one, Lost)][:_MOST_NAMED]:
        nearly = ", by which it is nearly decided." if lost.decided else "."
        yield (
            *(Name(lost.column), " is not in the blanket, but depends on ", Name(lost.target)),
            *(" given the blanket: it was taken out given ", *names(lost.given, " and "), nearly),
        )
    both = [e for e in shown.edges() if e.symbol == "<->"]
    if both and search.n_samples is not None and search.n_samples < ROWS_FOR_HIDDEN:
        yield (HIDDEN,)


def _thin_tests(search: SearchResult) -> Iterable[Said]:
    ledger = search.ledger
    if search.n_samples is None or not ledger.n_unreliable:
        return
    tests = search.doubtful() if search.graph.n <= LOOKED_THROUGH else ()
    thin = sum(search.graph.edge(test.x, test.y) is not None for test in tests)
    edges = f" {thin} of the {search.graph.n_edges} edges rest on such a test and are drawn dashed." if thin else ""
    edges += f" {len(tests) - thin} absent edges rest on one." if len(tests) > thin else ""
    yield (f"{ledger.n_unreliable:,} of {ledger.n_tests:,} tests {TOO_LITTLE}.{edges}",)


def _listed(
    parts: Sequence[Said], *, most: int = _MOST_NAMED, between: str = ", ", last: str | None = None
) -> tuple[str, ...]:
    """List pieces of a sentence, and say how many more there are."""
    shown = parts[:most]
    found: list[str] = []
    for k, part in enumerate(shown):
        end = last is not None and k == len(parts) - 1
        found += [*([] if not k else [last if end and last is not None else between]), *part]
    if len(parts) > most:
        found.append(f" and {len(parts) - most} more")
    return tuple(found)
