"""`paucal compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paucal.cli.files import FilesCommand
from paucal.cli.output import number, print_json, print_table, tell
from paucal.errors import PaucalError

if TYPE_CHECKING:
    from paucal.metrics import Scores
    from paucal.report.comparison import Compared


@click.command("compare", cls=FilesCommand)
@click.argument("learned")
@click.argument("truth")
@click.option("--report", metavar="FILE", help="Write a page that shows both, with what differs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(learned: str, truth: str, report: str | None, as_json: bool) -> None:
    """Count and list the edges on which LEARNED and TRUTH differ.

    Each is a bundled network, a BIF file, or JSON that paucal wrote. A DAG compared with a CPDAG
    stands for its equivalence class, because data cannot tell more.

    \b
    Examples:
      paucal compare graph.json alarm
      paucal compare seed1.json seed2.json --report page.html
    """
    from paucal.metrics import arrowhead_scores, differences, edge_counts, pag_shd, shd, skeleton_scores
    from paucal.networks.sources import find_graph

    if report is not None:
        _write_report(learned, truth, report)
    a, b = find_graph(learned), find_graph(truth)
    latent = {a.kind, b.kind} & {"pag", "mag"}
    distance = pag_shd(a, b) if latent else shd(a, b)
    counts, listed = edge_counts(a, b), differences(a, b)
    scores = {"skeleton": _plain(skeleton_scores(a, b)), "arrowheads": _plain(arrowhead_scores(a, b))}
    edges = [(_edge(d.learned), _edge(d.truth)) for d in listed]
    if as_json:
        told = [
            {"pair": d.pair, "kind": d.kind, "learned": learned, "truth": truth}
            for d, (learned, truth) in zip(listed, edges, strict=True)
        ]
        name = "pag_shd" if latent else "shd"
        print_json({"distance": name, "shd": distance, **vars(counts), **scores, "differences": told})
        return
    tell(f"SHD {distance}{' (marks of PAGs)' if latent else ''}: {counts.extra} extra, ", nl=False)
    tell(f"{counts.missing} missing, {counts.misdirected} misdirected; {counts.correct} right")
    rows = [[name, *(number(v, 3) for v in values.values())] for name, values in scores.items()]
    print_table(["", "precision", "recall", "F1"], rows)
    if listed:
        rows = [[d.kind, *(e or "no edge" for e in two)] for d, two in zip(listed, edges, strict=True)]
        print_table(["difference", "learned", "truth"], rows, left=3)


def _write_report(first: str, second: str, path: str) -> None:
    from paucal.report.comparison import write_comparison

    labels = (Path(first).stem, Path(second).stem)
    write_comparison(_side(first), _side(second), path, labels=(first, second) if labels[0] == labels[1] else labels)


def _side(source: str) -> Compared:
    """Take the whole result of a search where the file holds one, with its probabilities; otherwise the graph."""
    from paucal.networks.sources import find_graph
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

    graph = find_graph(source)
    if not source.lower().endswith(".json"):
        return graph
    content = json.loads(Path(source).read_text(encoding="utf-8"))
    try:
        if content.get("format") == "paucal-result":
            return SearchResult.from_dict(content)
        return BlanketResult.from_dict(content) if content.get("format") == "paucal-blanket" else graph
    except PaucalError as error:
        raise error.within(source) from error


def _plain(scores: Scores) -> dict[str, float]:
    return {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}


def _edge(edge: object) -> str | None:
    return None if edge is None else str(edge)
