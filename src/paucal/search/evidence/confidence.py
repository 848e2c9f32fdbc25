"""How sure is an edge? Shares of the graphs, sampled or learned again and again, that have it.

For every pair of columns the kinds of edge that occurred, each with its share, as a matrix per symbol. `->` and other
lopsided symbols are read from row to column, the symmetric ones stand twice. What is missing to one is the share of
graphs in which the pair is not joined.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.errors import GraphError
from paucal.graphs.language import quoted
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph

# symbol -> marks at the first and the second end
_MARKS = {
    "->": (TAIL, ARROW),
    "--": (TAIL, TAIL),
    "<->": (ARROW, ARROW),
    "o->": (CIRCLE, ARROW),
    "o-o": (CIRCLE, CIRCLE),
    "o--": (CIRCLE, TAIL),
}
_MIRROR = {"->": "<-", "o->": "<-o", "o--": "--o"}
_DECIMALS = 9  # of shares written as JSON
# Pairs outside the graph that are joined more often are listed below it. Unrelated columns of equally frequent levels,
# which the score says least about, mostly stay under it (docs/posterior.md).
NOT_UNLIKELY = 1 / 3


@dataclass(frozen=True, eq=False)
class EdgeProbabilities:
    """Shares of graphs with each kind of edge.

    Attributes
    ----------
    names
        The columns.
    shares
        Symbol -> matrix; `shares["->"][i, j]` is the share with `names[i] -> names[j]`.
    blanket
        `[i, j]`: the share in which j is in the Markov blanket of i.
    source
        "posterior" or "bootstrap".
    n_graphs
        How many graphs these are shares of.
    """

    names: tuple[str, ...]
    shares: Mapping[str, NDArray[np.float64]]
    blanket: NDArray[np.float64]
    source: str
    n_graphs: int
    _index: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", MappingProxyType(dict(self.shares)))
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(self.names)})

    @classmethod
    def of_marks(
        cls, names: tuple[str, ...], marks: Sequence[NDArray[np.int8]], source: str
    ) -> EdgeProbabilities:
        """Count the edges of graphs given by their matrices of marks."""
        n = len(names)
        shares = {symbol: np.zeros((n, n)) for symbol in _MARKS}
        blanket = np.zeros((n, n))
        for matrix in marks:
            turned = matrix.T
            for symbol, (first, second) in _MARKS.items():
                shares[symbol] += (turned == first) & (matrix == second)
            arrows = ((matrix == ARROW) & (turned == TAIL)).astype(np.int64)
            married = arrows @ arrows.T > 0
            blanket += (matrix != NONE) | (married & ~np.eye(n, dtype=np.bool_))
        always = ("->", "--")
        kept = {s: m / len(marks) for s, m in shares.items() if s in always or m.any()}
        return cls(names, kept, blanket / len(marks), source, len(marks))

    @property
    def joined(self) -> NDArray[np.float64]:
        """`[i, j]`: the share in which the pair is joined."""
        total = np.zeros((len(self.names), len(self.names)))
        for symbol, share in self.shares.items():
            total += share + share.T if symbol in _MIRROR else share
        return np.minimum(total, 1.0)

    def of_edge(self, a: str, symbol: str, b: str) -> float:
        """Give the share with exactly this edge."""
        i, j = self._index[a], self._index[b]
        if symbol in self.shares:
            return float(self.shares[symbol][i, j])
        for known, mirrored in _MIRROR.items():
            if mirrored == symbol and known in self.shares:
                return float(self.shares[known][j, i])
        return 0.0

    def of_pair(self, a: str, b: str) -> dict[str, float]:
        """Give the share of each kind of edge, read from a to b, and of none: they add up to one."""
        i, j = self._index[a], self._index[b]
        found: dict[str, float] = {"absent": 0.0}
        for symbol, share in self.shares.items():
            found[symbol] = float(share[i, j])
            if symbol in _MIRROR:
                found[_MIRROR[symbol]] = float(share[j, i])
        found["absent"] = max(0.0, 1.0 - sum(found.values()))
        return found

    def agreement(self, marks: NDArray[np.int8]) -> float:
        """Give how many pairs of a graph agree, on average, with the graphs behind the shares."""
        n = len(self.names)
        turned = marks.T
        alike = np.where(marks == NONE, 1.0 - self.joined, 0.0)
        for symbol, share in self.shares.items():
            first, second = _MARKS[symbol]
            here = (turned == first) & (marks == second)
            alike[here] = share[here]
            if symbol in _MIRROR:
                alike[here.T] = share.T[here.T]
        return float(alike[np.triu_indices(n, 1)].sum())

    def records(self, least: float = 0.0) -> list[dict[str, Any]]:
        """List the pairs that are joined in more than a share `least` of the graphs, the surest first."""
        joined = np.triu(self.joined, 1)
        pairs = [(i, j) for i, j in np.argwhere(joined > 0).tolist() if joined[i, j] >= least]
        pairs.sort(key=lambda pair: (-joined[pair], pair))
        return [
            {"a": self.names[i], "b": self.names[j], **self.of_pair(self.names[i], self.names[j])}
            for i, j in pairs
        ]

    def around(self, target: str) -> list[dict[str, Any]]:
        """List who may be in the Markov blanket of a target, the likeliest first, and as what."""
        t = self._index[target]
        members = [i for i in np.argsort(-self.blanket[t], kind="stable").tolist() if self.blanket[t, i] > 0]
        return [
            {
                "node": self.names[i],
                "blanket": float(self.blanket[t, i]),
                "parent": float(self.shares["->"][i, t]),
                "child": float(self.shares["->"][t, i]),
                "undetermined": max(
                    0.0, float(self.joined[t, i] - self.shares["->"][i, t] - self.shares["->"][t, i])
                ),
                "spouse": max(0.0, float(self.blanket[t, i] - self.joined[t, i])),
            }
            for i in members
        ]

    def reorder(self, names: Iterable[str]) -> EdgeProbabilities:
        """Give the same with the columns in another order."""
        order = tuple(names)
        where = np.ix_(*(2 * [[self._index[name] for name in order]]))
        shares = {symbol: share[where] for symbol, share in self.shares.items()}
        return EdgeProbabilities(order, shares, self.blanket[where], self.source, self.n_graphs)

    # ----------------------------------------------------------------------------------------------- printing

    def described(self, difference: float | None = None) -> str:
        """Say in a line where the probabilities come from."""
        what = "DAGs drawn from the posterior" if self.source == "posterior" else "bootstrap samples"
        apart = "" if difference is None else f"; chains differ by at most {difference:.2f}"
        return f"probabilities from {self.n_graphs:,} {what}{apart}"

    def lines(self, graph: Graph) -> list[str]:
        """List the edges of a graph with their probabilities, then the pairs that nearly made it."""
        edges = graph.edges()
        sure = attributes_of(graph, self)
        width = max((len(str(e)) for e in edges), default=0)
        listed = [
            f"{e!s:<{width}}  joined {sure[e.a, e.b]['probability']:.2f}, "
            f"this way {sure[e.a, e.b]['probability_of_marks']:.2f}"
            for e in edges
        ]
        near = [r for r in self.records(NOT_UNLIKELY) if not graph.has_edge(r["a"], r["b"])]
        if near:
            listed.append("not in the graph, but not unlikely:")
            listed += [f"{quoted(r['a'])}, {quoted(r['b'])}: joined {1 - r['absent']:.2f}" for r in near]
        return listed

    # ----------------------------------------------------------------------------------------------- exchange

    def to_plain(self) -> dict[str, Any]:
        """Give it as plain values: the pairs that were ever joined or in each other's blanket."""
        return {
            "source": self.source,
            "n_graphs": self.n_graphs,
            "shares": {symbol: _sparse(share) for symbol, share in self.shares.items()},
            "blanket": _sparse(np.triu(self.blanket)),
        }

    @classmethod
    def from_plain(cls, names: tuple[str, ...], content: Mapping[str, Any]) -> EdgeProbabilities:
        """Read what `to_plain` gave."""
        n = len(names)
        shares = {symbol: _dense(n, lines) for symbol, lines in content["shares"].items()}
        for symbol in shares:
            if symbol not in _MARKS:
                raise GraphError(f"{symbol!r} is no kind of edge.", hint=f"Known: {', '.join(_MARKS)}.")
        half = _dense(n, content["blanket"])
        return cls(names, shares, half + half.T, content["source"], content["n_graphs"])


def attributes_of(graph: Graph, probabilities: EdgeProbabilities) -> dict[tuple[str, str], dict[str, float]]:
    """Give per edge of a graph what exports write beside it: that the pair is joined, and by this very edge."""
    index = {name: i for i, name in enumerate(probabilities.names)}
    joined = probabilities.joined
    return {
        (e.a, e.b): {
            "probability": float(joined[index[e.a], index[e.b]]),
            "probability_of_marks": probabilities.of_edge(e.a, e.symbol, e.b),
        }
        for e in graph.edges()
    }


def _sparse(matrix: NDArray[np.float64]) -> list[list[float]]:
    return [[i, j, round(float(matrix[i, j]), _DECIMALS)] for i, j in np.argwhere(matrix > 0).tolist()]


def _dense(n: int, lines: Iterable[Sequence[float]]) -> NDArray[np.float64]:
    matrix = np.zeros((n, n))
    for i, j, share in lines:
        matrix[int(i), int(j)] = share
    return matrix
