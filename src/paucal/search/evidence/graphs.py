"""Evidence of one kind: many graphs, sampled or learned again and again, and the shares of them that have an edge.

For every pair of columns the kinds of edge that occurred, each with its share, as a matrix per symbol. `->` and other
lopsided symbols are read from row to column, the symmetric ones stand twice. What is missing to one is the share of
graphs in which the pair is not joined.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from paucal.errors import GraphError
from paucal.graphs.language import in_words, quoted
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL
from paucal.search.by_scores.scores import ScoreSettings
from paucal.search.evidence.pairs import Evidence, PairEvidence, head_of
from paucal.search.plain import settings_from_plain, settings_to_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph
    from paucal.graphs.language import Edge
    from paucal.search.evidence.gain import Gains

Source: TypeAlias = Literal["posterior", "bootstrap"]
Parents: TypeAlias = tuple[tuple[int, ...], ...]  # of every column of a DAG, the numbers of its parents

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
_NUMBERS = ("source", "n_graphs", "difference", "penalty", "tests_each")  # written as they are
NOT_UNLIKELY = 0.3  # pairs outside the graph that are joined more often are listed below it, and drawn faintly
_OPEN = 0.5  # a direction that fewer than half of the graphs that join the two have is called open


@dataclass(frozen=True, eq=False, kw_only=True)
class Graphs(Evidence):
    """Shares of graphs with each kind of edge."""

    kind: ClassVar[str] = "graphs"
    edge_fields: ClassVar[tuple[str, ...]] = ("probability", "probability_of_marks")

    shares: Mapping[str, NDArray[np.float64]]  # `shares["->"][i, j]` is the share with `names[i] -> names[j]`
    blanket: NDArray[np.float64]  # `[i, j]`: the share in which j is in the Markov blanket of i
    source: Source
    n_graphs: int
    difference: float | None = None  # the largest between chains in the probability that a pair is joined
    tests_each: float | None = None  # on average, if graphs were learned by tests
    sampled: tuple[Parents, ...] = ()  # some DAGs of the posterior, evenly spaced over the chains
    causes: NDArray[np.float64] | None = None  # `[i, j]`: the share of all DAGs with a directed path from i to j

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", MappingProxyType(dict(self.shares)))

    @classmethod
    def of_marks(cls, marks: Sequence[NDArray[np.int8]], *, source: Source = "bootstrap", **about: Any) -> Graphs:
        """Count the edges of graphs, given by their matrices of marks; `about` are the other fields."""
        n, total = len(marks[0]), len(marks)
        shares = {symbol: np.zeros((n, n)) for symbol in _MARKS}
        blanket = np.zeros((n, n))
        for matrix in marks:
            turned = matrix.T
            for symbol, (first, second) in _MARKS.items():
                shares[symbol] += (turned == first) & (matrix == second)
            arrows = ((matrix == ARROW) & (turned == TAIL)).astype(np.int64)
            married = arrows @ arrows.T > 0
            blanket += (matrix != NONE) | (married & ~np.eye(n, dtype=np.bool_))
        kept = {s: m / total for s, m in shares.items() if s in ("->", "--") or m.any()}
        return cls(shares=kept, blanket=blanket / total, source=source, n_graphs=total, **about)

    def arrows(self) -> NDArray[np.bool_]:
        """Give `[s, i, j]`: whether the sampled DAG s has names[i] -> names[j]."""
        n = len(self.names)
        found = np.zeros((len(self.sampled), n, n), dtype=np.bool_)
        for s, dag in enumerate(self.sampled):
            for node, parents in enumerate(dag):
                found[s, list(parents), node] = True
        return found

    def describe(self, x: str, y: str, *, joined: bool, gains: Gains | None = None) -> PairEvidence:
        """Give the shares of each kind of edge; and what the edge is worth to the score, if one decided."""
        del joined
        return PairEvidence(
            probabilities=MappingProxyType(self.of_pair(x, y)),
            source=self.described(),
            gain=None if gains is None else gains.of(x, y),
        )

    def reordered(self, names: tuple[str, ...]) -> Self:
        """Give the same evidence with the columns in another order."""
        where = np.ix_(*2 * [[self._index[name] for name in names]])
        shares = {symbol: share[where] for symbol, share in self.shares.items()}
        place = [names.index(name) for name in self.names]
        own = [self._index[name] for name in names]
        sampled = tuple(tuple(tuple(sorted(place[a] for a in dag[i])) for i in own) for dag in self.sampled)
        told: dict[str, Any] = {"shares": shares, "blanket": self.blanket[where], "sampled": sampled}
        return replace(self, **self._head_in(names), **told, causes=None if self.causes is None else self.causes[where])

    @cached_property
    def joined(self) -> NDArray[np.float64]:
        """`[i, j]`: the share in which the pair is joined."""
        total = np.zeros((len(self.names), len(self.names)))
        for symbol, share in self.shares.items():
            total += share + share.T if symbol in _MIRROR else share
        return np.minimum(total, 1.0)

    def of_edge(self, a: str, symbol: str, b: str) -> float:
        """Give the share with exactly this edge."""
        return self.of_pair(a, b).get(symbol, 0.0)

    def arrow_probabilities(self, graph: Graph) -> NDArray[np.float64]:
        """Give `[i, j]`: how likely names[i] -> names[j] is, by the number that stands beside it where it is drawn.

        Where the graph draws no arrow, half of what is open between the two directions counts for each.
        """
        marks = graph.reorder(self.names).marks
        drawn = (marks == ARROW) ^ (marks.T == ARROW)
        arrow, line = (np.round(self.shares[kind], _DECIMALS) for kind in ("->", "--"))  # as a file has them
        return np.asarray(arrow + np.where(drawn, 0.0, line / 2))

    def of_pair(self, a: str, b: str) -> dict[str, float]:
        """Give the share of each kind of edge, read from a to b, and of none: they add up to one."""
        i, j = self._index[a], self._index[b]
        found: dict[str, float] = {}
        for symbol, share in self.shares.items():
            found[symbol] = float(share[i, j])
            if symbol in _MIRROR:
                found[_MIRROR[symbol]] = float(share[j, i])
        return {"absent": max(0.0, 1.0 - sum(found.values())), **found}

    def agreement(self, marks: NDArray[np.int8]) -> float:
        """Give how many pairs of a graph agree, on average, with the graphs behind the shares."""
        turned = marks.T
        alike = np.where(marks == NONE, 1.0 - self.joined, 0.0)
        for symbol, share in self.shares.items():
            first, second = _MARKS[symbol]
            here = (turned == first) & (marks == second)
            alike[here] = share[here]
            if symbol in _MIRROR:
                alike[here.T] = share.T[here.T]
        return float(alike[np.triu_indices(len(marks), 1)].sum())

    def records(self, least: float = 0.0) -> list[dict[str, Any]]:
        """List the pairs that are joined in more than a share `least` of the graphs, the surest first."""
        joined = np.triu(self.joined, 1)
        pairs = [(i, j) for i, j in np.argwhere(joined > 0).tolist() if joined[i, j] >= least]
        pairs.sort(key=lambda pair: (-round(float(joined[pair]), _DECIMALS), pair))
        return [
            {"a": self.names[i], "b": self.names[j], **self.of_pair(self.names[i], self.names[j])} for i, j in pairs
        ]

    def around(self, target: str) -> list[dict[str, Any]]:
        """List who may be in the Markov blanket of a target, the likeliest first, and as what."""
        t, arrow = self._index[target], self.shares["->"]
        order = np.argsort(-self.blanket[t], kind="stable")
        shares = {
            "blanket": self.blanket[t],
            "parent": arrow[:, t],
            "child": arrow[t],
            "undetermined": np.maximum(0.0, self.joined[t] - arrow[:, t] - arrow[t]),
            "spouse": np.maximum(0.0, self.blanket[t] - self.joined[t]),
        }
        return [
            {"node": self.names[i]} | {role: float(share[i]) for role, share in shares.items()}
            for i in order[self.blanket[t, order] > 0].tolist()
        ]

    def claims(self, least: float) -> list[dict[str, Any]]:
        """List what graphs with marks for hidden causes say of causes, in a share of at least `least`, surest first."""
        none = np.zeros((len(self.names), len(self.names)))
        head = self.shares["->"] + self.shares.get("o->", none) + self.shares.get("<->", none)
        found = []
        for verb, shares in (("causes", self.shares["->"]), ("does not cause", head.T)):
            pairs = np.argwhere((shares >= least) & (shares > 0)).tolist()
            found += [(round(float(shares[i, j]), _DECIMALS), verb, i, j) for i, j in pairs]
        found.sort(key=lambda one: (-one[0], *one[1:]))
        return [{"a": self.names[i], "claim": verb, "b": self.names[j], "probability": p} for p, verb, i, j in found]

    def described(self) -> str:
        """Say where the probabilities come from; those of a bootstrap are shares, and no more than that."""
        if self.source == "posterior":
            return f"probabilities from {self.n_graphs:,} DAGs drawn from the posterior"
        return f"shares of {self.n_graphs:,} bootstrap samples"

    def lines(self) -> list[str]:
        """Say in a line where the probabilities come from, and how far chains agree."""
        apart = "" if self.difference is None else f"; chains differ by at most {self.difference:.2f}"
        return [f"{self.described()}{apart}"]

    def edge_columns(self, edge: Edge) -> dict[str, Any]:
        """Give the probability that the two are joined, and that they are so by this very edge."""
        joined = self.joined[self._index[edge.a], self._index[edge.b]]
        return {"probability": float(joined), "probability_of_marks": self.of_edge(edge.a, edge.symbol, edge.b)}

    def edge_lines(self, graph: Graph) -> list[str]:
        """List the edges of a graph with their probabilities, then the pairs that nearly made it."""
        edges = graph.edges()
        width = max((len(str(e)) for e in edges), default=0)
        listed = [f"{e!s:<{width}}  {_how_sure(e, self.edge_columns(e))}" for e in edges]
        near = self.near_misses(graph)
        if near:
            listed.append("not in the graph, but not unlikely:")
            listed += [f"{quoted(a)}, {quoted(b)}: joined {share:.2f}" for a, b, share in near]
        return listed

    def near_misses(self, graph: Graph) -> list[tuple[str, str, float]]:
        """Give the pairs outside a graph that may well be joined, each with its probability, the surest first."""
        pairs = ((pair["a"], pair["b"], 1 - pair["absent"]) for pair in self.records(NOT_UNLIKELY))
        return [(a, b, joined) for a, b, joined in pairs if not graph.has_edge(a, b)]

    def to_plain(self, *, all_tests: bool = False) -> dict[str, Any]:
        """Give it as plain values: the pairs that were ever joined or in each other's blanket."""
        del all_tests
        sort = "score" if isinstance(self.means, ScoreSettings) else "test"
        return {
            **self._head(),
            "means": {"is": sort, **settings_to_plain(self.means)},
            **{name: getattr(self, name) for name in _NUMBERS},
            "shares": {symbol: _sparse(share) for symbol, share in self.shares.items()},
            "blanket": _sparse(np.triu(self.blanket)),
            "sampled": [[[a, b] for b, above in enumerate(dag) for a in above] for dag in self.sampled],
            "causes": None if self.causes is None else _sparse(self.causes),
        }

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> Graphs:
        """Read what `to_plain` gave."""
        head, means = head_of(content), dict(content["means"])
        n = len(head["names"])
        shares = {symbol: _dense(n, lines) for symbol, lines in content["shares"].items()}
        for symbol in shares:
            if symbol not in _MARKS:
                raise GraphError(f"{symbol!r} is not a kind of edge.", hint=f"Known: {', '.join(_MARKS)}.")
        half = _dense(n, content["blanket"])
        by_score = means.pop("is") == "score"
        return cls(
            **head,
            means=ScoreSettings(**means) if by_score else settings_from_plain(means),
            shares=shares,
            blanket=half + half.T,
            sampled=tuple(_parents(n, arcs) for arcs in content["sampled"]),
            causes=None if content["causes"] is None else _dense(n, content["causes"]),
            **{name: content[name] for name in _NUMBERS},
        )


def parents_of(dag: NDArray[Any]) -> Parents:
    """Give the parents of every column of a DAG, a matrix `[parent, child]`, by number."""
    return _parents(len(dag), np.argwhere(dag).tolist())


def _parents(n: int, arcs: Iterable[Sequence[int]]) -> Parents:
    above: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs:
        if not 0 <= a < n:
            raise IndexError(a)
        above[b].append(a)
    return tuple(map(tuple, above))


def direction_is_open(numbers: Mapping[str, float]) -> bool:
    """Tell whether most graphs that join two columns do so otherwise than by this arrow: the one rule for "open"."""
    return round(numbers["probability_of_marks"] - _OPEN * numbers["probability"], 9) < 0


def _how_sure(edge: Edge, numbers: Mapping[str, float]) -> str:
    """Tell the probabilities of an edge, and of an arrow whether something else is likelier than its direction."""
    joined, of_marks = numbers["probability"], numbers["probability_of_marks"]
    directed = ARROW in (edge.mark_a, edge.mark_b)
    is_open = directed and direction_is_open(numbers)
    return in_words(joined, of_marks, (edge.mark_a, edge.mark_b)) + (", direction open" if is_open else "")


def _sparse(matrix: NDArray[np.float64]) -> list[list[float]]:
    return [[i, j, round(float(matrix[i, j]), _DECIMALS)] for i, j in np.argwhere(matrix > 0).tolist()]


def _dense(n: int, lines: Iterable[Sequence[float]]) -> NDArray[np.float64]:
    matrix = np.zeros((n, n))
    for i, j, share in lines:
        matrix[int(i), int(j)] = share
    return matrix
