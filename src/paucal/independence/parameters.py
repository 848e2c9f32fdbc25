"""Parameters that several tests share."""

from __future__ import annotations

from typing import Literal

from paucal import checks

Dof = Literal["full", "nonempty", "adjusted"]
Sparse = Literal["test", "independent", "undecidable"]
Per = Literal["cell", "dof"]

DOF: tuple[Dof, ...] = ("full", "nonempty", "adjusted")
SPARSE: tuple[Sparse, ...] = ("test", "independent", "undecidable")
PER: tuple[Per, ...] = ("cell", "dof")

check_choice = checks.choice


def check_positive(name: str, value: object) -> float:
    """Refuse anything but a positive, finite number; give it as a float."""
    return checks.positive_number(name, value, hint=f"Try {name}=0.5.")


def check_thin_rule(sparse: str, min_samples: float) -> None:
    """Refuse an unknown rule for thin tables, or a limit that is not a number from 0 on."""
    checks.choice("sparse", sparse, SPARSE)
    checks.number_from_0("min_samples", min_samples, hint="The usual limit is 5.")
