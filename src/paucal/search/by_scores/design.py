"""The columns of a table in every form that the score `mixed` may read them in, as the kernel takes them.

With N rows, z the normal scores of a line and H the entropy of its values in nats,

    z = normal quantile of (midrank - 1/2)/N, centred and divided by its standard deviation
    nugget = max(0.001, e^(-2H) / (1 - e^(-2H)))

The nugget says that tied values carry at most H nats a row. Forms stand in an order that the content of the table
decides (`canonical.py`): the last bits of a determinant depend on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal import _kernel
from paucal.data.encode import code_type
from paucal.data.steps import numbers_of
from paucal.errors import ParameterError
from paucal.search.by_scores.canonical import canonical_order
from paucal.search.by_scores.forms import Form, forms_on_offer, may_have_forms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.data.encode import Codes
    from paucal.search.by_scores.forms import Written

_LEAST_NUGGET = 0.001


@dataclass(frozen=True, eq=False)
class Design:
    """Which forms every column may have, and the place of each in the kernel's scorer."""

    offers: tuple[tuple[Form, ...], ...]  # by column
    places: Mapping[tuple[int, Form], int]
    order: list[int]  # the columns as their content orders them
    kernel: _kernel.Scorer

    def places_of(self, forms: Sequence[Form]) -> list[int]:
        """Give the places of one form for each column."""
        return [self.places[one] for one in enumerate(forms)]


def has_forms(data: Dataset) -> bool:
    """Say whether a table has a column that may be read in more than one form."""
    return any(may_have_forms(data, v) for v in range(data.n_columns))


def make_design(data: Dataset, sizes: Sequence[float], asked: Mapping[str, Written] | None = None) -> Design:
    """Put the columns into all forms they may have, or into those that are asked for."""
    order = canonical_order(data)
    offers = [forms_on_offer(data, v) for v in range(data.n_columns)]
    for name, written in (asked or {}).items():
        offers[data.index(name)] = (_checked(data, name, written),)
    cells: list[tuple[tuple[int, Form], Codes]] = []
    lines: list[tuple[tuple[int, Form], Codes]] = []
    for v in order.columns:
        for form in offers[v]:
            (lines if form.line else cells).append(((v, form), _codes(data, v, form, order.levels[v])))
    places = {key: i for i, (key, _) in enumerate([*cells, *lines])}
    if not cells:  # the kernel's table of counts has a column at least; no form has its place
        cells = [((-1, Form()), np.zeros(data.n_rows, dtype=np.uint8))]
        places = {key: 1 + i for i, (key, _) in enumerate(lines)}
    levels = [int(codes.max()) + 1 for _, codes in cells]
    design = [normal_scores(codes) for _, codes in lines]
    kernel = _kernel.Scorer.mixed(
        _kernel.Columns([codes for _, codes in cells], levels, data.n_rows),
        levels,
        sizes=sizes,
        lines=np.array([z for z, _ in design]).reshape(len(lines), data.n_rows),
        nuggets=[nugget for _, nugget in design],
        forms=[places[v, offer[0]] for v, offer in enumerate(offers)],
    )
    return Design(tuple(offers), places, order.columns, kernel)


def _checked(data: Dataset, name: str, written: Written) -> Form:
    form, kind = Form.of(written), data.kinds[data.index(name)]
    allowed = {"number": True, "ordered": not form.cuts}.get(kind, form == Form())
    if not allowed:
        raise ParameterError(
            f"Column {name!r} is of the kind {kind!r} and cannot be read as {form}.",
            hint="Leave out its form, or name another kind where the data are read.",
            parameter="forms",
            value=written,
        )
    return form


class ObservedForm(NamedTuple):
    """A column with gaps in a form: codes of `states` cells; without states the values of a line and their nugget."""

    codes: NDArray[np.uint32]
    states: int
    line: NDArray[np.float64] | None
    nugget: float


def observed_form(data: Dataset, v: int, form: Form) -> ObservedForm:
    """Put a column with gaps into a form, by the values that are there; what stands for a gap means nothing."""
    there = np.flatnonzero(data.columns[v] < data.cardinalities[v])
    codes, states = np.zeros(data.n_rows, dtype=np.uint32), 1
    if len(there):
        codes[there] = _codes(data.take(there), v, form, np.arange(data.cardinalities[v]))
        states = int(codes.max()) + 1
    if not form.line or states < 2:
        return ObservedForm(codes, states, None, 0.0)
    line = np.zeros(data.n_rows)
    line[there], nugget = normal_scores(codes[there])
    return ObservedForm(codes, 0, line, nugget)


def _codes(data: Dataset, v: int, form: Form, order: NDArray[np.intp]) -> Codes:
    """Give a column in a form, codes that all occur: of cells the largest first, nominal levels ordered by content."""
    codes: NDArray[np.integer] = data.columns[v]
    if form.cuts:
        values = numbers_of(data.names[v], data.levels[v])
        codes = np.searchsorted(form.cuts, values, side="right")[codes]
    elif data.kinds[v] in ("levels", "name"):
        codes = np.argsort(order)[codes]
    _, codes = np.unique(codes, return_inverse=True)
    if not form.line:  # the first cell has no indicator: let it be the largest, whichever end an order is told from
        most = int(np.bincount(codes).argmax())
        codes = np.where(codes == most, 0, codes + (codes < most))
    return np.ascontiguousarray(codes.reshape(-1), dtype=code_type(int(codes.max()) + 1))


@lru_cache(maxsize=2**16)  # columns without ties have the same shares
def _normal_quantile(share: float) -> float:
    from statistics import NormalDist  # slow to load, and only tables with numbers need it

    return NormalDist().inv_cdf(share)


def normal_scores(codes: NDArray[np.integer]) -> tuple[NDArray[np.float64], float]:
    """Give the normal scores and the nugget of a column whose codes are the ranks of its values, all of which occur."""
    counts, rows = np.bincount(codes), len(codes)
    shares = (np.cumsum(counts) - counts / 2) / rows
    z = np.array([_normal_quantile(share) for share in shares.tolist()])
    z -= math.fsum(counts * z) / rows
    z /= math.sqrt(math.fsum(counts * z * z) / rows)
    # math's logarithm: that of NumPy has other last bits on other processors
    entropy = -math.fsum(share * math.log(share) for share in (counts / rows).tolist())
    ties = math.exp(-2 * entropy)
    return z[codes], max(_LEAST_NUGGET, ties / (1 - ties))
