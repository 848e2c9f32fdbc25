"""A second opinion on sampled edges: where a calibrated test says the opposite.

The test is the default, `chi2-perm` or `auto`, whose level holds in small samples. It is asked about the pairs that are
drawn, and about those that are left out although they are not unlikely. Given what? The parents that one DAG of the
drawn class gives to the later of the two columns, without the other one: were the graph right, these would separate a
pair that is not joined, and could not separate one that is. The number of questions is limited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.graphs.acyclic import topological_order
from paucal.independence.registry import make_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.data import Dataset

_MOST_QUESTIONS = 200  # the likeliest pairs
_LIKELY = 0.2  # pairs that are left out, but joined with such a probability, are looked at
_SEES_NOTHING, _SEES_SOMETHING = 0.2, 0.01  # p-values beyond which the test contradicts


def contradictions(data: Dataset, dag: NDArray[np.uint8], joined: NDArray[np.float64]) -> list[dict[str, Any]]:
    """List the pairs about which the test contradicts the graph, in plain values; the columns are those of the data."""
    either = (dag | dag.T).astype(np.bool_)
    pairs = np.argwhere(np.triu(either | (joined >= _LIKELY), 1)).tolist()
    pairs = sorted(pairs, key=lambda pair: -joined[pair[0], pair[1]])[:_MOST_QUESTIONS]
    place = {v: k for k, v in enumerate(topological_order(dag != 0) or ())}
    test = make_test(data)
    found = []
    for pair in pairs:
        first, last = sorted(pair, key=place.__getitem__)
        given = tuple(v for v in np.flatnonzero(dag[:, last]).tolist() if v != first)
        drawn = bool(either[first, last])
        answer = test.ask(first, last, given)
        if not answer.reliable or np.isnan(answer.p_value):
            continue
        if answer.p_value > _SEES_NOTHING if drawn else answer.p_value < _SEES_SOMETHING:
            a, b = sorted(pair)
            found.append(
                {
                    "a": data.names[a],
                    "b": data.names[b],
                    "drawn": drawn,
                    "probability": float(joined[a, b]),
                    "test": test.name,
                    "given": [data.names[v] for v in given],
                    "p_value": float(answer.p_value),
                }
            )
    return found
