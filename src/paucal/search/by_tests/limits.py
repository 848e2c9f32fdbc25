"""Background knowledge between column numbers, in the form that searches use.

Knowledge acts three times. In the skeleton: a pair that must not be joined never is, and a required edge is never
tested away. In the choice of conditioning sets: two nodes that are not joined are separated by the parents of one
of them, so a node that knowledge makes a child is no candidate; with tiers, nobody is separated by the future. In
the orientation: arrows that knowledge decides come first, and no collider may turn them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.errors import KnowledgeError
from paucal.graphs.acyclic import find_cycle
from paucal.graphs.knowledge import Knowledge
from paucal.graphs.language import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.search.by_scores.interventions import Experiment
    from paucal.search.evidence.explain import Trace


@dataclass(frozen=True, eq=False)
class Limits:
    """What knowledge says about pairs of columns."""

    names: tuple[str, ...]
    active: bool  # whether anything is known
    forbidden: NDArray[np.bool_]  # `[i, j]`: the arrow i -> j must not be there
    required: NDArray[np.bool_]  # it must
    apart: NDArray[np.bool_]  # no edge, even where causes may be hidden
    same: NDArray[np.bool_]  # the two measure the same thing
    randomised: NDArray[np.bool_]  # `[i]`: i has no cause at all
    told: NDArray[np.bool_] | None = None  # interventions tell the direction of an edge between i and j

    @classmethod
    def of_experiment(cls, knowledge: Knowledge | None, experiment: Experiment) -> Limits:
        """Translate knowledge about the columns of an experiment, and what its interventions tell."""
        limits = cls.of(knowledge, experiment.data.names)
        if not experiment:
            return limits
        forbidden = limits.forbidden | experiment.forbid(knowledge)
        return replace(limits, active=True, forbidden=forbidden, told=experiment.told_matrix())

    @classmethod
    def of(cls, knowledge: Knowledge | None, names: tuple[str, ...]) -> Limits:
        """Translate knowledge about names; unknown names are an error."""
        if knowledge is not None:
            hint = "Make it by paucal.Knowledge."
            checks.instance("knowledge", knowledge, Knowledge, "background knowledge", hint=hint)
        if knowledge:
            arrows = knowledge.forbidden_matrix(names), knowledge.required_matrix(names)
            pairs = knowledge.apart_matrix(names), knowledge.same_matrix(names)
            return cls(names, True, *arrows, *pairs, knowledge.randomised_nodes(names))
        n = len(names)
        own, none = np.eye(n, dtype=np.bool_), np.zeros((n, n), dtype=np.bool_)
        return cls(names, False, own, none, own, none, np.zeros(n, dtype=np.bool_))

    def among(self, nodes: Sequence[int]) -> Limits:
        """Give what is known about some of the columns."""
        names, where = tuple(self.names[v] for v in nodes), np.ix_(nodes, nodes)
        arrows, pairs = (self.forbidden[where], self.required[where]), (self.apart[where], self.same[where])
        return type(self)(names, self.active, *arrows, *pairs, self.randomised[list(nodes)])

    @cached_property
    def of_arrows(self) -> NDArray[np.uint8] | None:
        """What the kernel is told of every arrow, in bits: 1 it is forbidden, 2 interventions tell its direction."""
        if not self.active:
            return None
        told = 0 if self.told is None else 2 * self.told.astype(np.uint8)
        return np.ascontiguousarray(self.forbidden.astype(np.uint8) | told)

    @cached_property
    def joinable(self) -> NDArray[np.bool_]:
        """Pairs that may have an edge."""
        return ~(self.forbidden & self.forbidden.T)

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Pairs whose edge is required."""
        return self.required | self.required.T

    @cached_property
    def may_separate(self) -> NDArray[np.bool_]:
        """`[i, z]`: z may be a parent of i, so it may help to separate i from others."""
        return np.ascontiguousarray(~self.forbidden.T)

    @cached_property
    def may_meet(self) -> NDArray[np.bool_]:
        """Pairs that may be in each other's Markov blanket: by an edge, or by a child that both may have."""
        if not self.active:
            return self.joinable
        may_cause = ~self.forbidden
        shared = (may_cause.astype(np.int64) @ may_cause.T.astype(np.int64)) > 0
        together: NDArray[np.bool_] = (self.joinable | shared) & ~self.same
        np.fill_diagonal(together, val=False)
        return together

    def orient(self, pdag: NDArray[np.int8], trace: Trace) -> None:
        """Give the edges of a PDAG matrix that knowledge decides their direction, in place."""
        if not self.active:
            return
        joined = (pdag | pdag.T) != 0
        wanted = joined & ~self.forbidden & self.forbidden.T
        pdag[wanted] = 1
        pdag[wanted.T] = 0
        for a, b in np.argwhere(wanted).tolist():
            trace.mark(a, b, "required" if self.required[a, b] else "knowledge")
        cycle = find_cycle(wanted)
        if cycle is not None:
            trail = " -> ".join(quoted(self.names[i]) for i in (*cycle, cycle[0]))
            raise KnowledgeError(
                f"The data join all of {trail}, and knowledge allows no other directions: a cycle.",
                hint="Forbid one of these edges in both directions, or allow one of the directions.",
            )
