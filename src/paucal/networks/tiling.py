"""Tiling: large networks made of copies of a small one, with a few arcs between the copies.

After Tsamardinos, Brown and Aliferis (2006, The max-min hill-climbing algorithm, Machine Learning 65) and
Tsamardinos et al. (2006, Generating realistic large Bayesian networks by tiling, FLAIRS). Copy `i` of node
`X` is called `X_i`. Arcs between copies point from an earlier copy to a later one, so that there is no cycle.
A node that gets such an arc needs a new table. It is drawn at random and then fitted so that the node keeps
its distribution given the parents that it had. With tails u and own parents a:

    sum over u of P(u | a) P(x | a, u)  =  the old P(x | a)

P(u | a) is exact, so tails may depend on each other. The fit is iterative proportional fitting of the joint
of u and x to its two margins.

What is kept: a copy with at most one linked node keeps the joint distribution of all its nodes. With several
linked nodes in one copy, their tails can make them dependent, and nodes below them can shift; every linked
node still keeps its table in the sense above.

Deviations from the papers: the random table is uniform instead of made by a constraint solver, and random
links of a copy share one head, so that what is kept holds for every node.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.errors import Argument, NetworkError, ParameterError
from paucal.networks.bayesnet import BayesNet
from paucal.networks.inference import joint
from paucal.networks.sampling import Seed, generator
from paucal.networks.tables import MAX_CELLS, FloatArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# keeps odds ratios below 1e4, which bounds the number of steps that the fit needs
_SMALLEST_WEIGHT = 0.01
_FIT_TOLERANCE = 1e-12
_MOST_NODES = 20_000  # of the result: its graph is a matrix, of 400 MB by then


def tile(
    net: BayesNet,
    copies: int,
    *,
    links: Iterable[tuple[str, str]] | None = None,
    links_per_tile: int = 0,
    seed: Seed | None = None,
    name: str | None = None,
) -> BayesNet:
    """Join copies of a network into a large one, whose nodes come copy by copy.

    Parameters
    ----------
    net
        The tile.
    copies
        How many; node `X` becomes `X_1`, `X_2` and so on.
    links
        The arcs between copies, as (tail, head) such as `("Age_1", "Sick_2")`; the head is in a later copy, and has
        its own parents first, then the tails as listed.
    links_per_tile
        Instead of `links`: every copy from the second on gets this many random arcs from nodes of earlier
        copies to one of its roots.
    seed
        Needed as soon as there are links: it draws their tables, and the random links themselves.
    name
        What to call the result; by default the name of the tile and the number of copies.

    Examples
    --------
    >>> import paucal
    >>> cancer = paucal.load_network("cancer")
    >>> paucal.tile(cancer, 3)
    BayesNet('cancer3', 15 nodes, 12 arcs, 30 parameters)
    >>> linked = paucal.tile(cancer, 2, links=[("Cancer_1", "Smoker_2")], seed=1)
    >>> linked.parents("Smoker_2"), linked.marginal("Smoker_2").round(6)
    (('Cancer_1',), array([0.3, 0.7]))
    """
    checks.instance("net", net, BayesNet, "a BayesNet")
    most = max(1, _MOST_NODES // len(net.names))
    copies = checks.whole_number("copies", copies, 1, most, hint=f"The result may have {_MOST_NODES:,} nodes.")
    enough = f"The first tile has {len(net.names)} nodes, and every link has a tail of its own."
    per_tile = checks.whole_number("links_per_tile", links_per_tile, 0, len(net.names), hint=enough)
    if links is not None and per_tile:
        raise ParameterError("links and links_per_tile are both given.", hint="Give one of them.")
    levels, parents, tables = {}, {}, {}
    for i in range(1, copies + 1):
        for node in net.names:
            levels[f"{node}_{i}"] = net.levels[node]
            parents[f"{node}_{i}"] = tuple(f"{parent}_{i}" for parent in net.parents(node))
            tables[f"{node}_{i}"] = net.cpts[node]

    arcs = [] if links is None else checks.pairs("links", links)
    if arcs or per_tile:
        if seed is None:
            hint = ("Give a seed: ", Argument("seed", 1), ".")
            raise ParameterError("Tables of links are drawn at random.", hint=hint)
        rng = generator(seed)
        arcs = arcs or _random_links(net, copies, per_tile, rng)
        tails = _tails_by_head(arcs, tuple(levels), len(net.names))
        # a table is fitted to the distribution of its tails and parents, so theirs must be final before
        for i in range(1, copies + 1):
            for node in net.graph.topological_order():
                head = f"{node}_{i}"
                if head in tails:
                    tables[head] = _linked_table(head, tails[head], parents, tables, rng)
                    parents[head] = (*parents[head], *tails[head])
    return BayesNet(levels, parents, tables, name=f"{net.name}{copies}" if name is None else name)


def _random_links(net: BayesNet, copies: int, per_tile: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    roots = [node for node in net.names if not net.parents(node)]
    arcs = []
    for i in range(2, copies + 1):
        head = roots[int(rng.random() * len(roots))]
        earlier = [f"{node}_{j}" for j in range(1, i) for node in net.names]
        chosen = np.argsort(rng.random(len(earlier)), kind="stable")[:per_tile]
        arcs += [(earlier[k], f"{head}_{i}") for k in sorted(chosen.tolist())]
    return arcs


def _tails_by_head(arcs: Sequence[tuple[str, str]], names: Sequence[str], per_tile: int) -> dict[str, list[str]]:
    place = {name: i for i, name in enumerate(names)}
    tails: dict[str, list[str]] = {}
    for tail, head in arcs:
        for end in (tail, head):
            checks.known("node of the tiled network", end, place)
        if place[tail] // per_tile >= place[head] // per_tile:
            raise ParameterError(
                f"The link {tail} -> {head} does not lead to a later tile.",
                hint="Tails are in earlier tiles than heads, so that no cycle can arise.",
            )
        if tail in tails.setdefault(head, []):
            raise ParameterError(f"The link {tail} -> {head} is listed twice.", hint="List it once.")
        tails[head].append(tail)
    return tails


def _linked_table(
    head: str,
    tails: Sequence[str],
    parents: dict[str, tuple[str, ...]],
    tables: dict[str, FloatArray],
    rng: np.random.Generator,
) -> FloatArray:
    """Make P(head | own parents, tails), which gives the old table back when the tails are averaged out."""
    old = tables[head]
    levels = old.shape[-1]
    tail_shape = tuple(tables[tail].shape[-1] for tail in tails)
    cells = old.size * math.prod(tail_shape)
    if cells > MAX_CELLS:
        raise NetworkError(f"The table of {head!r} would have {cells} cells.", hint="Give it fewer links.")
    both = joint([*parents[head], *tails], parents, tables).reshape(old.size // levels, math.prod(tail_shape))
    anyway = both.sum(axis=0)  # for configurations of the own parents that never happen
    new = np.empty((*both.shape, levels))
    for row, weights, target in zip(new, both, old.reshape(-1, levels), strict=True):
        total = weights.sum()
        draw = _SMALLEST_WEIGHT + (1.0 - _SMALLEST_WEIGHT) * rng.random(row.shape)
        row[:] = fit_rows(draw, weights / total if total > 0.0 else anyway, target)
    return new.reshape(*old.shape[:-1], *tail_shape, levels)


def fit_rows(table: FloatArray, weights: FloatArray, target: FloatArray) -> FloatArray:
    """Turn a positive table into distributions P(x | u) whose mean under the weights of u is the target.

    Scaling columns and then rows, again and again, converges to the solution nearest to the table in the sense of
    relative entropy. Column factors are all that is remembered, so rows of weight zero are found as well.
    """
    factors = np.where(target > 0.0, 1.0, 0.0)
    while True:
        rows = table * factors
        rows /= rows.sum(axis=1, keepdims=True)
        margin = weights @ rows
        if np.abs(margin - target).max() <= _FIT_TOLERANCE:
            return rows
        factors *= np.divide(target, margin, out=np.zeros_like(target), where=margin > 0.0)
        factors /= factors.max()
