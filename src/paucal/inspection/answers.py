"""Values that mean that there is no answer: words such as "refused", and codes such as 99 far beyond all others.

A word on the list is taken at its word. A code is clear if it stands further from all other values than they are apart,
and occurs twice or more: 9 beside 1 to 5, 999 beside ages. Otherwise, such as 99 beside ages up to 90, it is only
suspected, and stays. So does a 7 or 8 without a 9 above it, which may be a count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal.data.kinds import observed_counts, sort_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from paucal.data.encode import Column, Label

# in small letters and without punctuation; "none" and "not applicable" are answers
_HUGE = 1e300  # whole numbers can be larger than any floating-point number
_WORDS = frozenset(
    [
        *("na", "n a", "nan", "null", "missing", "unknown", "blank", "no data", "not known", "not available"),
        *("dont know", "don t know", "do not know", "dk", "dk na", "not sure", "cant say", "can t say", "no opinion"),
        *("dont know not sure", "don t know not sure", "dont know refused", "don t know refused"),
        *("refused", "refusal", "refused to answer", "declined", "declined to answer", "decline to answer"),
        *("prefer not to say", "prefer not to answer", "rather not say", "would rather not say"),
        *("no answer", "no response", "not answered", "unanswered", "nonresponse", "non response"),
        *("not stated", "not specified", "unspecified", "not reported", "not recorded", "not ascertained"),
        *("undisclosed", "not disclosed", "invalid", "no reply", "na na", "not asked", "skipped", "no info"),
        *("no information", "not determined", "not collected", "not provided", "not given", "not measured"),
        *("keine angabe", "k a", "weiß nicht", "weiss nicht", "unbekannt", "verweigert"),
        *(
            "ne sait pas",
            "nsp",
            "sans réponse",
            "non réponse",
            "inconnu",
            "no sabe",
            "no contesta",
            "ns nc",
            "sin dato",
        ),
    ]
)
_SIGNS = frozenset(["", "-", "--", "---", ".", "..", "?", "??"]) | frozenset(
    ["#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!", "#error!"]  # what spreadsheets write
)
_CODED = re.compile(r"[-+]?[0-9]+\s*[=:.)-]+\s*|\s*[(\[]?[-+]?[0-9]+[)\]]?$")  # "-9 = refused", "refused (-9)"
_PARTS = re.compile(r"\s*(?:[,;:(]|\s-+\s|\s–\s|\s—\s|\sor\s)\s*")
_SLASHED = re.compile(r"\s*/\s*")
_CODES = frozenset(
    sign * int(digit * length) for sign in (1, -1) for digit in "789" for length in range(1, 6)
) | frozenset(sign * (10**length - back) for sign in (1, -1) for length in (2, 3, 4, 5) for back in (2, 3, 4))
_LEAST_GAP = 3
_MOST_LEVELS = 500  # that are read, the most frequent ones
_LAST_CODE = 9  # codes of one digit end with it; a 7 or 8 alone may as well be a count
_FAMILIAR = 97  # from here on codes of two digits are usual, also beside ages


class NoAnswers(NamedTuple):
    """Values that are no answers, and values that may be none."""

    clear: tuple[Label, ...]
    suspected: tuple[Label, ...]


def no_answers(column: Column) -> NoAnswers:
    """Look for values that mean that there is no answer, besides those that a file declares.

    >>> from paucal.data.encode import encode_objects
    >>> no_answers(encode_objects("smoke", ["yes", "no", "Don't know", "no"]))
    NoAnswers(clear=("Don't know",), suspected=())
    >>> no_answers(encode_objects("q1", [1, 2, 3, 4, 5, 9, 9]))
    NoAnswers(clear=(9,), suspected=())
    >>> no_answers(encode_objects("age", [30, 41, 65, 90, 99, 99]))
    NoAnswers(clear=(), suspected=(99,))
    """
    if sort_of(column) in ("whole", "fraction"):
        return _codes(column)
    levels: Sequence[Label] = column.levels
    if len(levels) > _MOST_LEVELS:  # no answer is a frequent answer
        often = np.argsort(-observed_counts(column), kind="stable")[:_MOST_LEVELS]
        levels = [column.levels[i] for i in sorted(often.tolist())]
    return NoAnswers(tuple(level for level in levels if isinstance(level, str) and is_no_answer(level)), ())


def is_no_answer(text: str) -> bool:
    """Tell whether a text says that there is no answer.

    >>> is_no_answer("Prefer not to say"), is_no_answer("none")
    (True, False)
    >>> is_no_answer("-9 = no answer"), is_no_answer("N/A - not asked"), is_no_answer("not sure - maybe")
    (True, True, False)
    """
    if len(text) > 40:
        return False
    plain = text.strip().strip("'\"`<>()[]").strip().casefold().replace("\u2019", "'")
    if plain in _SIGNS or _in_words(plain) in _WORDS:
        return True
    rest = _CODED.sub("", plain)
    return any(all(_in_words(part) in _WORDS for part in parts.split(rest)) for parts in (_PARTS, _SLASHED))


def _in_words(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text.replace("n't", "nt")).split())


def _codes(column: Column) -> NoAnswers:
    """Tell codes from numbers: they stand at the ends of all values, behind a gap."""
    counts = observed_counts(column)
    numbers = np.array([float(min(max(level, -_HUGE), _HUGE)) for level in column.levels])
    order = np.argsort(numbers, kind="stable")
    order = order[counts[order] > 0]
    values, often = numbers[order], counts[order]
    is_code = np.isin(values, list(_CODES))
    if len(values) < 3 or not (is_code[0] or is_code[-1]):
        return NoAnswers((), ())
    high = len(values) - _run_of_codes(is_code[::-1])
    low = _run_of_codes(is_code) if values[0] < 0 else 0
    rest = values[low:high]
    if len(rest) < 2 or (low and rest[0] < 0):
        return NoAnswers((), ())
    span, widest = rest[-1] - rest[0], float(np.diff(rest).max())
    short_codes = bool((np.abs(np.append(values[:low], values[high:])) < 10).all())
    if short_codes and sort_of(column) == "fraction":  # a measurement of 9 is nothing special
        return NoAnswers((), ())
    clear: list[int] = []
    suspected: list[int] = []
    below, above = rest[0] - values[:low], values[high:] - rest[-1]
    if low and below.min() >= _LEAST_GAP:
        (clear if often[:low].min() > 1 else suspected).extend(order[:low])
    if high < len(values) and above.min() >= _LEAST_GAP:
        if above.max() >= span and often[high:].min() > 1 and not (short_codes and values[-1] < _LAST_CODE):
            clear.extend(order[high:])
        elif above.min() > 2 * widest or values[-1] >= _FAMILIAR > rest[-1] >= _FAMILIAR / 2:
            suspected.extend(order[high:])
    return NoAnswers(tuple(column.levels[i] for i in clear), tuple(column.levels[i] for i in suspected))


def _run_of_codes(is_code: npt.NDArray[np.bool_]) -> int:
    """Count the codes at the beginning."""
    return len(is_code) if is_code.all() else int(np.argmin(is_code))
