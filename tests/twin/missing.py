"""The posterior of DAGs where values are missing, by going through all DAGs and all ways to fill the gaps."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal import Dataset
from twin.graphs import all_dags, classes
from twin.scores import local

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Augmented(NamedTuple):
    """Probabilities of arrows and lines, and of each level for each gap, a gap named by (column, row)."""

    arrow: NDArray[np.float64]
    line: NDArray[np.float64]
    gaps: dict[tuple[int, int], NDArray[np.float64]]


def posterior_of_gaps(data: Dataset, *, ess: float, edge_penalty: float = 0.0) -> Augmented:
    """Weigh every DAG with every completion by the BDeu score, with all levels declared and observed."""
    n = data.n_columns
    dags = np.array(all_dags(n))
    its = classes(all_dags(n))
    where = [(v, int(row)) for v in range(n) for row in np.flatnonzero(data.gaps[v])]
    logs, fills = [], list(product(*(range(data.cardinalities[v]) for v, _ in where)))
    for fill in fills:
        columns = [codes.astype(np.int64) for codes in data.columns]
        for (v, row), code in zip(where, fill, strict=True):
            columns[v][row] = code
        whole = Dataset.from_codes(columns, data.names, data.levels)
        families = {}
        for v in range(n):
            for dag in dags:
                parents = tuple(np.flatnonzero(dag[:, v]).tolist())
                if (v, parents) not in families:
                    families[v, parents] = local(whole, v, parents, "bdeu", ess=ess) - edge_penalty * len(parents)
        logs.append([sum(families[v, tuple(np.flatnonzero(d[:, v]).tolist())] for v in range(n)) for d in dags])
    weight = np.exp(np.array(logs) - np.max(logs))
    weight /= weight.sum()
    there, back = its != 0, its.transpose(0, 2, 1) != 0
    by_dag, by_fill = weight.sum(axis=0), weight.sum(axis=1)
    gaps = {
        gap: np.array([by_fill[[f[i] == level for f in fills]].sum() for level in range(data.cardinalities[gap[0]])])
        for i, gap in enumerate(where)
    }
    return Augmented(np.tensordot(by_dag, there & ~back, 1), np.tensordot(by_dag, there & back, 1), gaps)
