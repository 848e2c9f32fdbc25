"""Background knowledge: tiers in time, arcs that must be there, arcs that must not.

As TOML, where every part may be left out:

    tiers = [["age", "sex"], ["smoke"], ["cancer"]]   # nothing points from a later tier to an earlier one
    required = ["smoke -> cancer"]
    forbidden = ["sex -> cancer"]

    [[tiers]]                                         # the long form of a tier
    nodes = ["age", "sex"]
    forbid_within = true                              # and no edges among its members
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal.errors import FileError, GraphError, KnowledgeError, unknown_name
from paucal.graphs.acyclic import find_cycle
from paucal.graphs.building import edges_from_text
from paucal.graphs.equivalence import new_collider
from paucal.graphs.marks import quoted
from paucal.graphs.rules.meek import close

if TYPE_CHECKING:
    from numpy.typing import NDArray

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Arc: TypeAlias = tuple[str, str]


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
        tiers = tuple(tuple(tier) for tier in self.tiers)
        forbid_within = tuple(sorted(set(self.forbid_within)))
        required = tuple(dict.fromkeys((str(a), str(b)) for a, b in self.required))
        forbidden = tuple(dict.fromkeys((str(a), str(b)) for a, b in self.forbidden))
        for name, value in (
            ("tiers", tiers),
            ("forbid_within", forbid_within),
            ("required", required),
            ("forbidden", forbidden),
            ("_tier_of", _tier_numbers(tiers, forbid_within)),
            ("_required", frozenset(required)),
            ("_forbidden", frozenset(forbidden)),
        ):
            object.__setattr__(self, name, value)  # the way of a frozen dataclass to clean its own input
        _refuse_contradictions(self)

    def __bool__(self) -> bool:
        return bool(self.tiers or self.required or self.forbidden)

    # ---------------------------------------------------------------------------------------------- reading

    @classmethod
    def from_toml(cls, text: str) -> Knowledge:
        """Read knowledge written as TOML.

        >>> Knowledge.from_toml('tiers = [["a"], ["b"]]').forbids("b", "a")
        True
        """
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise KnowledgeError(
                f"This is not TOML: {error}.", hint="Names and arcs stand in quotes."
            ) from error
        return cls(**_parts_of_toml(content))

    @classmethod
    def read(cls, path: str | Path) -> Knowledge:
        """Read a TOML file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(
                f"{str(path)!r} cannot be read: {error}.", hint="Give a TOML file in UTF-8."
            ) from error
        try:
            return cls.from_toml(text)
        except PaucalError as error:
            raise error.within(str(path)) from error

    # -------------------------------------------------------------------------------------------- questions

    def requires(self, a: str, b: str) -> bool:
        """Say whether a -> b must be there."""
        return (a, b) in self._required

    def forbids(self, a: str, b: str) -> bool:
        """Say whether a -> b must not be there: forbidden, against the tiers, or b -> a is required."""
        return self._why_forbidden(a, b) is not None

    def forbids_adjacency(self, a: str, b: str) -> bool:
        """Say whether a and b must not be joined at all."""
        return self.forbids(a, b) and self.forbids(b, a)

    def check(self, nodes: Iterable[str]) -> None:
        """Refuse names that are none of the nodes, with the nearest ones."""
        known = list(nodes)
        here = set(known)
        named = [*self._tier_of, *(name for arc in (*self.required, *self.forbidden) for name in arc)]
        for name in named:
            if name not in here:
                raise unknown_name("node", name, known)

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

    # -------------------------------------------------------------------------------------------- orienting

    def orient(self, pdag: NDArray[Any], nodes: Sequence[str], *, strict: bool = True) -> NDArray[np.int8]:
        """Orient the edges of a PDAG matrix that knowledge decides, and all that follows (Meek's R1 to R4).

        Parameters
        ----------
        pdag
            `P[i, j] = 1, P[j, i] = 0` is i -> j, both 1 is i -- j. It is not changed.
        nodes
            The names of its rows.
        strict
            With True a graph that contradicts knowledge is an error that names the edge: an arrow against
            it, a required edge missing, a forbidden one present, a cycle or a new v-structure. With False
            knowledge wins: such arrows are turned, such edges added or removed, and no rule may close a
            cycle.

        Examples
        --------
        >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        >>> Knowledge(required=[("a", "b")]).orient(path, ["a", "b", "c"]).tolist()
        [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
        """
        before = (np.asarray(pdag) != 0).astype(np.int8)
        required = self.required_matrix(nodes)
        forbidden = self.forbidden_matrix(nodes)
        if strict:
            self._refuse_conflict(before, required, forbidden, nodes)
        now = before.copy()
        now[required] = 1
        joined = (now | now.T) != 0
        now[joined & ~forbidden & forbidden.T] = 1
        now[forbidden] = 0
        if not strict:
            return close(now, on_cycle="skip")
        try:
            closed = close(now, names=tuple(nodes))
        except GraphError as error:
            raise KnowledgeError(
                f"Knowledge and graph do not fit: {error.message}", hint=error.hint
            ) from error
        collider = new_collider(before, closed)
        if collider is not None:
            a, c, b = (quoted(nodes[i]) for i in collider)
            raise KnowledgeError(
                f"Knowledge makes the new v-structure {a} -> {c} <- {b}, which the graph excludes.",
                hint="Drop the tier or the arc that turns one of these edges, or use strict=False.",
            )
        return closed

    def _refuse_conflict(
        self,
        pdag: NDArray[np.int8],
        required: NDArray[np.bool_],
        forbidden: NDArray[np.bool_],
        nodes: Sequence[str],
    ) -> None:
        joined = (pdag | pdag.T) != 0
        arrow = (pdag != 0) & (pdag.T == 0)
        for wrong, what in (
            (required & ~joined, "{0} -> {1} is required, but the graph has no edge there"),
            (joined & np.triu(forbidden & forbidden.T), "{0} and {1} are joined, but {2}"),
            (arrow & forbidden, "the graph has {0} -> {1}, but {2}"),
        ):
            pairs = np.argwhere(wrong).tolist()
            if pairs:
                a, b = (nodes[i] for i in pairs[0])
                message = what.format(quoted(a), quoted(b), self._why_forbidden(a, b))
                raise KnowledgeError(
                    f"Knowledge and graph do not fit: {message}.",
                    hint="Correct the knowledge, or use strict=False.",
                )

    def _why_forbidden(self, a: str, b: str) -> str | None:
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


def _tier_numbers(tiers: Sequence[Sequence[str]], forbid_within: Sequence[int]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for number, tier in enumerate(tiers):
        for name in tier:
            if not isinstance(name, str):
                raise KnowledgeError(
                    f"{name!r} in tier {number} is not a name.", hint="Tiers are lists of strings."
                )
            if name in numbers:
                raise KnowledgeError(
                    f"{name!r} stands in the tiers {numbers[name]} and {number}.", hint="Keep one."
                )
            numbers[name] = number
    for number in forbid_within:
        if not 0 <= number < len(tiers):
            raise KnowledgeError(
                f"forbid_within names tier {number}, there are {len(tiers)}.",
                hint="Tiers are numbered from 0.",
            )
    return numbers


def _refuse_contradictions(known: Knowledge) -> None:
    for a, b in (*known.required, *known.forbidden):
        if a == b:
            raise KnowledgeError(
                f"The arc {quoted(a)} -> {quoted(b)} joins a node to itself.", hint="Drop it."
            )
    nodes = list(dict.fromkeys(name for arc in known.required for name in arc))
    cycle = find_cycle(_arc_matrix(nodes, known.required))
    if cycle is not None:
        trail = " -> ".join(quoted(nodes[i]) for i in (*cycle, cycle[0]))
        raise KnowledgeError(f"The required arcs form the cycle {trail}.", hint="Drop one of them.")
    for a, b in known.required:
        reason = known._why_forbidden(a, b)  # noqa: SLF001 - part of the class, kept out of it for reading
        if reason is not None:
            raise KnowledgeError(
                f"{quoted(a)} -> {quoted(b)} is required, but {reason}.", hint="Drop one of the two."
            )


def _arc_matrix(nodes: Sequence[str], arcs: Sequence[Arc]) -> NDArray[np.bool_]:
    index = {name: i for i, name in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
    for a, b in arcs:
        matrix[index[a], index[b]] = True
    return matrix


# ----------------------------------------------------------------------------------------------------- TOML

_KEYS = ("tiers", "forbid_within", "required", "forbidden")


def _parts_of_toml(content: Mapping[str, Any]) -> dict[str, Any]:
    for key in content:
        if key not in _KEYS:
            raise unknown_name("part of knowledge", key, _KEYS)
    parts: dict[str, Any] = {"tiers": [], "forbid_within": list(content.get("forbid_within", ()))}
    for number, tier in enumerate(_list(content, "tiers")):
        if isinstance(tier, Mapping):
            for key in tier:
                if key not in ("nodes", "forbid_within"):
                    raise unknown_name("part of a tier", key, ("nodes", "forbid_within"))
            parts["tiers"].append(_list(tier, "nodes"))
            parts["forbid_within"] += [number] if tier.get("forbid_within") else []
        else:
            parts["tiers"].append(_list({"a tier": tier}, "a tier"))
    for key in ("required", "forbidden"):
        parts[key] = [_arc(value) for value in _list(content, key)]
    return parts


def _list(content: Mapping[str, Any], key: str) -> list[Any]:
    value = content.get(key, [])
    if not isinstance(value, list):
        raise KnowledgeError(f"{key} is {value!r}.", hint='A list is needed, such as ["age", "sex"].')
    return value


def _arc(value: object) -> Arc:
    if isinstance(value, str):
        edges = edges_from_text(value)[1]
        if len(edges) == 1 and edges[0][1].lstrip("-") == ">":
            return edges[0][0], edges[0][2]
    elif isinstance(value, list) and len(value) == 2 and all(isinstance(name, str) for name in value):
        return value[0], value[1]
    raise KnowledgeError(f"{value!r} is not an arc.", hint='Write "cause -> effect" or ["cause", "effect"].')


NO_KNOWLEDGE = Knowledge()
