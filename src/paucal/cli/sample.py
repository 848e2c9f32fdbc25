"""`paucal sample`."""

from __future__ import annotations

import click

from paucal.cli.options import ListCommand


@click.command("sample", cls=ListCommand)
@click.argument("network")
@click.option("-n", "--rows", "n", type=click.IntRange(min=1), required=True, help="Number of rows.")
@click.option("--seed", type=click.IntRange(min=0), required=True, help="Same seed, same rows.")
@click.option("-o", "--out", metavar="FILE", help="CSV, TSV (also .gz), Parquet or Feather; standard output if absent.")
@click.option("--hide", multiple=True, metavar="NODE...", help="Nodes to leave out, as latent variables.")
@click.option("--do", "done", multiple=True, metavar="NODE=LEVEL...", help="Nodes to set from outside.")
def command(network: str, n: int, seed: int, out: str | None, hide: tuple[str, ...], done: tuple[str, ...]) -> None:
    """Draw rows from NETWORK: a bundled one (see `paucal networks`) or a BIF file.

    \b
    Examples:
      paucal sample alarm -n 500 --seed 1 -o alarm.csv
      paucal sample asia -n 200 --seed 7 --hide smoke > asia.csv
      paucal sample sachs -n 40 --seed 1 --do Mek=LOW > u0126.csv
    """
    from paucal import checks
    from paucal.data.write import delimited, write
    from paucal.errors import ParameterError
    from paucal.networks.sources import find_network

    net = find_network(network)
    if done:
        parted = [word.partition("=") for word in done]
        for word, (node, sign, _) in zip(done, parted, strict=True):
            if not node or not sign:
                raise ParameterError(f"--do {word} names no level.", hint="Write --do node=level.")
        net = net.do({node: level for node, _, level in parted})
    for name in hide:
        checks.known("node", name, net.names)
    if set(hide) == set(net.names):
        raise ParameterError("All nodes are hidden.", hint="Leave at least one to see.")
    data = net.sample(n, seed, observed=[name for name in net.names if name not in hide])
    if out is None or out == "-":
        for text in delimited(data):
            click.echo(text, nl=False)
    else:
        write(data, out)
        click.echo(f"{out}: {data.n_rows} rows, {data.n_columns} columns", err=True)
