"""Background knowledge: what people can say about causes before the data are seen.

Some of it is about arrows: tiers, waves in time, arrows that must or must not be there. Some is about columns: an
outcome causes nothing, an exogenous column is caused by nothing in the table, a randomised one by nothing at all, and
columns that measure the same thing do not cause each other. `sentences.py` cleans what was said and finds what
contradicts itself; `formats/` reads and writes files; what knowledge does to a graph is in `rules/background.py`.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.errors import FileError, KnowledgeError, PaucalError, short
from paucal.graphs.language import quoted
from paucal.graphs.sentences import (
    Arc,
    arc_matrix,
    arcs,
    groups,
    groups_by_name,
    names_in,
    names_of_waves,
    numbers,
    refuse_contradictions,
    tier_numbers,
    waves,
)
from paucal.notebook import html_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_ONES = ("outcome", "exogenous", "randomised")  # words about single columns


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What is known about causes before the data are seen.

    Every word is also an argument of `paucal.learn`, `bootstrap`, `blanket` and `blankets`.

    Parameters
    ----------
    outcome
        Columns that cause nothing.
    exogenous, background
        Columns that nothing in the table causes, such as age, sex or site; two words for one thing. They may
        have hidden causes.
    randomised
        Columns without any cause, in the table or hidden, such as the arm of a trial.
    time
        Waves of columns, the earliest first: nothing points from a later wave to an earlier one, within a wave
        everything is free. A list of lists, or a dict that names the waves: messages and pages call them so.
    same
        Groups of columns that measure one thing: no edge among them is reported.
    tiers
        The same as `time`; with `forbid_within`, the numbers (from 0) of tiers whose members must not be joined.
    required, forbidden
        Arrows as `(cause, effect)`.

    Notes
    -----
    Columns that no word names are free. Knowledge that contradicts itself is refused with a KnowledgeError that names
    both sentences. Where causes may be hidden, "a -> b is forbidden" says that a does not cause b.

    Examples
    --------
    >>> known = Knowledge(outcome=["death"], exogenous=["age", "sex"], time=[["smoke"], ["cough", "death"]])
    >>> known.forbids("death", "cough"), known.forbids("smoke", "age"), known.forbids("smoke", "cough")
    (True, True, False)
    >>> known.why_forbidden("cough", "smoke")
    'cough is in a later wave than smoke'
    """

    outcome: Sequence[str] = ()
    exogenous: Sequence[str] = ()
    randomised: Sequence[str] = ()
    time: Sequence[Sequence[str]] | Mapping[str, Sequence[str]] = ()
    same: Sequence[Sequence[str]] = ()
    tiers: Sequence[Sequence[str]] = ()
    forbid_within: Sequence[int] = ()
    required: Sequence[Arc] = ()
    forbidden: Sequence[Arc] = ()
    background: InitVar[Sequence[str]] = ()
    wave_names: tuple[str, ...] = field(init=False, repr=False, compare=False)  # of `time`, if they have some
    _tier_of: dict[str, int] = field(init=False, repr=False, compare=False)
    _wave_of: dict[str, int] = field(init=False, repr=False, compare=False)
    _group_of: dict[str, int] = field(init=False, repr=False, compare=False)
    _required: frozenset[Arc] = field(init=False, repr=False, compare=False)
    _forbidden: frozenset[Arc] = field(init=False, repr=False, compare=False)

    def __post_init__(self, background: Sequence[str]) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)  # the way of a frozen dataclass to clean its own input

        more = {"exogenous": names_in("background", background)}
        for name in _ONES:
            put(name, tuple(dict.fromkeys([*names_in(name, getattr(self, name)), *more.get(name, ())])))
        put("wave_names", names_of_waves(self.time))
        for name in ("time", "tiers"):
            put(name, waves(name, getattr(self, name)))
        put("_wave_of", numbers("wave", list(self.time), self.wave_names))
        put("_tier_of", numbers("tier", self.tiers))
        put("same", groups(self.same))
        put("_group_of", groups_by_name(self.same))
        put("forbid_within", tier_numbers(self.forbid_within))
        for name in ("required", "forbidden"):
            put(name, arcs(name, getattr(self, name)))
            put(f"_{name}", frozenset(getattr(self, name)))
        refuse_contradictions(self)

    def __bool__(self) -> bool:
        return bool(self.to_dict())

    def __or__(self, other: Knowledge) -> Knowledge:
        """Give what both know; what contradicts is an error."""
        checks.instance("other", other, Knowledge, "Knowledge")
        parts: dict[str, Any] = {}
        for name in _words():
            mine, others = getattr(self, name), getattr(other, name)
            if name in ("tiers", "time", "forbid_within") and mine and others and mine != others:
                raise KnowledgeError(
                    f"{name} is said twice: {_plain(mine)!r} and {_plain(others)!r}.", hint="Put both into one list."
                )
            parts[name] = (mine or others) if name in ("tiers", "time", "forbid_within") else (*mine, *others)
        if {self.wave_names, other.wave_names} - {()}:
            parts["time"] = (self if self.wave_names else other)._named_waves
        return Knowledge(**parts)

    @property
    def _named_waves(self) -> dict[str, list[str]] | list[list[str]]:
        """The waves as they were said: with their names, if they have some."""
        listed = _plain(list(self.time))
        return dict(zip(self.wave_names, listed, strict=True)) if self.wave_names else listed

    def _repr_html_(self) -> str:
        said = {word: part.items() if isinstance(part, dict) else part for word, part in self.to_dict().items()}
        rows = [(word, ", ".join(map(_said, parts))) for word, parts in said.items()]
        return html_table("What is known" if rows else "Nothing is known", ("word", "said"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Give what is known as plain values: `Knowledge(**known.to_dict())` is the same."""
        said = {name: _plain(part) for name in _words() if (part := getattr(self, name))}
        return said | {"time": self._named_waves} if self.time else said

    @classmethod
    def from_text(cls, text: str, form: str | None = None) -> Knowledge:
        """Read knowledge: our TOML, what Tetrad saves, a graph of DAGitty, or a list of bnlearn.

        What the text holds tells the form, "toml", "tetrad" or "dagitty". Tables of two columns, from and to, must be
        named: "whitelist" for arrows that must be there, "blacklist" for those that must not.

        >>> Knowledge.from_text('outcome = ["death"]').forbids("death", "age")
        True
        """
        from paucal.graphs.formats.knowledge_files import parts_of_text

        return cls(**parts_of_text(checks.text("text", text), form))

    def to_text(self, form: str = "toml", *, nodes: Sequence[str] | None = None) -> str:
        """Write it in one of the forms of `from_text`; what a form has no word for is an error, or forbidden arrows.

        `nodes` are all columns: an outcome forbids arrows to each of them.

        >>> print(Knowledge(outcome=["death"]).to_text("blacklist", nodes=["age", "death"]), end="")
        from,to
        death,age
        """
        from paucal.graphs.formats.knowledge_files import text_of

        return text_of(self, form, nodes)

    @classmethod
    def read(cls, path: str | Path, form: str | None = None) -> Knowledge:
        """Read a file; see `from_text`."""
        named = checks.path("path", path)
        try:
            text = named.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:  # a name with NUL or half a character is a ValueError
            told = f"{short(str(path), 80)} cannot be read: {error}."
            raise FileError(told, hint="Give a TOML file in UTF-8.") from error
        try:
            return cls.from_text(text, form)
        except PaucalError as error:
            raise error.within(str(path)) from error

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are spoken of."""
        lists = [self.outcome, self.exogenous, self.randomised, *self.time, *self.same, *self.tiers]
        return tuple(dict.fromkeys(name for part in (*lists, *self.required, *self.forbidden) for name in part))

    def requires(self, a: str, b: str) -> bool:
        """Say whether a -> b must be there."""
        _refuse_other_than_names(a, b)
        return (a, b) in self._required

    def forbids(self, a: str, b: str) -> bool:
        """Say whether a -> b must not be there."""
        return self.why_forbidden(a, b) is not None

    def forbids_adjacency(self, a: str, b: str) -> bool:
        """Say whether a and b must not be joined at all, if nothing is hidden."""
        return self.forbids(a, b) and self.forbids(b, a)

    def keeps_apart(self, a: str, b: str) -> bool:
        """Say whether a and b must not be joined even where causes may be hidden."""
        _refuse_other_than_names(a, b)
        if a == b or {(a, b), (b, a)} <= self._forbidden or self._are_same(a, b) or self._within(a, b):
            return True
        return any(x in self.randomised and self.forbids(x, y) for x, y in ((a, b), (b, a)))

    def check(self, nodes: Iterable[str]) -> None:
        """Refuse names that are none of the nodes, with the nearest ones."""
        known = dict.fromkeys(checks.plain_names("nodes", nodes))
        for name in self.names:
            checks.known("node", name, known)

    def about(self, nodes: Iterable[str]) -> Knowledge:
        """Give what is known about some columns only."""
        kept = set(checks.plain_names("nodes", nodes))
        parts: dict[str, Any] = {name: [v for v in getattr(self, name) if v in kept] for name in _ONES}
        for name in ("time", "tiers"):
            parts[name] = [[v for v in part if v in kept] for part in getattr(self, name)]
        if self.wave_names:
            parts["time"] = dict(zip(self.wave_names, parts["time"], strict=True))
        parts["same"] = [g for part in self.same if len(g := [v for v in part if v in kept]) > 1]
        for name in ("required", "forbidden"):
            parts[name] = [arc for arc in getattr(self, name) if kept.issuperset(arc)]
        return Knowledge(**parts, forbid_within=self.forbid_within)

    def forbidden_matrix(self, nodes: Sequence[str]) -> NDArray[np.bool_]:
        """Give `F[i, j]`: whether nodes[i] -> nodes[j] is forbidden."""
        nodes = checks.plain_names("nodes", nodes)
        self.check(nodes)
        matrix = arc_matrix(nodes, self.forbidden) | arc_matrix(nodes, self.required).T
        matrix[_are_in(nodes, self.outcome), :] = True
        matrix[:, _are_in(nodes, (*self.exogenous, *self.randomised))] = True
        for places in (self._tier_of, self._wave_of):
            matrix |= _later(nodes, places)
        for places, chosen in ((self._tier_of, self.forbid_within), (self._group_of, None)):
            matrix |= _alike(nodes, places, chosen)
        np.fill_diagonal(matrix, val=True)
        return matrix

    def required_matrix(self, nodes: Sequence[str]) -> NDArray[np.bool_]:
        """Give `R[i, j]`: whether nodes[i] -> nodes[j] is required."""
        nodes = checks.plain_names("nodes", nodes)
        self.check(nodes)
        return arc_matrix(nodes, self.required)

    def apart_matrix(self, nodes: Sequence[str]) -> NDArray[np.bool_]:
        """Give `A[i, j]`: whether the two must not be joined even where causes may be hidden; see `keeps_apart`."""
        nodes = checks.plain_names("nodes", nodes)
        self.check(nodes)
        written = arc_matrix(nodes, self.forbidden)
        matrix: NDArray[np.bool_] = written & written.T
        for places, chosen in ((self._tier_of, self.forbid_within), (self._group_of, None)):
            matrix |= _alike(nodes, places, chosen)
        lonely = self.forbidden_matrix(nodes) & self.randomised_nodes(nodes)[:, None]
        matrix |= lonely | lonely.T
        np.fill_diagonal(matrix, val=True)
        return matrix

    def same_matrix(self, nodes: Sequence[str]) -> NDArray[np.bool_]:
        """Give `S[i, j]`: whether the two measure the same thing."""
        matrix = _alike(checks.plain_names("nodes", nodes), self._group_of, None)
        np.fill_diagonal(matrix, val=False)
        return matrix

    def randomised_nodes(self, nodes: Sequence[str]) -> NDArray[np.bool_]:
        """Say of each node whether it was randomised."""
        return _are_in(checks.plain_names("nodes", nodes), self.randomised)

    def why_forbidden(self, a: str, b: str) -> str | None:
        """Say why a -> b must not be there, or give None if it may."""
        _refuse_other_than_names(a, b)
        if (a, b) in self._forbidden:
            return f"{quoted(a)} -> {quoted(b)} is forbidden"
        if (b, a) in self._required:
            return f"{quoted(b)} -> {quoted(a)} is required"
        if a in self.outcome:
            return f"{quoted(a)} is an outcome, which causes nothing"
        if b in self.randomised:
            return f"{quoted(b)} is randomised, so that nothing causes it"
        if b in self.exogenous:
            return f"{quoted(b)} is exogenous, caused by nothing in the table"
        if self._are_same(a, b):
            return f"{quoted(a)} and {quoted(b)} measure the same thing"
        later = self.why_later(a, b)
        if later is not None:
            return later
        if self._within(a, b):
            return f"{quoted(a)} and {quoted(b)} are in a tier without edges"
        return None

    def why_later(self, a: str, b: str) -> str | None:
        """Say in which words a comes after b, or give None if nobody said that it does."""
        _refuse_other_than_names(a, b)
        if self._tier_of.get(a, -1) > self._tier_of.get(b, -1) >= 0:
            return f"{quoted(a)} is in a later tier than {quoted(b)}"
        if self._wave_of.get(a, -1) > self._wave_of.get(b, -1) >= 0:
            return f"{quoted(a)} is in a later wave{self._wave(a)} than {quoted(b)}{self._wave(b)}"
        return None

    def _wave(self, name: str) -> str:
        """Name the wave of a column, if it has a name."""
        return f" ({self.wave_names[self._wave_of[name]]})" if self.wave_names else ""

    def _are_same(self, a: str, b: str) -> bool:
        return a != b and self._group_of.get(a, -1) == self._group_of.get(b, -2)

    def _within(self, a: str, b: str) -> bool:
        tier = self._tier_of.get(a, -1)
        return tier >= 0 and tier == self._tier_of.get(b, -1) and tier in self.forbid_within


def _refuse_other_than_names(a: object, b: object) -> None:
    for word, name in (("a", a), ("b", b)):
        checks.instance(word, name, str, "the name of a column")


def _words() -> list[str]:
    return [one.name for one in fields(Knowledge) if one.init]


def _plain(part: Sequence[Any]) -> list[Any]:
    return [list(one) if isinstance(one, tuple) else one for one in part]


def _said(one: Any) -> str:
    if isinstance(one, tuple):  # a wave with a name
        return f"{one[0]}: {_said(one[1])}"
    return " ".join(map(str, one)) if isinstance(one, list) else str(one)


def _are_in(nodes: Sequence[str], names: Iterable[str]) -> NDArray[np.bool_]:
    chosen = set(names)
    return np.array([name in chosen for name in nodes], dtype=np.bool_)


def _later(nodes: Sequence[str], places: Mapping[str, int]) -> NDArray[np.bool_]:
    """`[i, j]`: nodes[i] has a later place than nodes[j]."""
    place = np.array([places.get(name, -1) for name in nodes], dtype=np.int64)
    later: NDArray[np.bool_] = (place[None, :] >= 0) & (place[:, None] > place[None, :])
    return later


def _alike(nodes: Sequence[str], places: Mapping[str, int], chosen: Sequence[int] | None) -> NDArray[np.bool_]:
    """`[i, j]`: the two have the same place, one of the chosen if some are."""
    place = np.array([places.get(name, -1) for name in nodes], dtype=np.int64)
    here = place >= 0 if chosen is None else np.isin(place, chosen)
    alike: NDArray[np.bool_] = here[:, None] & (place[:, None] == place[None, :])
    return alike


NO_KNOWLEDGE = Knowledge()
WORDS = (*_words(), "background")
