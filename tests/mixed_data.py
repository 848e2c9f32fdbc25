"""Tables with numbers, ordered columns and levels, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import paucal

if TYPE_CHECKING:
    from collections.abc import Mapping


def mixed_data(columns: Mapping[str, Any], kinds: Mapping[str, Any]) -> paucal.Dataset:
    """Values as data: levels are the values that occur, sorted; columns without a kind have levels."""
    coded = [np.unique(np.asarray(values), return_inverse=True) for values in columns.values()]
    return paucal.Dataset.from_codes(
        [codes.reshape(-1) for _, codes in coded],
        list(columns),
        [levels.tolist() for levels, _ in coded],
        kinds=[kinds.get(name, "levels") for name in columns],
    )


def drawn(seed: int, rows: int, *, numbers: int = 3, ordered: int = 2, levels: int = 3) -> paucal.Dataset:
    """Columns that hang on what came before them; numbers with and without ties."""
    rng = np.random.default_rng(seed)
    kinds = ["number"] * numbers + ["ordered"] * ordered + ["levels"] * levels
    columns: dict[str, Any] = {}
    base = np.zeros(rows)
    for i, kind in enumerate(rng.permutation(kinds)):
        value = base * rng.choice([-1, 0, 1]) + rng.normal(size=rows)
        base = 0.5 * base + value
        if kind == "number":
            columns[f"{kind}{i}"] = np.round(value, int(rng.integers(0, 4)))
        else:
            columns[f"{kind}{i}"] = np.digitize(value, np.sort(rng.normal(size=rng.integers(1, 4))))
    return mixed_data(columns, {name: name.rstrip("0123456789") for name in columns})
