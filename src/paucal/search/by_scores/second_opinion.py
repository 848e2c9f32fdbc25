"""A second opinion on edges: what a calibrated test says about them, and where it says the opposite.

The test is the default, `chi2-perm` or `auto`, whose level holds in small samples. It is asked about the pairs that are
drawn, and about those that are left out although they are not unlikely. Given what? The parents that one DAG of the
drawn class gives to the later of the two columns, without the other one: were the graph right, these would separate a
pair that is not joined, and could not separate one that is. The number of questions is limited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.graphs.acyclic import topological_order
from paucal.independence.registry import make_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from paucal.data import Dataset

MOST_QUESTIONS = 200
_LIKELY = 0.2  # pairs that are left out, but joined with such a probability, are looked at
SEES_NOTHING, SEES_SOMETHING = 0.2, 0.01  # p-values beyond which the test contradicts


class Opinion(NamedTuple):
    """What the test says about two columns, given the others: the smaller its p-value, the surer a connection."""

    a: int
    b: int
    drawn: bool
    test: str
    given: tuple[int, ...]
    p_value: float
    rows: int

    @property
    def contradicts(self) -> bool:
        """Whether the test says the opposite of the graph."""
        return self.p_value > SEES_NOTHING if self.drawn else self.p_value < SEES_SOMETHING


def opinions(data: Dataset, dag: NDArray[np.uint8], pairs: Iterable[tuple[int, int]]) -> Iterator[Opinion]:
    """Ask about pairs of columns, the lower number first; where the test can say nothing there is no opinion."""
    place = {v: k for k, v in enumerate(topological_order(dag != 0) or ())}
    test = make_test(data)
    for a, b in pairs:
        first, last = sorted((a, b), key=place.__getitem__)
        given = tuple(v for v in np.flatnonzero(dag[:, last]).tolist() if v != first)
        answer = test.ask(first, last, given)
        if answer.reliable and not np.isnan(answer.p_value):
            drawn = bool(dag[a, b] or dag[b, a])
            yield Opinion(a, b, drawn, test.name, given, float(answer.p_value), answer.samples)


def contradictions(data: Dataset, dag: NDArray[np.uint8], joined: NDArray[np.float64]) -> list[dict[str, Any]]:
    """List the pairs about which the test contradicts the graph, in plain values; the columns are those of the data."""
    either = (dag | dag.T).astype(np.bool_)
    pairs = np.argwhere(np.triu(either | (joined >= _LIKELY), 1)).tolist()
    pairs = sorted(pairs, key=lambda pair: -joined[pair[0], pair[1]])[:MOST_QUESTIONS]
    return [
        {
            "a": data.names[one.a],
            "b": data.names[one.b],
            "drawn": one.drawn,
            "probability": float(joined[one.a, one.b]),
            "test": one.test,
            "given": [data.names[v] for v in one.given],
            "p_value": one.p_value,
        }
        for one in opinions(data, dag, ((a, b) for a, b in pairs))
        if one.contradicts
    ]
