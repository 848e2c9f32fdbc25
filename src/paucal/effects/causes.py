"""In how many sampled DAGs one column causes another, directly or through others, and which arrow that hangs on."""

from __future__ import annotations

from collections import Counter, deque
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.effects.sampled import Parents

_BY_CHANCE = 0.1  # claims may be counted in fewer graphs than arrows


class Cause(NamedTuple):
    """One column causes another with this probability; the claim hangs on an arrow of its most frequent path.

    `arrow` is the least likely one of that path, and `direction` its probability: of graphs in which the two are not
    joined none has it. It is the same number that the result gives for this arrow everywhere.
    """

    cause: str
    effect: str
    probability: float
    arrow: tuple[str, str]
    direction: float

    def __str__(self) -> str:
        a, b = self.arrow
        claim = f"{self.cause} causes {self.effect}: {self.probability:.0%}"
        return f"{claim}; {self.by} {a} -> {b}, which is {self.direction:.0%} likely"

    @property
    def by(self) -> str:
        """Words before the arrow: a claim that is likelier than the arrow has other paths, and does not rest on it."""
        return "most often through" if self.probability > self.direction + _BY_CHANCE else "this rests on"


def adjacency(dags: Sequence[Parents]) -> NDArray[np.bool_]:
    """Give the arrows of every DAG as a matrix: [draw, from, to]."""
    p = len(dags[0])
    arrows = np.zeros((len(dags), p, p), dtype=bool)
    for s, dag in enumerate(dags):
        for node, parents in enumerate(dag):
            arrows[s, list(parents), node] = True
    return arrows


class Paths:
    """Directed paths in sampled DAGs."""

    def __init__(
        self, names: Sequence[str], dags: Sequence[Parents], likely: NDArray[np.float64] | None = None
    ) -> None:
        """Take DAGs, and how likely each arrow is, `[from, to]`; by default the share of these DAGs that have it."""
        self._names = names
        self._likely = adjacency(dags).mean(axis=0) if likely is None else likely
        place = {i: k for k, i in enumerate(sorted(range(len(names)), key=lambda i: names[i]))}
        self._children = [_children(dag, place) for dag in dags]

    def from_(self, x: int) -> list[dict[int, int]]:
        """Give for every DAG all columns that x causes, each with the one before it on a shortest path from x."""
        return [_came(children, x) for children in self._children]

    def claim(self, x: int, y: int, share: float, trees: Sequence[Mapping[int, int]]) -> Cause | None:
        """Say that x causes y, and what that hangs on; None if no DAG has a path. `trees` are those `from_` x."""
        paths = Counter(_path(came, y) for came in trees if y in came)
        if not paths:
            return None
        most = max(paths.values())
        tied = [path for path, count in paths.items() if count == most]
        path = min(tied, key=lambda path: [self._names[v] for v in path])  # not by where columns stand
        steps = list(pairwise(path))
        sure = [float(self._likely[a, b]) for a, b in steps]
        a, b = steps[int(np.argmin(sure))]
        return Cause(self._names[x], self._names[y], share, (self._names[a], self._names[b]), min(sure))


def all_causes(
    names: Sequence[str],
    dags: Sequence[Parents],
    shares: NDArray[np.float64],
    *,
    least: float,
    likely: NDArray[np.float64] | None = None,
) -> list[Cause]:
    """List which columns cause which with a probability of at least `least`, the surest first.

    `shares` are the probabilities, from row to column, of more DAGs than the ones given; a claim that none of these
    makes has no path to tell of and is left out. `likely` is how likely each arrow is, as in `Paths`.
    """
    claimed = (shares >= least) & (shares > 0)
    if not claimed.any():
        return []
    paths = Paths(names, dags, likely)
    found = []
    for x in np.flatnonzero(claimed.any(axis=1)).tolist():
        trees = paths.from_(x)
        for y in np.flatnonzero(claimed[x]).tolist():
            claim = paths.claim(x, y, float(shares[x, y]), trees)
            if claim is not None:
                found.append((-claim.probability, x, y, claim))
    found.sort(key=lambda one: one[:3])
    return [claim for *_, claim in found]


def _children(dag: Parents, place: Mapping[int, int]) -> list[list[int]]:
    """Give the children of every column, sorted by `place`, so that equally short paths are found alike."""
    children: list[list[int]] = [[] for _ in dag]
    for node, parents in enumerate(dag):
        for parent in parents:
            children[parent].append(node)
    return [sorted(below, key=place.__getitem__) for below in children]


def _came(children: Sequence[Sequence[int]], x: int) -> dict[int, int]:
    """Find what x causes, by paths as short as possible: every column with the one before it."""
    came: dict[int, int] = {}
    queue = deque([x])
    while queue:
        node = queue.popleft()
        for child in children[node]:
            if child not in came:
                came[child] = node
                queue.append(child)
    return came


def _path(came: Mapping[int, int], y: int) -> tuple[int, ...]:
    path = [y]
    while path[-1] in came:
        path.append(came[path[-1]])
    return tuple(reversed(path))
