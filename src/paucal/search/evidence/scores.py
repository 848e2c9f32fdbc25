"""Evidence of one kind: scores of graphs on the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from paucal.search.by_scores.scores import ScoreSettings
from paucal.search.evidence.pairs import Evidence, PairEvidence, head_of
from paucal.search.plain import settings_to_plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from paucal.search.evidence.gain import Gains


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(Evidence):
    """The score of the graph that was found."""

    kind: ClassVar[str] = "scores"

    means: ScoreSettings
    total: float  # what it gives the graph, with the penalty in it: larger is better

    def describe(self, x: str, y: str, *, joined: bool, gains: Gains | None = None) -> PairEvidence:
        """Say what the edge is worth, or would be, to the score; that needs the data."""
        del joined
        return PairEvidence(gain=None if gains is None else gains.of(x, y))

    def reordered(self, names: tuple[str, ...]) -> Self:
        """Give the same evidence with the columns in another order."""
        return replace(self, **self._head_in(names))

    def lines(self) -> list[str]:
        """Give the score in a line."""
        return [f"score {self.total:.6g}"]

    def to_plain(self, *, all_tests: bool = False) -> dict[str, Any]:
        """Give it as plain values."""
        del all_tests
        told = {"score": settings_to_plain(self.means), "total": self.total, "penalty": self.penalty}
        return self._head() | told

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> Scores:
        """Read what `to_plain` gave."""
        head, means = head_of(content), ScoreSettings(**content["score"])
        return cls(**head, means=means, total=content["total"], penalty=content["penalty"])
