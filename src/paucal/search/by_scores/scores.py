"""Scores of a DAG on data: sums over nodes, each a function of the counts of the node with its parents.

==========  ====================================================================================================
`eb`        log evidence under Dirichlet priors, averaged over equivalent sample sizes from 0.5 up to 8 for each level
            of the column with the most levels: the data weigh them, as in empirical Bayes
`mixed`     the same for tables with numbers and ordered columns, which are read as lines, steps or levels
            (`forms.py`, `design.py`); "eb" to the last bit if there are none
`bdeu`      log evidence under Dirichlet(ess / (r q)) for each of q configurations of the parents
            (Heckerman, Geiger and Chickering 1995)
`bds`       the same with ess shared by the observed configurations only (Scutari 2016)
`k2`        the same under Dirichlet(1) (Cooper and Herskovits 1992)
`qnml`      log-likelihood at its maximum, less the complexity of the model by normalised maximum likelihood, as a
            difference between two sets of columns (Silander et al. 2018); needs no parameter
`bic`       loglik - d ln(N) / 2
`aic`       loglik - d
`loglik`    log-likelihood at its maximum
==========  ====================================================================================================

r is the number of levels of the node, q that of the configurations of its parents, and d = (r - 1) q, summed over the
nodes. Levels count as declared, observed or not, in `bdeu`, `k2`, `bic` and `aic`, and as observed in `eb`, `bds` and
`qnml`. Larger is better. Natural logarithms. All but `k2` and `bds` give equivalent DAGs the same score: they are
differences f(parents and node) - f(parents). The kernel computes them; `tests/twin/scores.py` has the formulas.

    eb:  f(S) = ln mean over k = 0..m of DirMult(counts of S | 2^k / (2 K) in each cell), K the cells of S

R is the largest number of observed levels among the columns that vary, and m the smallest number with 2^m / 2 >= 8 R.
One grid serves all sets of a data set: a column with 100 levels moves its end for all others too. It has to end, for
where levels are equally frequent all sets would choose the largest size, and a size beyond the number of rows cannot
tell "independent" from "nearly so".

    mixed:  f(S) = f_eb(D) + G(S) - G(D), D the members of S with cells (levels and steps), the others being lines
            G(S) = -N/2 ln det R - ln(N)/2 d (d + 1)/2, R the correlations of the d columns of S: one for a line, an
            indicator of every level but one for the others

In words: cells among themselves as in "eb"; given the cells, the means of numbers add up over the columns, with one
covariance; a number of parameters is paid for as in BIC. Levels of numbers do not count for R.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from paucal import _kernel, checks
from paucal.data.gaps import refuse_gaps
from paucal.dirichlet import largest_size, sizes_to
from paucal.errors import Argument, DataError, ParameterError, listing
from paucal.graphs.equivalence import pdag_to_dag
from paucal.graphs.graph import Graph
from paucal.search.by_scores.design import has_forms, make_design
from paucal.search.by_scores.forms import may_have_forms
from paucal.search.by_scores.interventions import Experiment
from paucal.tables import counts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paucal.data import Dataset
    from paucal.search.by_scores.design import Design
    from paucal.search.by_scores.forms import Form, Written

ScoreName = Literal["eb", "mixed", "bdeu", "bds", "k2", "qnml", "bic", "aic", "loglik"]
SCORES: tuple[ScoreName, ...] = ("eb", "mixed", "bdeu", "bds", "k2", "qnml", "bic", "aic", "loglik")
_SIZED = ("bdeu", "bds")  # these have an equivalent sample size


@dataclass(frozen=True)
class ScoreSettings:
    """A score by name, with its equivalent sample size if it has one, or the largest of them that "eb" averages.

    `forms` says in which form "mixed" reads numbers and ordered columns.
    """

    name: ScoreName
    ess: float | None = None
    largest_ess: float | None = None
    forms: Mapping[str, Written] | None = field(default=None, hash=False)

    @property
    def all(self) -> dict[str, Any]:
        """The parameters of the score."""
        known = {"ess": self.ess, "largest_ess": self.largest_ess, "forms": self.forms}
        return {name: value for name, value in known.items() if value is not None}

    def __str__(self) -> str:
        return self.name if self.ess is None else f"{self.name}(ess={self.ess:g})"


def score(graph: Graph, data: Any, score: ScoreName = "bdeu", *, ess: float = 10) -> float:
    """Score a graph on data.

    Parameters
    ----------
    graph
        A DAG; of a CPDAG or PDAG, one DAG of it is scored.
    data
        Anything `Dataset.of` takes; it must have the graph's nodes among its columns.
    score
        "eb", "mixed", "bdeu", "bds", "k2", "qnml", "bic", "aic" or "loglik". In "mixed" numbers are lines here, and
        ordered columns have their levels: the forms that every search begins with.
    ess
        Equivalent sample size of "bdeu" and "bds".

    Returns
    -------
    float
        The score: larger is better.

    Examples
    --------
    >>> import paucal
    >>> data = {"rain": [0, 0, 0, 1, 1, 1] * 5, "wet": [0, 0, 1, 1, 1, 1] * 5}
    >>> joined, apart = (paucal.Graph.parse(text, kind="dag") for text in ("rain -> wet", "rain; wet"))
    >>> round(paucal.score(joined, data, "bic"), 3), round(paucal.score(apart, data, "bic"), 3)
    (-35.444, -43.291)
    """
    dag = graph if checks.instance("graph", graph, Graph, "a graph").kind == "dag" else pdag_to_dag(graph)
    scorer = Scorer(data, score, ess=ess)
    number = scorer.data.index
    return math.fsum(scorer.local(number(v), map(number, dag.parents(v))) for v in dag.nodes)


class Scorer:
    """The score of a node with some parents, by column number; computed once for every set of parents.

    The grid of "eb" is that of the data, unless `largest_ess` says where it ends: an explanation scores as the search
    did, whatever columns it is given. So do the forms of "mixed". Of an `Experiment`, families of a column that was set
    in some rows are scored on the others.
    """

    def __init__(
        self,
        data: Any,
        score: ScoreName = "bdeu",
        *,
        ess: float = 10,
        largest_ess: float | None = None,
        forms: Mapping[str, Written] | None = None,
    ) -> None:
        checks.known("score", score, SCORES)
        experiment = Experiment.of(data, None)
        self.data = experiment.data
        refuse_gaps(self.data, f"The score {score!r}")
        self.name: ScoreName = score
        self.ess = checks.positive_number("ess", ess, hint="The usual value is 10 or 1.")
        self.names = self.data.names
        if score != "mixed":
            _refuse_numbers(self.data, score)
        counted = [n for n, kind in zip(self._observed, self.data.kinds, strict=True) if kind != "number"]
        self.largest_ess = largest_size(counted) if largest_ess is None else largest_ess
        self.design: Design | None = None
        self.forms: tuple[Form, ...] = ()  # of every column, if the score has a design
        if score == "mixed" and has_forms(self.data):
            if experiment.targets:
                raise ParameterError(
                    f"The score 'mixed' cannot leave out the rows in which {experiment.targets[0]!r} was set.",
                    hint=("Use ", Argument("score", "eb"), "; numbers are in steps then."),
                    parameter="score",
                    value=score,
                )
            self.design = make_design(self.data, sizes_to(self.largest_ess), forms)
            self.forms = tuple(offer[0] for offer in self.design.offers)
        self.kernel = self._make(self.data) if self.design is None else self.design.kernel
        for name in experiment.targets:
            free = (~experiment.set_in(name)).nonzero()[0]
            if len(free):  # set in every row, it has no parents and one score
                self.kernel.ask_instead(self.data.index(name), self._make(self.data.take(free)))
        self._memory: dict[tuple[int, tuple[int, ...]], float] = {}

    def _make(self, rows: Dataset) -> _kernel.Scorer:
        """Make the scorer of some of the rows; levels count as in all of them."""
        columns, observed = counts_of(rows).columns, self._observed
        declared = list(self.data.cardinalities)
        if self.name in ("eb", "mixed"):
            return _kernel.Scorer.dirichlet(columns, observed, sizes=self.sizes)
        if self.name == "bdeu":
            return _kernel.Scorer.dirichlet(columns, declared, sizes=self.sizes)
        if self.name == "bds":
            return _kernel.Scorer.family(columns, observed, shared=True, size=self.ess)
        if self.name == "k2":
            return _kernel.Scorer.family(columns, declared, shared=False, size=1.0)
        if self.name == "qnml":
            return _kernel.Scorer.qnml(columns, observed)
        penalty = {"loglik": 0.0, "aic": 1.0, "bic": math.log(rows.n_rows) / 2}[self.name]
        return _kernel.Scorer.fit(columns, declared, per_parameter=penalty)

    def use(self, forms: Sequence[Form]) -> None:
        """Read the columns in other forms, one for each, from now on; what was scored so far is forgotten here."""
        if self.design is not None:
            self.kernel.use(self.design.places_of(forms))
            self.forms = tuple(forms)
            self._memory.clear()

    @property
    def own_forms(self) -> dict[str, Written]:
        """The forms of the numbers and ordered columns, by name."""
        forms = enumerate(zip(self.names, self.forms, strict=True)) if self.forms else ()
        return {name: form.written for v, (name, form) in forms if may_have_forms(self.data, v)}

    @cached_property
    def _observed(self) -> tuple[int, ...]:
        return counts_of(self.data).observed

    @property
    def cells(self) -> list[int]:
        """In how many cells each column is counted: its observed levels, or its steps; a line is as good as two."""
        if not self.forms:
            return list(self._observed)
        forms = zip(self.forms, self._observed, strict=True)
        return [2 if form.line else len(form.cuts) + 1 if form.cuts else n for form, n in forms]

    @property
    def sizes(self) -> list[float]:
        """The equivalent sample sizes that "eb" averages over, or the one of the other scores."""
        return sizes_to(self.largest_ess) if self.name in ("eb", "mixed") else [self.ess]

    @property
    def settings(self) -> ScoreSettings:
        """What the score is set to."""
        if self.name in ("eb", "mixed"):
            return ScoreSettings(self.name, largest_ess=self.largest_ess, forms=self.own_forms or None)
        return ScoreSettings(self.name, self.ess if self.name in _SIZED else None)

    def local(self, node: int, parents: Iterable[int]) -> float:
        """Score one node with its parents."""
        key = (node, tuple(sorted(parents)))
        known = self._memory.get(key)
        if known is None:
            known = self._memory[key] = self.kernel.local(*key)
        return known


def fitting_score(experiment: Experiment) -> ScoreName:
    """Name the score for a table, if nobody names one: numbers and ordered columns ask for "mixed"."""
    return "mixed" if has_forms(experiment.data) and not experiment.targets else "eb"


def _refuse_numbers(data: Dataset, score: ScoreName) -> None:
    uncut = [repr(name) for name, kind in zip(data.names, data.kinds, strict=True) if kind == "number"]
    if uncut:
        raise DataError(
            (f"The score {score!r} counts levels, and there are numbers: {listing(uncut)}.",),
            hint=("Use ", Argument("score", "mixed"), ", or cut them: ", Argument("discretize", "quantile:3"), "."),
        )
