"""What a rule for partial ancestral graphs looked at when it set a mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.graphs.marks import ARROW, CIRCLE, TAIL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paucal.graphs.rules.ancestral import Pag
    from paucal.search.evidence.explain import Trace


class PagReasons:
    """Notes in a trace, for every mark that a rule sets, the rule and the nodes that called for it.

    R4 asks somebody else, who leaves the path in `path`. For R5, R9 and R10, whose paths may be long, only the rule
    is noted.
    """

    def __init__(self, trace: Trace) -> None:
        self.path: tuple[int, ...] = ()
        self._trace = trace

    def note(self, pag: Pag, rule: int, i: int, j: int) -> None:
        """Note why the mark at the j end of i *-* j is about to be set."""
        self._trace.mark(i, j, f"pag-{rule}", self._via(pag, rule, i, j))

    def _via(self, g: Pag, rule: int, i: int, j: int) -> tuple[int, ...]:
        mark = g.mark
        if rule == 1:  # a *-> b o-* c sets both ends of b, c
            return _first(
                a
                for b, c in ((j, i), (i, j))
                for a in g.adjacent[b]
                if a != c and mark[a][b] == ARROW and not mark[a][c]
            )
        if rule == 2:
            return _first(
                b
                for b in g.adjacent[i]
                if mark[i][b] == ARROW == mark[b][j] and TAIL in (mark[b][i], mark[j][b])
            )
        if rule == 3:
            sides = [a for a in g.adjacent[j] if mark[a][j] == ARROW and mark[a][i] == CIRCLE]
            return next(((a, c) for a in sides for c in sides if a < c and not mark[a][c]), ())
        if rule == 4:
            return self.path
        if rule == 6:
            return _first(a for a in g.adjacent[j] if mark[a][j] == TAIL == mark[j][a])
        if rule == 7:
            return _first(
                a
                for a in g.adjacent[j]
                if mark[a][j] == CIRCLE and mark[j][a] == TAIL and a != i and not mark[a][i]
            )
        if rule == 8:  # j o-> i becomes j -> i
            return _first(b for b in g.adjacent[j] if mark[b][j] == TAIL and g.parent(b, i))
        return ()


def _first(nodes: Iterator[int]) -> tuple[int, ...]:
    node = next(nodes, None)
    return () if node is None else (node,)
