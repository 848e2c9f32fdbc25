"""The tests: each module says in `TESTS` which it builds, by name, and how.

A builder takes counts, and the parameters of its test by keyword.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paucal.independence.protocol import CITest


@cache
def builders() -> Mapping[str, Callable[..., CITest]]:
    """Find the builders of all tests; the modules of this package are imported when somebody first asks."""
    found: dict[str, Callable[..., CITest]] = {}
    for module in iter_modules(__path__):
        found |= import_module(f"{__name__}.{module.name}").TESTS
    return MappingProxyType(dict(sorted(found.items())))
