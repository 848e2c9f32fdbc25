"""What speaks for a result: tests that were asked, scores, or many graphs.

* `pairs.py`     what all three have in common, and what is said about one pair
* `tests.py`     Tests: the ledger of a search, and its separating sets (`sepsets.py`)
* `scores.py`    Scores: what the score gives the graph, and what an edge is worth to it (`gain.py`)
* `graphs.py`    Graphs: shares of sampled or bootstrapped graphs
* `explain.py`   why a mark or an absence is there: reasons noted while searching, explanations afterwards
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paucal.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.search.evidence.pairs import Evidence


def from_plain(content: Mapping[str, Any]) -> Evidence:
    """Read evidence of any kind from plain values."""
    from paucal.search.evidence.graphs import Graphs
    from paucal.search.evidence.scores import Scores
    from paucal.search.evidence.tests import Tests

    kinds: dict[str, type[Tests | Scores | Graphs]] = {one.kind: one for one in (Tests, Scores, Graphs)}
    kind = content["kind"]
    if kind not in kinds:
        raise GraphError(f"{kind!r} is not a kind of evidence.", hint=f"Known: {', '.join(kinds)}.")
    return kinds[kind].from_plain(content)
