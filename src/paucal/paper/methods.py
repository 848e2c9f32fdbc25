"""The methods of the paper's tables, from `methods.toml`."""

from __future__ import annotations

from typing import Any

from paucal.paper.design import Search
from paucal.paper.files import read_toml


def _search(label: str, *, alpha: float | None = None, **settings: Any) -> Search:
    return Search.of(label, alpha=alpha, **settings)


_CONTENT = read_toml("methods.toml")
_METHODS = {label: _search(label, **settings) for label, settings in _CONTENT["methods"].items()}


def _called(*labels: str) -> tuple[Search, ...]:
    return tuple(_METHODS[label] for label in labels)


def _variants(*methods: str) -> tuple[Search, ...]:
    """Give methods, each followed by its variants."""
    return tuple(s for m in methods for label, s in _METHODS.items() if label.partition(",")[0] == m)


GLOBAL = _called("rI^eB", "rBF_chi2", "RAI-BF", "PC-stable")
TESTS = _called("rI^AdP", "rI^eBFix", "rI^eB", "rBF_chi2", "RAI-BF")
TIMED = _called("rI^eB", "rBF_chi2", "RAI-BF")
LOCAL = _called("cmb-I^eB", "cmb-BF_chi2", "CMB", "CMB, thin = dependent")
LATENT = _variants("fci-I^eB", "fci-BF_chi2", "cFCI")
PC = _variants("pcI^eB", "pcBF_chi2", "PC")
MMHC = _variants("mI^eB", "mBF_chi2", "MMHC")
# Appendix F.1: RAI-BF as it is, and with the other variant of RAI; CMB with the repaired procedure as well.
CHECK_RAI = _called("RAI-BF", "RAI-BF, parents as candidates")
CHECK_CMB = _called("CMB", "CMB, repaired")
VARIANTS = tuple(s for s in _variants("rI^eB", "rBF_chi2", "RAI-BF", "PC-stable") if s not in CHECK_RAI[1:])
CLASSIFIERS = (
    *(_search(name, **how) for name, how in _CONTENT["classifiers"].items()),
    _METHODS["PC-stable"],
)
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
