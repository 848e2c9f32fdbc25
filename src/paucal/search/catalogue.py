"""Names of searches, and where each lives: nothing is imported before a search is asked about."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from paucal import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Sort: TypeAlias = Literal["tests", "scores", "local"]

# name -> module below paucal.search, and function
_BY_TESTS = {
    "pc": ("by_tests.pc", "pc"),
    "pc-stable": ("by_tests.pc", "pc_stable"),
    "rai": ("by_tests.rai", "rai"),
    "sc-pc": ("by_tests.sc_pc", "sc_pc"),
    "mmhc": ("by_tests.mmhc", "mmhc"),
    "mmpc": ("by_tests.stitched", "mmpc"),
    "fci": ("by_tests.fci", "fci"),
    "cfci": ("by_tests.fci", "cfci"),
}
_BY_SCORES = {
    "hill-climbing": ("by_scores.hill_climbing", "hill_climb"),
    "order": ("by_scores.order", "order"),
    "posterior": ("by_scores.posterior", "posterior"),
}
_LOCAL = {
    "cmb": ("local.cmb", "cmb"),
    "hiton": ("local.hiton", "hiton"),
    "mmmb": ("local.mmmb", "mmmb"),
    "mmpc": ("local.mmmb", "mmmb"),
    "iamb": ("local.iamb", "iamb"),
    "inter-iamb": ("local.iamb", "iamb"),
    "fast-iamb": ("local.iamb", "iamb"),
    "stmb": ("local.stmb", "stmb"),
}
_SEARCHES = _BY_TESTS | _BY_SCORES

MOST_SCORED_COLUMNS = 1000  # of searches by scores; beyond, scores of all pairs alone take minutes

SHARED = ("posterior", "mmpc")  # searches whose work several processes may share
# what every search takes, and no recipe counts among its options
_EVERYBODYS = ("knowledge", "interventions", "targets", "seed", "threads", "max_seconds", "progress", "data")


def search_names() -> tuple[str, ...]:
    """Names of all searches for a whole graph."""
    return tuple(_SEARCHES)


def blanket_searches() -> tuple[str, ...]:
    """Names of the searches around one column."""
    return tuple(_LOCAL)


def is_known(search: str, *, local: bool = False) -> bool:
    """Say whether a search has a name here."""
    return search in (_LOCAL if local else _SEARCHES)


def sort_of(search: str, *, local: bool = False) -> Sort:
    """Say what a search goes by; an unknown name is an error."""
    checks.known("search for blankets" if local else "search", search, _LOCAL if local else _SEARCHES)
    return "local" if local else "tests" if search in _BY_TESTS else "scores"


@cache
def find_search(search: str, *, local: bool = False) -> Callable[..., Any]:
    """Give the function of a name."""
    sort_of(search, local=local)
    module, function = (_LOCAL if local else _SEARCHES)[search]
    found: Callable[..., Any] = getattr(import_module(f"paucal.search.{module}"), function)
    return found


@cache
def parameters_of(search: str, *, local: bool = False) -> Mapping[str, inspect.Parameter]:
    """Give the parameters that a search takes by name, whoever else takes them."""
    known = inspect.signature(find_search(search, local=local)).parameters
    return {name: p for name, p in known.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}


@cache
def options_of(search: str, *, local: bool = False) -> Mapping[str, Any]:
    """Give the options of its own that a search has, with their defaults."""
    known = parameters_of(search, local=local)
    return MappingProxyType({name: p.default for name, p in known.items() if name not in _EVERYBODYS})
