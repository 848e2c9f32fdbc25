"""From a statistic to an answer: constant columns are independent of everything, thin tables follow a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.independence.answers import (
    CONSTANT,
    DEPENDENT,
    EMPTY_STRATA,
    INDEPENDENT,
    NO_INFORMATION,
    POWERLESS,
    THIN,
    UNDECIDABLE,
    Answer,
)
from twin.bayes import bf, bf_chi2
from twin.complexity import sci
from twin.information import mi, mi_adaptive, mi_eb, mi_fixed, mi_full
from twin.moments import chi2_perm
from twin.shrinkage import mi_sh
from twin.shuffle import permutation
from twin.tables import Cells, cells_of, chi2, g

if TYPE_CHECKING:
    from paucal import Dataset

STATISTICS = {
    "g": g,
    "chi2": chi2,
    "bf": bf,
    "bf-chi2": bf_chi2,
    "mi": mi,
    "mi-eb": mi_eb,
    "mi-fixed": mi_fixed,
    "mi-full": mi_full,
    "mi-adaptive": mi_adaptive,
    "mi-sh": mi_sh,
    "sci": sci,
    "chi2-perm": chi2_perm,
    "permutation": permutation,
}
NO_RULE = ("chi2-perm", "permutation")  # thin tables need none

NOTHING = Cells(*(np.zeros(1, dtype=np.int64),) * 3, np.ones(1, dtype=np.int64), 1, 1, 1)


def answer(
    data: Dataset,
    test: str,
    x: int,
    y: int,
    given: tuple[int, ...] = (),
    *,
    sparse: str = "test",
    min_samples: float = 5,
    per: str = "cell",
    **parameters: Any,
) -> Answer:
    """What the public test of this name has to say."""
    if 1 in (len(np.unique(data.columns[v])) for v in (x, y)):
        r = STATISTICS[test](NOTHING._replace(order=len(given)), **parameters)
        flags = CONSTANT | NO_INFORMATION | POWERLESS * r.powerless
        return Answer(*r[:5], 0, INDEPENDENT, flags, data.n_rows)
    cells = cells_of(data, min(x, y), max(x, y), tuple(sorted(given)))
    r = STATISTICS[test](cells, **parameters)
    decision = UNDECIDABLE if r.undecided else INDEPENDENT if r.independent else DEPENDENT
    flags = NO_INFORMATION * (not r.informative) | POWERLESS * r.powerless
    flags |= EMPTY_STRATA * (cells.n_strata < cells.configurations)
    units = r.dof if per == "dof" else cells.kx * cells.ky * cells.configurations
    if test not in NO_RULE and cells.total < min_samples * units:
        flags |= THIN
        decision = {"test": decision, "independent": INDEPENDENT, "undecidable": UNDECIDABLE}[sparse]
    return Answer(*r[:5], cells.n_strata, decision, flags, cells.total)
