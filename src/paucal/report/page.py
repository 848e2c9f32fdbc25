"""One self-contained HTML page about a result: opens anywhere, needs no network, prints well.

The page is complete without its script; the script adds another look at the graph, explanations on click, and sorting.
Templates write it: everything that comes from the data is escaped there (`text.py`). A content security policy allows
the page's own style and script, by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import paucal
from paucal.atomic import write_text
from paucal.data.preparation_words import done
from paucal.errors import ParameterError
from paucal.graphs.drawing.names import shortened
from paucal.graphs.drawing.svg import LONGEST_LABEL, to_svg
from paucal.report import decidable, tables
from paucal.report.answer import answer
from paucal.report.behind import Behind
from paucal.report.effects import effects_part
from paucal.report.evidence import evidence
from paucal.report.lanes import groups, lanes, ranks
from paucal.report.meanings import KINDS, PROBABILITIES, assumptions, meanings
from paucal.report.missing import gaps
from paucal.report.provenance import CITATION, run_facts
from paucal.report.text import SYMBOLS, environment, script_json
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.questions import AgainstOdds, Doubtful, Nearly
from paucal.search.local.result import BlanketResult
from paucal.search.result import SearchResult

if TYPE_CHECKING:
    import os

    from paucal.graphs.graph import Graph
    from paucal.search.evidence.questions import OpenQuestion

DRAWN_AT_MOST = 400  # nodes; without the script, a drawing of more tells nothing and takes long
QUESTIONS_AT_MOST = 50
LONGEST_NAME = 40  # in sentences and tables; the table of columns has all names in full
_SHEET = (882, 1167)  # the largest drawing whose labels, 13 units high, have ten pixels on a sheet of paper
_JOINED_AT_LEAST = 0.01  # pairs that are less likely joined are not in the matrix


def write_report(
    result: SearchResult | BlanketResult, path: str | os.PathLike[str], *, data: Any = None, title: str | None = None
) -> Path:
    """Write a page about a result: the answer in words, the graph to explore, its edges, what was run.

    Parameters
    ----------
    result
        What `paucal.learn` or `paucal.blanket` returned.
    path
        The HTML file; it is written whole or not at all.
    data
        The data behind the result, anything `Dataset.of` takes; adds what stands behind every edge (the table of the
        two columns, the size, the effect, a second opinion), a table of the columns, what the tests could have
        detected, and what edges are worth to the score.
    title
        A heading; by default the search and the size of the data.

    Returns
    -------
    The path of the file.

    Examples
    --------
    >>> import tempfile, paucal
    >>> from paucal.search.by_tests.pc import pc_stable
    >>> result = pc_stable(paucal.Oracle(paucal.Graph.parse("A -> B <- C")))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(result, folder + "/page.html").name
    'page.html'
    """
    write_text(path, page(result, data=data, title=title))
    return Path(path)


def page(result: SearchResult | BlanketResult, *, data: Any = None, title: str | None = None) -> str:
    """Give the page of `write_report` as text."""
    blanket = result if isinstance(result, BlanketResult) else None
    search = blanket.result if blanket is not None else result
    if not isinstance(search, SearchResult):
        raise ParameterError(
            f"A report is about a result, not about {type(result).__name__}.",
            hint="Give what paucal.learn or paucal.blanket returned.",
        )
    if blanket is None:
        search.refuse_too_many()
    table = None if data is None else search.own_data(data)
    shown = _shown(search, blanket)
    behind = Behind(search, shown, table)
    sampled = search.evidence.source if isinstance(search.evidence, Graphs) else None
    asked = (
        [one for one in search.open_questions() if not isinstance(one, Doubtful)] if shown.n == search.graph.n else []
    )
    looked = search.graph.n <= tables.LOOKED_THROUGH
    ask = search.ask(data=table) if blanket is None and looked else []
    effects, trials = effects_part(search, shown, table, behind)
    parts: dict[str, Any] = {
        "answer": answer(search, shown, blanket, behind, ask),
        "told": [f"{line[:1].upper()}{line[1:]}." for line in search.told_by_interventions()],
        "shown": shown,
        "svg": _drawing(shown, search),
        "sampled": sampled,
        "tested": search.test is not None and bool(search.ledger.n_tests),
        "blanket": blanket,
        "members": None if blanket is None else tables.members_table(blanket),
        "edges": tables.edges_table(search, shown),
        "near": tables.near_misses_table(search, shown),
        "absences": tables.absences_table(search, shown),
        "trials": trials,
        "effects": effects,
        "questions": [_sentence(one) for one in asked[:QUESTIONS_AT_MOST]],
        "short": short_names(shown),
        "more_questions": max(len(asked) - QUESTIONS_AT_MOST, 0),
        "ask": ask,
        "decided": decidable.decided(search, table),
        "gaps": gaps(search, table),
        "columns": None if table is None else decidable.columns_table(table),
        "kind": KINDS[search.graph.kind],
        "signs": SYMBOLS,
        "meanings": meanings(shown, sampled),
        "source": None if sampled is None else PROBABILITIES[sampled],
        "assumptions": assumptions(shown),
        "prepared": done(search.recipe.preparation),
        "facts": run_facts(search),
        "call": repr(search.recipe),
        "version": paucal.__version__,
        "citation": CITATION.splitlines(),
    }
    heading = title if title is not None else _default_title(search, blanket)
    return document("report.html", heading, _figures(search), _content(search, shown, blanket, table, behind), **parts)


def document(template: str, heading: str, figures: list[str], content: dict[str, Any], **parts: Any) -> str:
    """Write a page by a template: the heading, a line of figures, and what its script needs."""
    from markupsafe import Markup

    style, script = _static("report.css"), _static("report.js")
    policy = f"default-src 'none'; style-src {_allowed(style)}; script-src {_allowed(script)}; img-src data:"
    ours = {"style": style, "script": script, "content": script_json(content)}  # no text of others is in them unescaped
    return (
        environment()
        .get_template(template)
        .render(
            heading=heading,
            figures=figures,
            broad=parts["svg"] is not None and _is_broad(parts["svg"]),
            policy=Markup(policy),  # noqa: S704 - our own text
            **{key: Markup(value) for key, value in ours.items()},  # noqa: S704
            **parts,
        )
    )


def short_names(graph: Graph) -> dict[str, str]:
    """Give short forms of long names, which can be told apart."""
    both = zip(graph.nodes, shortened(graph.nodes, LONGEST_NAME), strict=True)
    return {name: short for name, short in both if len(name) > LONGEST_NAME}


def short_forms(graph: Graph) -> dict[str, Any]:
    """Give what the script writes for names: labels of boxes, and short forms of the long ones by their numbers."""
    short = {graph.index(name): text for name, text in short_names(graph).items()}
    return {"labels": shortened(graph.nodes, LONGEST_LABEL), "short": short}


def _sentence(one: OpenQuestion) -> str:
    """Write an open question as a page does; a name at its beginning stays as it is."""
    words = str(one).replace(" %", "\xa0%")
    if isinstance(one, Nearly):
        words = words.replace(" -> ", " → ").replace(" -- ", " — ")
    return f"{words[0].upper() if isinstance(one, AgainstOdds | Nearly) else words[0]}{words[1:]}."


def _shown(search: SearchResult, blanket: BlanketResult | None) -> Graph:
    """Give the graph to draw: all of it, or of a blanket's search the part that has edges or members."""
    if blanket is None:
        return search.graph
    around = {blanket.target, *blanket.members}
    return search.graph.subgraph(name for name in search.graph.nodes if name in around or search.graph.adjacent(name))


def _default_title(search: SearchResult, blanket: BlanketResult | None) -> str:
    """Name the page after what it shows."""
    if blanket is not None:
        return f"The Markov blanket of {blanket.target}"
    return f"Causes and effects among {search.graph.n} columns"


def _figures(search: SearchResult) -> list[str]:
    g = search.graph
    rows = [] if search.n_samples is None else [f"{search.n_samples:,} rows"]
    some = "all" if g.n_directed == g.n_edges > 1 else f"{g.n_directed:,}" if g.n_directed else "none"
    edges = f"{g.n_edges:,} edge{'' if g.n_edges == 1 else 's'}, {some} with a direction"
    if g.n_edges <= 1:
        edges = "no edge" if not g.n_edges else f"1 edge, {'with' if g.n_directed else 'without'} a direction"
    return [f"{g.n:,} column{'' if g.n == 1 else 's'}", *rows, edges]


def _drawing(shown: Graph, search: SearchResult) -> Any:
    """Draw the graph for readers without the script; its names are escaped by `to_svg`."""
    from markupsafe import Markup

    if shown.n > DRAWN_AT_MOST:
        return None
    faint = [pair for pair in search.near_misses() if pair[0] in shown and pair[1] in shown]
    found = lanes(shown, search.knowledge, ranks(shown))
    side_by_side = None if found is None else (found["labels"], found["of"])
    svg = to_svg(shown, engine="plain", numbers=search.edge_numbers(), faint=faint, lanes=side_by_side)
    return Markup(svg)  # noqa: S704


def _is_broad(svg: str) -> bool:
    """Tell whether labels would be less than ten pixels high on a sheet of paper (see web/src/view.js)."""
    size = re.search(r'width="(\d+)" height="(\d+)"', svg)
    return size is not None and (int(size[1]) > _SHEET[0] or int(size[2]) > _SHEET[1])


def _content(
    search: SearchResult, shown: Graph, blanket: BlanketResult | None, data: Any, behind: Behind
) -> dict[str, Any]:
    """Collect what the script needs."""
    known, rank = search.knowledge, ranks(shown)
    found = lanes(shown, known, rank)
    target = blanket.target if blanket is not None else next(iter(() if known is None else known.outcome), None)
    return {
        **evidence(search, shown, behind, data),
        "rank": rank,
        "lanes": found,
        "groups": groups(shown, known, found),
        "joined": _joined(search, shown),
        **short_forms(shown),
        "source": search.evidence.source if isinstance(search.evidence, Graphs) else None,
        "meanings": meanings(shown, search.evidence.source if isinstance(search.evidence, Graphs) else None),
        "test": search.evidence.means.name,
        "samples": search.n_samples,
        "target": shown.index(target) if target is not None and target in shown else None,
        "members": [] if blanket is None else [shown.index(name) for name in blanket.members],
        "recipe": _recipe(search),
        "compare": None,
    }


def _joined(search: SearchResult, shown: Graph) -> list[list[float]] | None:
    """List the pairs that may be joined: two numbers of nodes, and the probability; None where nobody tells one."""
    if not isinstance(search.evidence, Graphs):
        return None
    pairs = ((one["a"], one["b"], 1 - one["absent"]) for one in search.evidence.records(_JOINED_AT_LEAST))
    return [[shown.index(a), shown.index(b), round(p, 4)] for a, b, p in pairs if a in shown and b in shown]


def _recipe(search: SearchResult) -> dict[str, Any] | None:
    """Give what runs it again, without the arrows that must or must not be there: the script adds to these."""
    recipe = search.recipe
    known = {} if recipe.knowledge is None else recipe.knowledge.to_dict()
    arrows = {word: known.pop(word, []) for word in ("required", "forbidden")}
    content = {name: value for name, value in recipe.to_dict().items() if name not in ("knowledge", "reason")}
    if search.n_samples is None:
        return None
    from paucal.toml_text import inline, toml_of

    told = [f"{word} = {inline(said)}" for word, said in known.items()]  # on one line each: the script adds lines
    return {
        **arrows,
        "toml": toml_of(content),
        "knowledge": "\n".join(["[knowledge]", *told]) if told else "",
        "command": "blanket" if recipe.target is not None else "learn",
        "target": recipe.target,
    }


@cache
def _static(name: str) -> str:
    return files("paucal.report").joinpath("static", name).read_text(encoding="utf-8")


def _allowed(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"
