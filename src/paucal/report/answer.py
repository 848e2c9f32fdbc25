"""The answer first: what was found and what to doubt about it, each in a few sentences, for the top of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paucal.graphs.language import in_percent
from paucal.graphs.marks import ARROW
from paucal.report.decidable import TOO_LITTLE
from paucal.report.effects import compared
from paucal.report.tables import LOOKED_THROUGH, ROLES
from paucal.report.text import Name, edge, names, number, share
from paucal.search.evidence.graphs import Graphs, direction_is_open
from paucal.search.evidence.questions import Copies, Lost, Rivals, Unsettled
from paucal.search.evidence.tests import Tests
from paucal.search.result import ROWS_FOR_HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paucal.graphs.graph import Graph
    from paucal.graphs.language import Edge
    from paucal.report.behind import Behind
    from paucal.report.text import Said
    from paucal.search.evidence.asking import Fact
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

SURE = 0.8  # an edge whose ends are joined with a smaller probability is counted as unsure
_LIKELY_ARROW = 0.5  # an arrow that is less likely is no finding
_MOST_ARROWS = 3
_MOST_NAMED = 4
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
    if blanket is not None:
        findings.append(_blanket(blanket))
    else:
        outcomes = () if search.knowledge is None else search.knowledge.outcome
        findings += [_outcome(search, name) for name in outcomes[:2] if name in search.graph]
    findings += _edges(search, shown, behind)
    findings += [said for said in (_lonely(shown), _left_out(search)) if said and blanket is None]
    return Answer(findings, [*_background(ask), *_doubts(search, shown)])


def _edges(search: SearchResult, shown: Graph, behind: Behind) -> Iterable[Said]:
    edges = shown.edges()
    if not edges:
        yield ("Nothing is joined: no two columns have anything to do with each other that these data can show.",)
        return
    if isinstance(search.evidence, Graphs):
        yield from _sampled(search, search.evidence, edges, behind)
    else:
        yield from _decided(search, edges, behind)


def _sampled(search: SearchResult, evidence: Graphs, edges: Sequence[Edge], behind: Behind) -> Iterable[Said]:
    """Tell of the surest arrows, of pairs that are surely joined in an open direction, and of how much is sure."""
    posterior = evidence.source == "posterior"
    likely = _LIKELY if posterior else _FOUND_AGAIN
    often = f"{share(SURE)} likely" if posterior else f"in {share(SURE)} of the bootstrap samples"
    numbers = {e: evidence.edge_columns(e) for e in edges}
    decided = [e for e in edges if _has_arrow(e) and not direction_is_open(numbers[e])]
    arrows = [e for e in decided if passes(numbers[e]["probability_of_marks"], _LIKELY_ARROW)]
    for e in sorted(arrows, key=lambda e: -numbers[e]["probability_of_marks"])[:_MOST_ARROWS]:
        joined, this_way = (share(numbers[e][key]) for key in ("probability", "probability_of_marks"))
        size = behind.size_sentence(e.a, e.b)
        said = (*edge(e.a, e.symbol, e.b), ": ", likely[joined != this_way].format(joined=joined, way=this_way))
        yield (*said, *((". ", *size) if size else ()), ".")
    turned = [e for e in edges if e not in decided and passes(numbers[e]["probability"], SURE)]
    if turned:
        pairs = [names((e.a, e.b), " and ") for e in sorted(turned, key=lambda e: -numbers[e]["probability"])]
        are = f"Very likely joined ({share(SURE)} or more), but the direction is open: "
        yield (are, *_listed(pairs), ".")
    sure = sum(passes(one["probability"], SURE) for one in numbers.values())
    pairs_in_all = search.graph.n * (search.graph.n - 1) // 2
    told = f"In all, {_edges_word(len(edges))} among {pairs_in_all:,} pairs of columns"
    if sure == len(edges):
        part = "it is" if sure == 1 else "each is"
    else:
        part = f"{sure or 'none'} of them {'is' if sure <= 1 else 'are'}"
    yield (f"{told}; {part} {often} or more.",)


def _decided(search: SearchResult, edges: Sequence[Edge], behind: Behind) -> Iterable[Said]:
    """Tell of the arrows that tests or a score have decided: those whose nearest test was clearest come first."""
    tested = {e: search.nearest(e.a, e.b) for e in edges if isinstance(search.evidence, Tests)}

    def clearness(e: Edge) -> tuple[bool, float]:
        test = tested.get(e)
        return (test is None or not test.reliable, 0.0 if test is None or test.p_value is None else test.p_value)

    arrows = sorted((e for e in edges if _has_arrow(e)), key=clearness)
    for e in arrows[:_MOST_ARROWS]:
        size = behind.size_sentence(e.a, e.b)
        test = tested.get(e)
        said: tuple[str, ...] = edge(e.a, e.symbol, e.b)
        if test is not None and test.p_value is not None and test.n is not None:
            given = (" given ", *names(test.given)) if test.given else ()
            said += (f": the test that came nearest to separating them has {_p(test.p_value)}", *given)
        yield (*said, *((". " if test is not None else ": ", *size) if size else ()), ".")
    lines = [names((e.a, e.b), " and ") for e in edges if not _has_arrow(e)]
    if lines:
        yield ("Joined, but the direction is open: ", *_listed(lines), ".")
    pairs = search.graph.n * (search.graph.n - 1) // 2
    rest = f"; {len(arrows)} of them have a direction" if lines else ""
    yield (f"In all, {_edges_word(len(edges))} among {pairs:,} pairs of columns{rest}.",)


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
        return Name(name), ": nothing in the table is joined to this outcome."
    joined = [((e.a if e.b == name else e.b), None if numbers is None else numbers[e.a, e.b]) for e in around]
    joined.sort(key=lambda one: 0.0 if one[1] is None else -one[1]["probability"])
    parts = [(Name(other), "" if sure is None else f" ({share(sure['probability'])})") for other, sure in joined]
    return Name(name), ", the outcome, is joined to ", *_listed(parts, most=8), "."


def _blanket(blanket: BlanketResult) -> Said:
    roles = {"parents": "causes", "children": "effects", "undetermined": "neighbours whose direction is open"}
    roles |= {"spouses": "other causes of its effects"}
    parts: list[tuple[str, ...]] = [
        (f"{roles[part]} (", *names(members, " and "), ")") for part in ROLES if (members := getattr(blanket, part))
    ]
    if not parts:
        return "Nothing in the table is directly related to ", Name(blanket.target), ", as far as these data show."
    return "What it takes to predict ", Name(blanket.target), ": ", *_listed(parts, most=9, between="; "), "."


def _lonely(shown: Graph) -> Said:
    alone = [name for name in shown.nodes if not shown.adjacent(name)]
    if not alone or not shown.n_edges:
        return ()
    verb = "is" if len(alone) == 1 else "are"
    return *_listed([(Name(name),) for name in alone], most=6), f" {verb} joined to nothing in this graph."


def _left_out(search: SearchResult) -> Said:
    """Name the columns that were left out without being asked to: whoever looks for one finds it here."""
    left = [(Name(name),) for name, why in search.recipe.preparation.leave_out.items() if why]
    if not left:
        return ()
    verb = "was" if len(left) == 1 else "were"
    return *_listed(left, most=6), f" {verb} left out; why is told under “What was done to the table”."


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


def _doubts(search: SearchResult, shown: Graph) -> Iterable[Said]:
    """Say what to doubt: a run that has not settled first, then edges, tests, rivals."""
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
