"""The posterior of graphs where values are missing, by data augmentation (Tanner and Wong 1987).

A chain fills every gap, at first with values of other rows. Then it goes round: DAGs are sampled on the completed table
(`posterior.py`); the tables of the last DAG are drawn from their posterior; every gap is drawn anew, as its parents and
children in the row make it likely, ten times over; and again. What is counted is the DAGs of all fillings together, so
that the probabilities of edges carry the doubt about the gaps too. Several chains differ in their random numbers only;
as long as they disagree they go on. `src/kernel/graphs/augment.hpp` has the steps.

Gaps are drawn among levels, and numbers have steps for that: three of equal shares. A gap in a number then counts with
the value of a row that was drawn among those with a value in that step. So tables with numbers and ordered columns are
scored as ever, by "mixed"; in which form it reads each column is chosen when half of the fillings that do not count
are done (`choosing.py`).

All this assumes that values are missing at random given the rest: whether a value is missing may depend on other
columns of the row, not on the value itself. `docs/missing.md` has what happens when it does.

Where columns were set from outside (`interventions.py`), scores and tables of such a column go by the rows in which it
was not set; a set value that is missing is drawn by its effects and by how often each level was set.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal import _kernel, checks
from paucal.data import Dataset
from paucal.data.dataset import telling
from paucal.data.steps import NUMBER_STEPS, in_steps
from paucal.errors import Argument, ConvergenceWarning, ParameterError, listing, warn
from paucal.search.by_scores.canonical_table import CanonicalTable
from paucal.search.by_scores.chains import Chains
from paucal.search.by_scores.choosing import choose_forms
from paucal.search.by_scores.design import observed_form
from paucal.search.by_scores.forms import Form
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.latent import READ, read_with_hidden
from paucal.search.by_scores.problem import Problem
from paucal.search.by_scores.scores import Scorer, fitting_score
from paucal.search.by_scores.summary import KEPT, evenly_spaced, summarised
from paucal.search.evidence.graphs import Graphs, parents_of
from paucal.search.evidence.pairs import about

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.forms import Written
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.by_scores.scores import ScoreName
    from paucal.search.result import SearchResult
    from paucal.search.run import ScoreRun

    # in what form graphs read each column: codes and states, or the values of a line and their nugget
    _Readings: TypeAlias = tuple[list[NDArray[np.uint32]], list[int], list[NDArray[np.float64]], list[float]]

CHAINS, FILLINGS, HEATS = 3, 15, (1.0, 0.6)
_MOST_FILLED = 100_000  # data sets
_CANDIDATES = 6  # possible parents of a node; their scores are tabulated anew for every filling
_SETTLING, _ROUNDS, _SWEEPS = 10, 20, 10
_SEARCH_EVERY = 5  # fillings
_SEARCHED_PARENTS, _MOST_GROWN = 5, 64  # as in `posterior.py` and `problem.py`
_MOST_TIMES = 3  # as many fillings as asked for, when chains disagree
_ALIKE = 0.3  # chains that differ in a smaller share of the edges do not go on
_BETWEEN = 2  # fillings from one completed data set to the next
_DRAWN = ("eb", "mixed", "bdeu")  # scores with a prior that parameters can be drawn from


def posterior_of_gaps(
    experiment: Experiment, options: dict[str, Any], *, seed: int, threads: int, run: ScoreRun
) -> SearchResult:
    """Sample DAGs from data with gaps; `options` are those of `posterior`, checked."""
    data = experiment.data
    filler = Filler(experiment, options, seed=seed)
    fillings, most = options["fillings"], _MOST_TIMES * options["fillings"]
    filler.settle(fillings, threads=threads, run=run)
    done, difference = 0, None
    while True:
        done += filler.run(min(fillings, most - done), "sampling", record=True, threads=threads, run=run)
        if options["chains"] == 1 or run.spent:
            break
        difference, edges_apart = filler.disagreement()
        if difference <= options["tolerance"] or edges_apart <= _ALIKE or done >= most:
            break
    unsettled = filler.unsettled(options["tolerance"])
    _warn(unsettled, done)
    problem, sampler = filler.problem, filler.sampler
    arrow, line, blanket, n_graphs = filler.shares()
    problem.rate_on([filler.completed(chain) for chain in range(options["chains"])])
    by_chain = [sampler.dags(chain) > 0 for chain in range(options["chains"])]
    dags = np.concatenate(by_chain)

    def spaced(most: int) -> list[NDArray[np.bool_]]:
        return [by_chain[chain][number] for chain, number in evenly_spaced([len(one) for one in by_chain], most)]

    told = summarised(
        problem,
        arrow,
        line,
        joined=lambda a, b: dags[:, a, b] | dags[:, b, a],
        starts=lambda said, either: [sampler.central(said, either)],
        look=run.budget.look,
    )
    where = np.ix_(*(2 * [[problem.names.index(name) for name in data.names]]))
    rates = [sampler.rates(chain) for chain in range(options["chains"])]
    evidence = Graphs(
        **about(data),
        means=problem.scorer.settings,
        shares={"->": told.arrow[where], "--": told.line[where]},
        blanket=blanket[where],
        source="posterior",
        n_graphs=n_graphs,
        difference=difference,
        penalty=problem.penalty,
        sampled=tuple(parents_of(dag[where]) for dag in spaced(KEPT)),
        causes=filler.causes()[where],
    )
    result = problem.result(
        problem.completed(told.dag),
        evidence,
        search="posterior",
        seed=seed,
        options=options["asked"],
        details={
            "missing": told_of(data) | {"fillings": done * options["chains"], "difference": difference},
            "rounds": done * _ROUNDS,
            "difference": difference,
            "unsettled": unsettled,
            "acceptance": [accepted for accepted, _ in rates],
            "swaps": [swapped for _, swapped in rates],
            "evaluations": sampler.evaluated,
            **told.details,
        },
        rule="consensus",
    )
    if not options["latent"]:
        return result
    graph, evidence, reasons = read_with_hidden(problem, told.dag, spaced(READ), evidence)
    return replace(result, graph=graph, evidence=evidence, reasons=reasons)


def told_of(data: Dataset) -> dict[str, Any]:
    """Say how much is missing: cells, their share, and the rows without a gap."""
    cells = sum(data.gap_counts)
    counts = sorted(zip(data.names, data.gap_counts, strict=True), key=lambda one: (-one[1], one[0]))
    columns = {name: n for name, n in counts if n}
    share = cells / (data.n_rows * data.n_columns)
    return {"cells": cells, "share": share, "complete_rows": data.n_complete, "columns": columns}


def impute(
    data: Any,
    m: int = 20,
    *,
    seed: int = 0,
    threads: int = 1,
    knowledge: Knowledge | None = None,
    interventions: str | None = None,
    targets: Targets | None = None,
) -> list[Dataset]:
    """Fill the gaps of data, m times: completed data sets for programs that need a value everywhere.

    Every gap is filled as the graphs and the other values of the row make it likely, each time anew; so the m data sets
    differ where the data leave doubt. Do with each of them what you want to do, and take the mean; how far the m
    results differ is what the gaps cost.

    Parameters
    ----------
    data
        Anything `Dataset.of` takes, with gaps if it was made with `missing="keep"`.
    m
        How many completed data sets, at least 1.
    seed, threads, knowledge, interventions, targets
        As for `paucal.learn`; the column that names interventions stays as it is.

    Examples
    --------
    >>> import paucal
    >>> rows = {"rain": [0, 1, 0, 1, None] * 8, "wet": [0, 1, 0, 1, 1] * 8}
    >>> data = paucal.Dataset.of(rows, missing="keep")
    >>> filled = paucal.impute(data, 3, seed=1)
    >>> len(filled), filled[0].has_gaps, filled[0].to_frame("dict")["rain"][:5]
    (3, False, [0, 1, 0, 1, 1])
    """
    m = checks.whole_number("m", m, 1, _MOST_FILLED)
    seed, threads = checks.seed(seed), checks.threads(threads)
    table = data if isinstance(data, Dataset) else Dataset.of(telling(data, interventions), missing="keep")
    experiment = Experiment.of(table, interventions, targets)
    filled = _filled_in(experiment, m, seed=seed, threads=threads, knowledge=knowledge)
    whole = table if interventions is None else in_steps(table, NUMBER_STEPS)  # as the experiment has them
    return [_put_back(whole, one) for one in filled]


def _filled_in(
    experiment: Experiment, m: int, *, seed: int, threads: int = 1, knowledge: Knowledge | None = None
) -> list[Dataset]:
    """Fill the gaps of the columns that are nodes, m times."""
    if not experiment.data.has_gaps:
        return [experiment.data] * m
    options: dict[str, Any] = {"score": None, "ess": 1.0, "temper": 1.0, "edge_penalty": None, "knowledge": knowledge}
    options |= {"max_parents": 4, "candidates": _CANDIDATES, "chains": min(m, CHAINS), "heats": HEATS}
    filler = Filler(experiment, options, seed=seed)
    filler.settle(FILLINGS, threads=threads)
    found: list[Dataset] = []
    while len(found) < m:
        found += [filler.completed(chain) for chain in range(options["chains"])]
        filler.run(_BETWEEN, "filling gaps", record=False, threads=threads)
    return found[:m]


def _put_back(table: Dataset, filled: Dataset) -> Dataset:
    """Give a table with the columns that were filled in; what tells of interventions is none of them."""
    whole = dict(zip(filled.names, filled.columns, strict=True))
    pairs = zip(table.names, table.columns, strict=True)
    return replace(table, columns=tuple(whole.get(name, codes) for name, codes in pairs))


class GapProblem(Problem):
    """The problem of data with gaps.

    What a problem knows of data depends on their levels that occur, and these are the same however gaps are filled.
    """

    def __init__(self, experiment: Experiment, score: ScoreName, **settings: Any) -> None:
        super().__init__(replace(experiment, data=_with_modes(experiment.data)), score, **settings)
        self.with_gaps = experiment.select(self.names)
        self._rated_on = [self.scorer]

    @property
    def asked(self) -> Dataset:
        """The data with their gaps: a test uses the rows that have all values of its question."""
        return self.with_gaps.data

    def read_as(self, forms: Mapping[str, Written]) -> None:
        """Read numbers and ordered columns in these forms."""
        self.scorer = self._scorer_of(self.scorer.data, forms)

    def rate_on(self, completed: list[Dataset]) -> None:
        """Rate DAGs by their mean score on these data."""
        self._rated_on = [self._scorer_of(data.select(self.names), self.scorer.own_forms) for data in completed]

    def _scorer_of(self, data: Dataset, forms: Mapping[str, Written]) -> Scorer:
        was = self.scorer
        experiment = replace(self.with_gaps, data=data)
        return Scorer(experiment, was.name, ess=was.ess, largest_ess=was.largest_ess, forms=forms or None)

    def total(self, dag: NDArray[np.uint8]) -> float:
        """Score a DAG, with the penalty in it: the mean over completed data."""
        parents = [np.flatnonzero(column).tolist() for column in dag.T]
        scores = [math.fsum(one.local(v, its) for v, its in enumerate(parents)) for one in self._rated_on]
        return math.fsum(scores) / len(scores) - self.penalty * sum(map(len, parents))


class Filler:
    """Chains that fill the gaps of data."""

    def __init__(self, experiment: Experiment, options: dict[str, Any], *, seed: int) -> None:
        data, default = experiment.data, fitting_score(experiment)
        score: ScoreName = default if options["score"] is None else options["score"]
        if score not in _DRAWN:
            raise ParameterError(
                f"The score {score!r} has no prior to draw parameters from, which filling gaps needs.",
                hint=f"Use the score {default!r} or 'bdeu'.",
                parameter="score",
                value=score,
                allowed=_DRAWN,
            )
        self._about_score = {name: options[name] for name in ("ess", "knowledge", "edge_penalty")}
        told = {name: options.get(name) for name in ("interventions", "targets")}
        scored = experiment if score == "mixed" else replace(experiment, data=_as_levels(data))
        self.problem = problem = GapProblem(scored, score, **self._about_score, **told)
        problem.asked_score = options["score"]
        self._seed = seed
        self._data = data
        self._chains = options["chains"]
        self._sorted = problem.asked
        self._drawn = _as_levels(in_steps(problem.asked, NUMBER_STEPS))
        kinds = zip(problem.asked.columns, problem.asked.kinds, strict=True)
        numbers = [codes for codes, kind in kinds if kind == "number"]
        rows_set = problem.with_gaps.set_matrix() if experiment else None
        self._table = table = CanonicalTable.of(self._drawn, [*numbers, *(() if rows_set is None else rows_set)])
        occurring = [max(1, n) for n in table.observed]
        self._arguments: dict[str, Any] = {
            "columns": (table.codes, occurring, data.n_rows),
            "levels": list(self._drawn.cardinalities) if score == "bdeu" else occurring,
            "allowed": problem.allowed,
            "required": problem.required,
            "forbidden": problem.forbidden,
            "set": None if rows_set is None else np.ascontiguousarray(rows_set[:, table.rows]),
            "penalty": problem.penalty,
            "sizes": problem.scorer.sizes,
            "searched_parents": _SEARCHED_PARENTS,
            "most_grown": _MOST_GROWN,
            "search_every": _SEARCH_EVERY,
            "most_candidates": min(options["candidates"], _CANDIDATES),
            "most_parents": options["max_parents"],
            "heats": [options["temper"] * heat for heat in options["heats"]],
            "settling": _SETTLING,
            "rounds": _ROUNDS,
            "sweeps": _SWEEPS,
            "kept": math.ceil(READ / (self._chains * options.get("fillings", FILLINGS))),
            "seed": seed,
        }
        self.sampler = _sampler(self._arguments, self._chains)
        self._readings: _Readings | None = None
        self._read_as(problem.scorer.own_forms)

    def settle(self, fillings: int, *, threads: int = 1, run: ScoreRun | None = None) -> None:
        """Fill the gaps so many times without counting; half-way, choose the forms of numbers and ordered columns."""
        first = fillings // 2 if self.problem.scorer.design is not None else fillings
        self.run(first, "filling gaps", record=False, threads=threads, run=run)
        if self.problem.scorer.design is not None:
            trial = Problem(self.completed(0), self.problem.scorer.name, **self._about_score)
            choose_forms(trial, seed=self._seed, run=run)
            self._read_as(trial.scorer.own_forms)
            self.run(fillings - first, "filling gaps", record=False, threads=threads, run=run)

    def run(self, fillings: int, stage: str, *, record: bool, threads: int = 1, run: ScoreRun | None = None) -> int:
        """Fill the gaps so many times in every chain, if what is recorded counts at least once; give how many times."""
        together = Chains(
            self.sampler,
            self._chains,
            packed=self.sampler.state,
            unpacked=partial(_one_chain, self._arguments, self._readings),
            least=1,
            threads=threads,
        )
        done = 0
        while done < fillings:
            if run is not None:
                if run.spent and (done or not record):
                    break
                run.progress(stage, done, fillings)
            done += together.go_on(fillings - done, record=record, run=run)
        return done

    def completed(self, chain: int) -> Dataset:
        """Give the data as a chain has filled them at present."""
        columns = self._table.restored(self.sampler.filled(chain), self._drawn)
        whole = dict(zip(self._sorted.names, columns, strict=True))
        if "number" in self._sorted.kinds:
            donors, rows = self.sampler.donors(chain), self._table.rows
            for v, (name, kind) in enumerate(zip(self._sorted.names, self._sorted.kinds, strict=True)):
                if kind == "number":
                    values, usual = self._sorted.columns[v].copy(), self.problem.scorer.data.columns[v]
                    values[rows] = values[rows[donors[v]]]
                    # a column of one value has no donors, and needs none
                    whole[name] = np.where(values == self._sorted.cardinalities[v], usual, values).astype(values.dtype)
        kept = zip(self._data.names, self._data.columns, self._data.gap_counts, strict=True)
        return replace(self._data, columns=tuple(whole.get(name, codes) if n else codes for name, codes, n in kept))

    def _read_as(self, forms: Mapping[str, Written]) -> None:
        """Let graphs be scored by these forms; without any, by the levels that gaps are drawn among."""
        if not forms:
            return
        self.problem.read_as(forms)
        codes: list[NDArray[np.uint32]] = []
        states: list[int] = []
        lines: list[NDArray[np.float64]] = []
        nuggets: list[float] = []
        for v, name in enumerate(self._sorted.names):
            read = observed_form(self._sorted, v, Form.of(forms[name])) if name in forms else None
            none: NDArray[np.float64] = np.zeros(0)
            if read is None:
                states.append(max(1, self._table.observed[v]))
                codes.append(np.minimum(self._table.codes[v], np.uint32(states[-1] - 1)))
            else:
                codes.append(read.codes[self._table.rows])
                states.append(read.states)
            lines.append(none if read is None or read.line is None else read.line[self._table.rows])
            nuggets.append(0.0 if read is None else read.nugget)
        self._readings = codes, states, lines, nuggets
        self.sampler.read_as(*self._readings)

    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]:
        """Give the shares of DAGs with an arrow, a line, a pair in one blanket; and of how many."""
        *counts, total = (sum(part) for part in zip(*self._tallies(), strict=True))
        arrow, line, blanket = (np.asarray(count / total) for count in counts)
        return arrow, line, blanket, int(total)

    def causes(self) -> NDArray[np.float64]:
        """Give the share of DAGs with a directed path from row to column."""
        counts = [self.sampler.causes(chain).astype(np.int64) for chain in range(self._chains)]
        return np.asarray(np.sum(counts, axis=0), dtype=np.float64) / sum(total for *_, total in self._tallies())

    def disagreement(self) -> tuple[float, float]:
        """Give the largest difference between chains in the share of DAGs that join a pair.

        And the sum of these differences over all pairs, beside the expected number of edges.
        """
        joined = self._joined()
        apart = np.max(joined, axis=0) - np.min(joined, axis=0)
        return float(apart.max()), float(apart.sum() / max(1.0, np.mean(joined, axis=0).sum()))

    def unsettled(self, tolerance: float) -> list[dict[str, Any]]:
        """List the pairs about which chains differ by more, the lowest and the highest share; the widest first."""
        joined, names = self._joined(), self.problem.names
        low, high = np.min(joined, axis=0), np.max(joined, axis=0)
        pairs = np.argwhere(np.triu(high - low, 1) > tolerance).tolist()
        pairs.sort(key=lambda pair: low[*pair] - high[*pair])
        return [{"a": names[i], "b": names[j], "low": float(low[i, j]), "high": float(high[i, j])} for i, j in pairs]

    def _joined(self) -> list[NDArray[np.float64]]:
        return [(arrow + arrow.T + line) / total for arrow, line, _, total in self._tallies()]

    def _tallies(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]]:
        tallies = (self.sampler.tallies(chain) for chain in range(self._chains))
        return [(a.astype(np.int64), b.astype(np.int64), c.astype(np.int64), total) for a, b, c, total in tallies]


def _sampler(arguments: Mapping[str, Any], chains: int) -> _kernel.GapSampler:
    columns = _kernel.Columns(*arguments["columns"], gaps=True)
    return _kernel.GapSampler(**{**arguments, "columns": columns, "chains": chains})


def _one_chain(arguments: Mapping[str, Any], readings: _Readings | None, state: bytes) -> _kernel.GapSampler:
    """Make a sampler with one chain that goes on from a state, in whatever process this is."""
    sampler = _sampler(arguments, 1)
    if readings is not None:
        sampler.read_as(*readings)
    sampler.take(0, state)
    return sampler


def _as_levels(data: Dataset) -> Dataset:
    """Give the data with all ordered columns as levels: that is what parameters are drawn for."""
    return replace(data, kinds=tuple("levels" if kind == "ordered" else kind for kind in data.kinds))


def _with_modes(data: Dataset) -> Dataset:
    """Fill every gap with the most frequent level of its column."""
    columns = []
    for codes, k, n in zip(data.columns, data.cardinalities, data.gap_counts, strict=True):
        counts = np.bincount(codes, minlength=k + 1)[:k]
        columns.append(np.where(codes == k, counts.argmax(), codes).astype(codes.dtype) if n else codes)
    return replace(data, columns=tuple(columns))


def _warn(unsettled: list[dict[str, Any]], fillings: int) -> None:
    if not unsettled:
        return
    named = listing(f"{one['a']!r} and {one['b']!r} ({one['low']:.2f} to {one['high']:.2f})" for one in unsettled)
    pairs = "a pair is" if len(unsettled) == 1 else f"{len(unsettled)} pairs are"
    warn(
        ConvergenceWarning(
            f"After {fillings} fillings of the gaps the chains still differ in the probability that {pairs} joined: "
            f"{named}.",
            hint=("Ask for more (", Argument("fillings", 4 * fillings), "), or treat these probabilities as guesses."),
        )
    )
