"""Wording shared by the errors and warnings of the data layer."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paucal.errors import PaucalWarning

# Where the arguments go that a hint names; on the command line they are options, and it is left out.
PLACE = " Dataset.of and paucal.read take this argument."

_PACKAGE = str(Path(__file__).parents[1]) + os.sep


def short(value: object, limit: int = 40) -> str:
    """Show a value in a message, however long it is.

    >>> short("a" * 1000, 12)
    "'aaaa...aaa'"
    """
    text = repr(value[: 2 * limit] if isinstance(value, str | bytes) else value)
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2 - 1]}...{text[-(limit // 2 - 2) :]}"


def listing(items: Iterable[str], limit: int = 5) -> str:
    """Join a few items and say how many more there are.

    >>> listing(["a", "b", "c", "d"], limit=2)
    'a, b and 2 more'
    """
    items = list(items)
    if len(items) <= limit:
        return ", ".join(items)
    return f"{', '.join(items[:limit])} and {len(items) - limit:,} more"


def warn(message: str, category: type[PaucalWarning]) -> None:
    """Warn at the line of the caller outside this package, however deep the call is."""
    level, frame = 1, sys._getframe()  # noqa: SLF001 - the only way to see the callers before Python 3.12
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
