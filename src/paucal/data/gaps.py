"""Kept gaps, said to those who cannot take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.errors import Argument, MissingValuesError, listing

if TYPE_CHECKING:
    from paucal.data.dataset import Dataset

_TAKERS = "The search 'posterior' and all searches that ask tests take data with gaps."
_FILLED = "paucal.impute(data, 20) gives 20 data sets with the gaps filled in;"


def refuse_gaps(data: Dataset, who: str) -> None:
    """Refuse data with gaps on behalf of somebody who needs a value everywhere, and say what works instead."""
    if not data.has_gaps:
        return
    found = listing(f"{name!r} ({n:,})" for name, n in zip(data.names, data.gap_counts, strict=True) if n)
    left = f"{data.n_complete:,} of {data.n_rows:,}"
    raise MissingValuesError(
        f"{who} needs complete data; {sum(data.gap_counts):,} values are missing: {found}.",
        hint=(f"{_TAKERS} {_FILLED} ", Argument("missing", "drop"), f" leaves {left} rows."),
    )
