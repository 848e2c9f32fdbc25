"""Level and power of the p-value tests on a grid of small tables, and time per test; writes docs/calibrated.md.

    python benchmarks/level.py [--replicates 10000] [--quick] [--times] [--combined] [--out docs/calibrated.md]

A setting is a shape (levels of x, levels of y, strata), a number of samples, and whether levels and strata are equally
frequent or drawn from a flat Dirichlet distribution. Skewed settings use a new population every hundredth of the
replicates. Under the null hypothesis x and y are independent in every stratum. Under the alternatives a share of the
population has the levels of x and y coupled as closely as their frequencies allow; the share is such that the
chi-square test would have power .5 (weak) or .8 (strong) if its asymptotic theory held, or 1 if that is not enough.
Ten minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import chi2, ncx2

import paucal
from paucal import _kernel
from paucal.detectable import closest_coupling
from paucal.independence.answers import UNANSWERABLE
from paucal.tables import MemoryCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHAPES = [(2, 2), (2, 3), (3, 3), (3, 4), (5, 5)]
TIMED_SHAPES = [*SHAPES[:-1], (4, 4), (4, 5), SHAPES[-1]]
STRATA = [1, 3, 9, 27]
SIZES = [20, 50, 100, 300, 1000]
ALPHAS = (0.05, 0.01)
WITHIN = (0.035, 0.065)
DECIDABLE = 0.25  # settings in which more tables than this are undecidable are judged apart
ROUNDS, REPEATS = 5, 80  # of a batch that is timed: a busy machine is slow for seconds
PERMUTED = 1000  # replicates for the test that draws its own reference

TESTS = {
    "chi2-perm": {},
    "permutation": {"permutations": 199, "exceedances": 20},
    "bf-chi2": {},
    "g, adjusted": {"df": "adjusted"},
    "g, full": {"df": "full"},
    "chi2, adjusted": {"df": "adjusted"},
}
COMBINED = {"chi2-perm": {}, "chi2-pooled": {}, "trend": {}, "chi2-trend": {}}


class Setting(NamedTuple):
    """One cell of the grid."""

    kx: int
    ky: int
    strata: int
    skewed: bool
    n: int


def grid() -> list[Setting]:
    return [
        Setting(kx, ky, strata, skewed, n)
        for kx, ky in SHAPES
        for strata in STRATA
        for skewed in (False, True)
        for n in SIZES
    ]


def population(setting: Setting, noncentrality: float, rng: np.random.Generator) -> np.ndarray:
    """Shares of the cells, (strata, kx, ky), with about this noncentrality in n samples."""

    def shares(size: int, k: int) -> np.ndarray:
        return rng.dirichlet(np.ones(k), size=size) if setting.skewed else np.full((size, k), 1 / k)

    z, x, y = (
        shares(1, setting.strata)[0],
        shares(setting.strata, setting.kx),
        shares(setting.strata, setting.ky),
    )
    independent = x[:, :, None] * y[:, None, :]
    cells = independent
    if noncentrality:
        coupled = np.array([closest_coupling(a, b) for a, b in zip(x, y, strict=True)])
        phi2 = ((coupled - independent) ** 2 / independent).sum(axis=(1, 2)) @ z
        share = min(1.0, float(np.sqrt(noncentrality / (setting.n * phi2))))
        cells = (1 - share) * independent + share * coupled
    return cells * z[:, None, None]


def draw(setting: Setting, power: float | None, replicates: int, rng: np.random.Generator) -> np.ndarray:
    noncentrality = 0.0 if power is None else _noncentrality(setting, power)
    blocks = 100 if setting.skewed else 1
    tables = []
    for _ in range(blocks):
        cells = population(setting, noncentrality, rng).ravel()
        tables.append(rng.multinomial(setting.n, cells / cells.sum(), size=-(-replicates // blocks)))
    return np.concatenate(tables).reshape(-1, setting.strata, setting.kx, setting.ky).astype(np.uint32)


def _noncentrality(setting: Setting, power: float) -> float:
    dof = setting.strata * (setting.kx - 1) * (setting.ky - 1)
    critical, low, high = chi2.isf(0.05, dof), 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if ncx2.sf(critical, dof, middle) < power else (low, middle)
    return high


def build(name: str, rows: int):
    # the data do not matter, only how many rows there may be
    data = paucal.Dataset.from_codes([np.zeros(rows, dtype=int)] * 2, "xy", [(0,), (0,)])
    return paucal.make_test(data, name.partition(",")[0], **(TESTS | COMBINED)[name])


def measure(
    setting: Setting, replicates: int, rng: np.random.Generator, tests: Iterable[str] = TESTS
) -> dict[str, dict[str, float]]:
    null = draw(setting, None, replicates, rng)
    weak, strong = (draw(setting, power, max(500, replicates // 5), rng) for power in (0.5, 0.8))
    found = {}
    for name in tests:
        test = build(name, setting.n)
        few = PERMUTED if name == "permutation" else None
        answers = test.read(null[:few], 1)
        found[name] = {
            **{f"level {alpha}": float((answers.p_value <= alpha).mean()) for alpha in ALPHAS},
            "undecidable": float((answers.flags & UNANSWERABLE > 0).mean()),
            "weak": float((test.read(weak[:few], 1).p_value <= 0.05).mean()),
            "strong": float((test.read(strong[:few], 1).p_value <= 0.05).mean()),
        }
    return found


def nanoseconds(shape: tuple[int, int], conditioners: int, n: int) -> dict[str, float]:
    """CPU time per test: of tables that are counted already, and of questions about data."""
    tables = draw(Setting(*shape, 3**conditioners, False, n), None, 1000, np.random.default_rng(1))
    found = {}
    for name in ("chi2-perm", "chi2, adjusted", "g, adjusted"):
        test = build(name, n)
        found[name] = smallest_time(partial(test.tester.read, tables, 1)) / len(tables)
    rng, many = np.random.default_rng(2), 24
    states = np.repeat([*shape, 3], many)
    data = paucal.Dataset.from_codes(
        [rng.integers(k, size=n) for k in states],
        [f"v{i}" for i in range(len(states))],
        [range(k) for k in states],
    )
    counts = MemoryCounts(data)
    given = np.array([rng.permutation(many)[:conditioners] for _ in tables]) + 2 * many
    x, y = rng.integers(many, size=len(tables)), many + rng.integers(many, size=len(tables))
    tests = iter([paucal.make_test(counts, "chi2-perm") for _ in range(REPEATS)])  # new ones remember nothing
    found["with counting"] = smallest_time(lambda: next(tests).ask_many(x, y, given)) / len(tables)
    return found


def smallest_times(cells: list[tuple[int, int, int]]) -> dict[tuple[int, int, int], dict[str, float]]:
    rounds = [{(kx, ky, z): nanoseconds((kx, ky), z, 500) for kx, ky, z in cells} for _ in range(ROUNDS)]
    return {cell: {name: min(r[cell][name] for r in rounds) for name in rounds[0][cell]} for cell in cells}


def smallest_time(work: Callable[[], object]) -> int:
    best = None
    for _ in range(REPEATS):
        start = time.process_time_ns()
        work()
        spent = time.process_time_ns() - start
        best = spent if best is None else min(best, spent)
    return best


HEAD = """# Tests that keep their level in small samples

A test at level .05 should call independent columns dependent in one sample out of twenty, even where the table is thin.
The textbook distributions do not achieve that, because they hold only for many rows per cell. Two of our tests use the
data themselves as the reference: if x and y are independent within a stratum, every assignment of the observed values
of y to the rows of the stratum is equally likely.

- `chi2-perm` computes the mean, the variance and the third cumulant of a smoothed chi-square over all these
  assignments, without drawing any, and takes the p-value from the gamma distribution with the same three.
- `permutation` draws assignments, for any of our statistics, and stops early where the answer is clear: for those who
  need a guarantee, and for checking the rest. The draws follow from the seed and the frequencies of the levels in every
  stratum: the order of rows, columns and levels, and their names, change nothing.

```python
>>> import paucal
>>> data = paucal.load_network("child").sample(100, seed=1)
>>> for name in ("g", "chi2-perm", "permutation"):
...     test = paucal.ci_test(data, "Age", "LVHreport", given=["Disease"], test=name, alpha=0.05)
...     print(test.test, test.decision, round(test.p_value, 3))
g dependent 0.046
chi2-perm independent 0.135
permutation independent 0.14

```

Per stratum with n samples and margins a and b, with s = sqrt(n / 10), the statistic of `chi2-perm` is

    T = n * sum over ij of (n_ij - a_i b_j / n)^2 / ((a_i + s) (b_j + s))

and the strata are added up. The moments are exact (Kazi-Aoual et al. 1995); our tests compare them with the average
over all permutations of small tables. The smoothing takes weight away from rare levels, where a single row would
decide.

**Undecidable.** If even the most extreme table with the observed margins would have a p-value above the level, no data
with these margins could show a dependence. Such questions are marked, and counted in the ledger of a search and by
`paucal inspect --power`; with `undecidable="act"` the test leaves them open, which keeps the edge.

**Rare rows.** Where a level has only one row or two, the p-value may be too small: of the table [[1, 18], [0, 81]] it
is .044, and exactly .19. With `guard=True` no p-value is smaller than the chance of the observed table given its
margins, which here is .19.

**Levels by order.** `alpha="by-order"` is 0.01, 0.03, 0.09, then 0.2 by the number of conditioning columns: strict
where all pairs are tested, lenient where strata are thin and a missed dependence costs an edge. [How near to the
truth](accuracy.md) compares it with a fixed level. On more than 200 columns `paucal.learn` without a named search
starts at 2 divided by the number of columns instead of 0.01, so that chance gives a column at most two neighbours.

"""


# -- the page ----------------------------------------------------------------------------------------------------


def page(results: dict[Setting, dict], times: dict, replicates: int) -> str:
    apart = {s for s, r in results.items() if r["chi2-perm"]["undecidable"] > DECIDABLE}
    few = max(500, replicates // 5)
    text = (
        HEAD
        + f"""## Level and power, measured

`python benchmarks/level.py --replicates {replicates}` wrote this page. These replicates are under the null hypothesis;
{few:,} more are drawn under each alternative, and {PERMUTED:,} of each for `permutation`. {len(results)} settings:
2 by 2 to 5 by 5 levels, 1 to 27 strata, 20 to 1000 samples, even and skewed frequencies; the head of the script says
how they are drawn. In {len(apart)} settings more than {DECIDABLE:.0%} of the tables are undecidable at level .05: every
exact test must stay below its level there. The other {len(results) - len(apart)} settings are summed up here.

| test | level at .05: mean | lowest | highest | outside {WITHIN[0]} to {WITHIN[1]} | at .01: highest | weak | strong |
|---|---|---|---|---|---|---|---|"""
    )
    lines = text.split("\n")
    fair = [r for s, r in results.items() if s not in apart]
    for name in TESTS:
        level = np.array([r[name]["level 0.05"] for r in fair])
        small = np.array([r[name]["level 0.01"] for r in fair])
        outside = int(((level < WITHIN[0]) | (level > WITHIN[1])).sum())
        weak, strong = (np.mean([r[name][kind] for r in fair]) for kind in ("weak", "strong"))
        lines.append(
            f"| {name} | {level.mean():.3f} | {level.min():.3f} | {level.max():.3f} | {outside} | {small.max():.3f} "
            f"| {weak:.3f} | {strong:.3f} |"
        )
    lines += [
        "",
        "Weak and strong: power against the two alternatives. A test that does not keep its level has power",
        f"for free: compare only rows that do. With {PERMUTED:,} replicates the standard error of a level of",
        f"`permutation` is {np.sqrt(0.05 * 0.95 / PERMUTED):.3f}.",
        "",
        "## Level of chi2-perm at .05, setting by setting",
        "",
        "In brackets the share of undecidable tables, where it exceeds 5 %.",
        "",
        "| levels | strata | frequencies | " + " | ".join(f"N = {n}" for n in SIZES) + " |",
        "|---|---|---|" + "---|" * len(SIZES),
    ]
    for kx, ky in SHAPES:
        for strata in STRATA:
            for skewed in (False, True):
                cells = []
                for n in SIZES:
                    one = results[Setting(kx, ky, strata, skewed, n)]["chi2-perm"]
                    share = f" ({one['undecidable']:.0%})" if one["undecidable"] > 0.05 else ""
                    cells.append(f"{one['level 0.05']:.3f}{share}")
                kind = "skewed" if skewed else "even"
                lines.append(f"| {kx} x {ky} | {strata} | {kind} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *time_section(times)]) + "\n"


def time_section(times: dict) -> list[str]:
    return [
        "## Time per test",
        "",
        f"Nanoseconds of CPU for a table that is already counted (N = 500, {_kernel.isa()} loops, one core of a",
        f"busy machine, the smallest of {ROUNDS * REPEATS} repeats): statistic, moments, p-value, and whether the",
        "question can be decided. 1, 3 and 9 strata are none, one and two conditioning columns of three levels. `With",
        "counting` is the time of `chi2-perm` from the question to the answer, 1,000 questions in a call.",
        "`python benchmarks/level.py --times` measures only this.",
        "",
        "| levels | strata | chi2-perm | with counting | chi2 | g |",
        "|---|---|---|---|---|---|",
        *(
            f"| {kx} x {ky} | {3**z} | {one['chi2-perm']:.0f} | {one['with counting']:.0f} "
            f"| {one['chi2, adjusted']:.0f} | {one['g, adjusted']:.0f} |"
            for (kx, ky, z), one in times.items()
        ),
    ]


def print_combined(replicates: int) -> None:
    """Print level and power of the tests that are combined with chi2-perm, beside it."""
    found = {s: measure(s, replicates, np.random.default_rng([2026, i]), COMBINED) for i, s in enumerate(grid())}
    fair = {s: one for s, one in found.items() if one["chi2-perm"]["undecidable"] <= DECIDABLE}
    strata = " | ".join(f"{n} strata" for n in STRATA[1:])
    print(f"| test | level at .05: mean | lowest | highest | at .01: highest | weak: 1 stratum | {strata} |")
    print("|---" * (6 + len(STRATA) - 1) + "|")
    for name in COMBINED:
        level = np.array([one[name]["level 0.05"] for one in fair.values()])
        small = max(one[name]["level 0.01"] for one in fair.values())
        weak = [np.mean([one[name]["weak"] for s, one in fair.items() if s.strata == n]) for n in STRATA]
        power = " | ".join(f"{one:.3f}" for one in weak)
        print(f"| {name} | {level.mean():.3f} | {level.min():.3f} | {level.max():.3f} | {small:.3f} | {power} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true", help="1000 replicates, and only print")
    parser.add_argument("--times", action="store_true", help="only print the times")
    parser.add_argument("--combined", action="store_true", help=f"only print a table of {', '.join(COMBINED)}")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[1] / "docs" / "calibrated.md")
    options = parser.parse_args()
    replicates = 1000 if options.quick else options.replicates
    if options.combined:
        print_combined(replicates)
        return
    times = smallest_times([(*shape, z) for shape in TIMED_SHAPES for z in range(3)])
    if options.times:
        print("\n".join(time_section(times)))
        return
    results = {}
    for i, setting in enumerate(grid()):
        results[setting] = measure(setting, replicates, np.random.default_rng([2026, i]))
        one = results[setting]["chi2-perm"]
        print(
            f"{setting.kx}x{setting.ky} strata {setting.strata:2d} {'skewed' if setting.skewed else 'even':6s} "
            f"N {setting.n:4d}   level {one['level 0.05']:.3f}   undecidable {one['undecidable']:.2f}   "
            f"power {one['weak']:.2f} {one['strong']:.2f}",
            flush=True,
        )
    text = page(results, times, replicates)
    if options.quick:
        print(text)
    else:
        options.out.write_text(text, encoding="utf-8")
        print(f"{options.out} written")


if __name__ == "__main__":
    main()
