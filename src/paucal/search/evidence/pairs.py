"""What the three kinds of evidence have in common, and what each can say about one pair of columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from paucal.data.steps import counted_levels
from paucal.errors import listing
from paucal.graphs.language import quoted
from paucal.search.by_scores.forms import Form
from paucal.search.by_scores.scores import ScoreSettings
from paucal.search.evidence.gain import Gains

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from paucal.data import Dataset
    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.graphs.language import Edge
    from paucal.independence.answers import CIResult
    from paucal.independence.settings import CISettings
    from paucal.search.by_scores.interventions import Experiment
    from paucal.search.evidence.gain import Gain


def unpacked(value: PairEvidence | Evidence) -> tuple[Any, ...]:
    """Tell pickle how to make a value again: mappings that nobody can change do not cross as they are."""
    parts = {one.name: getattr(value, one.name) for one in fields(value)}
    plain: dict[str, Any] = {
        name: dict(part) if isinstance(part, MappingProxyType) else part for name, part in parts.items()
    }
    return partial(type(value), **plain), ()


@dataclass(frozen=True, kw_only=True)
class PairEvidence:
    """What speaks for and against an edge between two columns; each kind of evidence has some of it."""

    separating_set: tuple[str, ...] | None = None
    tests: tuple[CIResult, ...] = ()  # of each order the one that separated the pair, or came nearest to it
    probabilities: Mapping[str, float] | None = None  # of each kind of edge, read from x to y, and "absent"
    source: str = ""  # where the probabilities come from, in words
    gain: Gain | None = None  # what the edge is worth to the score
    forms: tuple[str, ...] = ()  # in which form the score read the two, in words, where it had a choice

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence(ABC):
    """What speaks for a result."""

    kind: ClassVar[str]
    edge_fields: ClassVar[tuple[str, ...]] = ()  # what `edge_columns` tells of an edge

    names: tuple[str, ...]  # the columns
    n_samples: int | None = None  # None if there are no rows, as for an oracle
    cardinalities: tuple[int, ...] | None = None  # levels of each column; None if nobody counted them
    means: CISettings | ScoreSettings  # the test or the score behind it
    penalty: float = 0.0  # what every arrow costs besides the score

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked(self)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @abstractmethod
    def describe(self, x: str, y: str, *, joined: bool, gains: Gains | None = None) -> PairEvidence:
        """Say what there is about a pair of columns, joined in the graph or not."""

    def gains(self, graph: Graph, experiment: Experiment | None, knowledge: Knowledge | None) -> Gains | None:
        """Give what edges are worth to the score, where one decided and the data are at hand, without gaps."""
        if graph.kind in ("pag", "mag"):  # edges that allow for hidden causes are not those that were scored
            return None
        if experiment is None or experiment.data.has_gaps or not isinstance(self.means, ScoreSettings):
            return None
        return Gains(graph, experiment, self.means, self.penalty, knowledge)

    def forms_of(self, *names: str) -> tuple[str, ...]:
        """Say in which form the score read columns, where it had a choice."""
        return tuple(f"{quoted(name)}: {self._forms[name].words}" for name in names if name in self._forms)

    def form_lines(self) -> list[str]:
        """Say of every form which columns the score read in it."""
        read: dict[str, list[str]] = {}
        for name, form in self._forms.items():
            read.setdefault(form.words, []).append(quoted(name))
        return [f"read {words}: {listing(names)}" for words, names in read.items()]

    @cached_property
    def _forms(self) -> dict[str, Form]:
        forms = getattr(self.means, "forms", None) or {}
        return {name: Form.of(forms[name]) for name in self.names if name in forms}

    @abstractmethod
    def reordered(self, names: tuple[str, ...]) -> Self:
        """Give the same evidence with the columns in another order."""

    def _head_in(self, names: tuple[str, ...]) -> dict[str, Any]:
        levels = self.cardinalities
        moved = None if levels is None else tuple(levels[self._index[name]] for name in names)
        return {"names": names, "cardinalities": moved}

    @abstractmethod
    def lines(self) -> list[str]:
        """Give it in a few lines of plain text."""

    @abstractmethod
    def to_plain(self, *, all_tests: bool = False) -> dict[str, Any]:
        """Give it as plain values; `paucal.search.evidence.from_plain` reads them."""

    def edge_lines(self, graph: Graph) -> list[str]:
        """List the edges of a graph, each with what can be said of it in a few words."""
        return [str(edge) for edge in graph.edges()]

    def edge_columns(self, edge: Edge) -> dict[str, Any]:
        """Give what a list of edges has about one of them."""
        del edge
        return {}

    def _head(self) -> dict[str, Any]:
        levels = None if self.cardinalities is None else list(self.cardinalities)
        told = {"kind": self.kind, "columns": list(self.names), "n_samples": self.n_samples}
        return told | {"cardinalities": levels}


def about(data: Dataset) -> dict[str, Any]:
    """Give what every kind of evidence says about the data."""
    return {"names": data.names, "n_samples": data.n_rows, "cardinalities": counted_levels(data)}


def head_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """Read what every kind of evidence begins with."""
    levels = content["cardinalities"]
    return {
        "names": tuple(content["columns"]),
        "n_samples": content["n_samples"],
        "cardinalities": None if levels is None else tuple(levels),
    }
