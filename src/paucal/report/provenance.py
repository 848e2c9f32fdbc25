"""Where a result comes from: what was run, with which settings and versions, and how to cite it."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import numpy as np

import paucal
from paucal.independence.registry import test_names
from paucal.report.text import text
from paucal.search.learn import goes_by_score, options_of, search_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

_LONGEST_SETTING = 400
_TOLD_ELSEWHERE = ("chosen", "map", "dag", "whole_sample")  # why this search; whole graphs
_CITATION = """@inproceedings{cui2022empirical,
  title     = {Empirical Bayesian Approaches for Robust Constraint-based Causal Discovery under Insufficient Data},
  author    = {Cui, Zijun and Yin, Naiyu and Wang, Yuru and Ji, Qiang},
  booktitle = {Proceedings of the Thirty-First International Joint Conference on Artificial Intelligence},
  year      = {2022}
}"""


def run_section(search: SearchResult, blanket: BlanketResult | None) -> str:
    """Tell what was run: search, test, settings, seed, versions."""
    seeds = [
        value
        for where in (search.settings, search.test_parameters)
        for key, value in where.items()
        if key == "seed"
    ]
    seed = text(seeds[0]) if seeds else "none needed: the same data give the same graph"
    versions = [
        f"paucal {paucal.__version__}",
        f"NumPy {np.__version__}",
        f"Python {platform.python_version()}",
    ]
    told = {key: value for key, value in search.details.items() if key not in _TOLD_ELSEWHERE}
    facts = [
        *([("Chosen", text(search.details["chosen"]))] if "chosen" in search.details else []),
        ("Search", f"{text(search.search)} {_settings(search.settings)}"),
        (
            "Score" if goes_by_score(search.search) else "Test",
            f"{text(search.test)} {_settings(search.test_parameters)}",
        ),
        ("Rows", "none: a known graph answered" if search.n_samples is None else f"{search.n_samples:,}"),
        ("Seed", seed),
        ("Time", f"{search.seconds:.3g} s"),
        *([("Also told", _settings(told))] if told else []),
        ("Page made with", text(", ".join(versions))),
    ]
    inner = "".join(f"<dt>{head}</dt><dd>{body}</dd>" for head, body in facts)
    return f'<section id="run"><h2>What was run</h2><dl class="facts">{inner}</dl>{_again(search, blanket)}</section>'


def _again(search: SearchResult, blanket: BlanketResult | None) -> str:
    """Show the call that gives this result again, if its search and its test have names."""
    call = call_of(search, blanket)
    if call is None:
        return ""
    return f"<h3>To run it again</h3><pre>{text(call)}</pre>"


def call_of(search: SearchResult, blanket: BlanketResult | None = None) -> str | None:
    """Write the call that gives this result again; None if its search or its test has no name.

    >>> import paucal
    >>> call_of(paucal.learn({"a": [0, 1, 1], "b": [0, 1, 0]}, "pc", test="chi2", max_order=1))[:53]
    "paucal.learn(data, 'pc', max_order=1, colliders='stan"
    """
    by_score = blanket is None and goes_by_score(search.search)
    if not by_score and search.test not in test_names():
        return None
    if blanket is None and search.search not in search_names():
        return None
    repeated = _repeated(search)
    taken = options_of(search.search) if blanket is None else tuple(search.settings)
    unset = ("knowledge", "seed") if blanket is not None else ("knowledge", "max_order", "seed")
    options = {k: v for k, v in search.settings.items() if k in taken and (v is not None or k not in unset)}
    options = repeated | options
    parts = ["data"] if blanket is None else ["data", repr(blanket.target)]
    parts.append(repr(search.search) if blanket is None else f"search={search.search!r}")
    if "knowledge" in options:  # kept as its parts
        parts.append(f"knowledge=paucal.Knowledge(**{options.pop('knowledge')!r})")
    parts += [f"{key}={value!r}" for key, value in options.items()]
    if by_score:
        parts += [f"score={search.test!r}", *(f"{k}={v!r}" for k, v in search.test_parameters.items())]
    else:
        named = ("alpha", "seed") if repeated else ("alpha",)  # every replicate has a seed of its own
        rest = {k: v for k, v in search.test_parameters.items() if k not in named}
        parts += [
            f"test={search.test!r}",
            f"alpha={search.test_parameters['alpha']!r}",
            f"test_options={rest!r}",
        ]
    function = "blanket" if blanket is not None else "bootstrap" if repeated else "learn"
    return f"paucal.{function}({', '.join(parts)})"


def _repeated(search: SearchResult) -> dict[str, Any]:
    """Give the arguments of the bootstrap behind a result, if there was one."""
    if "bootstrap" not in search.settings:
        return {}
    kept = {name: search.settings[name] for name in ("fraction", "seed") if name in search.settings}
    return {"replicates": search.settings["bootstrap"], **kept}


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
