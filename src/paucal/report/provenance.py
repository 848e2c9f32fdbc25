"""Where a result comes from: what was run, with which settings and versions, and how to cite it."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import numpy as np

import paucal
from paucal.report.text import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.search.recipe import Recipe
    from paucal.search.result import SearchResult

_LONGEST_SETTING = 400
_TOLD_ELSEWHERE = ("map", "dag", "whole_sample", "difference", "interventions")  # whole graphs; what the heading says
_CITATION = """@inproceedings{cui2022empirical,
  title     = {Empirical Bayesian Approaches for Robust Constraint-based Causal Discovery under Insufficient Data},
  author    = {Cui, Zijun and Yin, Naiyu and Wang, Yuru and Ji, Qiang},
  booktitle = {Proceedings of the Thirty-First International Joint Conference on Artificial Intelligence},
  year      = {2022}
}"""


def run_section(search: SearchResult) -> str:
    """Tell what was run: search, test, settings, seed, versions."""
    recipe, means = search.recipe, search.evidence.means
    seed = "none needed: the same data give the same graph" if recipe.seed is None else text(recipe.seed)
    versions = f"paucal {paucal.__version__}, NumPy {np.__version__}, Python {platform.python_version()}"
    told = {key: value for key, value in search.details.items() if key not in _TOLD_ELSEWHERE}
    facts = [
        *([("Chosen", text(f"{search.search}, as {recipe.reason}"))] if recipe.reason else []),
        ("Search", f"{text(search.search)} {_settings(recipe.options)}"),
        ("Test" if search.test is not None else "Score", f"{text(means.name)} {_settings(means.all)}"),
        *([("Known", _settings(recipe.knowledge.to_dict()))] if recipe.knowledge is not None else []),
        *([("Set from outside", _interventions(recipe))] if recipe.interventions is not None else []),
        *([("Data prepared", _settings(recipe.preparation.said))] if recipe.preparation.said else []),
        ("Rows", "none: a known graph answered" if search.n_samples is None else f"{search.n_samples:,}"),
        ("Seed", seed),
        ("Time", f"{search.seconds:.3g} s"),
        *([("Also told", _settings(told))] if told else []),
        ("Page made with", text(versions)),
    ]
    inner = "".join(f"<dt>{head}</dt><dd>{body}</dd>" for head, body in facts)
    again = f"<h3>To run it again</h3><pre>{text(recipe)}</pre>"
    return f'<section id="run"><h2>What was run</h2><dl class="facts">{inner}</dl>{again}</section>'


def _interventions(recipe: Recipe) -> str:
    return _settings({"told by": recipe.interventions, **(recipe.targets or {})})


def _settings(values: Mapping[str, Any]) -> str:
    shown = []
    for key, value in values.items():
        if value is None:
            continue
        written = _written(value)
        if len(written) > _LONGEST_SETTING:
            written = written[: _LONGEST_SETTING - 1] + "…"
        shown.append(f"<code>{text(key)} = {text(written)}</code>")
    return " ".join(shown)


def _written(value: Any) -> str:
    """Write a value as Python does, numbers shorter."""
    if isinstance(value, float):
        return f"{value:.5g}"
    return f"[{', '.join(map(_written, value))}]" if isinstance(value, (list, tuple)) else str(value)


def citation_section() -> str:
    """Tell how to cite."""
    return (
        f'<section id="cite"><h2>How to cite</h2><p>Cite the software, paucal {text(paucal.__version__)}, and the '
        f"paper whose methods it implements:</p><pre>{_CITATION}</pre></section>"
    )
