"""Small random Bayesian networks for property tests, with names and levels of any text."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from paucal.networks import BayesNet

# what a file format trips over, and any other text
AWKWARD = [
    "<5",
    ">=7.5",
    "12+",
    "Asy/Patch",
    "a b",
    "{",
    "}",
    ";",
    "|",
    "//",
    "/*",
    "*/",
    '"',
    "\\",
    "\n",
    "\r\n",
    ",",
    "table",
]
TEXTS = st.sampled_from(AWKWARD) | st.text(min_size=1, max_size=5)


def distinct(texts: st.SearchStrategy[str], least: int, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(texts, min_size=least, max_size=most, unique=True)


def table(rng: np.random.Generator, shape: tuple[int, ...], *, zeros: bool) -> np.ndarray:
    weights = rng.random(shape)
    if zeros:
        weights *= rng.random(shape) < 0.6
        weights[..., 0] += 0.01
    return weights / weights.sum(axis=-1, keepdims=True)


@st.composite
def networks(draw, texts: st.SearchStrategy[str] = TEXTS, max_nodes: int = 5) -> BayesNet:
    names = draw(distinct(texts.filter(str.strip), 1, max_nodes))
    levels = {name: draw(distinct(texts, 1, 4)) for name in names}
    order = draw(st.permutations(names))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parents = {
        name: draw(st.permutations([other for other in order[:i] if rng.random() < 0.5]))
        for i, name in enumerate(order)
    }
    zeros = draw(st.booleans())
    cpts = {name: table(rng, tuple(len(levels[v]) for v in (*parents[name], name)), zeros=zeros) for name in names}
    return BayesNet(levels, parents, cpts, name=draw(texts))
