"""Where a result comes from: what was run, with which settings and versions, and how to cite it."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import numpy as np

import paucal
from paucal.search.evidence.graphs import Graphs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.search.result import SearchResult

_LONGEST_SETTING = 400
_TOLD_ELSEWHERE = ("map", "dag", "whole_sample", "difference", "interventions")  # whole graphs; what the answer says
CITATION = """@inproceedings{cui2022empirical,
  title     = {Empirical Bayesian Approaches for Robust Constraint-based Causal Discovery under Insufficient Data},
  author    = {Cui, Zijun and Yin, Naiyu and Wang, Yuru and Ji, Qiang},
  booktitle = {Proceedings of the Thirty-First International Joint Conference on Artificial Intelligence},
  year      = {2022}
}"""


def run_facts(search: SearchResult) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Tell what was run, as lines of a head, words, and settings: search, test, seed, versions."""
    recipe, means = search.recipe, search.evidence.means
    seed = "none needed: the same data give the same graph" if recipe.seed is None else str(recipe.seed)
    versions = f"paucal {paucal.__version__}, NumPy {np.__version__}, Python {platform.python_version()}"
    told = {key: value for key, value in search.details.items() if key not in _TOLD_ELSEWHERE}
    set_outside = {"told by": recipe.interventions, **(recipe.targets or {})}
    facts: list[tuple[str, str, list[tuple[str, str]]]] = []
    if recipe.reason:
        facts.append(("Chosen", f"No search was named; chosen: {search.search}, because {recipe.reason}.", []))
    facts.append(("Search", search.search, _settings(recipe.options)))
    facts.append(("Test" if search.test is not None else "Score", means.name, _settings(means.all)))
    if isinstance(search.evidence, Graphs):
        facts.append(("Sampled", f"{'; '.join(search.evidence.lines())}.", []))
    if recipe.knowledge is not None:
        facts.append(("Known", "", _settings(recipe.knowledge.to_dict())))
    if recipe.interventions is not None:
        facts.append(("Set from outside", "", _settings(set_outside)))
    facts.append(("Rows", "none: a known graph answered" if search.n_samples is None else f"{search.n_samples:,}", []))
    facts += [("Seed", seed, []), ("Time", f"{search.seconds:.3g} s", [])]
    if told:
        facts.append(("Counted", "", _settings(told)))
    return [*facts, ("Page made with", versions, [])]


def _settings(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    shown = []
    for key, value in values.items():
        if value is None:
            continue
        written = _written(value)
        if len(written) > _LONGEST_SETTING:
            written = written[: _LONGEST_SETTING - 1] + "…"
        shown.append((key, written))
    return shown


def _written(value: Any) -> str:
    """Write a value as Python does, numbers shorter."""
    if isinstance(value, float):
        return f"{value:.5g}"
    return f"[{', '.join(map(_written, value))}]" if isinstance(value, (list, tuple)) else str(value)
