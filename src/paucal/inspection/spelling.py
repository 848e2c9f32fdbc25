"""Levels that are one and the same, spelled in several ways: "Yes" and "yes", "'no'" in quotes, stray blanks.

Blanks (those that do not break among them), invisible marks and single quotes never make a difference. Capital letters
make none in words; in one or two letters, such as the genotypes AA, Aa and aa, they may, and are only pointed out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paucal.data.kinds import observed_counts, sort_of

if TYPE_CHECKING:
    from paucal.data.encode import Column

_MOST_LEVELS = 500
_WORD = 3  # letters; shorter ones may be codes
_SHORT_WORDS = frozenset(["no", "ja", "si", "sí"])
_INVISIBLE = re.compile("[\ufeff\u200b\u200c\u200d\u2060\u00ad]")
_QUOTES = ("''", "‘’", "``")


class Spellings(NamedTuple):
    """By level the ways it is spelled; and levels that may be one, but for capital letters."""

    merge: dict[str, tuple[str, ...]]
    doubtful: tuple[tuple[str, ...], ...]


NO_SPELLINGS = Spellings({}, ())


def spellings(column: Column) -> Spellings:
    """Find levels of text that are spelled in several ways, or in quotes.

    >>> from paucal.data.encode import encode_objects
    >>> spellings(encode_objects("smoke", ["Yes", "yes", "yes", "'no'"])).merge
    {'no': ("'no'",), 'yes': ('Yes', 'yes')}
    >>> spellings(encode_objects("gene", ["AA", "Aa", "aa"]))
    Spellings(merge={}, doubtful=(('AA', 'Aa', 'aa'),))
    """
    if column.declared or sort_of(column) != "text" or len(column.levels) > _MOST_LEVELS:
        return NO_SPELLINGS
    if not all(isinstance(level, str) for level in column.levels):  # bytes, as pandas reads them from SAS files
        return NO_SPELLINGS
    often = dict(zip(column.levels, observed_counts(column).tolist(), strict=True))
    words: dict[str, dict[str, list[str]]] = {}  # in small letters, then as it is without what makes no difference
    for level in column.levels:
        plain = _plain(str(level))
        words.setdefault(plain.casefold(), {}).setdefault(plain, []).append(level)
    merge: dict[str, tuple[str, ...]] = {}
    doubtful = []
    for word, by_case in words.items():
        one_word = sum(map(str.isalpha, word)) >= _WORD or word in _SHORT_WORDS
        if len(by_case) > 1 and not one_word:
            doubtful.append(tuple(sorted(by_case)))
        alike = [[level for some in by_case.values() for level in some]] if one_word else by_case.values()
        for levels in alike:
            label = _plain(min(levels, key=lambda level: (-often[level], level)))
            if label and levels != [label]:
                merge[label] = tuple(levels)
    return Spellings(merge, tuple(doubtful))


def _plain(text: str) -> str:
    text = " ".join(_INVISIBLE.sub("", text).split())
    if len(text) > 2 and text[0] + text[-1] in _QUOTES:
        text = text[1:-1].strip()
    return text
