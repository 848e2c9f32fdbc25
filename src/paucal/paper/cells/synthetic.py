"""Synthetic pairs of variables (appendices D and G): many tables at once, each a pair of columns of one dataset.

Levels are declared, not observed: the numbers of states are known, as they are in the paper's synthetic data.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paucal import _kernel
from paucal.data import Dataset
from paucal.dirichlet import approximate_polya, polya_log_likelihood
from paucal.independence.registry import make_test, test_parameters
from paucal.paper.cells.seeds import seed_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paucal.independence.answers import Answers
    from paucal.paper.design import Plain

ESTIMATORS = {"MLE": "mi", "I^AdP": "mi-adaptive", "I^eBFix": "mi-fixed", "I^eB": "mi-eb", "I^fB": "mi-full"}
TESTS = {"BF_chi2": "bf-chi2", "BF": "bf", "G": "g"}
LEVEL = 0.05


@dataclass(frozen=True)
class _Tables:
    """What the cells of this module have in common: the shape of the tables, rows, repetitions, seed."""

    states: int
    size: int
    repetitions: int
    seed: int

    @property
    def cost(self) -> float:
        """Rows, and tables."""
        return float(self.repetitions * (self.size + 20 * self.states**2))

    def settings(self) -> dict[str, Plain]:
        """Everything that the result depends on."""
        return dict(vars(self))

    def rng(self, what: str) -> np.random.Generator:
        """Random numbers of one part of a cell."""
        return np.random.default_rng(seed_at(self.seed, "tables", what, self.states, self.size))

    def tables(self, what: str, *, independent: bool, uneven: bool = False) -> NDArray[np.int64]:
        """Draw tables of counts that are all independent, or none."""
        rng = self.rng(what)
        return draw(rng, parameters(rng, self.states, np.full(self.repetitions, independent), uneven=uneven), self.size)


@dataclass(frozen=True)
class EstimationCell(_Tables):
    """Errors of estimates of the mutual information, over tables of which one half is independent."""

    kind: ClassVar[str] = "mutual information"

    def compute(self) -> dict[str, Plain]:
        """Draw tables, estimate, compare with the truth."""
        rng = self.rng("estimation")
        independent = rng.random(self.repetitions) < 0.5
        theta = parameters(rng, self.states, independent)
        data = as_dataset(draw(rng, theta, self.size))
        truth = mutual_information(theta)
        result: dict[str, Plain] = {}
        for name, test in ESTIMATORS.items():
            start = time.process_time()
            estimate = ask(data, test, threshold="spec").statistic  # only the estimate is looked at
            seconds = time.process_time() - start
            error = estimate - truth
            size = np.abs(error)
            result[name] = {
                "error": float(size.mean()),
                "error_independent": float(size[independent].mean()) if independent.any() else None,
                "error_dependent": float(size[~independent].mean()) if not independent.all() else None,
                "se": float(size.std(ddof=1) / np.sqrt(len(size))) if len(size) > 1 else None,
                "bias": float(error.mean()),
                "seconds": seconds / self.repetitions,
            }
        return result


@dataclass(frozen=True)
class RejectionCell(_Tables):
    """How often tests reject independence: where it holds (type 1) and where not (power), also when calibrated."""

    kind: ClassVar[str] = "rejection"

    def compute(self) -> dict[str, Plain]:
        """Ask each test about null tables, dependent tables, and the null tables that set its limit."""
        samples = {
            what: as_dataset(self.tables(what, independent=what != "dependent"))
            for what in ("null", "limit", "dependent")
        }
        result: dict[str, Plain] = {}
        for name, test in TESTS.items():
            answers = {what: ask(data, test) for what, data in samples.items()}
            limit = np.quantile(answers["limit"].nearness, LEVEL)
            result[name] = {
                "type1": float((answers["null"].decision != 0).mean()),
                "power": float((answers["dependent"].decision != 0).mean()),
                "type1_calibrated": float((answers["null"].nearness < limit).mean()),
                "power_calibrated": float((answers["dependent"].nearness < limit).mean()),
            }
        return result


@dataclass(frozen=True)
class NullCell(_Tables):
    """The distribution of statistics under independence, beside chi2."""

    kind: ClassVar[str] = "null distribution"

    @property
    def dof(self) -> int:
        """Degrees of freedom."""
        return (self.states - 1) ** 2

    def edges(self) -> NDArray[np.float64]:
        """Borders of the histogram."""
        return np.linspace(0.0, _kernel.chi2_isf(1e-4, self.dof), 31)

    def compute(self) -> dict[str, Plain]:
        """Histogram, distance from chi2, and share beyond the limit of the 5 % level."""
        data = as_dataset(self.tables("null distribution", independent=True))
        result: dict[str, Plain] = {}
        for name, (test, options) in STATISTICS.items():
            values = np.sort(ask(data, test, **options).statistic)
            expected = _kernel.gamma_p(self.dof / 2, np.maximum(values, 0.0) / 2)
            steps = np.arange(len(values) + 1) / len(values)
            gap = max(np.abs(steps[1:] - expected).max(), np.abs(steps[:-1] - expected).max())
            density, _ = np.histogram(values, self.edges())
            result[name] = {
                "density": (density / len(values) / np.diff(self.edges())).tolist(),
                "below": float((values < 0).mean()),
                "beyond": float((values > _kernel.chi2_isf(LEVEL, self.dof)).mean()),
                "distance": float(gap),
            }
        return result


STATISTICS: dict[str, tuple[str, dict[str, Any]]] = {
    "BF_chi2, alpha = 0.5": ("bf-chi2", {"prior": 0.5}),
    "BF_chi2, alpha = 1": ("bf-chi2", {"prior": 1.0}),
    "G": ("g", {}),
}


@dataclass(frozen=True)
class PolyaCell(_Tables):
    """How well multinomials stand in for the Polya distribution: relative errors of probabilities of samples."""

    kind: ClassVar[str] = "polya"
    alpha: float = 0.5
    independent: bool = True
    shown: ClassVar[int] = 40

    def compute(self) -> dict[str, Plain]:
        """Draw tables, and compare the logarithms of their probabilities."""
        tables = self.tables(f"polya {self.independent}", independent=self.independent, uneven=True)
        vectors = [[t.sum(axis=1), t.sum(axis=0)] if self.independent else [t.ravel()] for t in tables]
        logs = {
            name: np.array([sum(function(v, self.alpha) for v in parts) for parts in vectors])
            for name, function in APPROXIMATIONS.items()
        }
        truth = logs["Polya"]
        order = np.argsort(truth[: self.shown], kind="stable")
        result: dict[str, Plain] = {}
        for name, values in logs.items():
            gap = values - truth
            result[name] = {
                "shown": (values[: self.shown][order] / np.log(10)).tolist(),
                "gap": float(np.median(gap)),
                **({} if name == "Polya" else log_errors(gap)),
            }
        return result


def log_errors(gap: NDArray[np.float64]) -> dict[str, Plain]:
    """Give the decimal logarithms of mean and median of |p~ - p| / p, which can be huge, from ln p~ - ln p."""
    size = np.abs(gap)
    with np.errstate(divide="ignore"):
        logs = np.where(gap > 0, size, 0.0) + np.log(-np.expm1(-size))
    mean = float(np.logaddexp.reduce(logs) - np.log(len(logs)))
    median = float(np.median(logs))
    return {"mean": round(mean / math.log(10), 9), "median": round(median / math.log(10), 9)}


APPROXIMATIONS: dict[str, Callable[..., float]] = {
    "Polya": polya_log_likelihood,
    "modified parameters": approximate_polya,
    "modified counts (Minka)": partial(approximate_polya, by="counts"),
}


def parameters(
    rng: np.random.Generator, states: int, independent: NDArray[np.bool_], *, uneven: bool = False
) -> NDArray[np.float64]:
    """Draw square tables of probabilities, some of them products of their margins.

    `uneven` draws the parameters of the Dirichlet distributions as well, so that no level is like another.
    """
    n = len(independent)

    def dirichlet(cells: int) -> NDArray[np.float64]:
        shape = rng.uniform(0.1, 2.0, (n, cells)) if uneven else np.ones((n, cells))
        weights = rng.standard_gamma(shape)
        proportions: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return proportions

    rows, columns = dirichlet(states), dirichlet(states)
    products = rows[:, :, None] * columns[:, None, :]
    joint = dirichlet(states * states).reshape(n, states, states)
    return np.where(independent[:, None, None], products, joint)


def draw(rng: np.random.Generator, theta: NDArray[np.float64], size: int) -> NDArray[np.int64]:
    """Draw a table of counts from each table of probabilities."""
    flat = theta.reshape(len(theta), -1)
    counts: NDArray[np.int64] = rng.multinomial(size, flat / flat.sum(axis=1, keepdims=True))
    return counts.reshape(theta.shape)


def as_dataset(counts: NDArray[np.int64]) -> Dataset:
    """Spell the tables out as rows: table i is in columns 2i and 2i + 1."""
    columns, states = [], counts.shape[1]
    for table in counts.reshape(len(counts), -1):
        cell = np.repeat(np.arange(states * states), table)
        columns += [cell // states, cell % states]
    names = [f"{axis}{i}" for i in range(len(counts)) for axis in "xy"]
    return Dataset.from_codes(columns, names, [range(states)] * len(columns))


def ask(data: Dataset, test: str, **options: Any) -> Answers:
    """Test the two columns of each pair, at the level if the test has one."""
    level: dict[str, Any] = {"alpha": LEVEL} if "alpha" in test_parameters(test) else {}
    asked = make_test(data, test, **level, **options)
    first = np.arange(0, data.n_columns, 2)
    return asked.ask_many(first, first + 1, np.zeros((len(first), 0), dtype=np.int64))


def mutual_information(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the true mutual information of each table, in nats."""
    product = theta.sum(axis=2, keepdims=True) * theta.sum(axis=1, keepdims=True)
    ratio = np.divide(theta, product, out=np.ones_like(theta), where=theta > 0)
    information: NDArray[np.float64] = np.sum(theta * np.log(ratio), axis=(1, 2))
    return information
