"""What the words of a text file mean: numbers, booleans, dates, or just text.

A column becomes numbers (booleans, dates) only if every single value is one; otherwise all of it stays text. A leading
zero or more than 18 digits mark a code such as a postal number, not a number, and keep the column text.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from paucal.data.encode import Label

# what an empty answer looks like; "None" is not among them: in a questionnaire it is an answer
NA_VALUES = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "?")


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
    for pattern, meaning in _MEANINGS:
        if all(map(pattern.fullmatch, present)):
            with suppress(ValueError):  # such as 2023-02-30
                labels = {word: meaning(word) for word in present}
                return [labels.get(word) for word in stripped]
    return [None if word in na_values else word for word in stripped]


def _number(word: str) -> float:
    number = float(word)
    if math.isinf(number) and "inf" not in word.lower():
        raise ValueError(word)
    return number


_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{3}([0-9]{3})?)?)?"
_DECIMAL = r"((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"

# what the words of a column may be, the first first: how each looks, and what it then means
_MEANINGS: tuple[tuple[re.Pattern[str], Callable[[str], Label]], ...] = tuple(
    (re.compile(pattern, re.ASCII), meaning)
    for pattern, meaning in (
        (r"-?(0|[1-9][0-9]{0,17})", int),
        (rf"(?![0-9]{{19,}}\Z)[+-]?({_DECIMAL}|(?i:inf(inity)?))", _number),
        ("(?i:true|false)", lambda word: word.lower() == "true"),
        (_DAY, date.fromisoformat),
        (f"{_DAY}[ T]{_CLOCK}", datetime.fromisoformat),
    )
)
