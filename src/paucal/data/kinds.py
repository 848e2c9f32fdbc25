"""What a column is: the word that decides how a search reads it."""

from __future__ import annotations

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["levels", "ordered", "number", "name"]
"""`levels` have no order, `ordered` levels have one, a `number` is measured, a `name` only tells the rows apart.

Codes mean the same for all: positions in the column's levels. The levels of a number are its distinct values, sorted,
and those of an ordered column stand in their order; so ranks come from codes and counts alone.
"""
