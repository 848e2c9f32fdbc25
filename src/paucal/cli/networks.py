"""`paucal networks`."""

from __future__ import annotations

from dataclasses import asdict

import click

from paucal.cli.output import print_json, print_table


@click.command("networks")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """List the bundled networks that `sample`, `show` and `compare` know by name.

    \b
    Examples:
      paucal networks
      paucal networks --json
    """
    from paucal.networks import catalogue

    entries = catalogue()
    if as_json:
        print_json([asdict(entry) for entry in entries])
        return
    print_table(
        ["name", "what", "source", "nodes", "arcs", "parameters", "most levels"],
        [
            [e.name, e.note, e.source, str(e.nodes), str(e.arcs), f"{e.parameters:,}", str(e.max_levels)]
            for e in entries
        ],
        left=3,
    )
