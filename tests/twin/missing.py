"""The posterior of DAGs where values are missing, by going through all DAGs and all ways to fill the gaps."""

from __future__ import annotations

from itertools import product
from math import lgamma
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal import Dataset, Graph
from paucal.graphs import interventional_class
from twin.graphs import all_dags, classes
from twin.scores import local

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Augmented(NamedTuple):
    """Probabilities of arrows and lines, and of each level for each gap, a gap named by (column, row)."""

    arrow: NDArray[np.float64]
    line: NDArray[np.float64]
    gaps: dict[tuple[int, int], NDArray[np.float64]]


def posterior_of_gaps(
    data: Dataset, *, ess: float, edge_penalty: float = 0.0, set_in: dict[int, NDArray[np.bool_]] | None = None
) -> Augmented:
    """Weigh every DAG with every completion by the BDeu score, with all levels declared and observed.

    `set_in` says of columns that were set from outside in which rows: their families are scored on the others, and what
    they were set to has the same prior as a column without parents.
    """
    n, set_in = data.n_columns, set_in or {}
    dags = np.array(all_dags(n))
    its = classes(all_dags(n)) if not set_in else _classes(data.names, dags, set_in)
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
                    counted = whole.take(np.flatnonzero(~set_in[v])) if v in set_in else whole
                    families[v, parents] = local(counted, v, parents, "bdeu", ess=ess) - edge_penalty * len(parents)
        values = sum(_evidence(columns[v][rows], data.cardinalities[v], ess) for v, rows in set_in.items())
        logs.append(
            values
            + np.array([sum(families[v, tuple(np.flatnonzero(d[:, v]).tolist())] for v in range(n)) for d in dags])
        )
    weight = np.exp(np.array(logs) - np.max(logs))
    weight /= weight.sum()
    there, back = its != 0, its.transpose(0, 2, 1) != 0
    by_dag, by_fill = weight.sum(axis=0), weight.sum(axis=1)
    gaps = {
        gap: np.array([by_fill[[f[i] == level for f in fills]].sum() for level in range(data.cardinalities[gap[0]])])
        for i, gap in enumerate(where)
    }
    return Augmented(np.tensordot(by_dag, there & ~back, 1), np.tensordot(by_dag, there & back, 1), gaps)


def _evidence(codes: NDArray[np.int64], levels: int, ess: float) -> float:
    """Give the log of the Dirichlet-multinomial likelihood of codes with a prior of `ess` rows in all."""
    counts = np.bincount(codes, minlength=levels)
    each = ess / levels
    return lgamma(ess) - lgamma(ess + len(codes)) + sum(lgamma(each + n) - lgamma(each) for n in counts)


def _classes(names: tuple[str, ...], dags: NDArray[np.uint8], set_in: dict[int, NDArray[np.bool_]]) -> NDArray[np.int8]:
    """Give the class of every DAG, with the directions that interventions tell."""
    together = {frozenset(names[v] for v, rows in set_in.items() if rows[i]) for i in range(len(set_in[min(set_in)]))}
    graphs = [Graph.from_pdag_matrix(names, dag.astype(np.int8), "dag") for dag in dags]
    return np.array([interventional_class(graph, together).to_pdag_matrix() for graph in graphs])
