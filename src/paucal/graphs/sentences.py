"""What was said as background knowledge, cleaned: names, waves, groups and arrows; and what contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal.errors import KnowledgeError, listing, short
from paucal.graphs.acyclic import find_cycle
from paucal.graphs.language import quoted, trail

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge

Arc: TypeAlias = tuple[str, str]
Lists: TypeAlias = tuple[tuple[str, ...], ...]

_WRITTEN = {
    "outcome": 'Write outcome=["death"].',
    "exogenous": 'Write exogenous=["age", "sex"].',
    "background": 'Write background=["age", "sex"].',
    "randomised": 'Write randomised=["rx"].',
    "time": 'Write time=[["age", "smoke"], ["cough"]].',
    "same": 'Write same=[("weight", "bmi")].',
    "tiers": 'Write tiers=[["age", "sex"], ["smoke"]].',
    "forbid_within": "Write forbid_within=[0].",
    "required": 'Write required=[("smoke", "cancer")].',
    "forbidden": 'Write forbidden=[("cancer", "smoke")].',
}


def listed(word: str, value: Any) -> list[Any]:
    """Give a list as one; a text would fall into its letters."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise KnowledgeError(f"{word}={short(value)} is not a list.", hint=_WRITTEN[word])
    try:
        return list(value)
    except TypeError:  # an array without length calls itself iterable
        raise KnowledgeError(f"{word}={short(value)} is not a list.", hint=_WRITTEN[word]) from None


def tier_numbers(value: Any) -> tuple[int, ...]:
    """Give the numbers of tiers, each once."""
    found = listed("forbid_within", value)
    for number in found:
        if not isinstance(number, int) or isinstance(number, bool):
            raise KnowledgeError(
                f"forbid_within has {short(number)}, which is not the number of a tier.", hint=_WRITTEN["forbid_within"]
            )
    return tuple(sorted(set(found)))


def names_in(word: str, value: Any) -> list[str]:
    """Give a list of names."""
    names = listed(word, value)
    for name in names:
        if not isinstance(name, str):
            raise KnowledgeError(f"{word} has {short(name)}, which is not a name.", hint=_WRITTEN[word])
    return names


def waves(word: str, value: Any) -> Lists:
    """Give lists of names, the earliest first; a mapping names them."""
    if isinstance(value, Mapping):
        value = list(value.values())
    return tuple(tuple(names_in(word, part)) for part in listed(word, value))


def names_of_waves(value: Any) -> tuple[str, ...]:
    """Give the names of waves, if they have some, each another one."""
    names = tuple(map(str, value)) if isinstance(value, Mapping) else ()
    if len(set(names)) < len(names):
        raise KnowledgeError(f"Two waves have one name: {listing(map(repr, names))}.", hint="Name them differently.")
    return names


def groups(value: Any) -> Lists:
    """Give groups of two and more names."""
    found = waves("same", value)
    for group in found:
        if len(set(group)) < 2:
            raise KnowledgeError(f"same has {list(group)!r}, which is not a pair of columns.", hint="Name two columns.")
    return found


def arcs(word: str, value: Any) -> tuple[Arc, ...]:
    """Give arrows, each once."""
    found: dict[Arc, None] = {}
    for one in listed(word, value):
        names = names_in(word, one)
        if len(names) != 2:
            raise KnowledgeError(f"{word} has {short(one)}, which is not an arrow.", hint=_WRITTEN[word])
        found[names[0], names[1]] = None
    return tuple(found)


def numbers(what: str, lists: Sequence[Sequence[str]], called: Sequence[str] = ()) -> dict[str, int]:
    """Give the place of every name; one that stands twice is an error. `called` are names of the waves."""
    first = 0 if what == "tier" else 1  # tiers have numbers, which `forbid_within` uses; waves are counted
    names_of = list(map(repr, called)) or [str(first + number) for number in range(len(lists))]
    place: dict[str, int] = {}
    for number, names in enumerate(lists):
        for name in names:
            if place.get(name) == number:
                raise KnowledgeError(f"{name!r} stands twice in {what} {names_of[number]}.", hint="Keep one.")
            if name in place:
                raise KnowledgeError(
                    f"{name!r} is in the {what}s {names_of[place[name]]} and {names_of[number]}.", hint="Keep one."
                )
            place[name] = number
    return place


def groups_by_name(lists: Sequence[Sequence[str]]) -> dict[str, int]:
    """Number the groups; two that share a name are one, as the same thing is measured by all of them."""
    group_of: dict[str, int] = {}
    for number, names in enumerate(lists):
        touched = {group_of[name] for name in names if name in group_of}
        group_of |= {name: number for name, group in group_of.items() if group in touched}
        group_of |= dict.fromkeys(names, number)
    return group_of


def arc_matrix(nodes: Sequence[str], arrows: Iterable[Arc]) -> NDArray[np.bool_]:
    """Give `M[i, j]`: whether nodes[i] -> nodes[j] is among the arrows."""
    index = {name: i for i, name in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
    for a, b in arrows:
        matrix[index[a], index[b]] = True
    return matrix


def refuse_contradictions(known: Knowledge) -> None:
    """Refuse sentences that cannot both be true, and name both."""
    for number in known.forbid_within:
        if not 0 <= number < len(known.tiers):
            raise KnowledgeError(
                f"forbid_within names tier {number}, there are {len(known.tiers)}.", hint="Tiers are numbered from 0."
            )
    for a, b in (*known.required, *known.forbidden):
        if a == b:
            raise KnowledgeError(f"The arc {quoted(a)} -> {quoted(b)} joins a node to itself.", hint="Drop it.")
    _refuse_lonely(known)
    _refuse_two_orders(known)
    nodes = list(dict.fromkeys(name for arc in known.required for name in arc))
    cycle = find_cycle(arc_matrix(nodes, known.required))
    if cycle is not None:
        raise KnowledgeError(f"The required arcs form the cycle {trail(nodes, cycle)}.", hint="Drop one of them.")
    for a, b in known.required:
        reason = known.why_forbidden(a, b)
        if reason is not None:
            raise KnowledgeError(f"{quoted(a)} -> {quoted(b)} is required, but {reason}.", hint="Drop one of the two.")
    _refuse_ways_back(known)


def _refuse_ways_back(known: Knowledge) -> None:
    """Required arrows must not lead from a later wave to an earlier one, through columns of no wave."""
    effects: dict[str, list[str]] = {}
    for a, b in known.required:
        effects.setdefault(a, []).append(b)
    for start in effects:
        ways = {start: quoted(start)}
        waiting = [start]
        while waiting:
            here = waiting.pop()
            for there in effects.get(here, ()):
                if there in ways:
                    continue
                ways[there] = f"{ways[here]} -> {quoted(there)}"
                waiting.append(there)
                reason = known.why_later(start, there)
                if reason is not None:
                    raise KnowledgeError(f"{ways[there]} is required, but {reason}.", hint="Drop one of the two.")


def _refuse_lonely(known: Knowledge) -> None:
    """An outcome that nothing causes would be joined to nothing: one of the two words is a mistake."""
    for name in known.outcome:
        for word, says in (("exogenous", "caused by nothing in the table"), ("randomised", "caused by nothing")):
            if name in getattr(known, word):
                raise KnowledgeError(
                    f"{quoted(name)} is an outcome, which causes nothing, but {quoted(name)} is {word}, {says}: "
                    "it would be joined to nothing.",
                    hint="Drop one of the two, or leave out the column.",
                )


def _refuse_two_orders(known: Knowledge) -> None:
    """Tiers and waves must not order two columns differently."""
    tier, wave = numbers("tier", known.tiers), numbers("wave", list(known.time))
    both = sorted((name for name in tier if name in wave), key=tier.__getitem__)
    for i, a in enumerate(both):
        for b in both[i + 1 :]:
            if tier[a] < tier[b] and wave[a] > wave[b]:
                raise KnowledgeError(
                    f"{quoted(a)} is in an earlier tier than {quoted(b)}, but {quoted(a)} is in a later wave than "
                    f"{quoted(b)}.",
                    hint="Keep one of the two orders.",
                )
