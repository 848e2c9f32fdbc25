"""The networks that come with the package, by name.

The nine files under `data/` are the networks of the Bayesian network repository at bnlearn.com, as the PyPI package
pgmpy 1.1.2 (MIT licence) ships them. CHILD3 and CHILD5 are made here by tiling CHILD with the links of the networks
that the MMHC paper used (Tsamardinos, Brown and Aliferis 2006); their variants without links are plain copies.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from importlib import resources

from paucal.errors import unknown_name
from paucal.networks.bayesnet import BayesNet
from paucal.networks.bif import read_bif
from paucal.networks.tiling import tile

# Draws the tables of the linked nodes, whose published values are not available. The heads share 0.022, 0.031
# and 0.004 nats with their tails, of the order that the published samples show (0.013, 0.051 and 0.003).
_TILE_SEED = 0

_CHILD3_LINKS = (
    ("BirthAsphyxia_1", "BirthAsphyxia_2"),
    ("Age_1", "BirthAsphyxia_2"),
    ("CardiacMixing_1", "BirthAsphyxia_2"),
    ("HypoxiaInO2_1", "BirthAsphyxia_3"),
)
_CHILD5_LINKS = (("CO2_3", "BirthAsphyxia_4"),)

# name -> where it comes from, what it is about
_BUNDLED = {
    "asia": "Lauritzen and Spiegelhalter (1988): chest clinic",
    "cancer": "Korb and Nicholson (2010): lung cancer, a teaching example",
    "earthquake": "Korb and Nicholson (2010): burglar alarm, a teaching example",
    "survey": "Scutari and Denis (2014): means of transport, a teaching example",
    "sachs": "Sachs et al. (2005): protein signalling in human cells",
    "child": "Spiegelhalter and Cowell (1992): congenital heart disease of the newborn",
    "insurance": "Binder et al. (1997): car insurance",
    "alarm": "Beinlich et al. (1989): monitoring patients under anaesthesia",
    "hailfinder": "Abramson et al. (1996): severe summer hail",
}
# name -> copies of CHILD, links between them, what that is
_MADE: dict[str, tuple[int, tuple[tuple[str, str], ...], str]] = {
    "child3": (3, _CHILD3_LINKS, "three copies, four links"),
    "child5": (5, _CHILD5_LINKS, "five copies, one link"),
    "child3-unlinked": (3, (), "three separate copies"),
    "child5-unlinked": (5, (), "five separate copies"),
}


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One line of the catalogue."""

    name: str
    nodes: int
    arcs: int
    parameters: int
    max_levels: int
    source: str
    note: str


def load_network(name: str) -> BayesNet:
    """Load a network of the catalogue.

    Parameters
    ----------
    name
        As `catalogue` lists it, in upper or lower case.

    Examples
    --------
    >>> load_network("ALARM")
    BayesNet('alarm', 37 nodes, 46 arcs, 509 parameters)
    >>> load_network("child3")
    BayesNet('child3', 60 nodes, 79 arcs, 715 parameters)
    """
    key = str(name).lower()
    if key not in _BUNDLED and key not in _MADE:
        raise unknown_name("network", name, [*_BUNDLED, *_MADE])
    return _load(key)


def catalogue() -> list[CatalogueEntry]:
    """List the networks that `load_network` knows, with their sizes and sources.

    >>> [entry.name for entry in catalogue() if entry.nodes > 50]
    ['hailfinder', 'child3', 'child5', 'child3-unlinked', 'child5-unlinked']
    """
    return [_entry(name, _load(name)) for name in (*_BUNDLED, *_MADE)]


def _entry(name: str, net: BayesNet) -> CatalogueEntry:
    if name in _BUNDLED:
        source, note = "bnlearn.com repository, from pgmpy 1.1.2", _BUNDLED[name]
    else:
        _, links, note = _MADE[name]
        tiled = "; links of Tsamardinos, Brown and Aliferis (2006)" if links else " without links"
        source = f"CHILD tiled{tiled}"
    most_levels = max(map(len, net.levels.values()))
    return CatalogueEntry(name, len(net.names), net.graph.n_edges, net.n_parameters, most_levels, source, note)


@cache  # networks never change, so everybody may have the same one
def _load(key: str) -> BayesNet:
    if key in _MADE:
        copies, links, _ = _MADE[key]
        return tile(_load("child"), copies, links=links, seed=_TILE_SEED, name=key)
    content = (resources.files("paucal.networks") / "data" / f"{key}.bif.gz").read_bytes()
    net = read_bif(io.BytesIO(content))
    return BayesNet(net.levels, {node: net.parents(node) for node in net.names}, net.cpts, name=key)
