"""What the words of a text file mean: numbers, booleans, dates, times, or just text.

A column becomes numbers (booleans, dates) only if every single value is one; otherwise all of it stays text. A leading
zero or more than 18 digits mark a code such as a postal number, not a number, and keep the column text. All columns of
a file are looked at together, since how one of them writes its numbers tells how another does.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, get_args

from paucal import checks
from paucal.data.calendars import DayOrder, Times, read_times, short_years
from paucal.data.numerals import (
    Mark,
    Numerals,
    all_dotted,
    choose,
    dotted,
    foreign_numerals,
    joined,
    maybe_dotted,
    plain_numbers,
    read_numerals,
    unit_of,
)
from paucal.errors import listing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from paucal.data.encode import Label

# what an empty answer looks like; "None" is not among them: in a questionnaire it is an answer
NA_VALUES = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "?")


@dataclass(frozen=True, slots=True)
class Customs:
    """How words are to be read: those for missing values; the decimal mark and the order of dates, if told."""

    na_values: Collection[str] = NA_VALUES
    decimal: Mark | None = None
    dates: DayOrder | None = None

    def __post_init__(self) -> None:
        if self.decimal is not None:
            checks.choice("decimal", self.decimal, get_args(Mark))
        if self.dates is not None:
            checks.choice("dates", self.dates, get_args(DayOrder))


_UNTIL = "it is left as text until you say which"
_SHORT_YEARS = "{!r} may be a date, but two digits tell no century: it is left as text until the file has four"


class _Words(NamedTuple):
    """The words of one column, and what they mean as far as the column alone tells."""

    stripped: list[str]
    present: list[str]
    spelled: list[str]  # the present ones, without the sign of a unit
    text: str | None  # these, on lines
    labels: list[Label] | None
    numerals: Numerals | None
    unit: str | None = None


def text_labels(words: Iterable[str], na_values: Collection[str] = NA_VALUES) -> list[Label]:
    """Give each word of one column its label; None for a missing value.

    Blanks around a word do not belong to it.

    >>> text_labels(["10", "2", "NA"])
    [10, 2, None]
    >>> text_labels(["01", "2", "?"])
    ['01', '2', None]
    >>> text_labels(["true", "FALSE"])
    [True, False]
    """
    (labels,), _ = table_labels(["x"], [words], Customs(na_values))
    return labels


def table_labels(
    names: Sequence[str], columns: Sequence[Iterable[str]], customs: Customs, delimiter: str = ""
) -> tuple[list[list[Label]], tuple[str, ...]]:
    """Give the words of all columns of a file their labels, and say in sentences what had to be decided.

    >>> table_labels(["weight", "sex"], [["70,5", "81,25"], ["m", "f"]], Customs())
    ([[70.5, 81.25], ['m', 'f']], ('In column weight, commas are decimal commas.',))
    """
    known = [_alone(words, customs) for words in columns]
    shown = _shown_mark(known, customs)
    # Where commas separate the values, a number with a comma stands in quotes, as programs write thousands; semicolons
    # are what programs take where the comma is the decimal mark.
    likely = shown or {";": ",", ",": "."}.get(delimiter)
    said: defaultdict[str, list[str]] = defaultdict(list)
    result = []
    for name, one in zip(names, known, strict=True):
        labels, sentence = _meant(one, shown, likely, customs)
        if one.unit is not None and not isinstance(labels[0], str):
            sentence = (
                f"{sentence}, and the sign {one.unit} is left out" if sentence else f"the sign {one.unit} is left out"
            )
        if sentence:
            said[sentence].append(name)
        meaning = dict(zip(one.present, labels, strict=True))
        result.append([meaning.get(word) for word in one.stripped])
    return result, tuple(_sentence(which, sentence) for sentence, which in said.items())


def _sentence(names: Sequence[str], sentence: str) -> str:
    return f"In column{'s' if len(names) > 1 else ''} {listing(names)}, {sentence}."


def _alone(words: Iterable[str], customs: Customs) -> _Words:
    """Find what the words of a column mean, whatever the other columns are."""
    stripped = [word.strip() for word in words]
    present = [word for word in dict.fromkeys(stripped) if word not in customs.na_values]
    text = joined(present) if present else None
    if text is None:
        return _Words(stripped, present, present, None, None, None)
    labels = plain_numbers(present, text)
    numerals = None if labels is not None else foreign_numerals(text)
    if labels is None and numerals is None and (unit := unit_of(text)) is not None:
        spelled = [word.removeprefix(unit).removesuffix(unit).strip() for word in present]
        amounts = "\n".join(spelled) + "\n"
        labels = plain_numbers(spelled, amounts)
        numerals = None if labels is not None else foreign_numerals(amounts)
        if labels is not None or numerals is not None:
            return _Words(stripped, present, spelled, amounts, labels, numerals, unit)
    if labels is None and {word.lower() for word in present[:3]} <= {"true", "false"}:
        truth = [word.lower() for word in present]
        labels = [word == "true" for word in truth] if set(truth) <= {"true", "false"} else None
    return _Words(stripped, present, present, text, labels, numerals)


def _shown_mark(known: Sequence[_Words], customs: Customs) -> str | None:
    """Give the decimal mark of a file as it was told, or as columns show that can be read one way only."""
    if customs.decimal is not None:
        return customs.decimal
    shown = {one.numerals.mark for one in known if one.numerals is not None} - {None}
    if any(one.labels and _has_point(one) for one in known):
        shown.add(".")
    return shown.pop() if len(shown) == 1 else None


def _has_point(one: _Words) -> bool:
    """Tell whether a column has a decimal point that cannot separate thousands."""
    return one.text is not None and isinstance((one.labels or [0])[0], float) and not maybe_dotted(one.text)


def _meant(one: _Words, shown: str | None, likely: str | None, customs: Customs) -> tuple[list[Label], str]:
    """Give the present words of a column their labels, and what there is to say about it."""
    if one.labels is not None:
        if shown == "," and one.text is not None and isinstance(one.labels[0], float) and maybe_dotted(one.text):
            way = dotted().ways[0]
            return read_numerals(one.spelled, way), way.said
        if likely == "," and shown is None and one.text is not None and all_dotted(one.text):
            said = "is read with a decimal point; if points separate thousands: --decimal , (decimal=',')"
            return one.labels, f"{one.spelled[0]!r} {said}"
        return one.labels, ""
    if one.numerals is not None:
        way_found = choose(one.numerals, likely if len(one.numerals.ways) > 1 else customs.decimal)
        if way_found is not None:
            return read_numerals(one.spelled, way_found), way_found.said
        if customs.decimal is None:
            ask = f"may have decimal commas or separate thousands: {_UNTIL} (--decimal, decimal=)"
            example = min(word for word in one.present if "," in word)
            return list(one.present), f"{example!r} {ask}"
        return list(one.present), ""
    times = read_times(one.present, customs.dates) if one.text is not None else None
    if times is None:
        return list(one.present), _SHORT_YEARS.format(one.present[0]) if short_years(one.present) else ""
    return times.labels, _about_times(one.present, times)


def _about_times(words: Sequence[str], times: Times) -> str:
    if times.open:
        return f"{min(words)!r} may have the day or the month first: {_UNTIL} (--dates, dates=)"
    if times.order is None or "." in words[0][:3]:
        return ""
    return f"the {times.order.partition('-')[0]} comes first in dates"
