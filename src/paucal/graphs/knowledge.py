"""Background knowledge: tiers in time, arcs that must be there, arcs that must not.

Files of knowledge are read by `formats/knowledge_toml.py`; what knowledge does to a graph is in `rules/background.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal import checks
from paucal.errors import FileError, KnowledgeError, PaucalError
from paucal.graphs.acyclic import find_cycle
from paucal.graphs.language import quoted, trail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Arc: TypeAlias = tuple[str, str]
_WRITTEN = {
    "tiers": 'Write tiers=[["age", "sex"], ["smoke"]].',
    "required": 'Write required=[("smoke", "cancer")].',
    "forbidden": 'Write forbidden=[("cancer", "smoke")].',
}


@dataclass(frozen=True)
class Knowledge:
    """What is known about the arrows before the data are seen.

    Parameters
    ----------
    tiers
        Lists of names, the earliest first: no arrow points from a later tier to an earlier one. Nodes that
        no tier names are free.
    forbid_within
        The numbers (from 0) of the tiers whose members must not be joined to each other.
    required, forbidden
        Arcs as `(parent, child)`.

    Notes
    -----
    Knowledge that contradicts itself is refused with a KnowledgeError that names the arcs.

    Examples
    --------
    >>> known = Knowledge(tiers=[["age"], ["smoke", "cancer"]], required=[("smoke", "cancer")])
    >>> known.forbids("smoke", "age"), known.forbids("cancer", "smoke"), known.forbids("age", "cancer")
    (True, True, False)
    """

    tiers: Sequence[Sequence[str]] = ()
    forbid_within: Sequence[int] = ()
    required: Sequence[Arc] = ()
    forbidden: Sequence[Arc] = ()
    _tier_of: dict[str, int] = field(init=False, repr=False, compare=False)
    _required: frozenset[Arc] = field(init=False, repr=False, compare=False)
    _forbidden: frozenset[Arc] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)  # the way of a frozen dataclass to clean its own input

        put("tiers", tuple(tuple(_listed("tiers", tier)) for tier in _listed("tiers", self.tiers)))
        put("forbid_within", tuple(sorted(set(self.forbid_within))))
        put("_tier_of", _tier_numbers(self.tiers, self.forbid_within))
        for name in ("required", "forbidden"):
            arcs = tuple(dict.fromkeys(_arc(name, arc) for arc in _listed(name, getattr(self, name))))
            put(name, arcs)
            put(f"_{name}", frozenset(arcs))
        _refuse_contradictions(self)

    def __bool__(self) -> bool:
        return bool(self.tiers or self.required or self.forbidden)

    def to_dict(self) -> dict[str, Any]:
        """Give what is known as plain values: `Knowledge(**known.to_dict())` is the same."""
        parts = {
            "tiers": [list(tier) for tier in self.tiers],
            "forbid_within": list(self.forbid_within),
            "required": [list(arc) for arc in self.required],
            "forbidden": [list(arc) for arc in self.forbidden],
        }
        return {name: part for name, part in parts.items() if part}

    @classmethod
    def from_toml(cls, text: str) -> Knowledge:
        """Read knowledge written as TOML.

        >>> Knowledge.from_toml('tiers = [["a"], ["b"]]').forbids("b", "a")
        True
        """
        from paucal.graphs.formats.knowledge_toml import parts_of_toml

        return cls(**parts_of_toml(text))

    @classmethod
    def read(cls, path: str | Path) -> Knowledge:
        """Read a TOML file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{str(path)!r} cannot be read: {error}.", hint="Give a TOML file in UTF-8.") from error
        try:
            return cls.from_toml(text)
        except PaucalError as error:
            raise error.within(str(path)) from error

    def requires(self, a: str, b: str) -> bool:
        """Say whether a -> b must be there."""
        return (a, b) in self._required

    def forbids(self, a: str, b: str) -> bool:
        """Say whether a -> b must not be there: forbidden, against the tiers, or b -> a is required."""
        return self.why_forbidden(a, b) is not None

    def forbids_adjacency(self, a: str, b: str) -> bool:
        """Say whether a and b must not be joined at all."""
        return self.forbids(a, b) and self.forbids(b, a)

    def check(self, nodes: Iterable[str]) -> None:
        """Refuse names that are none of the nodes, with the nearest ones."""
        known = dict.fromkeys(nodes)
        for name in [*self._tier_of, *(name for arc in (*self.required, *self.forbidden) for name in arc)]:
            checks.known("node", name, known)

    def forbidden_matrix(self, nodes: Sequence[str]) -> NDArray[np.bool_]:
        """Give `F[i, j]`: whether nodes[i] -> nodes[j] is forbidden."""
        self.check(nodes)
        tier = np.array([self._tier_of.get(name, -1) for name in nodes])
        placed = (tier[:, None] >= 0) & (tier[None, :] >= 0)
        matrix: NDArray[np.bool_] = placed & (tier[:, None] > tier[None, :])
        matrix |= placed & (tier[:, None] == tier[None, :]) & np.isin(tier, self.forbid_within)[:, None]
        matrix |= _arc_matrix(nodes, self.forbidden) | _arc_matrix(nodes, self.required).T
        np.fill_diagonal(matrix, val=True)
        return matrix

    def required_matrix(self, nodes: Sequence[str]) -> NDArray[np.bool_]:
        """Give `R[i, j]`: whether nodes[i] -> nodes[j] is required."""
        self.check(nodes)
        return _arc_matrix(nodes, self.required)

    def why_forbidden(self, a: str, b: str) -> str | None:
        """Say why a -> b must not be there, or give None if it may."""
        if (a, b) in self._forbidden:
            return f"{quoted(a)} -> {quoted(b)} is forbidden"
        if (b, a) in self._required:
            return f"{quoted(b)} -> {quoted(a)} is required"
        first, second = self._tier_of.get(a, -1), self._tier_of.get(b, -1)
        if first > second >= 0:
            return f"{quoted(a)} is in a later tier than {quoted(b)}"
        if first == second >= 0 and first in self.forbid_within:
            return f"{quoted(a)} and {quoted(b)} are in a tier without edges"
        return None


def _listed(part: str, value: Any) -> list[Any]:
    """Give a list of tiers or arcs as one; a text would fall into its letters."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise KnowledgeError(f"{part}={value!r} is no list.", hint=_WRITTEN[part])
    return list(value)


def _arc(part: str, value: Any) -> Arc:
    names = _listed(part, value)
    if len(names) != 2:
        raise KnowledgeError(f"{part} has {value!r}, which is no arrow.", hint=_WRITTEN[part])
    return str(names[0]), str(names[1])


def _tier_numbers(tiers: Sequence[Sequence[str]], forbid_within: Sequence[int]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for number, tier in enumerate(tiers):
        for name in tier:
            if not isinstance(name, str):
                raise KnowledgeError(f"{name!r} in tier {number} is not a name.", hint="Tiers are lists of strings.")
            if name in numbers:
                raise KnowledgeError(f"{name!r} stands in the tiers {numbers[name]} and {number}.", hint="Keep one.")
            numbers[name] = number
    for number in forbid_within:
        if not 0 <= number < len(tiers):
            raise KnowledgeError(
                f"forbid_within names tier {number}, there are {len(tiers)}.", hint="Tiers are numbered from 0."
            )
    return numbers


def _refuse_contradictions(known: Knowledge) -> None:
    for a, b in (*known.required, *known.forbidden):
        if a == b:
            raise KnowledgeError(f"The arc {quoted(a)} -> {quoted(b)} joins a node to itself.", hint="Drop it.")
    nodes = list(dict.fromkeys(name for arc in known.required for name in arc))
    cycle = find_cycle(_arc_matrix(nodes, known.required))
    if cycle is not None:
        raise KnowledgeError(f"The required arcs form the cycle {trail(nodes, cycle)}.", hint="Drop one of them.")
    for a, b in known.required:
        reason = known.why_forbidden(a, b)
        if reason is not None:
            raise KnowledgeError(f"{quoted(a)} -> {quoted(b)} is required, but {reason}.", hint="Drop one of the two.")


def _arc_matrix(nodes: Sequence[str], arcs: Sequence[Arc]) -> NDArray[np.bool_]:
    index = {name: i for i, name in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
    for a, b in arcs:
        matrix[index[a], index[b]] = True
    return matrix


NO_KNOWLEDGE = Knowledge()
