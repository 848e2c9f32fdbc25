"""What to ask somebody who knows the matter: the facts about direction that would settle most.

Sampled DAGs differ in how they direct an edge. Suppose somebody says which of two columns comes first: the DAGs with
the other arrow drop out, and with them their other edges. So an answer settles more than one edge, and some answers
settle more than others. For a set of DAGs the expected number of edges that are undecided or wrong is, over all pairs,
one less the share of the most frequent of "->", "<-" and no edge. The questions are those whose answer, whatever it is,
leaves the smallest such number on average; the second one is sought with the first answered, and so on. Asked about are
pairs that some DAGs join one way and some the other; a DAG that does not join them goes with both answers.

Arrows into columns that look like background, by their names or their levels, are asked about too: nothing in a table
causes age. They are asked about and left as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.graphs.language import quoted
from paucal.notebook import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paucal.data import Dataset
    from paucal.graphs.graph import Graph

MOST_ASKED = 3
_LEAST_SETTLED = 0.1  # edges; a question that settles less is not worth an answer
_MOST_TRIED = 200  # questions whose worth is computed, the most open ones first
_BACKGROUND = (
    *("age", "sex", "gender", "female", "male", "birth", "born", "birthday", "birthyear", "birthdate", "dob", "yob"),
    *("year", "date", "site", "centre", "center", "hospital", "clinic", "country", "region", "race", "ethnicity"),
    *("cohort", "season", "ethnic", "nationality", "woman", "man"),
    *("black", "nonwhite", "hispanic", "hisp", "latino", "asian"),
)
_ASSIGNED = ("treatment", "treat", "trt", "rx", "arm", "randomised", "randomized", "allocation")
_NO_TREATMENT = frozenset({"placebo", "control", "sham", "usual care"})
_SUFFIXES = ("group", "groups", "grp", "gp", "yrs", "years", "cat", "class", "band", "code", "id")
# words that may stand beside: gestational age and age at death are no background, the mother's age at baseline is
_BESIDE = frozenset(
    {
        *_SUFFIXES,
        "of",
        "at",
        "in",
        "the",
        "my",
        "your",
        "baseline",
        "entry",
        "enrolment",
        "enrollment",
        "start",
        "respondent",
        "participant",
        "patient",
        "person",
        "mother",
        "father",
        "maternal",
        "paternal",
        "mum",
        "dad",
        "child",
        "head",
        "study",
        "recruitment",
    }
)
_LEVELS = (
    frozenset({"male", "female"}),
    frozenset({"m", "f"}),
    frozenset({"man", "woman"}),
    frozenset({"boy", "girl"}),
)
_YEARS = range(1900, 2101)


@dataclass(frozen=True)
class Fact(Shown):
    """A question with the answer yes or no; `print` it.

    Attributes
    ----------
    first, second
        Does the first come before the second, as a possible cause?
    probability
        The answer that the graphs expect: the share with `first -> second` among those that join the two.
    settles, of
        How many edges fewer would be undecided or wrong, and how many are now; None for a question about background.
    """

    first: str
    second: str
    probability: float
    settles: float | None = None
    of: float | None = None
    assigned: bool = False  # whether the first column looks like a treatment, which may have been randomised

    @property
    def about_background(self) -> bool:
        """Whether it is asked because the first column looks like background."""
        return self.settles is None

    @property
    def as_knowledge(self) -> dict[str, Any]:
        """What to add to the call if the answer is yes."""
        if self.about_background:
            return {"randomised" if self.assigned else "exogenous": [self.first]}
        return {"forbidden": [(self.second, self.first)]}

    def __str__(self) -> str:
        a, b = quoted(self.first), quoted(self.second)
        if self.about_background:
            if self.assigned:
                return (
                    f"The graph has {b} -> {a}. Was {a} assigned at random? "
                    "If so, name it among the randomised columns."
                )
            asked = f"The graph has {b} -> {a}. Is {a} background, caused by nothing in the table?"
            return f"{asked} If so, name it among the exogenous columns."
        return f"Does {a} come before {b}? The answer would settle {self.settles:.1f} of {self.of:.1f} open edges."

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "probability": self.probability,
            "settles": self.settles,
            "of": self.of,
            "text": str(self),
        }


def facts_that_settle(names: Sequence[str], dags: NDArray[np.bool_], most: int = MOST_ASKED) -> list[Fact]:
    """Give the questions that settle most; `dags[s, i, j]` says that the sampled DAG s has names[i] -> names[j]."""
    ever = np.argwhere(np.triu((dags | dags.transpose(0, 2, 1)).any(axis=0), 1))
    if not len(dags) or not len(ever):
        return []
    forth, back = dags[:, ever[:, 0], ever[:, 1]], dags[:, ever[:, 1], ever[:, 0]]
    kinds = np.stack([forth, back, ~forth & ~back]).astype(np.float64)
    asked = _open_pairs(kinds)
    share = kinds.mean(axis=1)
    cells = np.full((1, len(dags)), 1 / len(dags))  # weights of the DAGs, for every way to answer what was asked
    open_now = float(_open_edges(cells, kinds).sum())
    facts: list[Fact] = []
    while asked and len(facts) < most:
        after = [_open_edges(_answered(cells, kinds[:, :, q]), kinds).sum() for q in asked]
        best = int(np.argmin(after))
        before = float(_open_edges(cells, kinds).sum())
        if before - after[best] < _LEAST_SETTLED:
            break
        q = asked.pop(best)
        i, j = ever[q].tolist()
        way = share[:2, q] / share[:2, q].sum()
        first, second = (i, j) if way[0] >= way[1] else (j, i)
        facts.append(Fact(names[first], names[second], float(way.max()), float(before - after[best]), open_now))
        cells = _answered(cells, kinds[:, :, q])
    return facts


def _open_pairs(kinds: NDArray[np.float64]) -> list[int]:
    """List the pairs that have either arrow in some DAGs, the most open ones first."""
    least = kinds.mean(axis=1)[:2].min(axis=0)
    order = np.argsort(-least, kind="stable")
    return [q for q in order.tolist() if least[q] > 0][:_MOST_TRIED]


def _answered(cells: NDArray[np.float64], kinds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Part the weights of the DAGs by the answer to a question; a DAG without the edge goes half with either."""
    forth, back, apart = kinds
    return np.concatenate([cells * (forth + apart / 2), cells * (back + apart / 2)])


def _open_edges(cells: NDArray[np.float64], kinds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give for every weighting of the DAGs the weight that is against the most frequent kind, summed over pairs."""
    shares = np.stack([cells @ kind for kind in kinds])
    opened: NDArray[np.float64] = (shares.sum(axis=0) - shares.max(axis=0)).sum(axis=1)
    return opened


def facts_about_background(graph: Graph, data: Dataset | None, known: Iterable[str] = ()) -> list[Fact]:
    """Ask about the arrows of a graph into columns that look like background, unless these are known to be none."""
    doubted = set(known)
    facts = []
    for name in graph.nodes:
        labels = () if data is None or name not in data.names else data.levels[data.index(name)]
        if name in doubted:
            continue
        assigned = _looks_by_name(name, _ASSIGNED) or not _NO_TREATMENT.isdisjoint(_words_of(labels))
        if assigned or _looks_by_name(name, _BACKGROUND) or _looks_by_levels(labels):
            facts += [Fact(name, cause, 0.0, assigned=assigned) for cause in graph.parents(name)]
    return facts


def _looks_by_name(name: str, known: Sequence[str]) -> bool:
    """Say whether a name is made of known words: of background age_group, AgeYears, sex; not image, nor bone_age.

    >>> names = ("age_group", "AgeYears", "SEX", "image", "female", "date_of_birth", "birth_weight", "age_at_death")
    >>> [name for name in names if _looks_by_name(name, _BACKGROUND)]
    ['age_group', 'AgeYears', 'SEX', 'female', 'date_of_birth']
    """
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    stems = [next((w.removesuffix(end) for end in _SUFFIXES if w.endswith(end) and w != end), w) for w in words]
    hits = [word in known or stem in known for word, stem in zip(words, stems, strict=True)]
    return any(hits) and all(hit or word in _BESIDE for hit, word in zip(hits, words, strict=True))


def _looks_by_levels(labels: Sequence[object]) -> bool:
    """Say whether the values are those of sex, or years.

    >>> _looks_by_levels(["Male", "Female"]), _looks_by_levels([1998, 1999, 2000]), _looks_by_levels(["m", "n"])
    (True, True, False)
    """
    words = _words_of(labels)
    if words in _LEVELS:
        return True
    return len(words) > 1 and all(word.isdecimal() and int(word) in _YEARS for word in words)


def _words_of(labels: Sequence[object]) -> frozenset[str]:
    return frozenset(str(label).strip().lower() for label in labels if label is not None)
