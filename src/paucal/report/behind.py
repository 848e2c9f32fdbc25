"""What stands behind an edge, told from the data: the table of the two, its size, the effect, a second opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.steps import NUMBER_STEPS, in_steps
from paucal.effects.effect import COVERAGE
from paucal.errors import GraphError, NetworkError
from paucal.report.text import Name, plain, share, typeset
from paucal.search.by_scores.second_opinion import MOST_QUESTIONS, opinions
from paucal.search.evidence.crossed import Crossed
from paucal.search.evidence.questions import AgainstOdds, Nearly, Rivals, Unsettled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data import Dataset
    from paucal.effects.effect import Effect
    from paucal.graphs.graph import Graph
    from paucal.search.result import SearchResult

MOST_TABLES = 600  # pairs of which a page shows the table
MOST_EFFECTS = 24  # of the surest arrows: each takes a tenth of a second or two
_LEVEL = 0.05  # of the second opinion, from which on it agrees with an edge


def sentence_of(crossed: Crossed) -> tuple[str, ...] | None:
    """Say where the second of two columns differs most, with the rows behind it."""
    found = crossed.contrast()
    if found is None:
        return None

    def at(level: int) -> tuple[str, ...]:
        return Name(crossed.a), f" {crossed.relation(level)}", Name(crossed.levels[level])

    return (
        *(Name(crossed.b), " is ", Name(crossed.outcomes[found.outcome])),
        *(f" in {share(found.here)} of the rows with ", *at(found.level)),
        *(f", and in {share(found.there)} of those with ", *at(found.instead_of)),
    )


class Behind:
    """What the data say about the pairs of a result, as plain values for the page's script, and in sentences."""

    def __init__(self, search: SearchResult, shown: Graph, data: Dataset | None) -> None:
        self.search = search
        self._data = None if data is None else in_steps(data, NUMBER_STEPS, search.cuts)
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
        return None if crossed is None else sentence_of(crossed)

    @property
    def effects(self) -> list[Effect]:
        """What setting the causes of the surest arrows would change, the strongest first."""
        return sorted(self._effects.values(), key=lambda one: -one.strength)

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
    size, sign, sentence = crossed.size(), crossed.sign(), sentence_of(crossed)
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
    if not arrows or not getattr(search.evidence, "sampled", ()) or search.graph.kind == "pag":
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
            f"would change by {points(change.mean)} percentage points (middle {share(effect.level)} of the draws: "
            f"{points(change.low)} to {points(change.high)})."
        )
        lines.append(typeset(f"{COVERAGE[0].upper()}{COVERAGE[1:]} (docs/effects.md)."))
    return [*lines, *(f"{line}." for line in relatives(effect))]


def relatives(effect: Effect) -> tuple[str, ...]:
    """Say that the two columns are made from each other, or what else in the table says the same as one of them."""
    return effect.beside if effect.by_definition is None else (effect.by_definition, *effect.beside)


def points(change: float) -> str:
    """Write a change of a share in percentage points, with its sign."""
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
            found.setdefault(frozenset(pair), []).append(f"{one}.")
    return found
