"""What the words of a text file mean: numbers, booleans, dates, or just text.

A column becomes numbers (booleans, dates) only if every single value is one; otherwise all of it stays text. A leading
zero or more than 18 digits mark a code such as a postal number, not a number, and keep the column text.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from paucal.data.encode import Label

# what an empty answer looks like; "None" is not among them: in a questionnaire it is an answer
NA_VALUES = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "?")

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{3}([0-9]{3})?)?)?")


def text_labels(words: Iterable[str], na_values: Collection[str] = NA_VALUES) -> list[Label]:
    """Give each word its label; None for a missing value.

    Blanks around a word do not belong to it.

    >>> text_labels(["10", "2", "NA"])
    [10, 2, None]
    >>> text_labels(["01", "2", "?"])
    ['01', '2', None]
    >>> text_labels(["true", "FALSE"])
    [True, False]
    """
    stripped = [word.strip() for word in words]
    present = list(dict.fromkeys(word for word in stripped if word not in na_values))
    for meaning in (_integer, _number, _boolean, _date, _datetime):
        labels = _all(meaning, present)
        if labels is not None:
            return [labels.get(word) for word in stripped]
    return [None if word in na_values else word for word in stripped]


def _all(meaning: Callable[[str], Label | None], words: list[str]) -> dict[str, Label] | None:
    labels = {}
    for word in words:
        label = meaning(word)
        if label is None:
            return None
        labels[word] = label
    return labels


def _integer(word: str) -> int | None:
    return int(word) if _INTEGER.fullmatch(word) else None


def _number(word: str) -> float | None:
    if _INFINITE.fullmatch(word):
        return float(word)
    if not _NUMBER.fullmatch(word) or (_INTEGER.fullmatch(word) is None and word.isdigit()):
        return None
    number = float(word)
    return number if math.isfinite(number) else None


def _boolean(word: str) -> bool | None:
    return {"true": True, "false": False}.get(word.lower())


def _date(word: str) -> date | None:
    try:
        return date.fromisoformat(word) if _DATE.fullmatch(word) else None
    except ValueError:  # such as 2023-02-30
        return None


def _datetime(word: str) -> datetime | None:
    try:
        return datetime.fromisoformat(word) if _DATETIME.fullmatch(word) else None
    except ValueError:
        return None
