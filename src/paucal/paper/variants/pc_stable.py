"""PC-stable with bnlearn's count of tests: those of the skeleton.

A neighbour of both ends is tried once as the only conditioning column, larger sets once from each end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.search.by_tests.colliders import ColliderRule, find_colliders
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import oriented
from paucal.search.by_tests.skeleton import stable_skeleton
from paucal.search.run import SearchRun

if TYPE_CHECKING:
    from paucal.independence.protocol import CITest
    from paucal.search.result import SearchResult


def pc_stable(test: CITest, *, colliders: ColliderRule = "majority") -> SearchResult:
    """Learn a CPDAG; `details["tests"]` is bnlearn's count."""
    with SearchRun("pc-stable-bnlearn", test, settings={"colliders": colliders}) as run:
        limits, rank = Limits.of(None, test.names), range(len(test.names))
        skeleton = stable_skeleton(run, limits, None)
        asked = run.test.ledger.by_order.items()
        tests = sum(tally.fresh if order == 1 else tally.calls for order, tally in asked)
        claims = find_colliders(run, skeleton, limits, colliders, rank)
        graph, details = oriented(skeleton.adjacency, claims, limits, rank=rank, trace=run.trace)
        return run.result(graph, skeleton.separators.named(test.names), details=details | {"tests": tests})
