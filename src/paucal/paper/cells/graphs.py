"""One graph learned from one sample of a known network, and how far it is from the truth."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from paucal.graphs import Graph, dag_to_cpdag, dag_to_pag
from paucal.metrics import edge_counts, pag_shd, shd
from paucal.networks import load_network
from paucal.paper.cells.seeds import seed_at
from paucal.paper.variants import SEARCHES
from paucal.search.learn import build_test, carried_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data import Dataset
    from paucal.networks import BayesNet
    from paucal.paper.cells.supplement import Archive
    from paucal.paper.design import Plain, Search
    from paucal.search.recipe import Recipe
    from paucal.search.result import SearchResult

# The paper's CHILD3 and CHILD5 have 75 and 125 edges, three and five times CHILD's: copies without links.
_NETWORKS = {
    "child3": "child3-unlinked",
    "child5": "child5-unlinked",
    "child3-tiled": "child3",
    "child5-tiled": "child5",
}


def network_called(name: str) -> BayesNet:
    """Load a network by the name it has in the paper; `child3-tiled` and `child5-tiled` have links between copies.

    >>> network_called("child3").graph.n_edges, network_called("child3-tiled").graph.n_edges
    (75, 79)
    """
    return load_network(_NETWORKS.get(name.lower(), name))


@dataclass(frozen=True)
class NetworkCell:
    """What cells with a method on a sample of a network have in common.

    Samples are drawn from the network, or come with the true graph from an archive of the supplement. A truth has a
    name if it is not the one of the columns.
    """

    network: str
    size: int
    run: int
    search: Search
    seed: int
    shuffle: bool = False
    archive: Archive | None = None

    @property
    def population(self) -> str:
        """The name of what the rows come from, in the catalogue or in the supplement."""
        name = self.network.lower()
        return _NETWORKS.get(name, name) if self.archive is None else name

    def settings(self) -> dict[str, Plain]:
        """Everything that the result depends on; an archive by what it is, not by where it lies."""
        archive = self.archive and self.archive.digest
        return vars(self) | {"network": self.population, "search": self.search.settings(), "archive": archive}

    def truths(self) -> dict[str, Graph]:
        """Give the true graph under "", and one that others may have taken for it by its name."""
        if self.archive is None:
            return {"": network_called(self.network).graph}
        return {"": self.archive.graph(), "as_it_lies": self.archive.graph_as_it_lies()}

    def sample(self, latent: tuple[str, ...] = ()) -> Dataset:
        """Give the data of a run; levels that no row has are left out, as in a file that somebody was given."""
        if self.archive is None:
            net = network_called(self.network)
            return sample(net, self.size, self.seed, self.run, shuffle=self.shuffle, latent=latent)
        data = self.archive.sample(self.size, self.run)
        observed = [name for name in data.names if name not in latent]
        where = (self.seed, self.population, self.size, self.run)
        return data.select(shuffled(observed, *where) if self.shuffle else observed)


@dataclass(frozen=True)
class GraphCell(NetworkCell):
    """A CPDAG (or, by FCI, a PAG) learned from rows of a network.

    `hidden` common causes, drawn anew for every run, are left out of the data, and the truth is the PAG of the rest.
    """

    kind: ClassVar[str] = "graph"
    hidden: int = 0

    @property
    def cost(self) -> float:
        """Pairs of variables, times rows; searches differ in what they do with them."""
        n = len(network_called(self.network).names)
        slow = _SLOW.get(self.search.recipe.search, 1.0) * _SLOW.get(self.search.test.name, 1.0)
        return n**2 * math.sqrt(n * self.size) * slow

    def compute(self) -> dict[str, Plain]:
        """Sample, learn, compare."""
        truth, *others = self.truths().items()
        latent = hidden_causes(self.population, truth[1], self.hidden, self.seed, self.run)
        data = self.sample(latent)
        start = time.process_time()
        result = learned(data, self.search.recipe)
        seconds = time.process_time() - start
        return {
            **_compared(result.graph, truth[1], latent),
            **{f"shd_{name}": _compared(result.graph, other, latent)["shd"] for name, other in others},
            "edges": result.graph.n_edges,
            "tests": int(result.details.get("tests", result.ledger.n_calls)),
            "distinct": result.ledger.n_tests,
            "unreliable": result.ledger.n_unreliable,
            "seconds": round(seconds, 6),
        }


def _compared(graph: Graph, dag: Graph, latent: tuple[str, ...]) -> dict[str, Plain]:
    """Measure a CPDAG or PAG against what can be learned of a DAG of which some nodes are hidden."""
    pag = graph.kind == "pag"
    truth = dag_to_pag(dag, latent) if pag else dag_to_cpdag(dag)
    distance = pag_shd if pag else shd
    counts = edge_counts(graph, truth)
    return {
        "shd": distance(graph, truth),
        **({} if pag else _other_definitions(graph, truth, dag.as_kind("pdag"))),
        "extra": counts.extra,
        "missing": counts.missing,
        "misdirected": counts.misdirected,
        "empty": distance(Graph.empty(truth.nodes, truth.kind), truth),
    }


def _other_definitions(graph: Graph, truth: Graph, dag: Graph) -> dict[str, Plain]:
    """Give the SHD as others count it: reversals twice, parts of an edge, and both against the DAG itself."""
    return {
        "shd_double": shd(graph, truth, variant="double"),
        "shd_parts": shd(graph, truth, variant="parts"),
        "shd_dag": shd(graph, dag),
        "shd_dag_parts": shd(graph, dag, variant="parts"),
    }


_SLOW = {"cfci-published": 3.0, "mmhc": 3.0, "mi-eb": 4.0, "mi-adaptive": 4.0}


def sample(
    net: BayesNet, size: int, seed: int, run: int, *, shuffle: bool = False, latent: tuple[str, ...] = ()
) -> Dataset:
    """Draw the data of a run; levels that no row has are left out, as in a file that somebody was given."""
    observed = [name for name in net.names if name not in latent]
    data = net.sample(size, seed_at(seed, "data", net.name, size, run), observed=observed)
    if shuffle:
        data = data.select(shuffled(data.names, seed, net.name, size, run))
    return data.drop_unobserved()


def shuffled(names: Sequence[str], seed: int, network: str, size: int, run: int) -> list[str]:
    """Give columns in random order, the same for all methods."""
    rng = np.random.default_rng(seed_at(seed, "columns", network, size, run))
    return [names[i] for i in rng.permutation(len(names))]


def hidden_causes(network: str, graph: Graph, number: int, seed: int, run: int) -> tuple[str, ...]:
    """Draw nodes with two children or more, in the order of the graph."""
    causes = [name for name in graph.nodes if len(graph.children(name)) > 1]
    rng = np.random.default_rng(seed_at(seed, "hidden", network, run))
    chosen = rng.permutation(len(causes))[:number]
    return tuple(causes[i] for i in sorted(chosen.tolist()))


def learned(data: Dataset, recipe: Recipe) -> SearchResult:
    """Learn a graph by the recipe of a method."""
    if recipe.search in SEARCHES:
        return SEARCHES[recipe.search](build_test(recipe, data), **recipe.options)
    # with a finished test the columns stay as the experiment put them, as in the programs behind the paper
    return cast("SearchResult", carried_out(recipe, data, test=build_test(recipe, data)))
