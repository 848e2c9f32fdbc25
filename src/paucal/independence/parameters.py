"""Checks of parameters that several tests share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from paucal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

Dof = Literal["full", "nonempty", "adjusted"]
Sparse = Literal["test", "independent", "undecidable"]
Per = Literal["cell", "dof"]

DOF: tuple[Dof, ...] = ("full", "nonempty", "adjusted")
SPARSE: tuple[Sparse, ...] = ("test", "independent", "undecidable")
PER: tuple[Per, ...] = ("cell", "dof")


def check_level(alpha: float) -> None:
    """Refuse a level that is not strictly between 0 and 1."""
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha={alpha!r} is not between 0 and 1.", hint="The usual level is 0.05.")


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Refuse a value that is not one of the known ones."""
    known = tuple(known)
    if value not in known:
        raise ParameterError(
            f"{name}={value!r} is not known.", hint=f"Choose from {', '.join(map(repr, known))}."
        )


def check_positive(name: str, value: object) -> float:
    """Refuse anything but a positive, finite number; give it as a float."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        return float(value)
    raise ParameterError(f"{name}={value!r} is not a positive number.", hint=f"Try {name}=0.5.")


def check_thin_rule(sparse: str, min_samples: float) -> None:
    """Refuse an unknown rule for thin tables, or a limit that is not a number from 0 on."""
    check_choice("sparse", sparse, SPARSE)
    if not min_samples >= 0:
        raise ParameterError(
            f"min_samples={min_samples!r} is not a number from 0 on.", hint="The usual limit is 5."
        )
