"""Choose columns by name: single names, ranges such as `age:income`, patterns such as `q*`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paucal import checks
from paucal.data.prepare import check_names
from paucal.errors import ParameterError, UnknownNameError, fitting, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Choice(NamedTuple):
    """Which columns are data: those that are named, or all; without those that are left out.

    A range is in the order of the table and includes both ends. In a pattern `*` stands for any letters. A
    column that is really called `a:b` or `q*` comes before such a reading.

    >>> Choice(columns=["age:income", "q*"]).positions(["id", "age", "sex", "income", "q1", "q2"])
    [1, 2, 3, 4, 5]
    """

    columns: Iterable[str] | None = None
    leave_out: Iterable[str] = ()

    def positions(self, names: Sequence[str]) -> list[int]:
        """Return where the chosen columns are; names may be empty or repeated only where nobody wants them."""
        places: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            places.setdefault(name, []).append(i)
        out = spelled_out(checks.names("leave_out", self.leave_out), places)
        if self.columns is None:
            kept = [i for i, name in enumerate(names) if name not in out]
        else:
            said = checks.names("columns", self.columns)
            wanted = spelled_out(said, places)
            # a range or a pattern may be narrowed; a column that is named itself is meant
            if both := out.keys() & {name for name in said if name in places}:
                raise ParameterError(
                    f"Column {min(both)!r} is both chosen and left out.",
                    hint="Name it in one of the two.",
                    parameter="leave_out",
                    value=min(both),
                )
            kept = [i for name in wanted if name not in out for i in places[name]]
        check_names([names[i] for i in kept])
        return kept


def spelled_out(words: Iterable[str], places: Mapping[str, Sequence[int]]) -> dict[str, None]:
    """Give the names that words stand for, each once, in the order of the words."""
    found: dict[str, None] = {}
    for word in words:
        found |= dict.fromkeys(_meant(word, places))
    return found


def _meant(word: str, places: Mapping[str, Sequence[int]]) -> list[str]:
    if isinstance(word, str) and word not in places:
        if "*" in word:
            return _matching(word, places)
        ends = [(word[:i], word[i + 1 :]) for i, letter in enumerate(word) if letter == ":"]
        for first, last in ends:  # names may have colons themselves
            if first in places and last in places:
                return _between(word, places[first][0], places[last][-1], places)
        if len(ends) == 1:  # say which of the two is wrong
            for end in ends[0]:
                checks.known("column", end, places)
    return [checks.known("column", word, places)]


def _matching(pattern: str, places: Mapping[str, Sequence[int]]) -> list[str]:
    found = fitting(pattern, places)
    if not found:
        names = ", ".join(map(repr, list(places)[:5]))
        hint = f"The columns begin with {names}."
        raise UnknownNameError(f"No column matches {short(pattern, 80)}.", hint=hint, value=pattern)
    return found


def _between(word: str, first: int, last: int, places: Mapping[str, Sequence[int]]) -> list[str]:
    if first > last:
        turned = ":".join(reversed(word.split(":")))
        raise ParameterError(
            f"The range {word!r} runs backwards: its first column comes after its last.", hint=f"Write {turned!r}."
        )
    at = {i: name for name, positions in places.items() for i in positions}
    return [at[i] for i in range(first, last + 1)]
