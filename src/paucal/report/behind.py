"""What stands behind an edge, told from the data: the table of the two, its size, the effect, a second opinion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.data.steps import NUMBER_STEPS, in_steps
from paucal.errors import GraphError, NetworkError
from paucal.report.text import Name, plain, share
from paucal.search.by_scores.second_opinion import MOST_QUESTIONS, opinions
from paucal.search.evidence.questions import AgainstOdds, Nearly, Rivals, Unsettled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.effects.effect import Effect
    from paucal.graphs.graph import Graph
    from paucal.search.result import SearchResult

MOST_TABLES = 600  # pairs of which a page shows the table
MOST_EFFECTS = 24  # of the surest arrows: each takes a tenth of a second or two
_MOST_LEVELS = 8  # of a column in a table; the rarest others are taken together
_FEWEST_ROWS = 10  # of a level that a sentence compares
_OTHERS = "others"
_YES = ("yes", "true", "1", "present", "positive")  # levels that a sentence speaks of rather than of their opposite
_LEVEL = 0.05  # of the second opinion, from which on it agrees with an edge


class Contrast(NamedTuple):
    """Two levels of a column between which another one differs most, in one of its levels: the shares there."""

    level: int
    instead_of: int
    outcome: int
    here: float
    there: float


@dataclass(frozen=True)
class Crossed:
    """The counts of two columns, and how far the second differs between levels of the first."""

    a: str
    b: str
    counts: NDArray[np.int64]
    levels: tuple[str, ...]
    outcomes: tuple[str, ...]
    ordered: bool  # whether both have an order
    n_rows: int

    @classmethod
    def of(cls, data: Dataset, a: str, b: str) -> Crossed:
        """Count the rows that have both values; numbers must be in steps."""
        i, j = data.index(a), data.index(b)
        k, m = len(data.levels[i]), len(data.levels[j])
        x, y = data.columns[i].astype(np.int64), data.columns[j].astype(np.int64)
        there = (x < k) & (y < m)
        counts = np.bincount(x[there] * m + y[there], minlength=k * m).reshape(k, m)
        first, levels = _largest(counts, list(map(str, data.levels[i])), ordered=data.kinds[i] == "ordered")
        turned, outcomes = _largest(first.T, list(map(str, data.levels[j])), ordered=data.kinds[j] == "ordered")
        ordered = all(data.kinds[v] == "ordered" for v in (i, j))
        return cls(a, b, turned.T, tuple(levels), tuple(outcomes), ordered, data.n_rows)

    @property
    def used(self) -> int:
        """Rows that have both values."""
        return int(self.counts.sum())

    def size(self) -> float | None:
        """Cramér's V: 0 if the two have nothing to do with each other, 1 if one tells the other."""
        table = self.counts[self.counts.sum(axis=1) > 0][:, self.counts.sum(axis=0) > 0]
        n, smaller = table.sum(), min(table.shape) - 1
        if smaller < 1:
            return None
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
        return float(np.sqrt(((table - expected) ** 2 / expected).sum() / n / smaller))

    def sign(self) -> float | None:
        """Kendall's tau-b of two columns that both have an order: above 0 if they go up together."""
        if not self.ordered:
            return None
        n = self.counts.astype(np.float64)
        after = np.cumsum(np.cumsum(n[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]  # rows at or beyond, in both
        before = np.cumsum(np.cumsum(n[::-1], axis=0), axis=1)[
            ::-1
        ]  # at or beyond in the first, at or below in the other
        alike = (n[:-1, :-1] * after[1:, 1:]).sum()
        opposed = (n[:-1, 1:] * before[1:, :-1]).sum()
        total = n.sum()
        pairs = [(total**2 - (n.sum(axis=axis) ** 2).sum()) / 2 for axis in (0, 1)]
        return float((alike - opposed) / np.sqrt(pairs[0] * pairs[1])) if min(pairs) > 0 else None

    def contrast(self) -> Contrast | None:
        """Find the two levels with enough rows, and the outcome, with the largest difference; None if there is none."""
        rows = self.counts.sum(axis=1)
        usable = [i for i, level in enumerate(self.levels) if rows[i] >= _FEWEST_ROWS and level != _OTHERS]
        if len(usable) < 2:
            return None
        shares = self.counts[usable] / rows[usable, None]
        apart = shares[:, None, :] - shares[None, :, :]
        yes = [k for k, outcome in enumerate(self.outcomes) if outcome.lower() in _YES]
        looked = yes if len(yes) == 1 else [1] if len(self.outcomes) == 2 else list(range(len(self.outcomes)))
        i, j, k = (int(v) for v in np.unravel_index(int(np.argmax(apart[:, :, looked])), apart[:, :, looked].shape))
        k = looked[k]
        if self.outcomes[k] == _OTHERS or not shares[i, k] > shares[j, k]:
            return None
        return Contrast(usable[i], usable[j], k, float(shares[i, k]), float(shares[j, k]))

    def sentence(self) -> tuple[str, ...] | None:
        """Say the contrast, with the rows behind it."""
        found = self.contrast()
        if found is None:
            return None
        return (
            *(Name(self.b), " is ", Name(self.outcomes[found.outcome])),
            *(f" in {share(found.here)} of the rows with ", Name(self.a), " = ", Name(self.levels[found.level])),
            *(
                f", and in {share(found.there)} of those with ",
                Name(self.a),
                " = ",
                Name(self.levels[found.instead_of]),
            ),
        )


def _largest(counts: NDArray[np.int64], labels: list[str], *, ordered: bool) -> tuple[NDArray[np.int64], list[str]]:
    """Keep the levels that occur, and of many the largest; the others of an unordered column become one."""
    rows = counts.sum(axis=1)
    there = [i for i in range(len(labels)) if rows[i]]
    if len(there) <= _MOST_LEVELS or ordered:
        kept = there if len(there) > 1 else list(range(len(labels)))
        return counts[kept], [labels[i] for i in kept]
    kept = sorted(sorted(there, key=lambda i: (-rows[i], i))[: _MOST_LEVELS - 1])
    rest = [i for i in there if i not in kept]
    return np.vstack([counts[kept], counts[rest].sum(axis=0)]), [*(labels[i] for i in kept), _OTHERS]


class Behind:
    """What the data say about the pairs of a result, as plain values for the page's script, and in sentences."""

    def __init__(self, search: SearchResult, shown: Graph, data: Dataset | None) -> None:
        self.search = search
        self._data = None if data is None else in_steps(data, NUMBER_STEPS)
        edges = shown.edges()
        numbers = search.edge_numbers()
        if numbers is not None:  # the surest first
            edges = sorted(edges, key=lambda e: -numbers[e.a, e.b]["probability_of_marks"])
        self._tables: dict[tuple[str, str], Crossed] = {}
        self._effects: dict[tuple[str, str], Effect] = {}
        self._opinions: dict[frozenset[str], dict[str, Any]] = {}
        if self._data is not None and data is not None:
            near = [(a, b) for a, b, _ in search.near_misses() if a in shown and b in shown]
            pairs = [*((e.a, e.b) for e in edges), *near]
            self._tables = {pair: Crossed.of(self._data, *pair) for pair in pairs[:MOST_TABLES]}
            arrows = [(e.a, e.b) for e in edges if e.symbol == "->"]
            self._effects = _effects(search, data, arrows[:MOST_EFFECTS])
            self._opinions = _opinions(search, data, pairs[:MOST_QUESTIONS])
        self._open = _open(search)

    def size_sentence(self, a: str, b: str) -> tuple[str, ...] | None:
        """Say how b differs between levels of a, if the data are there."""
        crossed = self._tables.get((a, b))
        return None if crossed is None else crossed.sentence()

    def of(self, x: str, y: str) -> dict[str, Any]:
        """Give what is known about a pair, in either order."""
        told: dict[str, Any] = {}
        pair = (x, y) if (x, y) in self._tables else (y, x)
        if pair in self._tables:
            told["table"] = _plain_table(self._tables[pair], turned=pair != (x, y))
        for ends in ((x, y), (y, x)):
            if ends in self._effects:
                told["effect"] = _effect_sentences(self._effects[ends], self._tables.get(ends))
        both = frozenset((x, y))
        if both in self._opinions:
            told["second"] = self._opinions[both]
        if both in self._open:
            told["open"] = self._open[both]
        return told


def _plain_table(crossed: Crossed, *, turned: bool) -> dict[str, Any]:
    size, sign, sentence = crossed.size(), crossed.sign(), crossed.sentence()
    told: dict[str, Any] = {
        "turned": turned,
        "levels": list(crossed.levels),
        "outcomes": list(crossed.outcomes),
        "n": crossed.counts.tolist(),
        "used": crossed.used,
        "rows": crossed.n_rows,
        "size": None if size is None else round(size, 3),
        "sign": None if sign is None else round(sign, 3),
    }
    return told if sentence is None else {**told, "sentence": f"{plain(sentence)}."}


def _effects(search: SearchResult, data: Dataset, arrows: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Effect]:
    """Average effects over the sampled graphs, where there are some; networks too dense for that have none."""
    if not arrows or not getattr(search.evidence, "sampled", ()):
        return {}
    asked = search.effects_in(data)
    found = {}
    for a, b in arrows:
        try:
            found[a, b] = asked.effect(a, b)
        except NetworkError:
            continue
    return found


def _effect_sentences(effect: Effect, crossed: Crossed | None) -> list[str]:
    """Say what setting the cause would change, never without the share of graphs in which it is one."""
    graphs = f"{round(effect.probability * len(effect.draws))} of {len(effect.draws)} sampled graphs"
    lines = [f"{effect.cause} causes {effect.effect}, directly or through others, in {graphs}."]
    found = None if crossed is None else crossed.contrast()
    if crossed is not None and found is not None:
        level, other = crossed.levels[found.level], crossed.levels[found.instead_of]
        outcome = crossed.outcomes[found.outcome]
        change = effect.difference(level, other, outcome=outcome)
        lines.append(
            f"If {effect.cause} were set to {level} instead of {other}, the chance that {effect.effect} is {outcome} "
            f"would change by {_points(change.mean)} percentage points (middle {share(effect.level)} of the draws: "
            f"{_points(change.low)} to {_points(change.high)})."
        )
        lines.append("For true causes such intervals are too narrow: docs/effects.md has the measurements.")
    return lines


def _points(change: float) -> str:
    return f"{100 * change:+.0f}".replace("-", "−").replace("+0", "0").replace("−0", "0")


def _opinions(
    search: SearchResult, data: Dataset, pairs: Sequence[tuple[str, str]]
) -> dict[frozenset[str], dict[str, Any]]:
    """Ask a calibrated test about pairs; not where hidden causes are allowed, nor where columns were set."""
    if (
        search.graph.kind in ("mag", "pag")
        or search.recipe.interventions is not None
        or data.n_columns != search.graph.n
    ):
        return {}
    try:
        dag = search.dag().reorder(data.names).to_pdag_matrix().astype(np.uint8)
    except GraphError:  # a search by tests may leave a graph that no DAG has
        return {}
    asked = [tuple(sorted((data.index(a), data.index(b)))) for a, b in pairs]
    return {
        frozenset((data.names[one.a], data.names[one.b])): {
            "test": one.test,
            "given": [data.names[v] for v in one.given],
            "p": float(f"{one.p_value:.6g}"),
            "agrees": False if one.contradicts else True if (one.p_value <= _LEVEL) == one.drawn else None,
            "rows": one.rows,
        }
        for one in opinions(data, dag, ((a, b) for a, b in asked))
    }


def _open(search: SearchResult) -> dict[frozenset[str], list[str]]:
    """Give the open questions by the pairs that they are about; what a test has against a pair is told beside it."""
    found: dict[frozenset[str], list[str]] = {}
    for one in search.open_questions():
        if isinstance(one, Rivals):
            pairs = [(one.target, rival) for rival, _ in one.rivals]
        elif isinstance(one, Nearly):
            pairs = [(a, b) for a, _, b in one.differs]
        elif isinstance(one, AgainstOdds | Unsettled):
            pairs = [(one.a, one.b)]
        else:
            pairs = []
        for pair in pairs:
            found.setdefault(frozenset(pair), []).append(f"{_upper(str(one))}.")
    return found


def _upper(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
