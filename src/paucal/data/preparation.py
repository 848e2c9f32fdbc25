"""How a table was made ready: what a reader was told, kept with the data so that a result can say it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paucal.data.discretize import Discretize
    from paucal.data.prepare import Missing


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """The arguments of a reader that shape the data; see `paucal.read`.

    >>> Preparation(missing="drop", leave_out=("id",)).said
    {'missing': 'drop', 'leave_out': ['id']}
    """

    missing: Missing = "error"
    discretize: Discretize = None
    drop_unobserved: bool = False
    columns: tuple[str, ...] | None = None
    leave_out: tuple[str, ...] = ()

    @property
    def said(self) -> dict[str, Any]:
        """What differs from the defaults, as arguments of `paucal.read`."""
        defaults = {field.name: field.default for field in fields(self)}
        changed = {name: value for name, value in vars(self).items() if value != defaults[name]}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()}
