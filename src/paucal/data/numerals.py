"""Numbers as people write them: 1.5, 1,5, 1,234.5, 1.234,5, 1 234.

A column is of numbers only if all its words are written one way. Where words can be read two ways, as 1,234 can, the
column alone does not decide: the file does, by its separator and its other columns, or the person who is asked.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.encode import Label

Mark: TypeAlias = Literal[".", ","]

_UNITS: frozenset[str] = frozenset("$€£¥%")
_WHOLE = "(?:0|[1-9][0-9]*)"
_POWER = "(?:[eE][+-]?[0-9]+)?"
_BLANK = "[ \u00a0\u2009\u202f'\u2019]"


def _all_of(pattern: str) -> re.Pattern[str]:
    """Match words that are joined by line feeds, without ever going back."""
    return re.compile(f"(?>(?:{pattern})\n)*+", re.ASCII)


def _grouped(separator: str, mark: str) -> str:
    """Write the pattern of numbers whose thousands are separated, as far as they have any."""
    return f"[+-]?(?:0|[1-9][0-9]{{0,2}}(?:{separator}[0-9]{{3}})*)(?:{mark}[0-9]+)?"


_INTEGERS = _all_of("-?(?:0|[1-9][0-9]{0,17})")
_POINTS = _all_of(rf"(?![0-9]{{19,}}\n)[+-]?(?:(?:{_WHOLE}(?:\.[0-9]*)?|\.[0-9]+){_POWER}|(?i:inf(?:inity)?))")
_COMMAS = _all_of(rf"[+-]?(?:{_WHOLE}(?:,[0-9]+)?|,[0-9]+){_POWER}")
# what somebody has measured: no infinite numbers, and none with hundreds of digits
_MEASURED = _all_of(r"[-+]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?")


class _Way(NamedTuple):
    """One way to write numbers: what separates thousands, and the decimal mark."""

    pattern: re.Pattern[str]
    separator: str  # a class of letters that are left out
    mark: str
    said: str


COMMA = _Way(_COMMAS, "", ",", "commas are decimal commas")
_DOTTED = _Way(_all_of(_grouped(r"\.", ",")), r"\.", ",", "points separate thousands, and a comma is the decimal mark")
_ENGLISH = _Way(_all_of(_grouped(",", r"\.")), ",", ".", "commas separate thousands")
_SPACED = _Way(_all_of(_grouped(_BLANK, "[.]")), _BLANK, ".", "blanks or apostrophes separate thousands")
_SPACED_COMMA = _Way(
    _all_of(_grouped(_BLANK, ",")),
    _BLANK,
    ",",
    "blanks or apostrophes separate thousands, and a comma is the decimal mark",
)


class Numerals(NamedTuple):
    """How the numbers of a column may be written: the ways to choose from, the likely one first."""

    ways: tuple[_Way, ...]

    @property
    def mark(self) -> str | None:
        """The decimal mark, if the column alone shows it."""
        return self.ways[0].mark if len(self.ways) == 1 else None


def joined(words: Sequence[str]) -> str | None:
    """Put words on lines; None if some have lines themselves and so are no numbers."""
    text = "\n".join(words) + "\n"
    return text if text.count("\n") == len(words) else None


def plain_numbers(words: Sequence[str], text: str) -> list[Label] | None:
    """Read words such as -3, 2.5, 1e3; None if one is none. Numbers that a float confuses stay apart."""
    if _INTEGERS.fullmatch(text):
        return list(map(int, words))
    return _exact(words) if _POINTS.fullmatch(text) else None


def foreign_numerals(text: str) -> Numerals | None:
    """Tell in which other ways all the words can be numbers, if at all."""
    if not text.translate(_NO_NUMERAL).isspace():  # cheap, and true of nearly every text
        return None
    found = []
    if "," in text and _COMMAS.fullmatch(text):
        found.append(COMMA)
    elif "." in text and _DOTTED.pattern.fullmatch(text):
        found.append(_DOTTED)
    if "," in text and _ENGLISH.pattern.fullmatch(text):
        found.append(_ENGLISH)
    if not found:
        found += [way for way in (_SPACED, _SPACED_COMMA) if way.pattern.fullmatch(text)][:1]
    return Numerals(tuple(found)) if found else None


def numbers_among(words: Sequence[str], rows: Sequence[int]) -> list[bool]:
    """Tell which words are numbers: those that are written the one way in which most rows have a number.

    >>> numbers_among(["1,5", "<0,1", "12"], [1, 1, 1])
    [True, False, True]
    """
    ways = [_MEASURED, *(way.pattern for way in (COMMA, _DOTTED, _ENGLISH, _SPACED, _SPACED_COMMA))]
    found = ([pattern.fullmatch(f"{word}\n") is not None for word in words] for pattern in ways)
    return max(found, key=lambda fits: sum(n for n, fit in zip(rows, fits, strict=True) if fit))


def unit_of(text: str) -> str | None:
    r"""Give the sign of money or of percent that every word on its line has at one end, if there is one.

    >>> unit_of("$1,200\n$950\n"), unit_of("5%\n12\n")
    ('$', None)
    """
    first = text.partition("\n")[0]
    ends: set[str] = {*first[:1], *first[-1:]}
    for sign in sorted(ends & _UNITS):
        if _all_of(rf"{re.escape(sign)} ?[^\n]+|[^\n]+ ?{re.escape(sign)}").fullmatch(text):
            return sign
    return None


def maybe_dotted(text: str) -> bool:
    """Tell whether plain numbers such as 1.234 may as well be thousands."""
    return "." in text and _DOTTED.pattern.fullmatch(text) is not None


def all_dotted(text: str) -> bool:
    """Tell whether all plain numbers, several of them, have three digits behind a point, as thousands have."""
    return text.count("\n") > 1 and text.count(".") == text.count("\n") and maybe_dotted(text)


def dotted() -> Numerals:
    """Give the way to write in which points separate thousands."""
    return Numerals((_DOTTED._replace(said="points separate thousands"),))


def choose(numerals: Numerals, mark: str | None) -> _Way | None:
    """Take the way that fits a decimal mark, or the only one."""
    fitting = [way for way in numerals.ways if mark is None or way.mark == mark]
    return fitting[0] if len(fitting) == 1 else None


def read_numerals(words: Sequence[str], way: _Way) -> list[Label]:
    """Read words that are written one way."""
    plain = [re.sub(way.separator, "", word) if way.separator else word for word in words]
    plain = [word.replace(",", ".") for word in plain] if way.mark == "," else plain
    text = joined(plain)
    labels = None if text is None else plain_numbers(plain, text)
    return list(words) if labels is None else labels


def _exact(words: Sequence[str]) -> list[Label] | None:
    """Turn words into floats; into decimals if floats would make two different numbers one."""
    numbers = list(map(float, words))
    if any(map(math.isinf, numbers)) and not all(
        math.isfinite(number) or "inf" in word.lower() for number, word in zip(numbers, words, strict=True)
    ):
        return None
    if len(set(numbers)) == len(words):
        return list(numbers)
    meant: dict[float, Decimal] = {}
    for number, word in zip(numbers, words, strict=True):
        if math.isfinite(number) and meant.setdefault(number, exact := Decimal(word)) != exact:
            return [Decimal(one) for one in words]
    return list(numbers)


_NO_NUMERAL = dict.fromkeys(map(ord, "0123456789+-.,eE \u00a0\u2009\u202f'\u2019"))
