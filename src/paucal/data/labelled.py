"""Columns of survey files: codes with labels, and codes that the file declares to mean no answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.encode import Column, Label, column, number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_EXACT_FLOATS = 2**53  # whole floats below it are exactly one integer


def _never(_: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of one column."""

    title: str = ""
    labels: Mapping[Any, str] = field(default_factory=dict)  # by code
    is_no_answer: Callable[[Any], bool] = _never  # of a code
    ordered: bool = False
    number: bool = False


def encode_labelled(name: str, values: Sequence[Any], about: About) -> tuple[Column, str]:
    """Encode a column; also say what was done to its labels, if it has to be said.

    The levels are the labels, in the order of their codes; a code without a label stands for itself. If most values
    have no label the column is one of numbers, of which some have a name: then only codes for no answer keep theirs.
    """
    positions, distinct = number(name, values)
    codes = [_whole(value) for value in distinct]
    present = [code for code in codes if not _absent(code)]
    labels = {_whole(code): str(label).strip() for code, label in about.labels.items()}
    silent = dict.fromkeys(code for code in (*labels, *present) if about.is_no_answer(code))
    named = [code for code in labels if code not in silent and labels[code]]
    bare = [code for code in present if not labels.get(code) and code not in silent]
    if not named and not silent:
        plain = column(name, positions, [None if _absent(code) else code for code in codes])
        return replace(plain, title=about.title, ordered=about.ordered, number=about.number), ""
    by_name = bool(named) and len(bare) <= len(named)
    wanted = named if by_name else [code for code in present if code not in silent]
    order = sorted(dict.fromkeys([*wanted, *bare, *silent]), key=_order)
    shown = [code for code in order if by_name or code in silent]
    words = dict(zip(order, order, strict=True)) | _distinct({code: labels[code] for code in shown if labels.get(code)})
    levels = [words[code] for code in order]
    place = {code: i for i, code in enumerate(order)}
    recoded = column(name, np.array([*(place.get(code, -1) for code in codes), -1])[positions], levels, declared=True)
    found = replace(
        recoded,
        declared=by_name,
        floating=not by_name and any(isinstance(level, float) for level in levels),
        title=about.title,
        ordered=about.ordered,
        number=about.number and not by_name,
        no_answer=tuple(words[code] for code in silent),
    )
    dropped = len(named) if not by_name else 0
    said = f"In column {name}, most values have no label: the {dropped} that do stay numbers." if dropped else ""
    return found, said


def _absent(value: Any) -> bool:
    return value is None or value == "" or value != value  # noqa: PLR0124 - only NaN differs from itself


def _whole(value: Any) -> Any:
    """Give a whole number as such, because survey files hold all numbers as floats; text without blanks at its end."""
    if isinstance(value, float) and value == value // 1 and abs(value) < _EXACT_FLOATS:
        return int(value)
    return value.rstrip() if isinstance(value, str) else value


def _order(code: Any) -> tuple[bool, Any]:
    """Put numbers in their order before letters."""
    return (False, code) if isinstance(code, Real) else (True, str(code))


def _distinct(words: dict[Any, Label]) -> dict[Any, Label]:
    """Add its code to a label that several codes have."""
    counts: dict[Label, int] = {}
    for word in words.values():
        counts[word] = counts.get(word, 0) + 1
    return {code: f"{word} ({code})" if counts[word] > 1 else word for code, word in words.items()}
