"""The methods of the paper's tables, from `methods.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paucal.paper.design import Search
from paucal.paper.files import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping


def _search(label: str, *, alpha: float | None = None, **settings: Any) -> Search:
    return Search.of(label, alpha=alpha, **settings)


_CONTENT = read_toml("methods.toml")
_METHODS = {label: _search(label, **settings) for label, settings in _CONTENT["methods"].items()}
TABLES: Mapping[str, Mapping[str, Any]] = _CONTENT["tables"]


def called(*labels: str) -> tuple[Search, ...]:
    """Give the methods of some labels."""
    return tuple(_METHODS[label] for label in labels)


# Appendix F.1: RAI-BF as it is, and with the other variant of RAI; CMB with the repaired procedure as well.
CHECK_RAI = called("RAI-BF", "RAI-BF, parents as candidates")
CHECK_CMB = called("CMB", "CMB, repaired")
CLASSIFIERS = (*(_search(name, **how) for name, how in _CONTENT["classifiers"].items()), _METHODS["PC-stable"])
# Thresholds of the Bayes factor; the paper tunes in [0.2, 2.0].
THRESHOLDS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def with_threshold(threshold: float) -> Search:
    """RAI-BF with another threshold; at 1 the cell is RAI-BF's own.

    >>> with_threshold(0.2).describe()
    'fixrai with bf (eta=0.2)'
    >>> with_threshold(1.0).settings() == _METHODS["RAI-BF"].settings()
    True
    """
    other = {} if threshold == 1.0 else {"eta": threshold}
    return _search(f"RAI-BF at {threshold:g}", search="fixrai", test="bf", **other)
