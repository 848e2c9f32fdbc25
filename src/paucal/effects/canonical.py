"""Data and sampled graphs in an order that only content decides, so that equal questions meet equal random numbers.

Tables are drawn cell after cell. If cells stood as columns and levels do in the table, sorting the table or renaming a
level would change the answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paucal.data.content_order import level_orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.effects.sampled import Parents


class Canonical:
    """The same data and graphs, sorted by content.

    Attributes
    ----------
    data, dags
        With columns, and of each column the levels, sorted by content.
    place
        Of each column, where each of its own levels stands now.
    """

    def __init__(self, data: Dataset, dags: Sequence[Parents]) -> None:
        by_content = data.by_content
        own = [data.index(name) for name in by_content.names]  # of each column now, where it stood
        now = np.argsort(own).tolist()
        self.dags = [tuple(tuple(sorted(now[p] for p in dag[i])) for i in own) for dag in dags]
        orders = level_orders(by_content.distinct, by_content.levels, by_content.weights)
        self.place: dict[str, NDArray[np.intp]] = {}
        columns, levels = [], []
        for name, codes, labels, order in zip(
            by_content.names, by_content.distinct, by_content.levels, orders, strict=True
        ):
            place = np.argsort(order)
            self.place[name] = place
            columns.append(np.append(place, len(order)).astype(codes.dtype)[codes])  # a gap stays one
            levels.append(tuple(labels[k] for k in order))
        self.data = replace(by_content, columns=tuple(columns), levels=tuple(levels))
