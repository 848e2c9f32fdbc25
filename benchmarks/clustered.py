"""How often the intervals of a trial hold the truth if there are several rows for a person.

    python benchmarks/clustered.py [--trials 1000] [--people 12 60 200] [--alike 0 0.5 1]

Trials without an effect, people with 2 to 5 rows each, intervals of 95 %. `assigned`: the treatment is
drawn for each person, for each row, or every person has it in every other row. `alike`: the correlation between rows of
one person, in the outcome (a normal number, or yes and no with the given share of yes). `held` is the share of
intervals that hold 0 if the table says who is who (`repeats=`), `plain` if it does not; `width` and `plain width` are
their mean widths.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from paucal import Dataset
from paucal.effects.groups import compare
from paucal.errors import ConstantColumnWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASSIGNED = ("person", "row", "in turn")
OUTCOMES = (None, 0.5, 0.1)  # a number, or the share of yes


def main() -> None:
    """Print a line for every kind of trial."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--people", type=int, nargs="+", default=[12, 60, 200])
    parser.add_argument("--alike", type=float, nargs="+", default=[0.0, 0.5, 1.0])
    asked = parser.parse_args()
    warnings.simplefilter("ignore", ConstantColumnWarning)  # nobody says yes
    print("| outcome | assigned | people | alike | held | plain | width | plain width |")
    print("|---|---|---|---|---|---|---|---|")
    for share, assigned, people, alike in product(OUTCOMES, ASSIGNED, asked.people, asked.alike):
        rng = np.random.default_rng(1)
        found = [
            one for _ in range(asked.trials) if (one := one_trial(rng, share, assigned, people, alike)) is not None
        ]
        held, plain, width, plain_width = np.mean(found, axis=0)
        what = "number" if share is None else f"{share:.0%} yes"
        line = f"{held:.3f} | {plain:.3f} | {width:.2f} | {plain_width:.2f}"
        print(f"| {what} | {assigned} | {people} | {alike} | {line} |", flush=True)


def one_trial(
    rng: np.random.Generator, share: float | None, assigned: str, people: int, alike: float
) -> tuple[float, ...] | None:
    """Say whether either interval holds 0, and how wide they are; None if one of them cannot be given."""
    times = rng.integers(2, 6, people)
    person = np.repeat(np.arange(people), times)
    arm = {
        "person": np.repeat(rng.permutation(np.arange(people) % 2), times),
        "row": rng.integers(0, 2, len(person)),
        "in turn": np.concatenate([np.arange(k) for k in times]) % 2,
    }[assigned]
    table = {"person": person, "arm": arm, "y": outcomes(rng, person, share, alike)}
    kinds = {"y": "number" if share is None else "levels"}
    found = []
    for repeats in ("person", None):
        data = Dataset.of(table, kinds=kinds | {"person": "name"}, repeats=repeats)
        first = compare(data, "arm", "y", level=0.95).compared
        if not first or first[0].low is None or first[0].high is None:
            return None
        found.append((float(first[0].low <= 0 <= first[0].high), first[0].high - first[0].low))
    (held, width), (plain, plain_width) = found
    return held, plain, width, plain_width


def outcomes(
    rng: np.random.Generator, person: NDArray[np.intp], share: float | None, alike: float
) -> NDArray[np.float64] | NDArray[np.str_]:
    """Draw outcomes, rows of one person alike."""
    people, n = int(person.max()) + 1, len(person)
    if share is None:
        return np.sqrt(alike) * rng.normal(size=people)[person] + np.sqrt(1 - alike) * rng.normal(size=n)
    if alike in (0.0, 1.0):
        own = np.full(people, share) if alike == 0.0 else (rng.random(people) < share).astype(float)
    else:
        own = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), people)
    return np.where(rng.random(n) < own[person], "yes", "no")


if __name__ == "__main__":
    main()
