"""What we think stands behind agreement and disagreement with the paper: remarks for the page, from `remarks.md`."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def remarks() -> dict[str, tuple[str, ...]]:
    """Give the remarks on each experiment.

    >>> [remark[:30] for remark in remarks()["table6"]]
    ['The ratio of I^eB to BF_chi2, ']
    """
    text = resources.files("paucal.paper").joinpath("remarks.md").read_text(encoding="utf-8")
    found: dict[str, tuple[str, ...]] = {}
    for section in text.split("\n## ")[1:]:
        name, _, content = section.partition("\n")
        points = f"\n{content}".split("\n- ")[1:]
        found[name.strip()] = tuple(" ".join(point.split()) for point in points)
    return found
