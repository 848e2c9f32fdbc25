"""FCI and conservative FCI: discovery when common causes may be hidden. The result is a PAG.

P. Spirtes, C. Glymour, R. Scheines (2000), Causation, Prediction, and Search, chapter 6; J. Zhang (2008), On the
completeness of orientation rules for causal discovery in the presence of latent confounders and selection bias;
J. Ramsey, J. Zhang, P. Spirtes (2006) for the conservative rule.

1. The skeleton, as in PC-stable.
2. A second look at every edge, with sets beyond the neighbours (`possible_d_sep.py`).
3. Unshielded colliders (`triples.py`), after the arrowheads that background knowledge knows.
4. The rules R1 to R10 (`paucal.graphs.rules.ancestral`), R5 to R7 only if the sample may have been selected.

Background knowledge speaks of causes: an arrow from a to b that is forbidden says that a does not cause b, so an edge
between them gets an arrowhead at a; a hidden common cause stays possible, also between two columns of which neither can
cause the other, such as two exogenous ones. Two columns are kept apart if arrows both ways are forbidden one by one, if
they measure the same thing, or if one was randomised and does not cause the other: a randomised column has no cause, so
that its edges have a tail there and never are `<->`. A required arrow is there, with its tail and head.

Without `max_order` the tests have as many given columns as the data can bear (`depth.py`), and the result says so.

Deviations. R4 reads the set that separated the ends of its path, also under the conservative rule. A triple that is
ambiguous does not become a collider, and unless `strict_conservative` is on, R1 and R3 then take it for none.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import checks
from paucal.graphs.graph import Graph
from paucal.graphs.marks import ARROW, CIRCLE, TAIL
from paucal.graphs.rules.ancestral import orient_pag
from paucal.search.by_tests.colliders import COLLIDER_RULES
from paucal.search.by_tests.depth import bearable_order
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.possible_d_sep import second_look
from paucal.search.by_tests.skeleton import stable_skeleton
from paucal.search.by_tests.triples import Judged, judge_triples
from paucal.search.run import Progress, SearchRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge
    from paucal.graphs.rules.ancestral import NonCollider
    from paucal.independence.protocol import CITest
    from paucal.search.by_tests.colliders import ColliderRule
    from paucal.search.by_tests.separators import Separators
    from paucal.search.by_tests.skeleton import Skeleton
    from paucal.search.evidence.explain import Trace
    from paucal.search.result import SearchResult


def fci(
    test: CITest,
    *,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    colliders: ColliderRule = "standard",
    possible_d_sep: bool = True,
    tail_rules: bool = True,
    selection: bool = False,
    max_path_length: int | None = None,
    strict_conservative: bool = False,
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a partial ancestral graph: what causes what, where causes may be hidden.

    `details` lists the ambiguous triples, says how many edges the second look took away and, if the data set it, how
    many conditioning columns a test had at most.

    Parameters
    ----------
    test, knowledge, colliders, progress
        As for `pc_stable`.
    max_order
        Most conditioning columns in a test; None for as many as leave half of all questions with one row per cell.
        An oracle has no limit.
    possible_d_sep
        Whether to look a second time at every edge. Without it (and with hidden causes) edges may remain that do
        not belong; it can take long where many nodes are joined.
    tail_rules
        Whether to run R8 to R10.
    selection
        Whether to run R5 to R7: only needed if the sample may have been selected by an effect of its variables.
    max_path_length
        The longest path, in edges, for the second look and for R4; None for no limit.
    strict_conservative
        Whether ambiguous triples are kept out of R1 and R3.

    Examples
    --------
    >>> import paucal
    >>> truth = paucal.Graph.parse("A -> B <- hidden -> C <- D")
    >>> fci(paucal.Oracle(truth, latent=["hidden"])).graph
    Graph.pag(4 nodes, 3 edges: A o-> B; B <-> C; D o-> C)
    """
    options = FciOptions(
        max_order, colliders, possible_d_sep, tail_rules, selection, max_path_length, strict_conservative
    )
    return _learn("fci", test, knowledge, options, progress)


def cfci(
    test: CITest,
    *,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    possible_d_sep: bool = True,
    tail_rules: bool = True,
    selection: bool = False,
    max_path_length: int | None = None,
    strict_conservative: bool = False,
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a partial ancestral graph with conservative colliders: `fci` with `colliders="conservative"`.

    The parameters are those of `fci`.
    """
    options = FciOptions(
        max_order, "conservative", possible_d_sep, tail_rules, selection, max_path_length, strict_conservative
    )
    return _learn("cfci", test, knowledge, options, progress)


class FciOptions(NamedTuple):
    """What `fci` can be asked to do, as it explains it."""

    max_order: int | None = None
    colliders: ColliderRule = "standard"
    possible_d_sep: bool = True
    tail_rules: bool = True
    selection: bool = False
    max_path_length: int | None = None
    strict_conservative: bool = False


def _learn(
    search: str, test: CITest, knowledge: Knowledge | None, options: FciOptions, progress: Progress | None
) -> SearchResult:
    checks.choice("colliders", options.colliders, COLLIDER_RULES)
    checks.limit("max_path_length", options.max_path_length, 1)
    settings = options._asdict()
    for name in ("possible_d_sep", "tail_rules", "selection", "strict_conservative"):
        settings[name] = checks.flag(name, settings[name])
    if search == "cfci":
        del settings["colliders"]  # its name says it
    with SearchRun(search, test, settings={"knowledge": knowledge, **settings}, progress=progress) as run:
        limits = LatentLimits.of(knowledge, test.names)
        details: dict[str, Any] = {}
        max_order = options.max_order
        if max_order is None:
            max_order = bearable_order(test)
            details |= {} if max_order is None else {"bearable_order": max_order}
        skeleton = stable_skeleton(run, limits, max_order)
        if options.possible_d_sep:
            before = skeleton.adjacency.sum()
            skeleton = second_look(run, skeleton, limits, max_order, options.max_path_length)
            details["removed_by_second_look"] = int(before - skeleton.adjacency.sum()) // 2
        judged = judge_triples(run, skeleton, limits, options.colliders)
        return directed(run, skeleton, limits, judged, options, details)


def directed(
    run: SearchRun, skeleton: Skeleton, limits: Limits, judged: Judged, options: FciOptions, details: Mapping[str, Any]
) -> SearchResult:
    """Put marks: those that knowledge knows, colliders, and what the rules say."""
    names = run.test.names
    unclear = set(judged.ambiguous) if options.strict_conservative else set()
    oriented = orient_pag(
        known_marks(skeleton.adjacency, limits, run.trace),
        judged.colliders,
        _from_separators(skeleton.separators, options.max_path_length),
        usable=lambda a, b, c: (min(a, c), b, max(a, c)) not in unclear,
        tail_rules=options.tail_rules,
        selection=options.selection,
        colliders_only=run.spent,  # on a dense skeleton the other rules take longer than the search may
        note=run.trace.mark,
    )
    told = {**details, "ambiguous_triples": [[names[v] for v in triple] for triple in judged.ambiguous]}
    graph = Graph(names, oriented, "pag", check=False)
    return run.result(graph, skeleton.separators.named(names), details=told)


class LatentLimits(Limits):
    """Knowledge for a search that allows for hidden causes."""

    @cached_property
    def joinable(self) -> NDArray[np.bool_]:
        """Pairs that may have an edge, if only by a hidden cause."""
        return ~self.apart

    @cached_property
    def may_separate(self) -> NDArray[np.bool_]:
        """Everybody may help to separate anybody: a child of x may be an ancestor of y, and no neighbour of y."""
        return np.ones_like(self.forbidden)


def known_marks(adjacency: NDArray[np.bool_], limits: Limits, trace: Trace) -> NDArray[np.int8]:
    """Put the arrowheads and tails that knowledge knows; the rest are circles."""
    marks = np.where(adjacency, CIRCLE, 0).astype(np.int8)
    if limits.active:
        marks[adjacency & limits.forbidden.T] = ARROW  # j -> i is forbidden: an arrowhead at j
        marks[adjacency & limits.required] = ARROW
        marks[adjacency & (limits.required.T | limits.randomised)] = TAIL
        for i, j in np.argwhere(marks > CIRCLE).tolist():
            trace.mark(i, j, "required" if limits.required[i, j] or limits.required[j, i] else "knowledge")
    return marks


def _from_separators(separators: Separators, longest: int | None) -> NonCollider:
    """Answer R4: b is no collider on (d, ..., a, b, c) if it is in the set that separated d and c."""

    def non_collider(path: tuple[int, ...]) -> bool | None:
        given = separators.get(path[0], path[-1])
        if given is None or (longest is not None and len(path) - 1 > longest):
            return None
        return path[-2] in given

    return non_collider
