"""How likely is every edge? Sampling DAGs from their posterior distribution.

The score of a DAG is the log evidence "eb" of `scores.py`, averaged over equivalent sample sizes, less the
penalty of `order.py` for every arrow; in a table with numbers or ordered columns it is "mixed", after a choice of
their forms (`choosing.py`). The posterior is exp(temper * score) over all DAGs; tempering below one takes back some of
the confidence that small samples do not deserve.

1. An order search of many climbs (`order.py`) gives good DAGs to start from. Their best parts are united, and that
   climbs on until half as many climbs in a row have brought nothing better; of DAGs far behind it those parts count
   that lose little.
2. Twelve candidate parents per node: who has most to say for it in all DAGs that the climbs ended with, as a parent or
   in the place of one, alone or with others that help only together. The scores of all their subsets of up to four are
   tabulated, and larger ones where every parent pays, or where a climb has found them.
3. Markov chains over DAGs and orders: nodes move within the order, with their parents and those of their possible
   children summed out; then parents are drawn anew, one node after the other, among all that make no cycle. An order
   counts only by the chance that it is drawn from the DAG, so DAGs that fit many orders are not preferred: what is
   sampled is the posterior of DAGs itself (Friedman and Koller 2003 sample orders, with that bias; see
   `src/kernel/graphs/dag_chains.hpp` for the moves). Each chain has further walkers on flatter posteriors (`heats`)
   that swap states with it, so that it crosses valleys.
4. Two chains from starts that differ much. If the probability that some pair is joined differs between them by more
   than `tolerance`, or has a standard error over the parts of the chains of more than a quarter of it, they go on, up
   to `max_rounds`. A `ConvergenceWarning` names the pairs that still differ, or whose error is more than a seventh.

Every sampled DAG is taken as its equivalence class, so a pair is `->`, `<-`, `--` or not joined. What is said of these
shares, and which graph is drawn from them, is told in `summary.py`; `docs/posterior.md` has the measurements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import _kernel, checks
from paucal.errors import ConvergenceWarning, not_allowed, warn
from paucal.search.by_scores.chains import Chains
from paucal.search.by_scores.choosing import choose_forms
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.latent import READ, read_with_hidden
from paucal.search.by_scores.missing import CHAINS, FILLINGS, HEATS, posterior_of_gaps
from paucal.search.by_scores.problem import FAR_BEHIND, MOST_PARENTS, MOST_STARTS, Problem
from paucal.search.by_scores.summary import KEPT, evenly_spaced, summarised
from paucal.search.evidence.graphs import Graphs, parents_of
from paucal.search.evidence.pairs import about
from paucal.search.run import ScoreRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.by_scores.problem import Climbed, Climbs
    from paucal.search.by_scores.scores import ScoreName
    from paucal.search.evidence.graphs import Parents
    from paucal.search.result import SearchResult
    from paucal.search.run import Progress

_MOST_CANDIDATES = 16
_MOST_CHAINS = 100
_CHAINS = 2
_LEAST_ROUNDS = 200
_LEAST_MOVES = 8000  # of nodes, in the rounds of a chain
_WALKERS = (1.0, 0.8, 0.6, 0.4)
_HEATS = "The first is 1: try (1, 0.8, 0.6, 0.4)."
_MOST_TABLES = 2  # of candidates, from different climbs: what one lacks shows as a difference between chains
_MOST_NAMED = 5  # pairs in a warning
_DAGS = 2  # that a round of a chain records
_PARTS = 8  # of each chain, compared with each other
_GO_ON = 4  # standard errors beyond the tolerance: the chains go on
_NAMED = 7  # standard errors beyond the tolerance: the pair is named; five of the difference of two runs
_SLICE = 20  # rounds between two words about progress


def posterior(
    data: Any,
    *,
    score: ScoreName | None = None,
    ess: float = 1.0,
    temper: float = 0.7,
    edge_penalty: float | None = None,
    knowledge: Knowledge | None = None,
    interventions: str | None = None,
    targets: Targets | None = None,
    max_parents: int = 10,
    candidates: int = 12,
    starts: int = 100,
    chains: int | None = None,
    rounds: int | None = None,
    burn_in: int = 60,
    max_rounds: int | None = None,
    tolerance: float = 0.2,
    heats: Sequence[float] | None = None,
    fillings: int = FILLINGS,
    latent: bool = False,
    seed: int = 0,
    threads: int = 1,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Sample DAGs from their posterior; give probabilities of edges and the graph that agrees with them best.

    Parameters
    ----------
    data, score, ess, edge_penalty, max_parents, starts
        As for the search "order", which finds the starts.
    knowledge, interventions, targets, seed, threads, max_seconds, progress
        As for `paucal.learn`; threads share the chains.
    temper
        The power that the posterior is raised to; below 1 it is flatter, and less sure.
    candidates
        Possible parents of a node, besides required ones.
    chains
        Markov chains; with one there is no comparison. By default two, and three where values are missing.
    rounds, burn_in
        Rounds of each chain that count, and rounds before them. A round moves every node about once and gives two
        DAGs. By default 200, and more for less than 40 columns.
    max_rounds
        Rounds at most when the chains disagree; three times `rounds` by default.
    tolerance
        Largest difference between chains in the probability that a pair is joined, and seven times its standard error.
    heats
        Powers of the posterior that the walkers of a chain see; the first is 1. By default 1, 0.8, 0.6 and 0.4; 1 and
        0.6 where values are missing, as a new filling moves a chain too.
    fillings
        Where values are missing (`missing="keep"`): times that each chain fills the gaps and samples DAGs of the
        completed table, after as many that do not count; up to three times as many when the chains disagree. This
        takes the place of `starts`, `rounds`, `burn_in` and `max_rounds`.

    latent
        Whether common causes may be hidden: sampled DAGs are read as PAGs (`latent.py`), and the graph is one;
        `claims()` lists what causes what even so.

    Returns
    -------
    SearchResult
        `probabilities()` lists the pairs, `blanket_probabilities(target)` who may be in a Markov blanket;
        `details["map"]` lists the arrows of the best DAG that was met, `details["difference"]` is the largest
        difference between the chains, `details["unsettled"]` lists the pairs that `tolerance` has no room for.
        Where values are missing, `details["missing"]` says how many, and there is no `"map"`.

    Warns
    -----
    ConvergenceWarning
        Probabilities of some pairs are not settled at the end.

    Examples
    --------
    >>> import paucal
    >>> sample = paucal.load_network("asia").sample(300, seed=1)
    >>> result = paucal.learn(sample, search="posterior")
    >>> likely = [(pair["a"], pair["b"]) for pair in result.probabilities(least=0.8)]
    >>> sorted(likely)
    [('bronc', 'dysp'), ('either', 'xray'), ('lung', 'either'), ('smoke', 'bronc'), ('tub', 'either')]
    """
    experiment = Experiment.of(data, interventions, targets)
    table = experiment.data
    # for the recipe: the defaults depend on the table
    asked: dict[str, Any] = {"chains": chains, "rounds": rounds, "max_rounds": max_rounds}
    asked |= {} if heats is not None else {"heats": None}
    if chains is None:
        chains = CHAINS if table.has_gaps else _CHAINS
    if rounds is None:
        rounds = max(_LEAST_ROUNDS, math.ceil(_LEAST_MOVES / table.n_columns))
    options: dict[str, Any] = {
        "temper": checks.positive_number("temper", temper),
        "max_parents": checks.whole_number("max_parents", max_parents, 1, MOST_PARENTS),
        "candidates": checks.whole_number("candidates", candidates, 1, _MOST_CANDIDATES),
        "starts": checks.whole_number("starts", starts, 1, MOST_STARTS),
        "chains": checks.whole_number("chains", chains, 1, _MOST_CHAINS),
        "rounds": checks.whole_number("rounds", rounds, 1, MOST_STARTS),
        "burn_in": checks.whole_number("burn_in", burn_in, 0, MOST_STARTS),
        "max_rounds": checks.whole_number(
            "max_rounds", 3 * rounds if max_rounds is None else max_rounds, rounds, 3 * MOST_STARTS
        ),
        "tolerance": checks.positive_number("tolerance", tolerance),
        "heats": (HEATS if table.has_gaps else _WALKERS) if heats is None else _checked_heats(heats),
        "fillings": checks.whole_number("fillings", fillings, 1, MOST_STARTS),
        "latent": checks.flag("latent", latent),
    }
    seed, threads = checks.seed(seed), checks.threads(threads)
    if table.has_gaps:
        about_score = {"score": score, "ess": ess, "edge_penalty": edge_penalty}
        known = {"knowledge": knowledge, "interventions": interventions, "targets": targets}
        work = options | about_score | known | {"asked": options | asked}
        with ScoreRun(max_seconds, progress) as run:
            return run.ended(posterior_of_gaps(experiment, work, seed=seed, threads=threads, run=run))
    with ScoreRun(max_seconds, progress) as run:
        problem = Problem(
            experiment,
            score,
            ess=ess,
            knowledge=knowledge,
            edge_penalty=edge_penalty,
            interventions=interventions,
            targets=targets,
        )
        choose_forms(problem, seed=seed, run=run)
        climbs = problem.search(options["max_parents"], options["starts"], seed, run, go_on=True)
        sampled = _sample(problem, climbs, options, seed, threads, run)
        best_score, best_dag = problem.best_met(climbs, *sampled.sampler.best())
        told = summarised(
            problem,
            sampled.arrow,
            sampled.line,
            joined=lambda a, b: np.concatenate([sampled.sampler.joined(c, a, b) for c in range(chains)]) > 0,
            starts=lambda arrow, line: [best_dag, sampled.sampler.central(arrow, line)],
            look=run.budget.look,
        )
        evidence = sampled.evidence(problem, told.arrow, told.line)
        result = problem.result(
            problem.completed(told.dag),
            evidence,
            search="posterior",
            seed=seed,
            options=options | asked,
            details={
                "map": problem.arrows(best_dag),
                "score": best_score,
                "rounds": sampled.rounds,
                "difference": sampled.difference,
                "unsettled": [pair._asdict() for pair in sampled.unsettled],
                "acceptance": [sampled.sampler.rates(chain)[0] for chain in range(chains)],
                "swaps": [sampled.sampler.rates(chain)[1] for chain in range(chains)],
                "parent_sets": sampled.sampler.n_sets,
                "evaluations": problem.scorer.kernel.evaluated,
                **told.details,
            },
            rule="consensus",
        )
        if not latent:
            return run.ended(result)
        graph, evidence, reasons = read_with_hidden(problem, told.dag, sampled.spaced(READ), evidence)
        return run.ended(replace(result, graph=graph, evidence=evidence, reasons=reasons))


@dataclass(frozen=True, eq=False)
class _Sampled:
    """What the chains have drawn: shares of DAGs with an arrow, whose class has a line, with a pair in one blanket."""

    sampler: _kernel.DagSampler
    rounds: int
    difference: float | None  # largest between chains; None if there is one chain only
    unsettled: list[_Unsettled]  # pairs that differ by more than was tolerated
    arrow: NDArray[np.float64]
    line: NDArray[np.float64]
    blanket: NDArray[np.float64]
    n_graphs: int
    chains: int

    def evidence(self, problem: Problem, arrow: NDArray[np.float64], line: NDArray[np.float64]) -> Graphs:
        """Give probabilities of arrows and lines, and shares of blankets, over the columns as they came."""
        where = np.ix_(*(2 * [[problem.names.index(name) for name in problem.data.names]]))
        return Graphs(
            **about(problem.data),
            means=problem.scorer.settings,
            shares={"->": arrow[where], "--": line[where]},
            blanket=self.blanket[where],
            source="posterior",
            n_graphs=self.n_graphs,
            difference=self.difference,
            penalty=problem.penalty,
            sampled=self.kept(where),
            causes=self.causes()[where],
        )

    def causes(self) -> NDArray[np.float64]:
        """Give the share of DAGs with a directed path from row to column."""
        counts = [self.sampler.causes(chain).astype(np.int64) for chain in range(self.chains)]
        return np.asarray(np.sum(counts, axis=0), dtype=np.float64) / self.n_graphs

    def kept(self, where: tuple[NDArray[np.int64], ...]) -> tuple[Parents, ...]:
        """Give some of the DAGs with the columns in another order."""
        return tuple(parents_of(dag[where]) for dag in self.spaced(KEPT))

    def spaced(self, most: int) -> Iterator[NDArray[np.uint8]]:
        """Give so many DAGs, evenly spaced over every chain."""
        recorded = [self.sampler.tallies(chain)[3] for chain in range(self.chains)]
        return (self.sampler.dag(chain, number) for chain, number in evenly_spaced(recorded, most))


def _sample(
    problem: Problem,
    climbs: Climbs,
    settings: dict[str, Any],
    seed: int,
    threads: int,
    run: ScoreRun,
) -> _Sampled:
    """Run the chains until they agree, or long enough; at least for a round, so that there is something to tell."""
    chains = settings["chains"]
    run.progress("tables of possible parents", 0)
    sampler = _sampler(problem, climbs, settings, seed, run)

    together = Chains(sampler, chains, packed=sampler.packed, unpacked=_unpacked, least=_SLICE, threads=threads)

    def draw(rounds: int, stage: str, *, record: bool) -> None:
        done = 0
        while done < rounds and not run.spent:
            run.progress(stage, done, rounds)
            done += together.go_on(rounds - done, record=record, run=run)

    draw(settings["burn_in"], "burn-in", record=False)
    done, difference = 0, None
    unsettled: list[_Unsettled] = []
    counted = _Counted(sampler, chains)
    while True:
        more = min(settings["rounds"], settings["max_rounds"] - done)
        if run.spent and not done:
            sampler.run(1, record=True, threads=threads, look=run.budget.look)
        draw(more, "sampling" if not done else "sampling on", record=True)
        counted.note(more)
        done += more
        if chains == 1 or run.spent:
            break
        difference, far, unsettled = _disagreement(problem, counted, settings["tolerance"], done)
        if not far or done >= settings["max_rounds"]:
            break
    if unsettled:
        _warn(unsettled, done)
    *counts, total = (sum(part) for part in zip(*_tallies(sampler, chains), strict=True))
    arrow, line, blanket = (np.asarray(count / total) for count in counts)
    done = math.ceil(total / (_DAGS * chains))  # fewer than asked for if the run has ended before its time
    return _Sampled(sampler, done, difference, unsettled, arrow, line, blanket, int(total), chains)


def _sampler(
    problem: Problem, climbs: Climbs, settings: dict[str, Any], seed: int, run: ScoreRun
) -> _kernel.DagSampler:
    """Make chains that begin far apart, and take candidate parents from the climbs: every chain from others."""
    least = climbs.found[0].score - FAR_BEHIND
    everybody = len(problem.names) <= settings["candidates"] + 1  # is a candidate
    tables = 1 if everybody else min(settings["chains"], _MOST_TABLES)
    beside = climbs.beside
    met = [[one.dag for ends in beside[k::tables] for one in ends if one.score > least] for k in range(tables)]
    return _kernel.DagSampler(
        problem.scorer.kernel,
        problem.allowed,
        problem.required,
        forbidden=problem.forbidden,
        penalty=problem.penalty,
        starts=[one.start for one in _apart(climbs.found)],
        met=met,
        groups=climbs.groups,
        most_candidates=settings["candidates"],
        most_parents=settings["max_parents"],
        heats=[settings["temper"] * heat for heat in settings["heats"]],
        chains=settings["chains"],
        seed=seed,
        look=run.budget.look,
    )


def _unpacked(packed: bytes) -> _kernel.DagSampler:
    """Make a sampler of one chain; a function of the kernel itself does not travel."""
    return _kernel.DagSampler.unpacked(packed)


def _tallies(
    sampler: _kernel.DagSampler, chains: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]]:
    """Give per chain how many DAGs have each arrow, line, and pair in one blanket; and of how many."""
    for chain in range(chains):
        arrow, line, blanket, total = sampler.tallies(chain)
        yield arrow.astype(np.int64), line.astype(np.int64), blanket.astype(np.int64), total


class _Counted:
    """How often each pair was joined in the parts of every chain, one part after the other."""

    def __init__(self, sampler: _kernel.DagSampler, chains: int) -> None:
        self._sampler = sampler
        self._parts: list[list[tuple[NDArray[np.int64], int]]] = [[] for _ in range(chains)]

    def note(self, rounds: int) -> None:
        """Divide the last rounds of every chain into parts; if they were cut short, what there is."""
        ends = _DAGS * np.linspace(0, rounds, _PARTS + 1).astype(np.int64)
        for chain, parts in enumerate(self._parts):
            first, recorded = sum(of for _, of in parts), self._sampler.tallies(chain)[3]
            for begin, end in pairwise(np.minimum(first + ends, recorded).tolist()):
                if end > begin:
                    parts.append((self._sampler.joined_counts(chain, begin, end).astype(np.int64), end - begin))

    def by_chain(self) -> NDArray[np.float64]:
        """Give the share that joins a pair, [chain, a, b]."""
        return np.array([sum(c for c, _ in parts) / sum(of for _, of in parts) for parts in self._parts])

    def by_part(self) -> NDArray[np.float64]:
        """Give the same for eight parts of every chain, or as many as there are, [part, a, b]."""
        found = [
            sum(parts[k][0] for k in some) / sum(parts[k][1] for k in some)
            for parts in self._parts
            for some in np.array_split(np.arange(len(parts)), min(_PARTS, len(parts)))
        ]
        return np.array(found)


class _Unsettled(NamedTuple):
    """A pair whose probability of being joined is not settled, and between which numbers it lies."""

    a: str
    b: str
    low: float
    high: float


def _disagreement(
    problem: Problem, counted: _Counted, tolerance: float, rounds: int
) -> tuple[float, bool, list[_Unsettled]]:
    """Give the largest difference between chains, whether they should go on, and the pairs that are not settled.

    A pair is not settled if the shares of two chains that join it differ by more than the tolerance, or if two runs may
    well do so: that follows from its standard error, of the mean over parts of the chains. Runs with few rounds, which
    somebody has asked for, have no parts long enough to tell an error from.
    """
    chains, parts = counted.by_chain(), counted.by_part()
    lows, highs = chains.min(axis=0), chains.max(axis=0)
    apart = highs - lows
    middle, error = parts.mean(axis=0), parts.std(axis=0, ddof=1) / math.sqrt(len(parts))
    if rounds < _LEAST_ROUNDS:
        error[:] = 0
    width = _NAMED * error
    unsure = (apart <= tolerance) & (width > tolerance)
    lows, highs = (np.where(unsure, np.clip(middle + s * width / 2, 0, 1), e) for s, e in ((-1, lows), (1, highs)))
    place = {name: i for i, name in enumerate(problem.data.names)}
    found = []
    for i, j in np.argwhere(np.triu(np.maximum(apart, width) > tolerance)).tolist():
        a, b = sorted((problem.names[i], problem.names[j]), key=place.__getitem__)
        found.append(_Unsettled(a, b, float(lows[i, j]), float(highs[i, j])))
    found.sort(key=lambda pair: pair.low - pair.high)
    far = bool((np.maximum(apart, _GO_ON * error) > tolerance).any())
    return float(apart.max()), far, found


def _warn(unsettled: list[_Unsettled], rounds: int) -> None:
    told = "; ".join(f"{p.a!r} and {p.b!r}, {p.low:.2f} to {p.high:.2f}" for p in unsettled[:_MOST_NAMED])
    more = len(unsettled) - _MOST_NAMED
    warn(
        ConvergenceWarning(
            f"After {rounds} rounds the probability that columns are joined is not settled: {told}"
            f"{f'; and {more} more pairs' if more > 0 else ''}. Another seed may give other numbers.",
            hint="Ask for more rounds or chains, or treat these pairs as open.",
        )
    )


def _apart(found: list[Climbed]) -> list[Climbed]:
    """Order DAGs so that chains begin far apart: the best, then each time the one that differs most from all before."""
    order, rest = found[:1], [one for one in found[1:] if one.score > found[0].score - FAR_BEHIND]
    while rest:
        far = max(rest, key=lambda one: min(_different(one, other) for other in order))
        order.append(far)
        rest = [one for one in rest if one is not far]
    return order


def _different(one: Climbed, other: Climbed) -> int:
    return int(((one.dag | one.dag.T) != (other.dag | other.dag.T)).sum())


def _checked_heats(heats: Sequence[float]) -> tuple[float, ...]:
    try:
        checked = [checks.positive_number("heats", heat, 1.0) for heat in heats]
    except TypeError:
        raise not_allowed("heats", heats, "a list", hint=_HEATS) from None
    if not checked or checked[0] != 1 or sorted(checked, reverse=True) != checked:
        raise not_allowed("heats", list(heats), "a list that falls from 1", hint=_HEATS)
    return tuple(checked)
