"""Evidence of one kind: scores of graphs on the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from paucal.search.by_scores.scores import ScoreSettings
from paucal.search.evidence.gain import Gains
from paucal.search.evidence.pairs import Evidence, PairEvidence, head_of
from paucal.search.plain import settings_to_plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(Evidence):
    """The score of the graph that was found."""

    kind: ClassVar[str] = "scores"

    score: ScoreSettings
    total: float  # what it gives the graph, with the penalty in it: larger is better
    penalty: float = 0.0  # what every arrow costs besides

    @property
    def means(self) -> ScoreSettings:
        """The score."""
        return self.score

    def describe(self, x: str, y: str, *, joined: bool, gains: Gains | None = None) -> PairEvidence:
        """Say what the edge is worth, or would be, to the score; that needs the data."""
        del joined
        return PairEvidence(gain=None if gains is None else gains.of(x, y))

    def gains(self, graph: Graph, data: Any, knowledge: Knowledge | None) -> Gains | None:
        """Give what edges are worth."""
        return None if data is None else Gains(graph, data, self.score, self.penalty, knowledge)

    def lines(self) -> list[str]:
        """Give the score in a line."""
        return [f"score {self.total:.6g}"]

    def to_plain(self) -> dict[str, Any]:
        """Give it as plain values."""
        told = {"score": settings_to_plain(self.score), "total": self.total, "penalty": self.penalty}
        return self._head() | told

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> Scores:
        """Read what `to_plain` gave."""
        head, score = head_of(content), ScoreSettings(**content["score"])
        return cls(**head, score=score, total=content["total"], penalty=content["penalty"])
