"""In how many sampled DAGs one column causes another, directly or through others, and which arrow that hangs on."""

from __future__ import annotations

from collections import Counter, deque
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.effects.sampled import Parents


class Cause(NamedTuple):
    """One column causes another with this probability; the claim hangs on an arrow of its most frequent path.

    `arrow` is the one of that path whose direction is least sure, and `direction` the probability of its direction
    where its two columns are joined.
    """

    cause: str
    effect: str
    probability: float
    arrow: tuple[str, str]
    direction: float

    def __str__(self) -> str:
        a, b = self.arrow
        claim = f"{self.cause} causes {self.effect}: {self.probability:.0%}"
        return f"{claim}; this hangs on {a} -> {b}, whose direction has {self.direction:.0%}"


def adjacency(dags: Sequence[Parents]) -> NDArray[np.bool_]:
    """Give the arrows of every DAG as a matrix: [draw, from, to]."""
    p = len(dags[0])
    arrows = np.zeros((len(dags), p, p), dtype=bool)
    for s, dag in enumerate(dags):
        for node, parents in enumerate(dag):
            arrows[s, list(parents), node] = True
    return arrows


def reach(arrows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Give for every DAG which columns a directed path leads to: [draw, from, to]."""
    reached = arrows.copy()
    for k in range(arrows.shape[1]):  # paths through the first k columns, then through one more
        reached |= reached[:, :, k, None] & reached[:, None, k, :]
    return reached


def all_causes(names: Sequence[str], dags: Sequence[Parents], *, least: float) -> list[Cause]:
    """List which columns cause which with a probability of at least `least`, the surest first."""
    arrows = adjacency(dags)
    shares = reach(arrows).mean(axis=0)
    found = [(float(shares[x, y]), x, y) for x, y in np.argwhere(shares >= least).tolist() if shares[x, y] > 0]
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    return [_claim(names, arrows, x, y, share) for share, x, y in found]


def one_cause(names: Sequence[str], dags: Sequence[Parents], x: int, y: int) -> Cause | None:
    """Say in how many DAGs x causes y, and what that hangs on; None if in no DAG."""
    arrows = adjacency(dags)
    share = float(reach(arrows)[:, x, y].mean())
    return _claim(names, arrows, x, y, share) if share else None


def _claim(names: Sequence[str], arrows: NDArray[np.bool_], x: int, y: int, share: float) -> Cause:
    paths = Counter(path for path in (_path(one, x, y) for one in arrows) if path)
    most = max(paths.values())
    path = min(path for path, count in paths.items() if count == most)
    steps = list(pairwise(path))
    sure = [float(arrows[:, a, b].sum() / (arrows[:, a, b] | arrows[:, b, a]).sum()) for a, b in steps]
    weakest = int(np.argmin(sure))
    a, b = steps[weakest]
    return Cause(names[x], names[y], share, (names[a], names[b]), sure[weakest])


def _path(arrows: NDArray[np.bool_], x: int, y: int) -> tuple[int, ...]:
    """Find a shortest directed path, or nothing."""
    came = {x: x}
    queue = deque([x])
    while queue and y not in came:
        node = queue.popleft()
        for child in np.flatnonzero(arrows[node]).tolist():
            if child not in came:
                came[child] = node
                queue.append(child)
    if y not in came:
        return ()
    path = [y]
    while path[-1] != x:
        path.append(came[path[-1]])
    return tuple(reversed(path))
