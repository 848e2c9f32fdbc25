"""The grid that all experiments with networks run over: networks, sizes, methods, runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.paper.cells.blankets import BlanketCell
from paucal.paper.cells.graphs import GraphCell, network_called

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paucal.paper.design import Scope, Search


def about(scope: Scope, searches: Sequence[Search]) -> tuple[str, ...]:
    """Say what was run."""
    sizes = "; ".join(
        f"{network.upper()} {', '.join(map(str, scope.sizes_of(network)))}" for network in scope.networks
    )
    order = "in random order" if scope.shuffle else "in the order of the files"
    return (
        f"Rows: {sizes}. Runs: {scope.runs}. Columns {order}. Seed {scope.seed}.",
        "Methods: " + "; ".join(f"{search.label}: {search.describe()}" for search in searches) + ".",
    )


def grid(
    scope: Scope, searches: Iterable[Search], *, local: bool = False, hidden: float = 0.0
) -> list[GraphCell | BlanketCell]:
    """List the cells; `local` ones look around every variable, `hidden` is the share of nodes left out of the data."""
    cells: list[GraphCell | BlanketCell] = []
    for network in scope.networks:
        nodes = len(network_called(network).names)
        latent = max(1, round(hidden * nodes)) if hidden else 0
        for size in scope.sizes_of(network):
            for search in searches:
                for run in range(scope.runs):
                    if local:
                        cells.append(BlanketCell(network, size, run, search, scope.seed, scope.shuffle))
                    else:
                        cells.append(GraphCell(network, size, run, search, scope.seed, scope.shuffle, latent))
    return cells
