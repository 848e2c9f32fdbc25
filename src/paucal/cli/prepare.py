"""`paucal prepare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paucal.cli.loading import data_options
from paucal.cli.options import ListCommand
from paucal.cli.output import print_json, tell

if TYPE_CHECKING:
    from paucal.cli.loading import Loader


@click.command("prepare", cls=ListCommand)
@data_options
@click.option("-o", "--out", metavar="FILE", help="Write the proposal as a recipe, to be edited and given to --recipe.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(load: Loader, out: str | None, as_json: bool) -> None:
    """Propose how to prepare DATA before anything is learned from it.

    The other commands prepare DATA in this way by themselves. Write the proposal to a file if you want to change it, or
    to keep it with the results.

    \b
    Examples:
      paucal prepare survey.csv
      paucal prepare survey.csv -o recipe.toml
      paucal learn survey.csv --recipe recipe.toml
    """
    from paucal.atomic import write_text

    proposal = load.take_in().checked_proposal()
    if out is not None:
        write_text(out, proposal.to_toml())
    if as_json:
        print_json({"preparation": proposal.said, "why": dict(proposal.why)})
    else:
        tell(str(proposal))
