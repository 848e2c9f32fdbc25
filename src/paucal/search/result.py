"""What a search returns: the graph, what speaks for it, and the recipe it was made by."""

from __future__ import annotations

import html
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from paucal import checks, schemas
from paucal.data import Dataset
from paucal.data.dataset import telling
from paucal.data.frames import framed
from paucal.data.steps import NUMBER_STEPS, in_steps
from paucal.errors import Argument, DataError, GraphError, PaucalError, QuestionError, listing, not_allowed
from paucal.graphs.graph import Graph
from paucal.graphs.json_head import JsonFormat, parse_json, plain_lists
from paucal.graphs.language import quoted
from paucal.independence.ledger import Ledger
from paucal.independence.settings import CISettings
from paucal.search.answers import Answers
from paucal.search.by_scores.interventions import Experiment
from paucal.search.evidence import from_plain
from paucal.search.evidence.asking import MOST_ASKED, Fact, facts_about_background, facts_that_settle
from paucal.search.evidence.crossed import Crossed
from paucal.search.evidence.explain import RULES, Explanation, Reason, with_implied
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.questions import Doubtful, OpenQuestion, open_questions, printed
from paucal.search.evidence.sepsets import Sepsets
from paucal.search.evidence.tests import Tests
from paucal.search.plain import plain
from paucal.search.recipe import Recipe

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Self

    from paucal.effects.groups import Groups
    from paucal.graphs.drawing.svg import Drawing
    from paucal.graphs.knowledge import Knowledge
    from paucal.graphs.language import Edge
    from paucal.independence.answers import CIResult
    from paucal.search.evidence.pairs import Evidence

# docs/latent.md has the counts
RARELY_RIGHT = (
    "a hidden common cause is one reading; in samples of this size nine of ten such edges were wrong (docs/latent.md)"
)
ROWS_FOR_HIDDEN = 5000
MOST_WRITTEN = 250_000  # edges: some 50 MB of JSON
_TOO_MANY = f"more than the {MOST_WRITTEN:,} that are listed"
_NEARLY_SURE = 0.9  # claims of causes that are printed
_MOST_CAUSES = 5
_JSON = JsonFormat("paucal-result", "result", version=3)


class Exchanged(ABC):
    """What all results have in common: JSON there and back, by which they are compared and pickled, and a report."""

    @abstractmethod
    def to_dict(self, *, all_tests: bool = False) -> dict[str, Any]:
        """Give plain values."""

    @classmethod
    @abstractmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read plain values."""

    def to_json(self, *, all_tests: bool = False) -> str:
        """Write everything as JSON; `from_json` gives an equal result back.

        Of more than 200 columns the tests that found two of them independent given nothing are left out, unless
        `all_tests` asks for them. `paucal.schemas.schema` has the JSON Schema.
        """
        return json.dumps(self.to_dict(all_tests=all_tests), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(parse_json(text))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    @abstractmethod
    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(all_tests=True),)

    def report(self, path: str | os.PathLike[str], *, data: Any = None, title: str | None = None) -> Path:
        """Write one self-contained HTML page about this result; see `paucal.write_report`."""
        from paucal.report.page import write_report

        return write_report(cast("Any", self), path, data=data, title=title)


@dataclass(frozen=True, eq=False)
class SearchResult(Answers, Exchanged):
    """A graph learned by a search, with the evidence for it. It never changes.

    Attributes
    ----------
    graph
        What was learned.
    evidence
        The evidence for it: `Tests` that were asked, `Scores`, or `Graphs` that were sampled or bootstrapped.
    recipe
        What was run; it prints as the call that runs it again.
    details
        What this search reports besides, such as other ways of counting its tests.
    reasons
        `(a, b)` -> why the edge between a and b has its mark at b; `why` tells the whole story of a pair.
    seconds
        Wall clock time of the search.
    unfinished
        Why the search ended early, in words, if it did: pairs that were not tested by then stay joined.
    frame_kind
        The library of the data frame that came in ("pandas", "polars", "pyarrow"), in which `edges` answers.

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.Graph.parse("A; B; A -> C <- B; C -> D"))
    >>> result = paucal.learn(oracle, search="pc-stable")
    >>> result.graph
    Graph.cpdag(4 nodes, 3 edges: A -> C; B -> C; C -> D)
    >>> result.sepsets["D", "A"]
    ('C',)
    >>> print(result.why("C", "D"))
    C -> D: joined
      mark at D: Meek's first rule: A -> C -> D, otherwise A and D would collide in C
      order 0: dependent given nothing (oracle, p = 0)
      order 1: dependent given A (oracle, p = 0)
      order 2: dependent given A, B (oracle, p = 0)
    """

    graph: Graph
    evidence: Evidence
    recipe: Recipe
    details: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], Reason] = field(default_factory=dict)
    seconds: float = 0.0
    unfinished: str | None = None
    frame_kind: str | None = None

    def __post_init__(self) -> None:
        for name in ("details", "reasons"):
            if not isinstance(getattr(self, name), Mapping):
                raise not_allowed(name, getattr(self, name), "a dict")
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def with_recipe(self, recipe: Recipe, *, frame_kind: str | None) -> Self:
        """Give the same with what its search could not know; nothing else is copied, as a quick search feels that."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), recipe=recipe, frame_kind=frame_kind)
        return other

    @property
    def search(self) -> str:
        """The name of the search."""
        return self.recipe.search

    @property
    def test(self) -> str | None:
        """The name of the test that was asked; None if a score decided."""
        return self.evidence.means.name if isinstance(self.evidence.means, CISettings) else None

    @property
    def score(self) -> str | None:
        """The name of the score that decided; None if a test was asked."""
        return None if isinstance(self.evidence.means, CISettings) else self.evidence.means.name

    @property
    def knowledge(self) -> Knowledge | None:
        """What was known beforehand, or None."""
        return self.recipe.knowledge

    @property
    def ledger(self) -> Ledger:
        """The tests of this search: none, unless the evidence is tests."""
        return self.evidence.ledger if isinstance(self.evidence, Tests) else Ledger(self.evidence.names)

    @property
    def sepsets(self) -> Sepsets:
        """For every separated pair of names, in either order, the set that separated it."""
        return self.evidence.sepsets if isinstance(self.evidence, Tests) else Sepsets(self.evidence.names, {})

    @property
    def n_samples(self) -> int | None:
        """Rows behind the result, or None."""
        return self.evidence.n_samples

    def why(self, x: str, y: str, *, data: Any = None) -> Explanation:
        """Explain why x and y are joined or not, and the marks of the edge between them.

        Given the data, it shows the table of y by x, how closely the two go together and, if the search used a
        score, what the edge is worth.
        """
        return next(self.whys([(x, y)], data=data))

    def whys(self, pairs: Iterable[tuple[str, str]], *, data: Any = None) -> Iterator[Explanation]:
        """Explain pairs, one after the other; see `why`."""
        experiment = None if data is None else self.experiment(data)
        table = None if experiment is None else in_steps(experiment.data, NUMBER_STEPS, self.cuts)
        gains = self.evidence.gains(self.graph, experiment, self.knowledge)
        for x, y in checks.pairs("pairs", pairs):
            if self.graph.index(x) == self.graph.index(y):
                raise QuestionError(f"{x!r} is not joined to itself.", hint="Name two different nodes.")
            edge = self.graph.edge(x, y)
            reasons = {end: r for end in ((x, y), (y, x)) if (r := self._all_reasons.get(end)) is not None}
            if not reasons and edge is None and self.knowledge is not None and self.knowledge.forbids_adjacency(x, y):
                reasons = {(x, y): Reason("forbidden")}
            told = self.evidence.describe(x, y, joined=edge is not None, gains=gains)
            about = vars(told) | {"forms": self.evidence.forms_of(x, y), "known": self._known_about(x, y)}
            about |= {"crossed": None if table is None else Crossed.of(table, x, y)}
            about |= {"doubts": (RARELY_RIGHT,) if edge is not None and self._hidden_is_doubtful([edge]) else ()}
            yield Explanation(x=x, y=y, edge=edge, reasons=MappingProxyType(reasons), **about)

    def _hidden_is_doubtful(self, edges: Iterable[Edge]) -> bool:
        """Say whether there is a `<->` among edges from fewer rows than it takes to believe one."""
        few = self.n_samples is not None and self.n_samples < ROWS_FOR_HIDDEN and self.graph.kind in {"mag", "pag"}
        return few and any(edge.symbol == "<->" for edge in edges)

    @property
    def narrowed(self) -> str | None:
        """What a graph around some columns of a table leaves out, in a sentence; None of a whole table."""
        if "around" not in self.details:
            return None
        targets = listing(map(quoted, self.details["around"]))
        chosen = f"{self.graph.n:,} of {self.details['chosen_of']:,} columns"
        return f"around {targets}: {chosen}; an edge between two others may stand for a path through those left out"

    def with_details(self, **details: Any) -> SearchResult:
        """Give the same result with more details."""
        return replace(self, details={**self.details, **details})

    def reordered(self, names: tuple[str, ...]) -> SearchResult:
        """Give the same result with the columns in another order."""
        names = tuple(checks.plain_names("names", names))
        if self.graph.nodes == names == self.evidence.names:
            return self
        graph = self.graph.reorder(names)
        place = {name: i for i, name in enumerate(names)}
        by_place = sorted(self.reasons.items(), key=lambda one: (place[one[0][0]], place[one[0][1]]))
        return replace(self, graph=graph, evidence=self.evidence.reordered(names), reasons=dict(by_place))

    def _known_about(self, x: str, y: str) -> tuple[str, ...]:
        """Give what was known about arrows between two columns, in sentences, each once."""
        if self.knowledge is None:
            return ()
        said = (self.knowledge.why_forbidden(a, b) for a, b in ((x, y), (y, x)))
        return tuple(dict.fromkeys(sentence for sentence in said if sentence is not None))

    def own_data(self, data: Any) -> Dataset:
        """Take data that may be those behind the result, prepared as they were; others would tell of something else."""
        raw = telling(data, self.recipe.interventions)
        table = data if isinstance(data, Dataset) else Dataset.of(raw, **self.recipe.preparation.said)
        if self.n_samples not in (None, table.n_rows):
            raise DataError(
                f"The result is about {self.n_samples:,} rows, the data have {table.n_rows:,}.",
                hint="Give the data that it was learned from.",
            )
        return table

    def experiment(self, data: Any) -> Experiment:
        """Take the data behind the result, and read in which rows which columns were set."""
        return Experiment.of(self.own_data(data), self.recipe.interventions, self.recipe.targets)

    def nearest(self, x: str, y: str) -> CIResult | None:
        """Give the test that separated x and y or, if they are joined, came nearest to it; None without tests."""
        joined = self.graph.edge(x, y) is not None
        return self.evidence.nearest(x, y, joined=joined) if isinstance(self.evidence, Tests) else None

    def doubtful(self) -> tuple[CIResult, ...]:
        """Give the deciding tests that were not reliable: of a pair the one that separated it, or came nearest to it.

        Edges come first, then the pairs that are not joined.

        Examples
        --------
        >>> import paucal
        >>> result = paucal.learn(paucal.load_network("asia").sample(500, seed=1), "pc-stable")
        >>> [(test.x, test.y, test.given) for test in result.doubtful()]
        [('asia', 'smoke', ()), ('tub', 'xray', ('either',)), ('lung', 'xray', ('either',))]
        """
        return self.evidence.doubtful(self.graph) if isinstance(self.evidence, Tests) else ()

    def open_questions(self) -> list[OpenQuestion]:
        r"""List what the data leave open, in sentences: print them.

        Columns that are joined to another in turn; pairs that the graph treats against their own probability; pairs
        about which a calibrated test, or another chain of the sampler, says something else; columns that are copies of
        each other; edges that rest on a test with too little data. Of these, what the search can tell.

        Examples
        --------
        >>> import paucal
        >>> data = {"sex": ["f", "m", "f", "m"] * 9, "man": [0, 1, 0, 1] * 9, "old": [0, 0, 1, 1] * 9}
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     result = paucal.learn(data, "pc-stable", as_is=True)
        >>> print(*result.open_questions(), sep="\n")
        sex and man are the same except for their labels: an edge to one of them could just as well be an edge to
        the other
        """
        return open_questions(self.graph, self.evidence, self.details)

    def edges(self) -> Any:
        """List the edges, each with the test that came nearest to removing it.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `a`, `edge` (such as
        `->`), `b`; `rule`, the reason for the mark at b; of the nearest test `given`, `statistic`, `dof`,
        `p_value` and `reliable`. A large p-value, or a test that was not reliable, is an edge to doubt. A search that
        gives probabilities adds `probability`, that the two are joined, and `probability_of_marks`, that it is by
        this very edge. Where no tests are kept their columns are left out.

        Examples
        --------
        >>> import paucal
        >>> oracle = paucal.Oracle(paucal.Graph.parse("A -> C <- B"))
        >>> [(e["a"], e["edge"], e["b"], e["rule"]) for e in paucal.learn(oracle).edges()]
        [('A', '->', 'C', 'collider'), ('B', '->', 'C', 'collider')]
        """
        records = []
        for edge in self.graph.edges():
            reason = self._all_reasons.get((edge.a, edge.b))
            ends = {"a": edge.a, "edge": edge.symbol, "b": edge.b}
            rule = {"rule": None if reason is None else reason.rule}
            records.append(ends | rule | self.evidence.edge_columns(edge))
        return self.framed(records, ("a", "edge", "b", "rule", *self.evidence.edge_fields))

    def probabilities(self, least: float = 0.01) -> Any:
        """List the pairs that may be joined, the surest first, with the probability of each kind of edge.

        Parameters
        ----------
        least
            Leave out pairs that are joined with a smaller probability.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `a`, `b`, `absent`, `->`,
        `--` and `<-`, read from a to b, which add up to one; of PAGs also `<->`, `o->` and so on.

        Examples
        --------
        >>> import paucal
        >>> sample = paucal.load_network("asia").sample(300, seed=1)
        >>> pair = paucal.learn(sample, "posterior").probabilities()[0]
        >>> list(pair), pair["absent"] < 0.01
        (['a', 'b', 'absent', '->', '<-', '--'], True)
        """
        sure = self._graphs()
        kinds = ["absent", *(kind for kind in sure.of_pair(*2 * [sure.names[0]]) if kind != "absent")]
        return self.framed(sure.records(checks.number_from_0("least", least)), ("a", "b", *kinds))

    def blanket_probabilities(self, target: str) -> Any:
        """List who may be in the Markov blanket of a column, the likeliest first.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `node`; `blanket`, the
        probability that it is in the blanket; that it is there as `parent`, `child`, `undetermined` neighbour or
        `spouse`, which add up to it.
        """
        self.graph.index(target)
        columns = ("node", "blanket", "parent", "child", "undetermined", "spouse")
        return self.framed(self._graphs().around(target), columns)

    def edge_numbers(self) -> dict[tuple[str, str], dict[str, float]] | None:
        """Give what `to_dot` and `to_graphml` write beside the edges, or None without probabilities."""
        if not isinstance(self.evidence, Graphs):
            return None
        return {(edge.a, edge.b): self.evidence.edge_columns(edge) for edge in self.graph.edges()}

    def near_misses(self) -> list[tuple[str, str, float]]:
        """Give the pairs that are not in the graph, but not unlikely, with the probability that they are joined."""
        return self.evidence.near_misses(self.graph) if isinstance(self.evidence, Graphs) else []

    def to_svg(self) -> str:
        """Draw the graph, with how sure its edges are where that is known; see `paucal.graphs.to_svg`."""
        from paucal.graphs.drawing.svg import to_svg

        return to_svg(self.graph, numbers=self.edge_numbers(), faint=self.near_misses())

    def plot(self) -> Drawing:
        """Draw the graph, with how sure its edges are: a notebook shows it, `.save("graph.svg")` writes it."""
        from paucal.graphs.drawing.svg import Drawing

        return Drawing.of(self.graph, numbers=self.edge_numbers(), faint=self.near_misses())

    def _graphs(self) -> Graphs:
        if not isinstance(self.evidence, Graphs):
            raise QuestionError(
                f"{self.search!r} gives no probabilities.",
                hint='Use search="posterior", or paucal.bootstrap(data, search=...).',
            )
        return self.evidence

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """Some of the DAGs that were sampled, about 100 evenly spaced over the chains; none unless by "posterior"."""
        if not isinstance(self.evidence, Graphs):
            return ()
        names = self.evidence.names
        return tuple(
            Graph.dag(names, [(names[a], names[b]) for b, above in enumerate(dag) for a in above])
            for dag in self.evidence.sampled
        )

    def ask(self, *, data: Any = None, most: int = MOST_ASKED) -> list[Fact]:
        r"""List what to ask somebody who knows the subject: print them.

        First come arrows into columns that look like background (age, sex, site); of these the data, if they are given,
        reveal more than the names. Then, after a posterior run, the yes/no facts about direction whose answers would
        settle most edges (`paucal.search.evidence.asking`).

        Parameters
        ----------
        data
            The data that the result was learned from, for the levels of the columns.
        most
            How many facts about direction.

        Examples
        --------
        >>> import paucal
        >>> result = paucal.learn(paucal.load_network("survey").sample(500, seed=1), "posterior")
        >>> len(result.ask()) > 0
        True
        """
        most = checks.whole_number("most", most, 0)
        known = () if self.knowledge is None else self.knowledge.names
        facts = facts_about_background(self.graph, None if data is None else self.own_data(data), known)
        if isinstance(self.evidence, Graphs):
            facts += facts_that_settle(self.evidence.names, self.evidence.arrows(), most)
        return facts

    def framed(self, records: list[dict[str, Any]], columns: tuple[str, ...]) -> Any:
        """Give records in a frame of the library that the data came in, or as they are if there is none."""
        records = checks.items("records", records, "a list of records")
        return framed(self.frame_kind, records, columns)

    @cached_property
    def _all_reasons(self) -> dict[tuple[str, str], Reason]:
        return with_implied(self.graph, self.reasons)

    def summary(self) -> str:
        """Give a plain text summary: what was run, the graph in numbers, the evidence for it."""
        g = self.graph
        other = g.n_edges - g.n_directed - g.n_undirected
        sorts = f"{g.n_directed} directed, {g.n_undirected} undirected{f', {other} other' if other else ''}"
        rows = "" if self.n_samples is None else f", {self.n_samples} samples"
        took = f"{1000 * self.seconds:.3g} ms" if self.seconds < 1 else f"{self.seconds:.3g} s"
        lines = [
            f"{self.search} with {self.evidence.means}{rows}, {took}",
            f"{_count(g.n, 'node')}, {_count(g.n_edges, 'edge')}: {sorts}",
        ]
        if self.unfinished is not None:
            lines.append(f"unfinished: {self.unfinished}")
        if self.recipe.reason is not None:
            lines.append(f"chosen: {self.search}, because {self.recipe.reason}")
        lines += self.told_by_interventions()
        if self.narrowed is not None:
            lines.append(self.narrowed)
        if "in_steps" in self.details:
            lines.append(f"read in 3 steps of equal shares: {listing(map(quoted, self.details['in_steps']))}")
        lines += [*self.evidence.lines(), *self.evidence.form_lines(), *self._gap_lines()]
        if "bearable_order" in self.details:
            lines.append(
                f"at most {_count(self.details['bearable_order'], 'conditioning column')}: with more, half of all "
                "questions would have less than one row per cell; max_order sets another limit"
            )
        if g.n_edges <= MOST_WRITTEN and self._hidden_is_doubtful(g.edges()):
            lines.append(f"<->: {RARELY_RIGHT}")
        if "given_in_steps" in self.details:
            lines.append(f"conditioned on in steps: {listing(map(quoted, self.details['given_in_steps']))}")
        return "\n".join(lines)

    @property
    def groups(self) -> tuple[Groups, ...]:
        """The groups of randomised columns, compared in the outcomes that were named: the plain answer of a trial."""
        if "groups" not in self.details:
            return ()
        from paucal.effects.groups import Groups

        return tuple(Groups.from_dict(one) for one in self.details["groups"])

    def _gap_lines(self) -> list[str]:
        """Say what was missing and filled in, where the search did so."""
        told = self.details.get("missing")
        if told is None:
            return []
        cells = self.graph.n * (self.n_samples or 0)
        return [f"{told['cells']:,} of {cells:,} values were missing, and filled in {told['fillings']} times"]

    def told_by_interventions(self) -> list[str]:
        """Say which rows told what."""
        counts = self.details.get("interventions", ())
        if not counts:
            return []
        some = [f"{quoted(one['column'])} in {one['set']:,}" for one in counts]
        lines = [f"set from outside: {listing(some, 8)} of {self.n_samples:,} rows; the other rows show the causes"]
        never = [quoted(one["column"]) for one in counts if not one["not_set"]]
        return [*lines, f"set in every row, so that nothing shows its causes: {listing(never, 8)}"] if never else lines

    def __str__(self) -> str:
        first = [line for one in self.groups for line in one.lines()]
        if self.graph.n_edges > MOST_WRITTEN:
            return "\n".join([*first, self.summary(), _TOO_MANY])
        asked = printed([one for one in self.open_questions() if not isinstance(one, Doubtful)])
        found = [*self.evidence.edge_lines(self.graph), *self._cause_lines()]
        return "\n".join([*first, self.summary(), *found, *asked])

    def _cause_lines(self) -> list[str]:
        """Say which columns cause which through others, as far as that is nearly sure."""
        evidence = self.evidence
        if not isinstance(evidence, Graphs) or evidence.causes is None or not evidence.sampled:
            return []
        from paucal.effects.causes import all_causes

        apart = self.graph.reorder(evidence.names).marks == 0
        shares, likely = evidence.causes * apart, evidence.arrow_probabilities(self.graph)
        found = all_causes(evidence.names, evidence.sampled, shares, least=_NEARLY_SURE, likely=likely)
        lines = [str(one) for one in found]
        beyond = len(lines) - _MOST_CAUSES
        more = [f"and {beyond} more, in result.causes()"] if beyond > 0 else []
        return ["through other columns:", *lines[:_MOST_CAUSES], *more] if lines else []

    def refuse_too_many(self) -> None:
        """Refuse to write a graph with so many edges; a search that was ended early has not looked at most pairs."""
        if self.graph.n_edges > MOST_WRITTEN:
            raise DataError(
                f"The graph has {self.graph.n_edges:,} edges, {_TOO_MANY}.",
                hint=("Choose fewer columns, or give the search more time with ", Argument("max_seconds"), "."),
            )

    def __repr__(self) -> str:
        g, means = self.graph, self.evidence.means.name
        tests = f", {self.ledger.n_tests} tests" if isinstance(self.evidence, Tests) else ""
        open_end = "" if self.unfinished is None else "; unfinished"
        return f"SearchResult({self.search}, {means}: {g.kind} with {g.n} nodes, {g.n_edges} edges{tests}{open_end})"

    def _repr_html_(self) -> str:
        from paucal.graphs.drawing.svg import to_html

        told = str(self) if isinstance(self.evidence, Graphs) else self.summary()
        drawing = to_html(self.graph, numbers=self.edge_numbers(), faint=self.near_misses())
        return f"<div>{drawing}<pre>{html.escape(told)}</pre></div>"

    def to_dict(self, *, all_tests: bool = False) -> dict[str, Any]:
        """Give everything as plain values, the content of `to_json`."""
        self.refuse_too_many()
        return {
            **_JSON.head,
            "recipe": self.recipe.to_dict(),
            "graph": self.graph.to_dict(),
            "evidence": self.evidence.to_plain(all_tests=all_tests),
            "reasons": [[a, b, reason.rule, list(reason.via)] for (a, b), reason in self.reasons.items()],
            "details": plain(self.details),
            "open_questions": [one.to_dict() for one in self.open_questions()],
            "seconds": self.seconds,
            "unfinished": self.unfinished,
            "frame_kind": self.frame_kind,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave; an error says what is wrong with it."""
        content = plain_lists(_JSON.check(content))
        schemas.check("result", content)
        try:
            result = cls(
                graph=Graph.from_dict(content["graph"]),
                evidence=from_plain(content["evidence"]),
                recipe=Recipe.from_dict(content["recipe"]),
                details=content["details"],
                reasons={(a, b): Reason(rule, tuple(via)) for a, b, rule, via in content["reasons"]},
                seconds=content["seconds"],
                unfinished=content["unfinished"],
                frame_kind=content["frame_kind"],
            )
            result._refuse_strangers()
            _ = [str(one) for one in result.open_questions()], result.summary()  # what cannot be told is damaged
            _ = [one.lines() for one in result.groups]
        except PaucalError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            raise GraphError(
                f"The result is damaged: {error!r}.", hint="Give what to_json() wrote, unchanged."
            ) from error
        return result

    def _refuse_strangers(self) -> None:
        """Refuse a result whose parts are not about the same columns, or give a reason that nobody knows."""
        if sorted(self.evidence.names) != sorted(self.graph.nodes):
            raise GraphError("The result is damaged: its graph and its evidence are about different columns.")
        for (a, b), reason in self.reasons.items():
            for name in (a, b, *reason.via):
                self.graph.index(name)
            checks.known("reason", reason.rule, RULES)

    def __hash__(self) -> int:
        return hash((self.search, self.graph, self.seconds))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
