"""Orientation rules: what follows from the marks that are already there.

Every rule gives its witnesses, the nodes that call for a mark besides the two ends of the edge. Whoever wants reasons
hands over a `Note`, which is told of every mark that is set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Witnesses: TypeAlias = tuple[int, ...]
Note: TypeAlias = Callable[
    [int, int, str, Witnesses], None
]  # an edge a, b whose mark at b a rule sets, by name
