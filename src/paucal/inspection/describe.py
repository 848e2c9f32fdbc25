"""What is in one column: its kind in words, its levels or range, what is missing, what may be no answer.

The cost of a column is a few passes over its codes and its levels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from paucal.data.kinds import ENOUGH_ROWS, MOST_VALUES, Taken, are_years, decide, observed_counts, sort_of
from paucal.data.numerals import numbers_among
from paucal.data.recode import as_numbers, merged, without_answers
from paucal.data.scales import natural_order
from paucal.data.text import text_labels
from paucal.errors import DataError, counted, listing, short
from paucal.inspection.answers import NoAnswers, no_answers
from paucal.inspection.spelling import NO_SPELLINGS, Spellings, spellings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.encode import Column, Label
    from paucal.data.kinds import Kind

Word: TypeAlias = Literal[
    "category", "ordered", "number", "date/time", "yes/no", "identifier", "near-identifier", "groups", "free text",
    "constant", "empty",
]  # fmt: skip

_NEARLY_ALL = 0.95
RARE = 5  # rows; a level with fewer is rare
_SHOWN = 6
_TRIED = 20  # values that are read as numbers before all are
_LONG_TEXT = 25  # characters; longer answers are sentences
_FEW = 0.2  # of the rows may have something else than a number in a column of numbers
_FEW_LIMITS = 0.6  # or a limit of what could be measured, such as <0.5
LIMIT = re.compile(r"[<>≤≥]\s*=?\s*\d[\d.,]*")
_ROW = re.compile(r"row[ _.-]?(?:names?|numbers?|num|no|nr|ids?|index)|index|unnamed: ?0")  # as R and pandas write it
# days and the like come equally often, and are when something was measured
_CALENDAR = re.compile(r"(?:^|[^a-z])[myw]?(?:day|week|month|quarter|hour|minute)s?(?:$|[^a-z])", re.IGNORECASE)
_YES_NO = [set(pair.split()) for pair in ("yes no", "y n", "true false", "t f", "ja nein", "oui non", "si no", "sí no")]


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column as it came.

    Attributes
    ----------
    kind
        What it is, in words for people; `taken` is how searches take it, `why` the reason.
    levels, observed
        Its levels, and how many of them occur; declared ones need not.
    low, high
        The range of numbers and dates.
    missing
        Rows without a value, and `no_answer` the values that are taken for none.
    suspected
        Values that may mean that there is no answer, and are left alone.
    rare
        Levels of a category with fewer than 5 rows.
    mode, mode_share
        The most frequent level and its share of the rows.
    title
        What the file says the column is about.
    few_whole
        Whether its levels are 3 to 20 whole numbers, which may be a scale.
    no_number
        The entries of a number that are none and become missing, with the rows of each.
    spelled, maybe_alike
        Levels that are spelled in several ways and put together; levels that differ in capital letters only, and stay.
    """

    name: str
    kind: Word
    taken: Kind
    why: str
    levels: int
    observed: int
    missing: int
    mode: Any
    mode_share: float
    shown: tuple[Label, ...] = ()
    low: Any = None
    high: Any = None
    no_answer: tuple[Label, ...] = ()
    suspected: tuple[Label, ...] = ()
    rare: tuple[Label, ...] = ()
    title: str = ""
    few_whole: bool = False
    no_number: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()
    maybe_alike: tuple[str, ...] = ()

    @property
    def taken_as(self) -> str:
        """What searches take it for, and why."""
        return f"{self.taken}: {self.why}"

    @property
    def in_words(self) -> str:
        """Its levels, or its range."""
        if self.low is not None:
            return f"{_shown(self.low)} to {_shown(self.high)}"
        more = f" and {self.observed - len(self.shown):,} more" if self.observed > len(self.shown) else ""
        return ", ".join(map(_shown, self.shown)) + more

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        told = {one: getattr(self, one) for one in self.__slots__}
        for one in ("mode", "low", "high"):
            told[one] = None if told[one] is None else _shown(told[one])
        for one in ("no_number", "spelled", "maybe_alike"):
            told[one] = list(told[one])
        for one in ("shown", "no_answer", "suspected", "rare"):
            told[one] = [_shown(label) for label in told[one]]
        return told


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """A column with what was found out about it; `clean` is without answers that are none, and read as numbers."""

    name: str
    column: Column
    clean: Column
    taken: Taken
    no_answer: tuple[Label, ...]
    suspected: tuple[Label, ...]
    order: tuple[Label, ...] | None
    groups: bool = False  # it names groups of rows
    no_number: tuple[str, ...] = ()  # among `no_answer`: entries of a number that are none
    spellings: Spellings = NO_SPELLINGS


def examine(name: str, column: Column, *, said: Kind | None = None) -> Examined:
    """Find out what a column is; `said` is what somebody says it is."""
    found = no_answers(column)
    gone = tuple(dict.fromkeys((*column.no_answer, *found.clear)))
    clean = without_answers(column, gone)
    suspected = found.suspected
    odd: tuple[str, ...] = ()
    alike = spellings(clean)
    clean = merged(name, clean, alike.merge)
    if sort_of(clean) == "text" and clean.levels and not column.declared:
        clean, more, odd = _read_as_numbers(name, clean, said)
        gone, suspected = (*gone, *odd, *more.clear), (*suspected, *more.suspected)
    if not clean.levels or not observed_counts(clean).any():  # nothing but no answers is an answer
        clean, gone, odd, alike = column, (), (), NO_SPELLINGS
    taken = decide(clean) if said is None else Taken(said, "as you said")
    groups = said is None and taken.kind == "number" and not _CALENDAR.search(name) and counts_groups(clean)
    if groups:
        counts = observed_counts(clean)
        often = "equally often" if len(set(counts[counts > 0].tolist())) == 1 else "nearly all equally often"
        taken = Taken("name", f"{taken.why}, without holes and {often}, like numbers of groups")
    if said is None and taken.kind == "number" and _ROW.fullmatch(name.strip().casefold()) and _hardly_repeats(clean):
        taken = Taken("name", f"{taken.why}, and called so")
    if said is None and taken.kind == "levels" and _mostly_rare(clean):
        taken = Taken("name", f"{taken.why}, most of which have fewer than {RARE} rows")
    order = None if clean.ordered else natural_order(clean)
    return Examined(name, column, clean, taken, gone, suspected, order, groups, odd, alike)


def _read_as_numbers(name: str, clean: Column, said: Kind | None) -> tuple[Column, NoAnswers, tuple[str, ...]]:
    """Read text as numbers if it is numbers but for a few entries, and so many that they are measured."""
    none, required = NoAnswers((), ()), said == "number"
    odd: tuple[str, ...] = ()
    some = [str(level) for level in clean.levels[:: 1 + len(clean.levels) // _TRIED]]
    if not required and 2 * sum(isinstance(text_labels([word], ())[0], str) for word in some) > len(some):
        return clean, none, ()
    try:
        numbers = as_numbers(name, clean)
    except DataError:
        odd = _no_numbers(clean) if said in (None, "number") else ()
        if not odd:
            return clean, none, ()
        try:
            numbers = as_numbers(name, without_answers(clean, odd))
        except DataError:  # such as 1,234, which can be read two ways
            return clean, none, ()
    codes = no_answers(numbers)
    rest = without_answers(numbers, codes.clear)
    if required or decide(rest).kind == "number":
        return rest, codes, odd
    return clean, none, ()


def _no_numbers(column: Column) -> tuple[str, ...]:
    """Give the entries that are no numbers, if they are in few rows and numbers in all others."""
    counts, words = observed_counts(column), list(map(str, column.levels))
    is_number = np.array(numbers_among(words, counts.tolist()))
    n_odd, n_numbers = int(counts[~is_number].sum()), np.count_nonzero(is_number & (counts > 0))
    fractions = any(not words[i].isdecimal() for i in np.flatnonzero(is_number))
    limits = all(LIMIT.fullmatch(words[i]) for i in np.flatnonzero(~is_number).tolist())
    if (
        n_odd > (_FEW_LIMITS if limits else _FEW) * counts.sum()
        or n_numbers <= MOST_VALUES
        or (not fractions and _are_codes(words))
    ):
        return ()
    return tuple(words[i] for i in np.flatnonzero(~is_number).tolist())


def _are_codes(words: Sequence[str]) -> bool:
    """Tell whether whole numbers are codes: some have a leading zero, as 01067 and 80331, or letters, as 207a and 207b.

    A unit such as the m of 18m is one letter; the letters that tell codes apart are several.
    """
    zeros = any(word[0] == "0" and len(word) > 1 for word in words if word.isdecimal())
    lettered = {word[-1].casefold() for word in words if word[:-1].isdecimal() and word[-1].isalpha()}
    return zeros or len(lettered) > 1


def _hardly_repeats(column: Column) -> bool:
    """Tell whether most rows have a value of their own; 1978.1 and 1978.10 may name two rows and be one number."""
    counts = observed_counts(column)
    return bool(2 * np.count_nonzero(counts == 1) > counts.sum())


def _mostly_rare(column: Column) -> bool:
    """Tell whether most rows of a column with many levels are in rare ones, as with the names of pairs or families."""
    counts = observed_counts(column)
    if np.count_nonzero(counts) <= MOST_VALUES or column.declared:
        return False
    return bool(2 * counts[counts < RARE].sum() > counts.sum())


def counts_groups(column: Column) -> bool:
    """Tell whether whole numbers without holes occur equally often, as the numbers of pairs or panels do."""
    if sort_of(column) != "whole" or are_years(column):
        return False
    counts = observed_counts(column)
    seen = np.flatnonzero(counts)
    first, last, times = column.levels[seen[0]], column.levels[seen[-1]], counts.max()
    if times < 2 or counts.sum() < ENOUGH_ROWS or last - first != len(seen) - 1:
        return False
    return bool(np.count_nonzero(counts == times) >= _NEARLY_ALL * len(seen))


def summarise(found: Examined) -> ColumnSummary:
    """Describe a column that was examined."""
    column, clean = found.column, found.clean
    counts = observed_counts(clean)
    n_rows, observed = column.n_rows, int(np.count_nonzero(counts))
    word = word_of(found)
    mode = int(counts.argmax()) if observed else None
    ranged = word in ("number", "date/time")
    seen = [level for level, n in zip(clean.levels, counts, strict=True) if n] if ranged or observed <= 1000 else []
    first = [clean.levels[i] for i in np.flatnonzero(counts)[:_SHOWN].tolist()] if found.order is None else found.order
    is_rare = (counts > 0) & (counts < RARE)
    rare = np.flatnonzero(is_rare).tolist() if word in ("category", "ordered") and n_rows >= 10 * RARE else []
    return ColumnSummary(
        name=found.name,
        kind=word,
        taken=found.taken.kind,
        why=found.taken.why,
        levels=len(clean.levels),
        observed=observed,
        missing=clean.n_missing,
        mode=None if mode is None else clean.levels[mode],
        mode_share=0.0 if mode is None else float(counts[mode] / n_rows),
        shown=() if ranged else tuple(first[:_SHOWN]),
        low=seen[0] if ranged and seen else None,
        high=seen[-1] if ranged and seen else None,
        no_answer=tuple(label for label in found.no_answer if label not in found.no_number),
        no_number=_with_rows(found),
        spelled=tuple(f"{label!r} from {listing(map(repr, of), 4)}" for label, of in found.spellings.merge.items()),
        maybe_alike=tuple(" and ".join(map(repr, levels)) for levels in found.spellings.doubtful),
        suspected=found.suspected,
        rare=tuple(clean.levels[i] for i in rare),
        title=column.title,
        few_whole=word == "category" and 3 <= observed <= MOST_VALUES and sort_of(clean) == "whole",
    )


def _with_rows(found: Examined) -> tuple[str, ...]:
    """Name the entries that are no numbers with the rows of each, the most frequent first."""
    if not found.no_number:
        return ()
    column = merged(found.name, without_answers(found.column, ()), found.spellings.merge)
    rows = dict(zip(map(str, column.levels), observed_counts(column).tolist(), strict=True))
    often = sorted(found.no_number, key=lambda label: (-rows.get(label, 0), label))
    return tuple(f"{short(label, 30)} ({counted(rows.get(label, 0), 'row')})" for label in often)


def word_of(found: Examined) -> Word:
    """Name the kind of a column as people do."""
    clean, kind = found.clean, found.taken.kind
    counts = observed_counts(clean)
    observed, present = int(np.count_nonzero(counts)), int(counts.sum())
    if observed < 2:
        return "constant" if observed else "empty"
    if kind == "name":
        if found.groups:
            return "groups"
        if _is_prose(clean):
            return "free text"
        return "identifier" if observed == present else "near-identifier"
    sort = sort_of(clean)
    if kind == "number":
        return "date/time" if sort == "time" else "number"
    if sort == "boolean" or (observed == 2 and _is_yes_no(clean)):
        return "yes/no"
    return "ordered" if kind == "ordered" or found.order is not None else "category"


def _is_prose(column: Column) -> bool:
    """Tell sentences from names: answers of several words."""
    texts = [level for level in column.levels[:1000] if isinstance(level, str)]
    if not texts:
        return False
    words = sum(text.count(" ") + 1 for text in texts) / len(texts)
    return words >= 3 or sum(map(len, texts)) / len(texts) > _LONG_TEXT


def _is_yes_no(column: Column) -> bool:
    seen = [level for level, n in zip(column.levels, observed_counts(column), strict=True) if n]
    return seen == [0, 1] or {str(level).casefold() for level in seen} in _YES_NO


def _shown(value: Any) -> str:
    return short(value, 24)[1:-1] if isinstance(value, str) else str(value)
