"""The graph that differs least, on average, from a distribution over graphs.

Graphs differ in a pair of columns if one has no edge there, or another kind of edge: the structural Hamming distance
counts such pairs. For every equivalence class of DAGs its expected distance follows from the shares of `->`, `<-`, `--`
and no edge of each pair. The class with the least is searched natively (`src/kernel/graphs/consensus.hpp`): from
several DAGs by adding, removing and turning arrows, then by shaking the best one; and, up to 64 columns, branch and
bound looks for anything better. So the result is always the class of some DAG, keeps to background knowledge, and is
known to be the best one if that search came to an end, as it does where few pairs are open.

Of classes that are equally near the data choose, if there is a score to ask; those that are nearly as near are told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal import _kernel
from paucal.graphs.bits import bits_of_rows, reach
from paucal.graphs.equivalence import pdag_to_dag_matrix
from paucal.search.by_tests.orient import forced_dag

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paucal.search.by_tests.limits import Limits
    from paucal.search.run import Look

_LOOKS = 20_000_000  # classes that are looked at while shaking, times about the square of the columns
_NODES = 200_000  # steps of branch and bound; each is cheaper than a look
_TIE = 1e-9  # pairs: classes whose expected distances differ by less are tied
_NEARLY = 0.1  # classes that are further by less are nearly as near


class Consensus(NamedTuple):
    """A DAG of the class, the expected distance of the class, whether no class has a smaller one, and the runners-up.

    `nearly` has, of classes that are nearly as near, a DAG and how much further the class is, the nearest first.
    """

    dag: NDArray[np.uint8]
    distance: float
    proven: bool
    nearly: list[tuple[NDArray[np.uint8], float]]


def consensus(
    arrow: NDArray[np.float64],
    line: NDArray[np.float64],
    limits: Limits,
    starts: Sequence[NDArray[np.uint8]],
    *,
    rate: Callable[[NDArray[np.uint8]], float] | None = None,
    look: Look | None = None,
) -> Consensus:
    """Find the class with the least expected distance.

    `arrow` and `line` are the shares of graphs with i -> j and, symmetrically, with i -- j; `starts` are DAGs
    `[parent, child]` to begin with, besides the likeliest edges put together. `rate` scores a DAG: of classes that are
    equally near the one with the highest score is taken. `look` may end the search for a nearer one.
    """
    n = len(arrow)
    required = np.ascontiguousarray(limits.required, dtype=np.uint8)
    allowed = np.ascontiguousarray(~limits.forbidden & ~limits.required, dtype=np.uint8)
    dags, losses, proven = _kernel.consensus(
        np.ascontiguousarray(arrow),
        np.ascontiguousarray(line),
        allowed,
        required,
        limits.of_arrows,
        [modal_dag(arrow, line, limits), *starts],
        looks=_LOOKS // (n * n + 400),
        nodes=_NODES,
        slack=_NEARLY,
        look=look,
    )
    tied = [k for k, loss in enumerate(losses) if loss <= losses[0] + _TIE]
    chosen = 0 if rate is None or len(tied) == 1 else max(tied, key=lambda k: rate(dags[k]))
    apart = float(np.triu(arrow + arrow.T + line, 1).sum())  # of the empty graph
    others = sorted((k for k in range(len(dags)) if k != chosen), key=losses.__getitem__)
    nearly = [(dags[k], max(0.0, losses[k] - losses[chosen])) for k in others]
    return Consensus(dags[chosen], apart + losses[chosen], proven, nearly)


def modal_dag(arrow: NDArray[np.float64], line: NDArray[np.float64], limits: Limits) -> NDArray[np.uint8]:
    """Join every pair by its likeliest kind of edge, the surest first, as long as no cycle arises."""
    pdag = limits.required.astype(np.int8)
    children = bits_of_rows(pdag)
    absent = 1 - arrow - arrow.T - line
    kinds = np.stack([absent, line, arrow, arrow.T])
    likeliest, share = kinds.argmax(axis=0), kinds.max(axis=0)
    pairs = np.argwhere(np.triu(likeliest > 0, 1) & ~limits.fixed & limits.joinable).tolist()
    for i, j in sorted(pairs, key=lambda pair: (-share[pair[0], pair[1]], pair)):
        kind = int(likeliest[i, j])
        if limits.forbidden[i, j] or limits.forbidden[j, i]:
            kind = 3 if limits.forbidden[i, j] else 2
        if kind == 1:
            pdag[i, j] = pdag[j, i] = 1
            continue
        a, b = (i, j) if kind == 2 else (j, i)
        if not reach(children, 1 << b) >> a & 1:
            pdag[a, b] = 1
            children[a] |= 1 << b
    dag = pdag_to_dag_matrix(pdag)
    if dag is None:
        dag, _ = forced_dag(pdag, range(len(pdag)))
    return np.ascontiguousarray(dag, dtype=np.uint8)
