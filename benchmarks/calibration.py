"""Type-1 error and power of the classical tests and those of the paper, 2 x 2 to 5 x 5 tables, 20 to 1000 samples.

    python benchmarks/calibration.py [--repetitions 1000] [--out docs]

writes calibration.csv, calibration.md and calibration.svg. Tests are given 0 to 2 columns. In every stratum of these
(three levels each, with probabilities from a uniform Dirichlet distribution) the two variables have probabilities drawn
from uniform Dirichlet distributions: of each variable on its own, so that they are independent (type-1 error), or of
all pairs of levels (power). Nothing is tuned afterwards: each test decides as it does by default, or as the named
variant does.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import numpy as np

import paucal
from paucal.data import Dataset
from paucal.independence.registry import make_test

TESTS = {
    "g": ("g", {}),
    "g full df": ("g", {"df": "full"}),
    "chi2": ("chi2", {}),
    "bf": ("bf", {}),
    "bf-chi2": ("bf-chi2", {}),
    "bf-chi2 literal": ("bf-chi2", {"tables": "literal"}),
    "mi": ("mi", {}),
    "mi-eb": ("mi-eb", {}),
    "mi-eb spec": ("mi-eb", {"threshold": "spec"}),
    "mi-eb joint spec": ("mi-eb", {"conditional": "joint", "threshold": "spec"}),
    "mi-fixed": ("mi-fixed", {}),
    "mi-adaptive": ("mi-adaptive", {}),
    "mi-full": ("mi-full", {}),
}
LEVELS, ORDERS, SIZES, Z_LEVELS = (2, 3, 4, 5), (0, 1, 2), (20, 50, 100, 200, 500, 1000), 3
GIVEN = ("given nothing", "given one column", "given two columns")
EVENNESS = (0.3, 10)
ALPHA = 0.05
NO_LEVEL = ("bf", "mi-eb spec", "mi-eb joint spec", "mi-adaptive")  # they compare with a threshold of their own
DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--out", type=Path, default=DOCS)
    options = parser.parse_args()
    start, rows = time.perf_counter(), []
    for order in ORDERS:
        for k in LEVELS:
            for n in SIZES:
                for kind in ("type1", "power"):
                    rng = np.random.default_rng([options.seed, order, k, n, kind == "power"])
                    data = draw(rng, k, order, n, options.repetitions, dependent=kind == "power")
                    shares = {name: rejected(data, order, name) for name in TESTS}
                    rows.append({"given": order, "levels": k, "n": n, "kind": kind, **shares})
            print(f"{order} conditioning columns, {k} x {k}: {time.perf_counter() - start:.0f} s", flush=True)
    margins = other_margins(options.seed, options.repetitions // 4)
    with (options.out / "calibration.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (options.out / "calibration.md").write_text(page(rows, margins, options.repetitions), encoding="utf-8")
    figure(rows, options.out / "calibration.svg")


def draw(rng, k: int, order: int, n: int, repetitions: int, *, dependent: bool, evenness: float = 1) -> Dataset:
    """Columns x, y and the conditioning columns of every repetition, one after the other."""
    strata = Z_LEVELS**order
    shape = (repetitions, strata)
    weight = rng.dirichlet(np.ones(strata), repetitions)[:, :, None, None]
    if dependent:
        p = rng.dirichlet(np.ones(k * k), shape).reshape(*shape, k, k)
    else:
        x, y = (rng.dirichlet(np.full(k, evenness), shape) for _ in range(2))
        p = x[..., :, None] * y[..., None, :]
    p = (weight * p).reshape(repetitions, -1)
    columns = []
    for table in rng.multinomial(n, p / p.sum(axis=1, keepdims=True)):
        stratum, x, y = np.unravel_index(np.repeat(np.arange(strata * k * k), table), (strata, k, k))
        columns += [x, y, *(stratum // Z_LEVELS**i % Z_LEVELS for i in range(order))]
    levels = [range(k), range(k), *[range(Z_LEVELS)] * order] * repetitions
    return Dataset.from_codes(columns, [str(i) for i in range(len(columns))], levels)


def rejected(data: Dataset, order: int, name: str) -> float:
    method, parameters = TESTS[name]
    level = {} if name in NO_LEVEL else {"alpha": ALPHA}
    first = np.arange(0, data.n_columns, order + 2)
    given = first[:, None] + 2 + np.arange(order)
    answers = make_test(data, method, **level, **parameters).ask_many(first, first + 1, given)
    return round(float((answers.decision != 0).mean()), 4)


def other_margins(seed: int, repetitions: int) -> dict[str, list[float]]:
    """Largest type-1 errors where the levels are less or more equally frequent than in the rest of the study."""
    errors = {name: [] for name in TESTS}
    for evenness in EVENNESS:
        for order in ORDERS:
            shares = {name: [] for name in TESTS}
            for k in (2, 3, 5):
                for n in (50, 200, 1000):
                    rng = np.random.default_rng([seed, order, k, n, int(10 * evenness)])
                    data = draw(rng, k, order, n, repetitions, dependent=False, evenness=evenness)
                    for name in TESTS:
                        shares[name].append(rejected(data, order, name))
            for name in TESTS:
                errors[name].append(max(shares[name]))
    return errors


# -- what it shows -----------------------------------------------------------------------------------------------


def page(rows: list[dict[str, object]], margins: dict[str, list[float]], repetitions: int) -> str:
    lines = [
        "# Type-1 error and power of the classical tests and those of the paper",
        "",
        f'How often a test said "dependent" in {repetitions} repetitions, at level 0.05 where a test has one',
        f"(standard error at 0.05: {(0.05 * 0.95 / repetitions) ** 0.5:.3f}). Made by",
        f"`python benchmarks/calibration.py --repetitions {repetitions}`",
        f"with paucal {paucal.__version__}; all numbers are in",
        "[calibration.csv](calibration.csv). Conditioning columns have three levels. Under independence, the",
        "probabilities of each variable are drawn in every stratum from a uniform Dirichlet distribution; under",
        "dependence, those of all pairs of levels are. [The tests](tests.md) are described on their own page.",
        "",
        "![Type-1 error and power against the number of samples](calibration.svg)",
        "",
        "## Over all tables",
        "",
        "Largest type-1 error and mean power over 2 x 2 to 5 x 5 tables and all sizes:",
        "",
        "| test | " + " | ".join(f"type 1 {GIVEN[o]} | power {GIVEN[o]}" for o in ORDERS) + " |",
        "|---|" + "---|" * (2 * len(ORDERS)),
    ]
    for name in TESTS:
        cells = []
        for order in ORDERS:
            errors, powers = (
                [r[name] for r in rows if r["given"] == order and r["kind"] == kind] for kind in ("type1", "power")
            )
            cells += [f"{max(errors):.3f}", f"{np.mean(powers):.2f}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "## Other margins",
        "",
        "Largest type-1 error over 2 x 2, 3 x 3 and 5 x 5 tables with 50, 200 and 1000 samples when the probabilities",
        "of both variables come from Dirichlet distributions with parameter 0.3 (few levels hold almost all) or 10",
        f"(all levels about equally frequent); {repetitions // 4} repetitions:",
        "",
        "| test | " + " | ".join(f"Dir({e:g}), {GIVEN[o]}" for e in EVENNESS for o in ORDERS) + " |",
        "|---|" + "---|" * (len(EVENNESS) * len(ORDERS)),
    ]
    lines += [f"| {name} | " + " | ".join(f"{e:.3f}" for e in margins[name]) + " |" for name in TESTS]
    for order in ORDERS:
        for kind, title in (("type1", "Type-1 error"), ("power", "Power")):
            lines += [
                "",
                f"## {title} {GIVEN[order]}",
                "",
                "| table | N | " + " | ".join(TESTS) + " |",
            ]
            lines.append("|---|---|" + "---|" * len(TESTS))
            for r in rows:
                if r["given"] == order and r["kind"] == kind:
                    shares = " | ".join(f"{r[name]:.3f}" for name in TESTS)
                    lines.append(f"| {r['levels']} x {r['levels']} | {r['n']} | {shares} |")
    return "\n".join(lines) + "\n"


def figure(rows: list[dict[str, object]], path: Path) -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "paucal"
    fig, axes = plt.subplots(2, len(ORDERS), figsize=(13, 8), sharex=True, sharey="row", layout="constrained")
    colours = plt.get_cmap("tab20")(np.linspace(0, 1, len(TESTS)))
    for row, (kind, title) in enumerate((("type1", "type-1 error"), ("power", "power"))):
        for order, axis in zip(ORDERS, axes[row], strict=True):
            for name, colour in zip(TESTS, colours, strict=True):
                means = [
                    np.mean([r[name] for r in rows if (r["given"], r["n"], r["kind"]) == (order, n, kind)])
                    for n in SIZES
                ]
                axis.plot(SIZES, means, color=colour, label=name, marker="o", markersize=3, linewidth=1.4)
            axis.set_xscale("log")
            axis.set_title(f"{title} {GIVEN[order]} (mean over 2 x 2 to 5 x 5)", fontsize=9)
            if kind == "type1":
                axis.axhline(ALPHA, color="black", linewidth=0.8, linestyle="--")
            else:
                axis.set_xlabel("samples")
    axes[0, 0].set_ylim(0, 0.3)
    axes[1, 0].set_ylim(0, 1)
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=7, fontsize=8)
    fig.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
