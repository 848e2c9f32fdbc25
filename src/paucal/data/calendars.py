"""Dates and times as people write them: 2024-05-31, 31.5.2024, 31/05/2024, 5/31/2024 2:30 PM, 31-May-2024, 14:30.

With points the day comes first. With slashes or dashes either may: a day above 12 anywhere in the column decides, else
the person who is asked. Years have four digits, because two do not tell the century.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paucal.data.encode import Label

DayOrder: TypeAlias = Literal["day-first", "month-first"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ENDS = ("uary", "ruary", "ch", "il", "", "e", "y", "ust", "t(?:ember)?", "ober", "ember", "ember")
_NAMED = "|".join(f"{month}(?:{end})?" for month, end in zip(_MONTHS, _ENDS, strict=True))
_ISO_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_ISO_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{3}(?:[0-9]{3})?)?)?"
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<part>[0-9]{1,6}))?)?"
_HALF = r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
_DAYS = {
    "iso": r"(?P<year>[0-9]{4})/(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})",
    ".": r"(?P<first>[0-9]{1,2})\.(?P<second_>[0-9]{1,2})\.(?P<year>[0-9]{4})",
    "/": r"(?P<first>[0-9]{1,2})/(?P<second_>[0-9]{1,2})/(?P<year>[0-9]{4})",
    "-": r"(?P<first>[0-9]{1,2})-(?P<second_>[0-9]{1,2})-(?P<year>[0-9]{4})",
    "month": rf"(?P<day>[0-9]{{1,2}})[- ]?(?P<month>(?i:{_NAMED}))\.?[- ]?(?P<year>[0-9]{{4}})",
}


class Times(NamedTuple):
    """The times of a column; whether day or month comes first was found out, or cannot be told."""

    labels: list[Label]
    order: DayOrder | None = None
    open: bool = False  # both orders make sense, and they differ


def read_times(words: Sequence[str], order: DayOrder | None) -> Times | None:
    """Read dates, dates with times, or times; None if one of the words is none."""
    if not words or not words[0][:1].isdigit():
        return None
    for pattern, meaning in _PLAIN:
        if pattern.fullmatch(words[0]):
            labels = _tried(words, pattern, meaning)
            if labels is not None:
                return Times(labels)
    for separator, pattern in _WRITTEN:
        if pattern.fullmatch(words[0]):
            return _read_written(words, separator, pattern, order)
    return None


def short_years(words: Sequence[str]) -> bool:
    """Tell whether all words look like days with years of two digits."""
    return len(words) > 1 and all(map(_SHORT.fullmatch, words))


def _tried(words: Sequence[str], pattern: re.Pattern[str], meaning: Callable[[str], Label]) -> list[Label] | None:
    if all(map(pattern.fullmatch, words)):
        with suppress(ValueError):  # such as 2023-02-30
            return [meaning(word) for word in words]
    return None


def _read_written(
    words: Sequence[str], separator: str, pattern: re.Pattern[str], order: DayOrder | None
) -> Times | None:
    matches = [match for word in words if (match := pattern.fullmatch(word))]
    if len(matches) < len(words):
        return None
    if separator in ("iso", "month"):
        labels = _labels(matches, None)
        return None if labels is None else Times(labels)
    by_day, by_month = _labels(matches, "day-first"), _labels(matches, "month-first")
    if by_day is None or by_month is None:
        found = by_day or by_month
        return None if found is None else Times(found, "day-first" if by_day else "month-first")
    if separator == ".":
        order = "day-first"
    if order is None and by_day != by_month:
        return Times(list(words), open=True)
    return Times(by_month if order == "month-first" else by_day, order)


def _labels(matches: Sequence[re.Match[str]], order: DayOrder | None) -> list[Label] | None:
    try:
        days = [_day(match, order) for match in matches]
        clocks = [_clock(match) for match in matches]
    except ValueError:  # the 31st of February, 25 o'clock
        return None
    if all(clock is None for clock in clocks):
        return list(days)
    if any(clock is None for clock in clocks):
        return None
    return [datetime.combine(day, clock) for day, clock in zip(days, clocks, strict=True) if clock is not None]


def _day(match: re.Match[str], order: DayOrder | None) -> date:
    found = match.groupdict()
    if order is not None:
        day, month = found["first"], found["second_"]
        day, month = (day, month) if order == "day-first" else (month, day)
    else:
        day, month = found["day"], found["month"]
    number = int(month) if month.isdigit() else _MONTHS.index(month.lower()[:3]) + 1
    return date(int(found["year"]), number, int(day))


def _clock(match: re.Match[str]) -> time | None:
    found = match.groupdict()
    if found["hour"] is None:
        return None
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + 12 * (found["half"].lower() == "p")
    part = int((found["part"] or "0").ljust(6, "0"))
    return time(hour, int(found["minute"]), int(found["second"] or 0), part)


def _clock_alone(word: str) -> time:
    match = _ALONE.fullmatch(word)
    clock = None if match is None else _clock(match)
    if clock is None:
        raise ValueError(word)
    return clock


_SHORT = re.compile(r"[0-3]?[0-9]([./-])[0-3]?[0-9]\1[0-9]{2}", re.ASCII)
_ALONE = re.compile(_CLOCK + _HALF, re.ASCII)
_PLAIN: tuple[tuple[re.Pattern[str], Callable[[str], Label]], ...] = (
    (re.compile(_ISO_DAY, re.ASCII), date.fromisoformat),
    (re.compile(f"{_ISO_DAY}[ T]{_ISO_CLOCK}", re.ASCII), datetime.fromisoformat),
    (
        re.compile(f"{_ISO_DAY}[ T]{_ISO_CLOCK}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})", re.ASCII),
        lambda word: datetime.fromisoformat(word).astimezone(UTC),
    ),
    (_ALONE, _clock_alone),
)
_WRITTEN = tuple(
    (separator, re.compile(f"{day}(?:(?:T|,? +){_CLOCK}{_HALF})?", re.ASCII)) for separator, day in _DAYS.items()
)
