"""PC and PC-stable: skeleton, colliders, completion.

P. Spirtes, C. Glymour (1991), An algorithm for fast recovery of sparse causal graphs. D. Colombo, M. H. Maathuis
(2014), Order-independent constraint-based causal structure learning.

Deviations: colliders that contradict each other are settled one by one, the better supported first, and the result
is completed to a CPDAG of some DAG in any case (`orient.py`); the originals may return graphs that no DAG has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.search.by_tests.colliders import ColliderRule, find_colliders
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import oriented
from paucal.search.by_tests.skeleton import eager_skeleton, stable_skeleton
from paucal.search.run import Progress, SearchRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.protocol import CITest
    from paucal.search.by_tests.skeleton import Skeleton
    from paucal.search.result import SearchResult


def pc_stable(
    test: CITest,
    *,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    colliders: ColliderRule = "majority",
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a CPDAG by PC-stable.

    With a finished test, what is joined does not depend on the order of the columns; nor does any arrow, except under
    `colliders="standard"` and where claims are tied; `paucal.learn` puts the columns of data in order by their content
    first, and so settles these too. `details["colliders_left_out"]` lists
    the colliders that contradicted others, `details["colliders_added"]` counts those that no DAG can do without.

    Parameters
    ----------
    test
        Answers the questions.
    knowledge, max_order, progress
        As for `paucal.learn`.
    colliders
        How colliders are found: "majority", "conservative", "max-p", or "standard", which needs the fewest tests
        and is what bnlearn's `pc.stable` does (see `paucal.search.by_tests.colliders`).

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.Graph.parse("A; B; A -> C <- B; C -> D"))
    >>> pc_stable(oracle).graph
    Graph.cpdag(4 nodes, 3 edges: A -> C; B -> C; C -> D)
    """
    settings = {"knowledge": knowledge, "max_order": max_order, "colliders": colliders}
    with SearchRun("pc-stable", test, settings=settings, progress=progress) as run:
        limits = Limits.of(knowledge, test.names)
        skeleton = stable_skeleton(run, limits, max_order)
        return oriented_result(run, limits, skeleton, colliders)


def pc(
    test: CITest,
    *,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    colliders: ColliderRule = "standard",
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a CPDAG by PC as it was first published: fewer tests than `pc_stable`, but what is asked first matters.

    The parameters are those of `pc_stable`; colliders are found by the standard rule unless another is named.
    """
    settings = {"knowledge": knowledge, "max_order": max_order, "colliders": colliders}
    with SearchRun("pc", test, settings=settings, progress=progress) as run:
        limits = Limits.of(knowledge, test.names)
        skeleton = eager_skeleton(run, limits, max_order)
        return oriented_result(run, limits, skeleton, colliders)


def oriented_result(
    run: SearchRun,
    limits: Limits,
    skeleton: Skeleton,
    colliders: ColliderRule,
    rank: Sequence[int] | None = None,
    details: Mapping[str, object] | None = None,
) -> SearchResult:
    """Orient a skeleton: colliders, of equal claims the first by rank, or by column, first; then completion."""
    rank = range(len(limits.names)) if rank is None else rank
    claims = find_colliders(run, skeleton, limits, colliders, rank)
    graph, more = oriented(skeleton.adjacency, claims, limits, rank=rank, trace=run.trace)
    sepsets = skeleton.separators.named(limits.names, skeleton.given_nothing)
    return run.result(graph, sepsets, details={**(details or {}), **more})
