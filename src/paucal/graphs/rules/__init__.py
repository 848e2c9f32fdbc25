"""Orientation rules: what follows from the marks that are already there.

Every rule gives its witnesses, the nodes that call for a mark besides the two ends of the edge. Whoever wants reasons
hands over a `Note`, which is told of every mark that is set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Witnesses: TypeAlias = tuple[int, ...]
# An edge a, b, the name of the rule that sets its mark at b, and the witnesses.
Note: TypeAlias = Callable[[int, int, str, Witnesses], None]
