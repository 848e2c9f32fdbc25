"""Which kernel counts and computes: the native one, or its readable twin.

The environment variable `PAUCAL_KERNEL=python` chooses the twin (`paucal._reference`): slow, and the same answers.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from paucal.errors import ParameterError

if TYPE_CHECKING:
    from paucal import _kernel as kernel
else:
    _choice = os.environ.get("PAUCAL_KERNEL", "native")
    if _choice == "native":
        from paucal import _kernel as kernel
    elif _choice == "python":
        from paucal import _reference as kernel
    else:
        raise ParameterError(
            f"The environment variable PAUCAL_KERNEL is {_choice!r}.", hint="It may be 'native' or 'python'."
        )

__all__ = ["kernel"]


def describe() -> dict[str, Any]:
    """Which kernel is in use, and which instruction set its loops were compiled for."""
    return {"kernel": kernel.__name__.rpartition(".")[2].lstrip("_"), "isa": kernel.isa()}
