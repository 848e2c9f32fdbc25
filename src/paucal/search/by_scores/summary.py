"""From sampled shares to what a result says: probabilities of directions, the graph, and what is left open.

The probability that a pair is joined stays as sampled; directions are said more modestly (`directions.py`); the graph
is the class with the least expected distance under these numbers (`consensus.py`). Sampled shares stay in the details,
with rivals (`evidence/rivals.py`) and what a calibrated test has against the graph (`second_opinion.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.search.by_scores.consensus import consensus
from paucal.search.by_scores.directions import moderated
from paucal.search.by_scores.second_opinion import contradictions
from paucal.search.evidence.rivals import find_rivals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph
    from paucal.search.by_scores.consensus import Consensus
    from paucal.search.by_scores.problem import Problem
    from paucal.search.evidence.rivals import Joined
    from paucal.search.run import Look

KEPT = 100  # DAGs that the result keeps, for whoever asks about more than pairs
_DECIMALS = 6
_MOST_RUNNERS_UP = 5


def evenly_spaced(recorded: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Choose so many of the DAGs that chains have recorded: the same share of every chain, evenly spaced in it."""
    shares = np.diff(np.linspace(0, most, len(recorded) + 1).astype(np.int64)).tolist()
    for chain, (total, share) in enumerate(zip(recorded, shares, strict=True)):
        places = ((np.arange(share) + 0.5) * total // max(share, 1)).astype(np.int64)
        numbers = places[np.diff(places, prepend=-1) > 0]  # each once
        yield from ((chain, number) for number in numbers.tolist())


class Summary(NamedTuple):
    """A DAG of the graph's class, the probabilities of i -> j and i -- j, and details for the result."""

    dag: NDArray[np.uint8]
    arrow: NDArray[np.float64]
    line: NDArray[np.float64]
    details: dict[str, Any]


def summarised(
    problem: Problem,
    arrow: NDArray[np.float64],
    line: NDArray[np.float64],
    *,
    joined: Joined,
    starts: Callable[[NDArray[np.float64], NDArray[np.float64]], list[NDArray[np.uint8]]],
    look: Look | None = None,
) -> Summary:
    """Summarise sampled shares of arrows and lines, over the columns of a problem.

    `joined` tells of pairs which sampled graphs join them; `starts` gives DAGs from which to look for the consensus;
    `look` may end that.
    """
    levels = problem.scorer.cells
    rows = problem.data.n_rows
    limits = problem.limits
    said, either = moderated(arrow, line, forbidden=limits.forbidden, told=limits.told, levels=levels, rows=rows)
    found = consensus(said, either, limits, starts(said, either), rate=problem.total, look=look)
    shares = arrow + arrow.T + line
    names = problem.names
    rivals = [
        {
            "target": names[one.target],
            "rivals": [[names[v], round(share, _DECIMALS)] for v, share in one.rivals],
            "some": round(one.some, _DECIMALS),
            "several": round(one.several, _DECIMALS),
        }
        for one in find_rivals(shares, joined)
    ]
    details = {
        "sampled": _listed(names, arrow, line),
        "expected_distance": found.distance,
        "nearest": found.proven,
        "rivals": rivals,
        "nearly": _runners_up(problem, found),
        # rows in which a column was set would have to be left out pair by pair: no test has a say then
        "against_test": [] if problem.experiment else contradictions(problem.asked, found.dag, shares),
    }
    return Summary(found.dag, said, either, details)


def _runners_up(problem: Problem, found: Consensus) -> list[dict[str, Any]]:
    """Tell in which edges the graphs differ that are nearly as near: two names, and the kind of edge between them."""
    drawn = problem.completed(found.dag)
    told = []
    for dag, further in found.nearly[:_MOST_RUNNERS_UP]:
        other = problem.completed(dag)
        pairs = np.argwhere(np.triu((drawn.marks != other.marks) | (drawn.marks != other.marks).T, 1)).tolist()
        differs = [_kind(other, drawn.nodes[i], drawn.nodes[j]) for i, j in pairs]
        told.append({"further": round(further, _DECIMALS), "differs": differs})
    return told


def _kind(graph: Graph, a: str, b: str) -> list[str]:
    """Tell the edge between two columns as people write it, arrows from left to right."""
    edge = graph.edge(a, b)
    if edge is None:
        return [a, "absent", b]
    return [b, "->", a] if edge.symbol == "<-" else [a, edge.symbol, b]


def _listed(names: tuple[str, ...], arrow: NDArray[np.float64], line: NDArray[np.float64]) -> list[dict[str, Any]]:
    """List pairs with their shares as sampled, read from a to b."""
    pairs = np.argwhere(np.triu(arrow + arrow.T + line, 1) > 0).tolist()
    return [
        {
            "a": names[i],
            "b": names[j],
            "->": round(float(arrow[i, j]), _DECIMALS),
            "<-": round(float(arrow[j, i]), _DECIMALS),
            "--": round(float(line[i, j]), _DECIMALS),
        }
        for i, j in pairs
    ]
