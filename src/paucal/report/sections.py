"""The parts of the page that speak in words: the heading, the graph with its panel, how to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.graphs.drawing.svg import to_svg
from paucal.report.decidable import TOO_LITTLE
from paucal.report.meanings import KINDS, PROBABILITIES, assumptions, meanings
from paucal.report.tables import LOOKED_THROUGH, ROLES
from paucal.report.text import SYMBOLS, name, share, text
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.questions import Doubtful

if TYPE_CHECKING:
    from paucal.graphs.graph import Graph
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

UNSURE = 0.8  # an edge whose ends are joined with a smaller probability is counted as unsure
QUESTIONS_AT_MOST = 50
DRAWN_AT_MOST = 400  # nodes; beyond that a drawing tells nothing and takes long


def default_title(search: SearchResult, blanket: BlanketResult | None) -> str:
    """Name the page after what it shows."""
    if blanket is not None:
        return f"The Markov blanket of {blanket.target}"
    return f"Causes and effects among {search.graph.n} columns"


def header(title: str, search: SearchResult, blanket: BlanketResult | None) -> str:
    """Give the heading, the findings in words, and the switch between light and dark."""
    return (
        '<header><div class="bar"><span class="brand">paucal report</span>'
        '<button type="button" id="theme" aria-label="Switch between light and dark" hidden>◐</button></div>'
        f"<h1>{name(title)}</h1>\n<p>{_findings(search, blanket)}</p>\n{_unfinished(search)}"
        f"{_figures(search)}{_origin(search)}{_doubts(search)}{_certainty(search)}</header>"
    )


def _findings(search: SearchResult, blanket: BlanketResult | None) -> str:
    g = search.graph
    rows = "" if search.n_samples is None else f" and {search.n_samples:,} rows"
    means = "test" if search.test is not None else "score"
    tests = f"<b>{text(search.search)}</b> with the {means} <b>{text(search.evidence.means.name)}</b>"
    if blanket is not None:
        sorts = {part: (role, part) for part, role in ROLES.items()}
        sorts["undetermined"] = ("open neighbour", "open neighbours")
        counts = ((len(getattr(blanket, part)), *words) for part, words in sorts.items())
        found = [f"{count} {one if count == 1 else many}" for count, one, many in counts]
        return f"Among {g.n} columns{rows}, {tests} found {', '.join(found)} of {name(blanket.target)}."
    pairs = g.n * (g.n - 1) // 2
    return (
        f"Among {g.n} columns{rows}, {tests} joined {g.n_edges} of {pairs:,} pairs and gave {g.n_directed} of them a "
        "direction."
    )


def _unfinished(search: SearchResult) -> str:
    """Say so, before anything else, if the search ended before its time."""
    if search.unfinished is None:
        return ""
    told = f"The search was {search.unfinished}. What was not tested by then stays joined."
    return f'<p class="doubt"><b>Unfinished.</b> {text(told)}</p>\n'


def _origin(search: SearchResult) -> str:
    """Say which search was chosen, if none was named, and where the probabilities come from."""
    told = []
    if search.recipe.reason is not None:
        told.append(f"No search was named; chosen: {search.search}, as {search.recipe.reason}.")
    told += [f"{line[:1].upper()}{line[1:]}." for line in search.told_by_interventions()]
    if isinstance(search.evidence, Graphs):
        told += [f"{line[:1].upper()}{line[1:]}." for line in search.evidence.lines()]
    return f'<p class="note">{text(" ".join(told))}</p>' if told else ""


def _figures(search: SearchResult) -> str:
    g, ledger = search.graph, search.ledger
    trusted = share(ledger.n_tests - ledger.n_unreliable, ledger.n_tests)
    figures = [
        ("columns", f"{g.n:,}"),
        *([] if search.n_samples is None else [("rows", f"{search.n_samples:,}")]),
        ("edges", f"{g.n_edges:,}"),
        ("directed", f"{g.n_directed:,}"),
        *([("tests", f"{ledger.n_tests:,}")] if ledger.n_tests else []),
        *([("tests to be trusted", trusted)] if ledger.n_tests and search.n_samples is not None else []),
    ]
    return f'<ul class="figures">{"".join(f"<li><b>{value}</b> {what}</li>" for what, value in figures)}</ul>'


def _doubts(search: SearchResult) -> str:
    ledger = search.ledger
    if search.n_samples is None or not ledger.n_tests:
        return ""
    tests = search.doubtful() if search.graph.n <= LOOKED_THROUGH else ()
    thin = sum(search.graph.edge(test.x, test.y) is not None for test in tests)
    if not ledger.n_unreliable:
        return f'<p class="good">All {ledger.n_tests:,} tests had enough samples.</p>'
    edges = f" {thin} of the {search.graph.n_edges} edges rest on such a test and are drawn dashed." if thin else ""
    edges += f" {len(tests) - thin} absent edges rest on one." if len(tests) > thin else ""
    return f'<p class="doubt">{ledger.n_unreliable:,} of {ledger.n_tests:,} tests {TOO_LITTLE}.{edges}</p>'


def _certainty(search: SearchResult) -> str:
    """Say how many edges are not sure."""
    sure = search.edge_numbers()
    if not sure:
        return ""
    open_edges = sum(numbers["probability"] < UNSURE for numbers in sure.values())
    if not open_edges:
        return f'<p class="good">Every edge is joined with {share(UNSURE)} or more, this way or another.</p>'
    are = "is" if open_edges == 1 else "are"
    return (
        f'<p class="doubt">{open_edges} of the {len(sure)} edges {are} not sure: the two are joined with under '
        f"{share(UNSURE)}. The thinner a line, the less sure it is.</p>"
    )


def graph_section(shown: Graph, search: SearchResult, blanket: BlanketResult | None) -> str:
    """Give the drawing with its tools, and the panel that explains what is chosen in it."""
    part = " as far as the search looked" if blanket is not None else ""
    if shown.n <= DRAWN_AT_MOST:
        faint = [pair for pair in search.near_misses() if pair[0] in shown and pair[1] in shown]
        picture = to_svg(shown, numbers=search.edge_numbers(), faint=faint)
        drawing = f'<div id="drawing" class="drawing">{picture}</div>'
    else:
        drawing = f"<p>{shown.n} nodes are too many to draw; the panel tells of any pair.</p>"
    return f"""<section id="graph"><h2>Graph</h2>
<p class="note">This is {KINDS[search.graph.kind]}{part}. <span class="acting">Choose an edge to see why it is there;
choose two columns, by name or one after the other with Shift, to see why they are joined or not.</span></p>
<div class="explore">
<div class="canvas">
<div class="tools" id="tools" hidden>
<button type="button" data-do="in" title="Zoom in (+)" aria-label="Zoom in">+</button>
<button type="button" data-do="out" title="Zoom out (-)" aria-label="Zoom out">−</button>
<button type="button" data-do="fit" title="Fit (0)" aria-label="Fit the whole graph">Fit</button>
<button type="button" data-do="save" title="Save the drawing as SVG">Save</button>
</div>
{drawing}
<div id="tip" role="presentation" hidden></div>
</div>
<aside id="panel" aria-label="Explanation" hidden>
<form id="pair"><label>Why are <select id="first"></select></label> <label>and <select id="second"></select></label>
joined or not?</form>
<div id="told" aria-live="polite"></div>
</aside>
</div>
<p class="note acting keys">Drag to move, Ctrl and wheel or pinch to zoom. With the graph in focus: arrow keys move,
+ and − zoom, 0 fits, N and P step through the edges, Escape lets go.{_dashes(search)}</p>
</section>"""


def _dashes(search: SearchResult) -> str:
    if isinstance(search.evidence, Graphs):
        if not search.near_misses():
            return ""
        return " Dashed lines are no edges: these pairs are left out of the graph, but not unlikely."
    return " Dashed edges rest on too few samples." if search.ledger.n_tests else ""


def shares_title(search: SearchResult) -> str:
    """Name the numbers beside the kinds of an edge."""
    posterior = isinstance(search.evidence, Graphs) and search.evidence.source == "posterior"
    return "Probabilities" if posterior else "Share of graphs"


def questions_section(search: SearchResult, shown: Graph) -> str:
    """List what the data leave open about the columns that are shown; of a test's doubts other tables tell."""
    asked = [one for one in search.open_questions() if not isinstance(one, Doubtful)]
    if not asked or shown.n < search.graph.n:
        return ""
    listed = "".join(f"<li>{text(one)}.</li>" for one in asked[:QUESTIONS_AT_MOST])
    more = len(asked) - QUESTIONS_AT_MOST
    rest = f'<p class="note">And {more} more: result.open_questions() lists them.</p>' if more > 0 else ""
    return f'<section id="questions"><h2>Open questions</h2><ul>{listed}</ul>{rest}</section>'


def reading_section(search: SearchResult, shown: Graph) -> str:
    """Explain the marks that occur and what has to hold for them to mean causes."""
    marks = "".join(
        f'<dt>{name("A")} <span class="mark">{SYMBOLS[symbol]}</span> {name("B")}</dt>'
        f"<dd>{text(sentence.format(a='A', b='B'))}</dd>"
        for symbol, sentence in meanings(shown, sampled=isinstance(search.evidence, Graphs)).items()
    )
    absent = "Not connected directly: given some other columns, or none, the two are independent."
    sampled = search.evidence if isinstance(search.evidence, Graphs) else None
    sure = "" if sampled is None else f"<p>{text(PROBABILITIES[sampled.source])}</p>"
    assumed = "".join(f"<li>{text(line)}</li>" for line in assumptions(shown))
    return (
        f'<section><h2>How to read the graph</h2><dl class="marks">{marks}<dt>no edge</dt><dd>{absent}</dd></dl>'
        f"{sure}<p>The arrows mean causes only as far as this holds:</p><ul>{assumed}</ul></section>"
    )
