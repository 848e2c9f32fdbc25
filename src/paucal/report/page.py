"""One self-contained HTML page about a result: opens anywhere, needs no network, prints well.

The page is complete without its script; the script adds zooming, explanations on click, and sorting. Everything that
comes from the data goes through `text.py`. A content security policy allows the page's own style and script, by their
hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paucal.atomic import write_text
from paucal.errors import ParameterError
from paucal.report import decidable, provenance, sections, tables
from paucal.report.asking import asking_section
from paucal.report.evidence import evidence
from paucal.report.meanings import meanings
from paucal.report.text import script_json, text
from paucal.search.evidence.graphs import Graphs
from paucal.search.local.result import BlanketResult
from paucal.search.result import SearchResult

if TYPE_CHECKING:
    import os

    from paucal.graphs.graph import Graph


def write_report(
    result: SearchResult | BlanketResult, path: str | os.PathLike[str], *, data: Any = None, title: str | None = None
) -> Path:
    """Write a page about a result: the graph to explore, its edges, what the data can decide, what was run.

    Parameters
    ----------
    result
        What `paucal.learn` or `paucal.blanket` returned.
    path
        The HTML file; it is written whole or not at all.
    data
        The data behind the result, anything `Dataset.of` takes; adds a table of the columns, what the tests could
        have detected, and what edges are worth to the score.
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
            f"A report tells about a result, not about {type(result).__name__}.",
            hint="Give what paucal.learn or paucal.blanket returned.",
        )
    data = None if data is None else search.own_data(data)
    shown = _shown(search, blanket)
    heading = title if title is not None else sections.default_title(search, blanket)
    body = [
        sections.header(heading, search, blanket),
        sections.graph_section(shown, search, blanket),
        *([tables.members_section(blanket)] if blanket is not None else []),
        sections.questions_section(search, shown),
        tables.edges_section(search, shown),
        tables.near_misses(search, shown),
        tables.absences(search, shown),
        *([asking_section(search, data)] if blanket is None else []),
        decidable.data_section(search, data),
        *([decidable.columns_section(data)] if data is not None else []),
        sections.reading_section(search, shown),
        provenance.run_section(search),
        provenance.citation_section(),
    ]
    return _document(heading, "\n".join(body), _content(search, shown, blanket, data))


def _shown(search: SearchResult, blanket: BlanketResult | None) -> Graph:
    """Give the graph to draw: all of it, or of a blanket's search the part that has edges or members."""
    if blanket is None:
        return search.graph
    around = {blanket.target, *blanket.members}
    return search.graph.subgraph(name for name in search.graph.nodes if name in around or search.graph.adjacent(name))


def _content(search: SearchResult, shown: Graph, blanket: BlanketResult | None, data: Any) -> dict[str, Any]:
    """Collect what the script needs."""
    return {
        **evidence(search, shown, data),
        "shares": sections.shares_title(search),
        "meanings": meanings(shown, sampled=isinstance(search.evidence, Graphs)),
        "test": search.evidence.means.name,
        "samples": search.n_samples,
        "target": None if blanket is None else shown.index(blanket.target),
        "members": [] if blanket is None else [shown.index(name) for name in blanket.members],
    }


def _document(heading: str, body: str, content: dict[str, Any]) -> str:
    style, script = _static("report.css"), _static("report.js")
    policy = f"default-src 'none'; style-src {_allowed(style)}; script-src {_allowed(script)}; img-src data:"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<link rel="icon" href="data:,">\n<title>{text(heading)}</title>\n<style>{style}</style>\n</head>\n'
        f"<body>\n{body}\n"
        f'<script type="application/json" id="content">{script_json(content)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


@cache
def _static(name: str) -> str:
    return files("paucal.report").joinpath("static", name).read_text(encoding="utf-8")


def _allowed(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"
