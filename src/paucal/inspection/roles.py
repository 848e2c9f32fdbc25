"""Columns that measure nobody: weights of a survey, counts of equal rows, times of a follow-up; names and values tell.

A weight has a name that says so, no negative values, and a mean of 1, unless the name leaves no doubt; kilograms have
another mean. Counts are called so, and every combination of the other columns occurs once. A follow-up is a time, at
least 0, beside a yes or no whose name or values say that something happened.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.kinds import observed_counts, sort_of
from paucal.inspection.computed import values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.inspection.describe import Examined

_FEWEST_VALUES = 5
_MEAN_OF_WEIGHTS = 0.05  # how far the mean of weights may be from 1


def _word(words: str) -> re.Pattern[str]:
    """Find one of these words, set off by the ends of the name, a digit, a point or the like."""
    return re.compile(rf"(?:^|[^a-z])(?:{words})(?:$|[^a-z])")


_WEIGHT = _word(r"weights?|weighting|wts?|wgts?|wght|w")
_SURELY_WEIGHT = re.compile(
    r"fnlwgt|^wt(?:ss|dr|int|mec)\w*$|^[psfa](?:weight|wg?t)s?$|(?:weight|wg?h?t)[ _.-]?(?:sampl|final|survey|design)"
    r"|(?:sampl\w*|survey|final|design|person|hh|household|base|strat\w*)[ _.-]?(?:weight|wg?h?t)"
)
_TIME = _word(r"time|days|months|weeks|years|t|duration|t?stop")
_SURELY_TIME = re.compile(
    r"f(?:ollow(?:ed)?)?[ _.-]?u(?:p)?[ _.-]?(?:time|days|months|years|yrs)|surv\w*[ _.-]?(?:time|days|months|years)"
    r"|time[ _.-]?to[ _.-]|t(?:ime)?2event|(?:^|[^a-z])(?:p|s|os|pfs|rfs|dfs)[ _.-]?time"
)
_EVENT = _word(r"event|d?e?cens(?:or(?:ed)?)?|died|dead|death|deceased|delta|fustat|fu_?stat|p?stat|relapsed?|failure")
# the status of an HIV test, of smoking or of a marriage is nothing that happened
_STATUS = re.compile(
    r"(?:(?:vital|surv\w*|life|last|end|final|fu|follow.?up|os|pfs|rfs|dfs|pat\w*)?[ _.-]?status|status.*)"
)
_COUNT = _word(r"freq|frequency|counts?|n|number")
_MOST_COUNTED = 10  # columns of a table of counts
_FEWEST_CELLS = 4
_HAPPENED = {
    frozenset(pair)
    for pair in (
        ("alive", "dead"),
        ("censored", "event"),
        ("alive", "died"),
        ("censored", "dead"),
        ("censored", "death"),
    )
}


def survey_weights(columns: Sequence[Examined]) -> list[str]:
    """Name the columns that look like weights of a survey."""
    return [one.name for one in columns if one.taken.kind != "name" and _is_weight(one)]


def follow_ups(columns: Sequence[Examined]) -> list[tuple[str, ...]]:
    """Name the times of a follow-up, each with what may have happened."""
    events = [one.name for one in columns if _is_event(one)]
    if not events:
        return []
    numbers = [one for one in columns if one.taken.kind == "number"]
    surely, maybe = (
        [one.name for one in numbers if words.search(one.name.casefold()) and _is_amount(one)]
        for words in (_SURELY_TIME, _TIME)
    )
    named = surely or (maybe if len(maybe) == 1 else [])
    return [(name, *events) for name in named]


def row_counts(columns: Sequence[Examined]) -> tuple[str, ...]:
    """Name the column that says how many rows each row stands for, and those it counts; nothing if there is none."""
    useful = [one for one in columns if one.taken.kind != "name" or _COUNT.search(one.name.casefold())]
    found = [one for one in useful if _COUNT.search(one.name.casefold()) and sort_of(one.clean) == "whole"]
    if len(found) != 1 or found[0].clean.weights is not None or not 3 <= len(useful) <= _MOST_COUNTED:
        return ()
    others = [one for one in useful if one is not found[0]]
    n_rows, sizes = found[0].clean.n_rows, [len(_seen(one)) for one in others]
    if found[0].clean.n_missing or found[0].clean.levels[0] < 0 or n_rows < _FEWEST_CELLS:
        return ()
    different = len(np.unique(np.array([one.clean.codes for one in others]), axis=1).T)
    if different < n_rows or 2 * n_rows < math.prod(sizes):
        return ()
    return (found[0].name, *(one.name for one in others))


def _is_amount(one: Examined) -> bool:
    """Tell whether a column holds numbers, none of them negative, and not just a few."""
    seen = _seen(one)
    return sort_of(one.clean) in ("whole", "fraction") and len(seen) >= _FEWEST_VALUES and bool(seen[0] >= 0)


def _seen(one: Examined) -> list[Any]:
    return [one.clean.levels[i] for i in np.flatnonzero(observed_counts(one.clean)).tolist()]


def _is_weight(one: Examined) -> bool:
    name = one.name.casefold()
    surely = _SURELY_WEIGHT.search(name) is not None
    if not (surely or _WEIGHT.search(name)) or not _is_amount(one):
        return False
    values = values_of(one.clean)
    mean = 0.0 if values is None else float(np.average(values, weights=observed_counts(one.clean)))
    return surely or (sort_of(one.clean) == "fraction" and abs(mean - 1) <= _MEAN_OF_WEIGHTS)


def _is_event(one: Examined) -> bool:
    if len(one.clean.levels) > _FEWEST_VALUES:
        return False
    seen = _seen(one)
    words = frozenset(str(level).casefold() for level in seen)
    if words in _HAPPENED:
        return True
    name = one.name.casefold().strip()
    if not 2 <= len(seen) <= 3 or not (_EVENT.search(name) or _STATUS.fullmatch(name)):
        return False
    return sort_of(one.clean) in ("whole", "boolean") or words <= {"yes", "no", "true", "false", "t", "f", "y", "n"}
