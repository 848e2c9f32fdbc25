"""How far a learned graph is from the truth: Hamming distances, precision and recall, differing edges.

The definitions, because the literature has several under one name. The status of a pair of nodes is: no edge,
or an edge with its marks at both ends.

* `shd`, variant `"pairs"`: every pair of nodes whose status differs costs 1 (Tsamardinos et al. 2006).
* `shd`, variant `"double"`: the same, but an arrow that points the other way costs 2.
* `shd`, variant `"cpdag"`: both graphs are first completed to CPDAGs, as bnlearn does.
* `shd`, variant `"parts"`: a differing adjacency costs 1 and a differing direction costs 1, so that a missing
  arrow costs 2, as FixRAI counts.
* `shd`, variant `"as-is"`: `"pairs"` on the marks as they stand, also for a DAG beside a CPDAG.
* `pag_shd`: marks that differ, plus 1 for an edge that is there in one graph only; or `"pairs"` on PAGs.
* `blanket_shd`: nodes around a target whose label (parent, child, undetermined, none) differs.

**A DAG beside another kind.** A DAG says more than data can. So it is replaced by its CPDAG when the other graph is a
CPDAG or PDAG, and by its PAG when the other is a PAG. Two DAGs are compared as they are. Within one kind the distances
are metrics: zero for equal graphs only (`"cpdag"`: for equivalent ones), symmetric, with the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from paucal import checks
from paucal.errors import Argument, GraphError, ParameterError, listing
from paucal.graphs.blanket import Blanket, markov_blanket
from paucal.graphs.equivalence import dag_to_cpdag, pdag_to_dag
from paucal.graphs.graph import Graph
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL, MarkMatrix, arcs_of
from paucal.graphs.projection import dag_to_pag
from paucal.graphs.relations import refuse_other_than_graph

if TYPE_CHECKING:
    from paucal.graphs.language import Edge

Variant: TypeAlias = Literal["pairs", "double", "cpdag", "parts", "as-is"]
VARIANTS: tuple[Variant, ...] = ("pairs", "double", "cpdag", "parts", "as-is")


def shd(learned: Graph, truth: Graph, *, variant: Variant = "pairs") -> int:
    """Count the pairs of nodes on which two DAGs, CPDAGs or PDAGs differ.

    Parameters
    ----------
    learned, truth
        Graphs over the same nodes, in any order. The distance is symmetric. A DAG beside a CPDAG or PDAG
        stands for its CPDAG.
    variant
        What a difference costs; see the top of this module.

    Examples
    --------
    >>> chain, fork = Graph.parse("A -> B -> C"), Graph.parse("A <- B -> C")
    >>> shd(chain, fork), shd(chain, fork, variant="double"), shd(chain, fork, variant="cpdag")
    (1, 2, 0)
    """
    checks.choice("variant", variant, VARIANTS)
    _refuse_others(learned, truth)
    for kind in (learned.kind, truth.kind):
        if kind in {"mag", "pag"}:
            found = f"shd() compares DAGs, CPDAGs and PDAGs, not a {kind.upper()}."
            raise GraphError(found, hint="Use pag_shd().")
    if variant == "cpdag":
        learned, truth = _completed(learned), _completed(truth)
    a, b = _aligned(learned, truth, convert=variant != "as-is")
    differing = (a != b) | (a.T != b.T)
    if variant == "parts":
        adjacency = (a != NONE) != (b != NONE)
        direction = arcs_of(a) != arcs_of(b)
        return _pairs(adjacency) + _pairs(direction | direction.T)
    reversals = int((arcs_of(a) & arcs_of(b).T).sum()) if variant == "double" else 0
    return _pairs(differing) + reversals


def pag_shd(learned: Graph, truth: Graph, *, version: Literal["endpoints", "edges"] = "endpoints") -> int:
    """Count the differences of two PAGs.

    Parameters
    ----------
    learned, truth
        PAGs or MAGs over the same nodes; a DAG beside a PAG stands for its PAG without hidden variables.
    version
        `"endpoints"`: a pair joined in both graphs costs 1 for each end whose mark differs; a pair joined in one of
        them costs 1, and 1 for each mark that is not a circle. `"edges"`: every differing pair costs 1.

    Examples
    --------
    >>> a, b = Graph.parse("A o-> B; C"), Graph.parse("A o-o B; B -> C")
    >>> pag_shd(a, b), pag_shd(a, b, version="edges")
    (4, 2)
    """
    checks.choice("version", version, ("endpoints", "edges"))
    _refuse_others(learned, truth)
    for graph in (learned, truth):
        if graph.kind in {"cpdag", "pdag"}:
            raise GraphError(f"pag_shd() compares PAGs, not a {graph.kind.upper()}.", hint="Use shd().")
    a, b = _aligned(learned, truth)
    if version == "edges":
        return _pairs((a != b) | (a.T != b.T))
    one_absent = (a == NONE) != (b == NONE)
    decided = one_absent & (np.maximum(a, b) != CIRCLE)
    marks_differ = (a != NONE) & (b != NONE) & (a != b)
    return _pairs(one_absent) + int(decided.sum()) + int(marks_differ.sum())


def blanket_shd(
    learned: Blanket | Mapping[str, Iterable[str]],
    truth: Blanket | Mapping[str, Iterable[str]] | Graph,
    *,
    target: str | None = None,
    against: Literal["dag", "cpdag"] = "dag",
    spouses: bool = False,
) -> int:
    """Count the nodes around a target that are missing, extra or labelled wrongly.

    Parameters
    ----------
    learned
        A blanket, or a mapping with its parts `parents`, `children`, `undetermined` and `spouses` as keys, which
        may be left out.
    truth
        The same, or the true DAG.
    target
        The target, needed if `truth` is a graph.
    against
        Whether the labels of a true graph are those of the DAG or those of its CPDAG, where undetermined is
        right for an undirected edge.
    spouses
        Whether spouses count as a label of their own; otherwise they are not looked at.

    Examples
    --------
    >>> truth = Graph.parse("A -> T -> B")
    >>> blanket_shd({"undetermined": ["A", "B"]}, truth, target="T")
    2
    >>> blanket_shd({"undetermined": ["A", "B"]}, truth, target="T", against="cpdag")
    0
    """
    checks.choice("against", against, ("dag", "cpdag"))
    if isinstance(truth, Graph):
        if target is None:
            raise ParameterError("A true graph needs a target.", hint=("Pass ", Argument("target"), "."))
        graph = dag_to_cpdag(truth) if against == "cpdag" and truth.kind == "dag" else truth
        truth = markov_blanket(graph, target)
    checks.flag("spouses", spouses)
    a, b = (_labels(name, side, spouses=spouses) for name, side in (("learned", learned), ("truth", truth)))
    return sum(a.get(name) != b.get(name) for name in {*a, *b})


@dataclass(frozen=True)
class Scores:
    """How many of the found things are right (precision) and how many of the true things are found (recall).

    >>> Scores(true_positives=3, false_positives=1, false_negatives=0)
    Scores(precision=0.75, recall=1, f1=0.857)
    """

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def precision(self) -> float:
        """The share of the found that is right; NaN if nothing was found."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """The share of the true that was found; NaN if nothing is there to be found."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two; NaN if nothing was found and nothing was there."""
        twice = 2 * self.true_positives
        return _share(twice, twice + self.false_positives + self.false_negatives)

    def __repr__(self) -> str:
        return f"Scores(precision={self.precision:.3g}, recall={self.recall:.3g}, f1={self.f1:.3g})"


def skeleton_scores(learned: Graph, truth: Graph) -> Scores:
    """Score the adjacencies, whatever their marks.

    >>> skeleton_scores(Graph.parse("A -- B; C"), Graph.parse("A -> B -> C"))
    Scores(precision=1, recall=0.5, f1=0.667)
    """
    a, b = (np.triu(marks != NONE) for marks in _aligned(learned, truth, convert=False))
    return Scores(int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()))


def arrowhead_scores(learned: Graph, truth: Graph) -> Scores:
    """Score the arrowheads: the ends of edges that have one. A DAG beside a CPDAG stands for its CPDAG.

    >>> arrowhead_scores(Graph.parse("A -> B -> C"), Graph.parse("A -> B <- C"))
    Scores(precision=0.5, recall=0.5, f1=0.5)
    """
    a, b = (marks == ARROW for marks in _aligned(learned, truth))
    return Scores(int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()))


DifferenceKind: TypeAlias = Literal["extra", "missing", "reversed", "undirected", "directed", "marks"]


@dataclass(frozen=True)
class Difference:
    """One pair of nodes on which two graphs differ.

    `kind` says what the learned graph has that the truth has not: an `extra` edge, a `missing` one, a
    `reversed` arrow, an edge left `undirected`, one that was `directed` without need, or other `marks`.
    """

    pair: tuple[str, str]
    learned: Edge | None
    truth: Edge | None
    kind: DifferenceKind

    def __str__(self) -> str:
        return f"{self.kind}: {self.learned or 'no edge'}, in truth {self.truth or 'no edge'}"


def differences(learned: Graph, truth: Graph) -> list[Difference]:
    """List the pairs on which two graphs differ, in the order of the nodes of the truth.

    A DAG beside a CPDAG, PDAG or PAG stands for its CPDAG or PAG, as in `shd` and `pag_shd`.

    >>> for d in differences(Graph.parse("A -> B; C"), Graph.parse("A <- B; B -> C")):
    ...     str(d)
    'reversed: A -> B, in truth A <- B'
    'missing: no edge, in truth B -> C'
    """
    found, wanted = _comparable(learned, truth)
    a, b = _aligned(found, wanted)
    pairs = np.argwhere(np.triu((a != b) | (a.T != b.T))).tolist()
    names = ((wanted.nodes[i], wanted.nodes[j]) for i, j in pairs)
    return [_difference(pair, found.edge(*pair), wanted.edge(*pair)) for pair in names]


@dataclass(frozen=True)
class EdgeCounts:
    """The pairs that differ, by sort, and those that are right; extra + missing + misdirected is the SHD."""

    correct: int
    extra: int
    missing: int
    misdirected: int


def edge_counts(learned: Graph, truth: Graph) -> EdgeCounts:
    """Count the learned edges that are right, extra, missing or have another mark than in truth.

    >>> edge_counts(Graph.parse("A -> B; B -- C; D"), Graph.parse("A -> B <- C; C -> D"))
    EdgeCounts(correct=1, extra=0, missing=1, misdirected=1)
    """
    kinds = [difference.kind for difference in differences(learned, truth)]
    extra, missing = kinds.count("extra"), kinds.count("missing")
    misdirected = len(kinds) - extra - missing
    return EdgeCounts(learned.n_edges - extra - misdirected, extra, missing, misdirected)


def _difference(pair: tuple[str, str], found: Edge | None, wanted: Edge | None) -> Difference:
    kind: DifferenceKind
    if wanted is None:
        kind = "extra"
    elif found is None:
        kind = "missing"
    elif found.directed and wanted.directed:
        kind = "reversed"
    elif wanted.directed and found.mark_a == found.mark_b == TAIL:
        kind = "undirected"
    elif found.directed and wanted.mark_a == wanted.mark_b == TAIL:
        kind = "directed"
    else:
        kind = "marks"
    return Difference(pair, found, wanted, kind)


def _aligned(learned: Graph, truth: Graph, *, convert: bool = True) -> tuple[MarkMatrix, MarkMatrix]:
    """Give the marks of both graphs in one order of the nodes."""
    learned, truth = _comparable(learned, truth, convert=convert)
    return learned.reorder(truth.nodes).marks, truth.marks


def _comparable(learned: Graph, truth: Graph, *, convert: bool = True) -> tuple[Graph, Graph]:
    _refuse_others(learned, truth)
    sides = {
        "first": [name for name in learned.nodes if name not in truth],
        "second": [name for name in truth.nodes if name not in learned],
    }
    if any(sides.values()):
        found = "; ".join(f"only the {side} has {listing(map(repr, names))}" for side, names in sides.items() if names)
        hint = "Compare what both have, under the same names: subgraph() and rename() do that in Python."
        raise GraphError(f"The graphs have different nodes: {found}.", hint=hint)
    return (beside(learned, truth), beside(truth, learned)) if convert else (learned, truth)


def _refuse_others(learned: Graph, truth: Graph) -> None:
    for name, graph in (("learned", learned), ("truth", truth)):
        refuse_other_than_graph(name, graph)


def beside(graph: Graph, other: Graph) -> Graph:
    """Give what a DAG stands for beside a graph of another kind."""
    if graph.kind != "dag" or other.kind in {"dag", "mag"}:
        return graph
    return dag_to_pag(graph) if other.kind == "pag" else dag_to_cpdag(graph)


def _completed(graph: Graph) -> Graph:
    return dag_to_cpdag(graph if graph.kind == "dag" else pdag_to_dag(graph))


def _labels(side: str, blanket: Blanket | Mapping[str, Iterable[str]], *, spouses: bool) -> dict[str, str]:
    looked_at = (*(["spouses"] if spouses else []), "undetermined", "children", "parents")
    if isinstance(blanket, Mapping):
        parts = checks.settings(side, blanket)
    else:
        checks.instance(side, blanket, Blanket, "a blanket, or a dict of its parts")
        parts = {part: getattr(blanket, part) for part in looked_at}
    return {name: part for part in looked_at for name in checks.plain_names(part, parts.get(part, ()))}


def _pairs(matrix: np.ndarray) -> int:
    return int(np.count_nonzero(np.triu(matrix)))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
