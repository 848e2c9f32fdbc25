"""`paucal compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paucal.cli.output import number, print_json, print_table, tell

if TYPE_CHECKING:
    from paucal.metrics import Scores


@click.command("compare")
@click.argument("learned")
@click.argument("truth")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(learned: str, truth: str, as_json: bool) -> None:
    """Count and list the edges on which LEARNED and TRUTH differ.

    Each is a bundled network, a BIF file, or JSON that paucal wrote. A DAG beside a CPDAG stands for its equivalence
    class, because data cannot tell more.

    \b
    Example:
      paucal compare graph.json alarm
    """
    from paucal.metrics import arrowhead_scores, differences, edge_counts, pag_shd, shd, skeleton_scores
    from paucal.networks.sources import find_graph

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


def _plain(scores: Scores) -> dict[str, float]:
    return {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}


def _edge(edge: object) -> str | None:
    return None if edge is None else str(edge)
