"""The IAMB family: a Markov blanket grown and shrunk as a whole.

* `iamb`        grow by the strongest column that is dependent given the blanket so far, then shrink
                (Tsamardinos, Aliferis and Statnikov 2003)
* `inter-iamb`  shrink after every step of growth
* `fast-iamb`   grow by all dependent columns at once, strongest first, as far as the data carry the larger
                tables, then shrink; repeat (Yaramakala and Margaritis 2005)

Every test conditions on the whole blanket, which takes many samples. Afterwards the blanket is told apart: a member is
a spouse if some subset of the others separates it from the target, and a parent or child if none does. (A member that
is no neighbour is separated by those neighbours of the target, in the moral graph of their ancestors, that
are in the blanket.)
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from paucal.search.local.neighbourhood import Candidates, Found, by_association, separator_among, whole_blanket

if TYPE_CHECKING:
    from paucal.independence.protocol import CITest
    from paucal.search.run import SearchRun

Growth = Literal["iamb", "inter-iamb", "fast-iamb"]
_SAMPLES_PER_CELL = 5  # below it, fast-iamb takes no further column in the same round


def iamb(run: SearchRun, target: int, *, max_order: int | None = 3) -> Found:
    """Find the blanket of a target; the name of the search says how it grows.

    `max_order` limits the subsets that tell neighbours from spouses.
    """
    blanket = iamb_blanket(run, target, cast("Growth", run.recipe.search))
    return whole_blanket(run.limits, target, tell_apart(run, target, blanket, max_order), blanket)


def iamb_pc(run: SearchRun, target: int, max_order: int | None, *, growth: Growth = "iamb") -> Candidates:
    """Give the parents and children of a column."""
    return tell_apart(run, target, iamb_blanket(run, target, growth), max_order)


def iamb_blanket(run: SearchRun, target: int, growth: Growth) -> list[int]:
    """Give the Markov blanket of a column, ascending."""
    test, limits = run.test, run.limits
    required = np.flatnonzero(limits.fixed[target]).tolist()
    blanket: list[int] = list(required)
    met = {frozenset(blanket)}
    while True:
        ranked, _ = by_association(test, target, limits.may_meet[target], given=tuple(blanket))
        if run.spent:
            return sorted(blanket)
        blanket = [*blanket, *_entrants(test, target, ranked, blanket, growth)]
        if ranked and growth != "iamb":
            blanket = shrunk(test, target, blanket, required)
        # tests on data may turn in circles: what one step adds, the next takes away
        if not ranked or frozenset(blanket) in met:
            return sorted(shrunk(test, target, blanket, required))
        met.add(frozenset(blanket))


def tell_apart(run: SearchRun, target: int, blanket: list[int], max_order: int | None) -> Candidates:
    """Give the parents and children in a blanket, and what separates every other column from the target."""
    test, limits = run.test, run.limits
    rest = (v for v in np.flatnonzero(limits.may_meet[target]).tolist() if v not in blanket)
    separators = dict.fromkeys(rest, tuple(blanket))
    kept = []
    for member in blanket:
        if limits.fixed[target, member]:
            kept.append(member)
            continue
        others = [v for v in blanket if v != member]
        alone = test.ask(target, member).independent
        given = () if alone else separator_among(test, target, member, others, max_order)
        if given is None and limits.joinable[target, member]:
            kept.append(member)
        elif given is not None:
            separators[member] = given
    return Candidates(tuple(kept), separators)


def _entrants(test: CITest, target: int, ranked: list[int], blanket: list[int], growth: Growth) -> list[int]:
    entrants = ranked[:1]
    for v in ranked[1:] if growth == "fast-iamb" else ():
        levels = test.cardinalities
        cells = 0 if levels is None else prod(levels[u] for u in (target, v, *blanket, *entrants))
        if (test.n_samples or 0) < _SAMPLES_PER_CELL * cells:
            break
        entrants.append(v)
    return entrants


def shrunk(test: CITest, target: int, blanket: list[int], required: list[int]) -> list[int]:
    """Take away, one after the other, the members that the others make superfluous; latecomers first."""
    kept = list(blanket)
    for member in (v for v in reversed(blanket) if v not in required):
        others = tuple(v for v in kept if v != member)
        if test.ask(target, member, others).independent:
            kept.remove(member)
    return kept
