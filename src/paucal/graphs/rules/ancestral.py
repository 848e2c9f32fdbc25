"""The orientation rules of partial ancestral graphs: R0 to R10 of Zhang (2008), each a function of its own.

The rules turn circles into arrowheads and tails and never touch a mark that is decided. `orient_pag` runs them until
nothing changes; both the true PAG of a graph and the FCI search use it. They differ only in who answers which nodes are
colliders, on unshielded triples (R0) and on discriminating paths (R4): the graph, or separating sets.

In the rules a `*` is any mark. R0 to R4 find arrowheads, R5 to R7 the tails that selection leaves, R8 to R10 the other
tails. R5, R9 and R10 ask for uncovered paths; here they accept walks that may pass a node twice. This is as sound (the
proofs follow the edges one by one and never need the nodes to differ) and takes polynomial time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL, MarkMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.graphs.rules import Note

Triple: TypeAlias = tuple[int, int, int]
NonCollider: TypeAlias = Callable[[tuple[int, ...]], bool | None]
Usable: TypeAlias = Callable[[int, int, int], bool]
Step: TypeAlias = tuple[int, int]


def orient_pag(
    marks: NDArray[Any],
    colliders: Iterable[Triple],
    non_collider: NonCollider,
    *,
    usable: Usable | None = None,
    tail_rules: bool = True,
    selection: bool = False,
    colliders_only: bool = False,
    note: Note | None = None,
) -> MarkMatrix:
    """Run the orientation rules, and give the oriented marks.

    Parameters
    ----------
    marks
        The matrix of marks: circles, and what is known of the ends already. It is not changed.
    colliders
        The unshielded triples (a, b, c) that collide in b, for R0.
    non_collider
        Called by R4 with a discriminating path (d, ..., a, b, c): True if b is no collider on it, which a
        search reads from b being in the set that separates d from c; False if it is one; None if unknown.
    usable
        Called with unshielded triples (a, b, c) that R1 and R3 take for non-colliders; a conservative search
        says False to ambiguous ones. By default all are good.
    tail_rules
        Whether to run R8 to R10.
    selection
        Whether to run R5 to R7: only needed if the sample may have been selected.
    colliders_only
        Whether to stop after R0; other marks stay circles, which claim nothing.
    note
        Told of every mark that is set, at the j end of the edge between i and j: i, j, the rule from "pag-0" to
        "pag-10", and its witnesses. Of R4 and R5 these are all nodes of the path, of R9 those between its ends, of
        R10 the two parents.
    """
    pag = Pag(marks, usable or (lambda _a, _b, _c: True), note)
    _apply(pag, (partial(rule0, colliders=colliders),), 0)
    if colliders_only:
        return pag.matrix()
    heads = (rule1, rule2, rule3, partial(rule4, non_collider=non_collider))
    again = True
    while again:
        while _apply(pag, heads, 1):
            pass
        again = selection and _apply(pag, (rule5, rule6, rule7), 5)
        again = (tail_rules and _apply(pag, (rule8, rule9, rule10), 8)) or again
    return pag.matrix()


def _apply(pag: Pag, rules: Sequence[Callable[[Pag], None]], first: int) -> bool:
    """Run some rules in turn, numbered from `first`; say whether any of them changed a mark."""
    pag.changed = False
    for number, rule in enumerate(rules, first):
        pag.rule = number
        rule(pag)
    return pag.changed


class Pag:
    """The marks while the rules work on them; the adjacencies never change."""

    def __init__(self, marks: NDArray[Any], usable: Usable, note: Note | None = None) -> None:
        self.mark: list[list[int]] = np.asarray(marks).tolist()
        self.adjacent: list[list[int]] = [[j for j, m in enumerate(row) if m != NONE] for row in self.mark]
        self.usable = usable
        self.rule = 0
        self.changed = False
        self._note = note

    def matrix(self) -> MarkMatrix:
        """Give the marks as they are now."""
        n = len(self.mark)
        return np.array(self.mark, dtype=np.int8).reshape(n, n)

    def set(self, i: int, j: int, mark: int, *witnesses: int) -> None:
        """Put a mark at the j end of i *-* j if a circle stands there."""
        if self.mark[i][j] == CIRCLE:
            if self._note is not None:
                self._note(i, j, f"pag-{self.rule}", witnesses)
            self.mark[i][j] = mark
            self.changed = True

    def edges(self, at_i: int, at_j: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs (i, j) whose edge has these marks now."""
        for i, adjacent in enumerate(self.adjacent):
            for j in adjacent:
                if self.mark[j][i] == at_i and self.mark[i][j] == at_j:
                    yield i, j

    def circles(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs (i, j) with a circle at the j end now."""
        for i, adjacent in enumerate(self.adjacent):
            for j in adjacent:
                if self.mark[i][j] == CIRCLE:
                    yield i, j

    def parent(self, i: int, j: int) -> bool:
        """Say whether i -> j."""
        return self.mark[i][j] == ARROW and self.mark[j][i] == TAIL


def rule0(g: Pag, colliders: Iterable[Triple]) -> None:
    """R0: a *-o b o-* c, a and c not adjacent, b in no set that separates them: a *-> b <-* c."""
    for a, b, c in colliders:
        g.set(a, b, ARROW, c)
        g.set(c, b, ARROW, a)


def rule1(g: Pag) -> None:
    """R1: a *-> b o-* c, a and c not adjacent: b -> c."""
    for c, b in g.circles():
        for a in g.adjacent[b]:
            if g.mark[a][b] == ARROW and a != c and not g.mark[a][c] and g.usable(a, b, c):
                g.set(c, b, TAIL, a)
                g.set(b, c, ARROW, a)
                break


def rule2(g: Pag) -> None:
    """R2: a *-o c and a -> b *-> c or a *-> b -> c: a *-> c."""
    for a, c in g.circles():
        for b in g.adjacent[a]:
            onward = g.mark[a][b] == ARROW and g.mark[b][c] == ARROW
            if onward and TAIL in (g.mark[b][a], g.mark[c][b]):
                g.set(a, c, ARROW, b)


def rule3(g: Pag) -> None:
    """R3: a *-> b <-* c, a *-o d o-* c, a and c not adjacent, d *-o b: d *-> b."""
    for d, b in g.circles():
        sides = [a for a in g.adjacent[b] if g.mark[a][b] == ARROW and g.mark[a][d] == CIRCLE]
        apart = ((a, c) for k, a in enumerate(sides) for c in sides[k + 1 :] if not g.mark[a][c])
        a_c = next((pair for pair in apart if g.usable(pair[0], d, pair[1])), None)
        if a_c is not None:
            g.set(d, b, ARROW, *a_c)


def rule4(g: Pag, non_collider: NonCollider) -> None:
    """R4: (d, ..., a, b, c) discriminates b, and b o-* c: b -> c if b is no collider, else a <-> b <-> c."""
    for c, b in g.circles():
        for path in discriminating_paths(g, b, c):
            answer = non_collider(path)
            if answer is None:
                continue
            g.set(c, b, TAIL if answer else ARROW, *path)
            if not answer:
                g.set(path[-3], b, ARROW, *path)
            g.set(b, c, ARROW, *path)
            break


def discriminating_paths(g: Pag, b: int, c: int) -> Iterator[tuple[int, ...]]:
    """Yield, for each neighbour a of b, a shortest path (d, ..., a, b, c) that discriminates b.

    d and c are not adjacent, and every node between d and b is a collider on the path and a parent of c.
    """
    for a in g.adjacent[b]:
        if not (g.parent(a, c) and g.mark[b][a] == ARROW):
            continue
        came_from = {a: b}
        queue = [a]
        for v in queue:
            ends = (u for u in g.adjacent[v] if g.mark[u][v] == ARROW and u not in (b, c) and not g.mark[u][c])
            d = next(ends, None)
            if d is not None:
                path = [d, v]
                while path[-1] != b:
                    path.append(came_from[path[-1]])
                yield (*path, c)
                break
            for u in g.adjacent[v]:
                inner = g.mark[u][v] == ARROW == g.mark[v][u] and g.parent(u, c)
                if inner and u not in came_from and u != b:
                    came_from[u] = v
                    queue.append(u)


def rule5(g: Pag) -> None:
    """R5: a o-o b, an uncovered path (a, c, ..., d, b) of o-o, a and d, b and c not adjacent: all --."""
    for a, b in g.edges(CIRCLE, CIRCLE):
        if a < b:
            walk = _uncovered_circle_walk(g, a, b)
            for i, j in zip(walk, [*walk[1:], *walk[:1]], strict=True):
                g.set(i, j, TAIL, *walk)
                g.set(j, i, TAIL, *walk)


def rule6(g: Pag) -> None:
    """R6: a -- b o-* c: b --* c."""
    for c, b in g.circles():
        for a in g.adjacent[b]:
            if g.mark[a][b] == TAIL == g.mark[b][a]:
                g.set(c, b, TAIL, a)


def rule7(g: Pag) -> None:
    """R7: a --o b o-* c, a and c not adjacent: b --* c."""
    for c, b in g.circles():
        for a in g.adjacent[b]:
            if g.mark[a][b] == CIRCLE and g.mark[b][a] == TAIL and a != c and not g.mark[a][c]:
                g.set(c, b, TAIL, a)


def _uncovered_circle_walk(g: Pag, a: int, b: int) -> list[int]:
    def circle_edge(i: int, j: int) -> bool:
        return g.mark[i][j] == CIRCLE == g.mark[j][i]

    for c in g.adjacent[a]:
        if c != b and circle_edge(a, c) and not g.mark[b][c]:
            steps = _uncovered_steps(g, a, c, circle_edge)
            d = next((u for u, v in steps if v == b and not g.mark[a][u]), None)
            if d is not None:
                return _walk(steps, (d, b))
    return []


def rule8(g: Pag) -> None:
    """R8: a o-> c and a -> b -> c or a --o b -> c: a -> c."""
    for a, c in g.edges(CIRCLE, ARROW):
        for b in g.adjacent[a]:
            if g.mark[b][a] == TAIL and g.mark[a][b] in (ARROW, CIRCLE) and g.parent(b, c):
                g.set(c, a, TAIL, b)


def rule9(g: Pag) -> None:
    """R9: a o-> c, an uncovered potentially directed path (a, b, ..., c), b not adjacent to c: a -> c."""
    for a, c in g.edges(CIRCLE, ARROW):
        for b in g.adjacent[a]:
            if b != c and not g.mark[b][c] and _may_lead(g, a, b):
                steps = _steps_ahead(g, a, b)
                last = next((step for step in steps if step[1] == c), None)
                if last is not None:
                    g.set(c, a, TAIL, *_walk(steps, last)[1:-1])
                    break


def rule10(g: Pag) -> None:
    """R10: a o-> c, b -> c <- d, uncovered potentially directed paths from a to b and from a to d: a -> c.

    The nodes that follow a on the two paths must differ and not be adjacent.
    """
    for a, c in g.edges(CIRCLE, ARROW):
        parents = {b for b in g.adjacent[c] if g.parent(b, c)}
        if len(parents) < 2:
            continue
        goals = {
            first: {v for _, v in _steps_ahead(g, a, first, without=c)} & parents
            for first in g.adjacent[a]
            if first != c and _may_lead(g, a, first)
        }
        ends = (
            (b, d)
            for first, second in combinations(goals, 2)
            if not g.mark[first][second]
            for b in sorted(goals[first])
            for d in sorted(goals[second])
            if b != d
        )
        pair = next(ends, None)
        if pair is not None:
            g.set(c, a, TAIL, *pair)


def _may_lead(g: Pag, i: int, j: int) -> bool:
    return g.mark[j][i] != ARROW and g.mark[i][j] != TAIL


def _steps_ahead(g: Pag, a: int, first: int, without: int | None = None) -> dict[Step, Step]:
    """Give the steps of all uncovered potentially directed walks that begin with (a, first)."""
    return _uncovered_steps(g, a, first, lambda i, j: j != without and _may_lead(g, i, j))


def _uncovered_steps(g: Pag, a: int, first: int, step: Callable[[int, int], bool]) -> dict[Step, Step]:
    """Give the steps (u, v) of all uncovered walks that begin with (a, first) and do not come back to a.

    Each step is mapped to one that comes before it, the first to itself.
    """
    before = {(a, first): (a, first)}
    queue = [(a, first)]
    for u, v in queue:
        for w in g.adjacent[v]:
            if w not in (a, u) and not g.mark[u][w] and (v, w) not in before and step(v, w):
                before[v, w] = (u, v)
                queue.append((v, w))
    return before


def _walk(before: dict[Step, Step], last: Step) -> list[int]:
    """Give the nodes of the walk that ends with the step `last`."""
    walk = [last]
    while before[walk[-1]] != walk[-1]:
        walk.append(before[walk[-1]])
    return [walk[-1][0], *(v for _, v in reversed(walk))]
