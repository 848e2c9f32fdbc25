"""`paucal compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paucal.cli.output import number, print_json, print_table

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
    skeleton, heads = skeleton_scores(a, b), arrowhead_scores(a, b)
    if as_json:
        print_json(
            {
                "distance": "pag_shd" if latent else "shd",
                "shd": distance,
                **vars(counts),
                "skeleton": _plain(skeleton),
                "arrowheads": _plain(heads),
                "differences": [
                    {
                        "pair": list(d.pair),
                        "kind": d.kind,
                        "learned": _edge(d.learned),
                        "truth": _edge(d.truth),
                    }
                    for d in listed
                ],
            }
        )
        return
    click.echo(f"SHD {distance}{' (marks of PAGs)' if latent else ''}: {counts.extra} extra, ", nl=False)
    click.echo(f"{counts.missing} missing, {counts.misdirected} misdirected; {counts.correct} right")
    print_table(
        ["", "precision", "recall", "F1"],
        [
            [name, *(number(v, 3) for v in _plain(s).values())]
            for name, s in (("skeleton", skeleton), ("arrowheads", heads))
        ],
    )
    if listed:
        rows = [[d.kind, _edge(d.learned) or "no edge", _edge(d.truth) or "no edge"] for d in listed]
        print_table(["difference", "learned", "truth"], rows, left=3)


def _plain(scores: Scores) -> dict[str, float]:
    return {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}


def _edge(edge: object) -> str | None:
    return None if edge is None else str(edge)
