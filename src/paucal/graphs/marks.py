"""Edge marks: what stands at the two ends of an edge, as numbers in a matrix.

A graph over n nodes is an n x n matrix `marks` of small integers, where `marks[i, j]` is the mark at the **j end** of
the edge between i and j: 0 no edge, 1 circle, 2 arrowhead, 3 tail. So `i -> j` is `marks[i, j] = 2`, `marks[j, i] = 3`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

MarkMatrix: TypeAlias = NDArray[np.int8]
BoolMatrix: TypeAlias = NDArray[np.bool_]


class Mark(IntEnum):
    """The mark at one end of an edge."""

    NONE = 0
    CIRCLE = 1
    ARROW = 2
    TAIL = 3


NONE, CIRCLE, ARROW, TAIL = (int(m) for m in Mark)


def arcs_of(marks: MarkMatrix) -> BoolMatrix:
    """Give the directed edges: `[i, j]` is true for i -> j."""
    arcs: BoolMatrix = (marks == ARROW) & (marks.T == TAIL)
    return arcs


def arrows_of(pdag: NDArray[np.generic]) -> BoolMatrix:
    """Give the same of a PDAG matrix (`P[i, j] = 1, P[j, i] = 0`: i -> j; both 1: i -- j)."""
    present = np.asarray(pdag) != 0
    arrows: BoolMatrix = present & ~present.T
    return arrows


def marks_from_pdag_matrix(pdag: NDArray[np.generic]) -> MarkMatrix:
    """Turn a PDAG matrix into marks."""
    present = np.asarray(pdag) != 0
    marks: MarkMatrix = (present | present.T).view(np.int8) * np.int8(TAIL)  # bytes alone: n may be thousands
    marks[arrows_of(pdag)] = ARROW
    return marks


def pdag_matrix_from_marks(marks: MarkMatrix) -> NDArray[np.int8]:
    """Turn the marks of directed and undirected edges into a PDAG matrix (the inverse of the above)."""
    pdag: NDArray[np.int8] = ((marks == ARROW) | ((marks == TAIL) & (marks.T == TAIL))).astype(np.int8)
    return pdag
