"""paucal: causal discovery from few samples.

Every public name is loaded on first use, so that `import paucal` costs NumPy and nothing more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paucal.data import Dataset as Dataset
    from paucal.data import read as read
    from paucal.graphs import Graph as Graph

__version__ = "0.1.0"

# public name -> module it lives in
_HOMES = {
    "Dataset": "paucal.data",
    "Graph": "paucal.graphs",
    "read": "paucal.data",
}

__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - the names are strings by construction


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module 'paucal' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
