"""What background knowledge does to a PDAG: the arrows that it decides, and all that follows by Meek's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.errors import GraphError, KnowledgeError, not_allowed
from paucal.graphs.equivalence import new_collider
from paucal.graphs.knowledge import Knowledge
from paucal.graphs.language import quoted
from paucal.graphs.marks import arrows_of
from paucal.graphs.rules.meek import close

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def orient_by_knowledge(
    pdag: NDArray[Any], nodes: Sequence[str], knowledge: Knowledge, *, strict: bool = True
) -> NDArray[np.int8]:
    """Orient the edges of a PDAG matrix that knowledge decides, and all that follows (Meek's R1 to R4).

    Parameters
    ----------
    pdag, nodes
        `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j; and the names of its rows. It is not changed.
    knowledge
        What is known.
    strict
        With True a graph that contradicts knowledge is an error that names the edge: an arrow against it, a required
        edge missing, a forbidden one present, a cycle or a new v-structure. With False knowledge wins: such arrows
        are turned, such edges added or removed, and no rule may close a cycle.

    Examples
    --------
    >>> from paucal.graphs import Knowledge
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> orient_by_knowledge(path, ["a", "b", "c"], Knowledge(required=[("a", "b")])).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    nodes = checks.plain_names("nodes", nodes)
    matrix = checks.array("pdag", pdag)
    if matrix.shape != (len(nodes), len(nodes)) or matrix.dtype.kind not in "biuf":
        raise not_allowed("pdag", pdag, f"a matrix of {len(nodes)} by {len(nodes)} nodes")
    before = (matrix != 0).astype(np.int8)
    checks.instance("knowledge", knowledge, Knowledge, "background knowledge")
    if checks.flag("strict", strict):
        _refuse_conflict(before, nodes, knowledge)
    required, forbidden = knowledge.required_matrix(nodes), knowledge.forbidden_matrix(nodes)
    now = before.copy()
    now[required] = 1
    joined = (now | now.T) != 0
    now[joined & ~forbidden & forbidden.T] = 1
    now[forbidden] = 0
    if not strict:
        return close(now, on_cycle="skip")
    try:
        closed = close(now, names=tuple(nodes))
    except GraphError as error:
        raise KnowledgeError(f"Knowledge and graph do not fit: {error.message}", hint=error.hint) from error
    collider = new_collider(before, closed)
    if collider is not None:
        a, c, b = (quoted(nodes[i]) for i in collider)
        raise KnowledgeError(
            f"Knowledge makes the new v-structure {a} -> {c} <- {b}, which the graph excludes.",
            hint="Drop the tier or the arc that turns one of these edges, or use strict=False.",
        )
    return closed


def _refuse_conflict(pdag: NDArray[np.int8], nodes: Sequence[str], knowledge: Knowledge) -> None:
    required, forbidden = knowledge.required_matrix(nodes), knowledge.forbidden_matrix(nodes)
    joined = (pdag | pdag.T) != 0
    for wrong, what in (
        (required & ~joined, "{0} -> {1} is required, but the graph has no edge there"),
        (joined & np.triu(forbidden & forbidden.T), "{0} and {1} are joined, but {2}"),
        (arrows_of(pdag) & forbidden, "the graph has {0} -> {1}, but {2}"),
    ):
        pairs = np.argwhere(wrong).tolist()
        if pairs:
            a, b = (nodes[i] for i in pairs[0])
            message = what.format(quoted(a), quoted(b), knowledge.why_forbidden(a, b))
            raise KnowledgeError(
                f"Knowledge and graph do not fit: {message}.", hint="Correct the knowledge, or use strict=False."
            )
